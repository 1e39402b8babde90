"""A chat's messages laid aside in message order, for chats that are too large to be held.

Each is the line that it has in the chat's file, so that what does not change is only copied.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, get_args
from zoneinfo import ZoneInfo

from sayso.chats.canonical import Flaw, Given, given, read_header, read_line
from sayso.chats.clock import Clock, micros, zone_named
from sayso.chats.ids import mended
from sayso.chats.numbering import LARGEST_ID
from sayso.chats.spooling import Row, Spool
from sayso.core.chat import ChatHeader, Kind, Message
from sayso.errors import ImportFormatError, InputError

_COLUMNS = "n INTEGER PRIMARY KEY, local INTEGER, at INTEGER, source BLOB, line TEXT"
_WIDTH = 5
_MINUTE = 60_000_000  # microseconds
_encode = json.JSONEncoder(ensure_ascii=False).encode
_KINDS = frozenset(get_args(Kind))
_ALWAYS = ["localId", "sender", "sentAt", "text", "kind"]
_OFTEN = {"replyTo": int, "sourceId": str, "caption": str}
# Within a text the quotes would be escaped.
_ANSWERS = '"replyTo": '
_REPLY = re.compile(r', "replyTo": (-?\d+)')


class Laid:
    """The messages of a chat under ``header``, by number from 1 in message order.

    ``senders`` are whom they are from, the system's aside; nobody is an empty name.
    """

    def __init__(self, header: ChatHeader, given: Iterable[Given], spool: Spool) -> None:
        self.header = header
        self.count = self.largest = 0
        self.first_at = self.last_at = 0
        self.senders: set[str] = set()
        self.has_ids = self.has_replies = False
        self.table = spool.table(_COLUMNS)
        self._spool = spool
        self._ordered = self._rising = True
        spool.fill(self.table, self._rows(given), _WIDTH)
        if not self._ordered:
            self._sort()
        if not self._rising:
            spool.run(f"CREATE INDEX {self.table}_local ON {self.table} (local)")
        if self.count:
            self.first_at, self.last_at = self._at("ASC"), self._at("DESC")

    @property
    def speakers(self) -> Set[str]:
        """Whom they are from, by name."""
        return self.senders - {""}

    @property
    def repeated(self) -> int | None:
        """A localId that two messages have."""
        if self._rising:
            return None
        found = self._spool.one(
            f"SELECT local FROM {self.table} GROUP BY local HAVING count(*) > 1 LIMIT 1"
        )
        return None if found is None else int(found[0])

    @property
    def whole_minutes(self) -> bool:
        """Whether no message has seconds."""
        found = self._spool.one(f"SELECT 1 FROM {self.table} WHERE at % {_MINUTE} != 0 LIMIT 1")
        return found is None

    def lines(self) -> Iterator[str]:
        """The lines in message order."""
        for (line,) in self._spool.rows(f"SELECT line FROM {self.table} ORDER BY n"):
            yield line

    def taken(self) -> Iterator[int]:
        """The localIds in ascending order."""
        return (n for (n,) in self._spool.rows(f"SELECT local FROM {self.table} ORDER BY local"))

    def _rows(self, given: Iterable[Given]) -> Iterator[Row]:
        before = (-(2**63), 0)
        largest = count = 0
        for count, one in enumerate(given, 1):
            local_id, at, sender, kind, source_id, line = one
            if (at, local_id) < before:
                self._ordered = False
            before = (at, local_id)
            if local_id > largest:
                largest = local_id
            else:
                self._rising = False
            if kind != "system":
                self.senders.add(sender)
            self.has_replies = self.has_replies or _ANSWERS in line
            source = None
            if source_id is not None:
                self.has_ids, source = True, source_id.encode("utf-8", "surrogatepass")
            yield (count, local_id, at, source, line)
        self.count, self.largest = count, largest

    def _sort(self) -> None:
        ordered = self._spool.table(_COLUMNS)
        self._spool.run(
            f"INSERT INTO {ordered} (local, at, source, line) "
            f"SELECT local, at, source, line FROM {self.table} ORDER BY at, local"
        )
        self._spool.run(f"DROP TABLE {self.table}")
        self.table = ordered

    def _at(self, order: str) -> int:
        found = self._spool.one(f"SELECT at FROM {self.table} ORDER BY n {order} LIMIT 1")
        return 0 if found is None else int(found[0])


def laid_messages(header: ChatHeader, messages: Iterable[Message], spool: Spool) -> Laid:
    """Messages, given in any order, as lines on the clock of the header's timezone."""
    zone = zone_named(header.timezone, header.chat_id)
    return Laid(header, (given(message, zone) for message in messages), spool)


def laid_file(path: Path, whole: Callable[[Message], str], spool: Spool) -> Laid:
    """A chat's own file; strict, so that no message is lost unseen.

    ``whole`` tells what is wrong with a message, if anything. Raises ImportFormatError naming the
    line, and InputError where there is no such file.
    """
    name = mended(str(path))
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            lines = ((n, line.removesuffix("\n")) for n, line in enumerate(file, 1))
            number, first = next(((n, line) for n, line in lines if line.strip()), (1, ""))
            header = read_header(first, f"{name}: line {number}", path.stem)
            reading = _Reading(name, zone_named(header.timezone, name), whole)
            coming = (reading.given(n, line) for n, line in lines if line and not line.isspace())
            laid = Laid(header, coming, spool)
    except UnicodeDecodeError as error:
        raise ImportFormatError(f"{name}: is not UTF-8: {error}; restore it") from error
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error}") from error
    if (local_id := laid.repeated) is not None:
        raise ImportFormatError(
            f"{name}: localId {local_id} stands there twice; import the file instead"
        )
    return laid


@dataclass
class _Reading:
    """Reads the lines of a chat's own file."""

    name: str
    zone: ZoneInfo
    whole: Callable[[Message], str]
    clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = Clock(self.zone)

    def given(self, number: int, line: str) -> Given:
        """The message of the line; what is just as we write it is not looked at twice."""
        return self._usual(line) or self._any(number, line)

    def _usual(self, line: str) -> Given | None:
        try:
            fields: dict[str, Any] = json.loads(line)
            local_id, sender, sent_at, text, kind = (fields[key] for key in _ALWAYS)
            at = micros(datetime.fromisoformat(sent_at))
            usual = (
                [*fields][:5] == _ALWAYS
                and type(local_id) is int
                and 0 < local_id <= LARGEST_ID
                and type(sender) is type(text) is str
                and kind in _KINDS
                and all(type(value) is _OFTEN.get(key) for key, value in [*fields.items()][5:])
                and self.clock(at).isoformat() == sent_at
                and _encode(fields) == line
            )
        except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
            return None
        return Given(local_id, at, sender, kind, fields.get("sourceId"), line) if usual else None

    def _any(self, number: int, line: str) -> Given:
        read = read_line(number, line, self.zone, self.name)
        where = f"{self.name}: line {number}"
        if isinstance(read, Flaw):
            raise ImportFormatError(
                f"{where}: {read.reason}; restore it, or import the file instead"
            )
        wrong = self.whole(read.message) if read.numbered else "the message has no localId"
        if wrong:
            raise ImportFormatError(f"{where}: {wrong}; import the file instead")
        return given(read.message, self.zone)


def message_of(line: str) -> Message:
    """The message of a laid line."""
    return Message.model_validate(json.loads(line))


def unnumbered(line: str) -> str:
    """A laid line without the localIds that it has and replies to."""
    line = line[line.index(",") :]
    return _REPLY.sub("", line) if _ANSWERS in line else line


def answers(line: str) -> int | None:
    """The localId that a laid line replies to."""
    found = _REPLY.search(line) if _ANSWERS in line else None
    return int(found[1]) if found else None


def renumbered(line: str, local_id: int) -> str:
    """A laid line that replies to nothing, under another localId."""
    return f'{{"localId": {local_id}{line[line.index(",") :]}'
