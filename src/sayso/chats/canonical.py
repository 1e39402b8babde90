"""Our own chat file: a header line, then a message a line, each a JSON object.

Keys are written in camelCase, with None and empty lists left out, and read in camelCase or
snake_case. An unknown key is an error; a line whose values cannot be used is a
:class:`Flaw`, which each reader treats in its own way.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from pydantic import ValidationError
from pydantic.alias_generators import to_camel

from sayso.chats.clock import in_zone, micros, placed, zone_named
from sayso.chats.numbering import LARGEST_ID
from sayso.core.chat import Chat, ChatHeader, Message
from sayso.errors import ImportFormatError

VERSION = 1
_MARK = "sayso"
_HEADER_KEYS = {name: to_camel(name) for name in ChatHeader.model_fields}
_MESSAGE_KEYS = {name: to_camel(name) for name in Message.model_fields}
# Both ways to write a key, by the name of the field.
_KNOWN = {**{name: name for name in (*_HEADER_KEYS, *_MESSAGE_KEYS)},
          **{camel: name for name, camel in (_HEADER_KEYS | _MESSAGE_KEYS).items()}}  # fmt: skip

Fields = dict[str, Any]  # a JSON object: its values are whatever the file held


@dataclass(frozen=True)
class Line:
    """A message and the line (1-based) it stands in; ``numbered`` is whether it had a localId.

    Without one, ``message.local_id`` means nothing yet.
    """

    number: int
    message: Message
    numbered: bool


class Given(NamedTuple):
    """A message as its line; ``at`` is in microseconds since 1970."""

    local_id: int
    at: int
    sender: str
    kind: str
    source_id: str | None
    line: str


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
    header, lines = read_lines(text.split("\n"), where, chat_id)
    read: list[Line] = []
    flaws: list[Flaw] = []
    for line in lines:
        if isinstance(line, Line):
            read.append(line)
        else:
            flaws.append(line)
    return Parsed(header, tuple(read), tuple(flaws))


def read_lines(
    lines: Iterable[str], where: str, chat_id: str
) -> tuple[ChatHeader, Iterator[Line | Flaw]]:
    """As :func:`parse`, the messages one by one; for an unknown key it raises as it comes there."""
    numbered = ((n, line) for n, line in enumerate(lines, 1) if line and not line.isspace())
    number, first = next(numbered, (1, ""))
    header = read_header(first, f"{where}: line {number}", chat_id)
    zone = zone_named(header.timezone, f"{where}: line {number}")
    return header, (read_line(number, line, zone, where) for number, line in numbered)


def format_chat(chat: Chat) -> Iterator[str]:
    """The lines of the chat's file, without line ends: the header, then the messages in order."""
    return format_lines(chat, chat.messages)


def format_lines(header: ChatHeader, messages: Iterable[Message]) -> Iterator[str]:
    """The same of a header and messages in order."""
    yield format_header(header)
    zone = zone_named(header.timezone, header.chat_id)
    for message in messages:
        yield format_message(message, zone)


def format_header(header: ChatHeader) -> str:
    """The first line of the chat's file."""
    fields: Fields = {_MARK: "chat", "version": VERSION}
    names = {"participants", *ChatHeader.model_fields}
    fields |= header.model_dump(mode="json", by_alias=True, include=names)
    if not header.participants:
        del fields["participants"]
    return _json(fields)


def format_message(message: Message, zone: ZoneInfo) -> str:
    """The line of a message, on the clock of the chat's zone."""
    if message.forwarded_from is None and not any(getattr(message, name) for name in _RARE):
        return format_plain(
            message.local_id,
            message.sender,
            in_zone(message.sent_at, zone),
            message.text,
            message.kind,
            message.reply_to,
            message.source_id,
            message.caption,
        )
    fields = message.model_dump(mode="json", by_alias=True, exclude_none=True)
    fields["sentAt"] = in_zone(message.sent_at, zone).isoformat()
    if message.edited_at is not None:
        fields["editedAt"] = in_zone(message.edited_at, zone).isoformat()
    return _json(fields)


# What makes a message's line take thrice the time to write.
_RARE = ("edited_at", "revisions", "reactions", "attachments")


def given(message: Message, zone: ZoneInfo) -> Given:
    """The message as its line, with what is asked of it most."""
    line = format_message(message, zone)
    m = message
    return Given(m.local_id, micros(m.sent_at), m.sender, m.kind, m.source_id, line)


def format_plain(
    local_id: int,
    sender: str,
    sent_at: datetime,
    text: str,
    kind: str,
    reply_to: int | None,
    source_id: str | None,
    caption: str | None,
) -> str:
    """The line of a message that has nothing else; ``sent_at`` is on the chat's clock."""
    # What json.dumps would write of a dict of them, in a third of the time.
    line = (
        f'{{"localId": {local_id}, "sender": {_json(sender)}, "sentAt": "{sent_at.isoformat()}", '
        f'"text": {_json(text)}, "kind": {_json(kind)}'
    )
    if reply_to is not None:
        line += f', "replyTo": {reply_to}'
    if source_id is not None:
        line += f', "sourceId": {_json(source_id)}'
    if caption is not None:
        line += f', "caption": {_json(caption)}'
    return line + "}"


def read_header(line: str, where: str, chat_id: str) -> ChatHeader:
    """The header of a chat; raises ImportFormatError for anything else."""
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


def read_line(number: int, line: str, zone: ZoneInfo, where: str) -> Line | Flaw:
    """The message of a line; ImportFormatError for an unknown key."""
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
    fields: Fields = {}
    for key, value in given.items():
        name = _KNOWN.get(key)
        if name is None or name not in keys:
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


# json.dumps would make a new encoder for each line.
_json = json.JSONEncoder(ensure_ascii=False).encode


def _first(error: ValidationError) -> str:
    fault = error.errors()[0]
    name = ".".join(to_camel(str(part)) for part in fault["loc"])
    return f"{name}: {fault['msg']}, found {fault['input']!r:.60}"
