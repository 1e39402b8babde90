"""Reading JSON that may hold anything: a field as the type it should have, or nothing."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sayso.chats.importers.report import Fault, Findings, Record
from sayso.chats.importers.streaming import listed
from sayso.core.chat import Attachment, Kind

Object = dict[str, Any]  # a JSON object: its values are whatever the file held


def text_of(value: Any) -> str:
    """The value where it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def id_of(value: Any) -> str | None:
    """A platform's id as a text: whole numbers and texts that are not blank."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value.strip() or None if isinstance(value, str) else None


def whole(value: Any) -> int | None:
    """The value where it is a whole number from 0, else None."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return int(value) if right else None


def object_of(value: Any) -> Object:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[Object]:
    """The objects of a list; none where it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def attachment(path: Any, kind: Kind, size: Any = None) -> tuple[Attachment, ...]:
    """The file of that path or name, by its last part; none where there is no name."""
    name = text_of(path).replace("\\", "/").rstrip("/").rpartition("/")[2]
    return (Attachment(name=name, kind=kind, size=whole(size)),) if name.strip() else ()


_BY_EXTENSION: dict[str, Kind] = {
    **dict.fromkeys(("jpg", "jpeg", "png", "heic", "gif", "webp", "bmp"), "photo"),
    **dict.fromkeys(("mp4", "mov", "3gp", "mkv", "avi", "webm"), "video"),
    **dict.fromkeys(("opus", "m4a", "mp3", "ogg", "aac", "amr", "wav", "flac"), "voice"),
    "vcf": "contact",
}


def kind_of_file(name: str) -> Kind:
    """What a file is, by the end of its name."""
    return _BY_EXTENSION.get(name.rpartition(".")[2].lower(), "file")


def shown(value: object) -> str:
    """A value as a reason shows it: at most 60 characters."""
    return "nothing" if value is None else f"{value!r:.60}"


@dataclass
class Met:
    """How often something was met, and where first."""

    times: int = 0
    first: str = ""

    def add(self, where: str) -> None:
        """Once more."""
        self.first = where if not self.times else self.first
        self.times += 1

    @property
    def more(self) -> str:
        """How many there are after the first."""
        return f" (and {self.times - 1} more)" if self.times > 1 else ""


@dataclass
class Reading:
    """Reads a list of records one by one; what cannot be used is reported and left out."""

    findings: Findings
    offsets: set[int | None] = field(default_factory=set)

    def each(
        self,
        items: Iterable[tuple[str, Any]],
        read: Callable[[Object, str, datetime | None], Record | None],
    ) -> Iterator[Record]:
        """A record for each object among (where, item) for which ``read`` gives one, as they come.

        ``read`` gets the object, where it stands and the time of the record before, and raises
        ValueError saying what the object lacks.
        """
        before: datetime | None = None
        for at, item in items:
            try:
                record = read(_checked(item), at, before)
            except ValueError as error:
                self.findings.unread.append(Fault(where=at, reason=str(error)))
                continue
            if record is not None:
                before = record.sent_at
                yield record


def pointed(items: Any, where: str) -> Iterator[tuple[str, Any]]:
    """The items of a list with their JSON pointers; none where it is no list."""
    return ((f"{where}/{n}", item) for n, item in enumerate(listed(items) or ()))


def _checked(item: Any) -> Object:
    if not isinstance(item, dict):
        raise ValueError(f"expected a message, found {shown(item)}")  # noqa: TRY004 a fault of the file
    return item
