"""Our own chat file: a header line, then a message a line, each a JSON object.

Keys are written in camelCase, with None and empty lists left out, and read in camelCase or
snake_case. An unknown key is an error; a line whose values cannot be used is a
:class:`Flaw`, which each reader treats in its own way.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from sayso.chats.clock import in_zone, placed, zone_named
from sayso.chats.numbering import LARGEST_ID
from sayso.core.chat import Chat, ChatHeader, Message
from sayso.errors import ImportFormatError

VERSION = 1
_MARK = "sayso"
_HEADER_KEYS = {name: to_camel(name) for name in ChatHeader.model_fields}
_MESSAGE_KEYS = {name: to_camel(name) for name in Message.model_fields}

Fields = dict[str, Any]  # a JSON object: its values are whatever the file held


@dataclass(frozen=True)
class Line:
    """A message and the line (1-based) it stands in; ``numbered`` is whether it had a localId.

    Without one, ``message.local_id`` means nothing yet.
    """

    number: int
    message: Message
    numbered: bool


@dataclass(frozen=True)
class Flaw:
    """A line (1-based) that could not be used, and why."""

    number: int
    reason: str


@dataclass(frozen=True)
class Parsed:
    """A chat file's header, its readable lines and the others, both in file order."""

    header: ChatHeader
    lines: tuple[Line, ...]
    flaws: tuple[Flaw, ...]


def is_canonical(text: str) -> bool:
    """Whether the first line that is not blank is the header of a chat file."""
    fields = _object(text.lstrip().partition("\n")[0])
    return fields is not None and _MARK in fields


def parse(text: str, where: str, chat_id: str) -> Parsed:
    """The content of a chat file; ``chat_id`` serves where the header has none.

    A time without an offset is on the clock of the chat's timezone. Raises ImportFormatError,
    beginning with ``where``, for a bad header and for an unknown key.
    """
    lines = ((n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
    number, first = next(lines, (1, ""))
    header = _header(first, f"{where}: line {number}", chat_id)
    zone = zone_named(header.timezone, f"{where}: line {number}")
    read: list[Line] = []
    flaws: list[Flaw] = []
    for number, line in lines:
        match _line(number, line, zone, where):
            case Line() as one:
                read.append(one)
            case flaw:
                flaws.append(flaw)
    return Parsed(header, tuple(read), tuple(flaws))


def format_chat(chat: Chat) -> Iterator[str]:
    """The lines of the chat's file, without line ends: the header, then the messages in order."""
    zone = zone_named(chat.timezone, chat.chat_id)
    header: Fields = {_MARK: "chat", "version": VERSION}
    names = {"participants", *ChatHeader.model_fields}
    header |= chat.model_dump(mode="json", by_alias=True, include=names)
    if not chat.participants:
        del header["participants"]
    yield _json(header)
    for message in chat.messages:
        fields = message.model_dump(mode="json", by_alias=True, exclude_none=True)
        fields["sentAt"] = in_zone(message.sent_at, zone).isoformat()
        if message.edited_at is not None:
            fields["editedAt"] = in_zone(message.edited_at, zone).isoformat()
        yield _json(fields)


def _header(line: str, where: str, chat_id: str) -> ChatHeader:
    given = _object(line)
    if given is None or _MARK not in given:
        raise ImportFormatError(
            f'{where}: expected the header of a chat file, {{"sayso": "chat", "version": {VERSION}, '
            f'"chatId": …}}, found {line[:60]!r}'
        )
    kind, version = given.pop(_MARK), given.pop("version", VERSION)
    if kind != "chat" or isinstance(version, bool) or version != VERSION:
        raise ImportFormatError(
            f'{where}: expected "sayso": "chat", "version": {VERSION}, found {kind!r}, version '
            f"{version!r}; a newer sayso may be needed to read it"
        )
    fields = _named(given, _HEADER_KEYS, where)
    fields.setdefault("chat_id", chat_id)
    fields.setdefault("title", fields["chat_id"])
    fields.setdefault("platform", "sayso")
    fields.setdefault("timezone_origin", "export" if "timezone" in fields else "assumed")
    try:
        return ChatHeader.model_validate(fields)
    except ValidationError as error:
        raise ImportFormatError(f"{where}: {_first(error)}") from error


def _line(number: int, line: str, zone: ZoneInfo, where: str) -> Line | Flaw:
    given = _object(line)
    if given is None:
        return Flaw(number, f"not a whole JSON object: {line[:60]!r}")
    fields = _named(given, _MESSAGE_KEYS, f"{where}: line {number}")
    fields = {name: value for name, value in fields.items() if value is not None}
    numbered = "local_id" in fields
    local_id = fields.setdefault("local_id", 1)
    if type(local_id) is not int or not 1 <= local_id <= LARGEST_ID:
        return Flaw(number, f"localId: expected a whole number from 1, found {local_id!r:.60}")
    fields.setdefault("text", "")
    fields.setdefault("sender", "")
    name = "sentAt"
    try:
        fields["sent_at"] = _time(fields.get("sent_at"), zone)
        name = "editedAt"
        if "edited_at" in fields:
            fields["edited_at"] = _time(fields["edited_at"], zone)
        return Line(number, Message.model_validate(fields), numbered)
    except ValidationError as error:
        return Flaw(number, _first(error))
    except ValueError as error:
        return Flaw(number, f"{name}: {error}")


def _time(given: Any, zone: ZoneInfo) -> datetime:  # Any: it may be anything that JSON can say
    try:
        time = datetime.fromisoformat(given)
    except (TypeError, ValueError) as error:
        expected = "expected a time such as 2023-12-29T22:42:04+01:00"
        raise ValueError(f"{expected}, found {given!r:.60}") from error
    return placed(time, zone) if time.tzinfo is None else in_zone(time, zone)


def _named(given: Fields, keys: dict[str, str], where: str) -> Fields:
    """The fields under their snake_case names; raises ImportFormatError for one we do not know."""
    known = {**{camel: name for name, camel in keys.items()}, **{name: name for name in keys}}
    fields: Fields = {}
    for key, value in given.items():
        name = known.get(key)
        if name is None:
            raise ImportFormatError(
                f"{where}: unknown key {key!r}; known keys: {', '.join(sorted(keys.values()))}"
            )
        if name in fields:
            raise ImportFormatError(f"{where}: {keys[name]!r} is given twice, also as {name!r}")
        fields[name] = value
    return fields


def _object(line: str) -> Fields | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _json(fields: Fields) -> str:
    return json.dumps(fields, ensure_ascii=False)


def _first(error: ValidationError) -> str:
    fault = error.errors()[0]
    name = ".".join(to_camel(str(part)) for part in fault["loc"])
    return f"{name}: {fault['msg']}, found {fault['input']!r:.60}"
