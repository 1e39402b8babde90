"""What an import was asked for, and what it tells: counts, and everything that went otherwise."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import AwareDatetime

from sayso.core.chat import Attachment, Chat, Kind, Reaction, Revision
from sayso.core.value import Value

DateOrder = Literal["dmy", "mdy", "ymd"]

ME = "You"
NO_TIMEZONE = "the times have no timezone: read as UTC; name the chat's own with --timezone"
_SHOWN = 20
_REASONS = 1000  # of which is told how often each was met


class ImportOptions(Value):
    """What the user names at import: the chat's id, an IANA timezone, the order of day and month.

    ``owner`` is what whoever exported the chat is called, ``aliases`` other names with the one
    they stand for, ``columns`` which column (or key) of a table is the text, the sender and so on.
    """

    chat_id: str | None = None
    timezone: str | None = None
    date_order: DateOrder | None = None
    owner: str | None = None
    aliases: tuple[tuple[str, str], ...] = ()
    columns: tuple[tuple[str, str], ...] = ()

    @property
    def me(self) -> str:
        """What to call the owner where the export says no more than "me"."""
        return self.owner or ME


class Fault(Value):
    """A place in the file (``line 12``, or a JSON pointer) and what is the matter with it."""

    where: str
    reason: str


class Faults(Value):
    """How many there are, and the first of them (at most 20) in file order."""

    count: int = 0
    shown: tuple[Fault, ...] = ()


class ImportReport(Value):
    """What came of an import.

    ``kinds`` and ``people`` count messages, the most first; system messages have no person.
    ``unread``: parts that are not in the chat. ``repaired``: texts with a lone surrogate, now
    U+FFFD. ``duplicates``: ids that stood there twice or not at all; those messages are in the
    chat. ``warnings`` may mean wrong times or texts and name the flag that settles it; ``notes``
    say what was assumed.
    """

    format: str
    messages: int
    kinds: dict[str, int]
    people: dict[str, int]
    first: AwareDatetime
    last: AwareDatetime
    unread: Faults = Faults()
    repaired: Faults = Faults()
    duplicates: Faults = Faults()
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Imported(Value):
    """A chat out of an export, and the report of its import."""

    chat: Chat
    report: ImportReport


# Not frozen: of ten million of them the making would take a minute more.
@dataclass(slots=True)
class Record:
    """A message as an export has it, before it has a localId.

    ``person`` is the platform's id of the sender, where it has one: names change, ids do not.
    ``reply_to`` is the source_id of the message replied to. ``words`` is whether ``text`` is what
    the person wrote, and not what the exporter put in its place. In our own files messages have a
    ``local_id``, and ``reply_to`` is one, too, as a text.
    """

    where: str
    sender: str
    sent_at: datetime
    text: str
    kind: Kind = "text"
    caption: str | None = None
    source_id: str | None = None
    person: str | None = None
    reply_to: str | None = None
    edited_at: datetime | None = None
    revisions: tuple[Revision, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    forwarded_from: str | None = None
    words: bool = False
    local_id: int | None = None


class Reason(NamedTuple):
    """Why faults are faults: how many share the reason, and where the first of them is."""

    reason: str
    times: int
    first: str


@dataclass
class FaultLog:
    """Counts faults, given in file order, and keeps the first: there may be millions."""

    count: int = 0
    _first: list[Fault] = field(default_factory=list)
    _met: dict[str, int] = field(default_factory=dict)
    _where: dict[str, str] = field(default_factory=dict)

    def append(self, fault: Fault) -> None:
        """One more."""
        self.count += 1
        if len(self._first) < _SHOWN:
            self._first.append(fault)
        if fault.reason in self._met:
            self._met[fault.reason] += 1
        elif len(self._met) < _REASONS:
            self._met[fault.reason], self._where[fault.reason] = 1, fault.where

    def extend(self, faults: Iterable[Fault]) -> None:
        """Some more."""
        for fault in faults:
            self.append(fault)

    @property
    def commonest(self) -> Reason | None:
        """The reason that was met most often, of several the first; None without a fault."""
        if not self._met:
            return None
        reason = max(self._met, key=lambda met: self._met[met])
        return Reason(reason, self._met[reason], self._where[reason])

    @property
    def told(self) -> Faults:
        """As a report has them."""
        return Faults(count=self.count, shown=tuple(self._first))


@dataclass
class Findings:
    """Collects, while one chat is read, what its report will say."""

    unread: FaultLog = field(default_factory=FaultLog)
    repaired: FaultLog = field(default_factory=FaultLog)
    duplicates: FaultLog = field(default_factory=FaultLog)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
