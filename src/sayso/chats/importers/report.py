"""What an import was asked for, and what it tells: counts, and everything that went otherwise."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime

from sayso.core.chat import Attachment, Chat, Kind, Reaction, Revision
from sayso.core.value import Value

DateOrder = Literal["dmy", "mdy", "ymd"]

ME = "You"
_SHOWN = 20


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


@dataclass(frozen=True, slots=True)
class Record:
    """A message as an export has it, before it has a localId.

    ``person`` is the platform's id of the sender, where it has one: names change, ids do not.
    ``reply_to`` is the source_id of the message replied to. ``words`` is whether ``text`` is what
    the person wrote, and not what the exporter put in its place.
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


@dataclass
class Findings:
    """Collects, while one chat is read, what its report will say."""

    unread: list[Fault] = field(default_factory=list)
    repaired: list[Fault] = field(default_factory=list)
    duplicates: list[Fault] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def faults(found: list[Fault]) -> Faults:
    """The count of them and the first few."""
    return Faults(count=len(found), shown=tuple(found[:_SHOWN]))
