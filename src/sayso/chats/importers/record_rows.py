"""A record as a row of the spool, and back.

Texts are bytes, because half characters (lone surrogates) are kept as they are.
"""

import json
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sayso.chats.clock import EPOCH
from sayso.chats.importers.report import Record
from sayso.chats.importers.voices import Voice, Voices
from sayso.chats.spooling import Row
from sayso.core.chat import Attachment, Reaction, Revision

COLUMNS = (
    "seq INTEGER PRIMARY KEY, at INTEGER, voice INTEGER, text BLOB, caption BLOB, source BLOB, "
    "reply BLOB, rest TEXT, place TEXT, flags INTEGER, own INTEGER"
)
WIDTH = 11
SOURCE, REPLY, FLAGS = 5, 6, 9  # where they stand in a row
HALF, SAID = 1, 2  # flags: may hold half a character; says something
_encode = json.JSONEncoder().encode
# Beside text and captions, what carries words of its own; the rest shows a placeholder.
_WORDY = frozenset({"text", "link", "poll"})


class Placed(NamedTuple):
    """A record in message order with its localId, and that of the message it replies to.

    ``at`` is in microseconds since 1970; ``half`` is whether it may hold half a character.
    """

    local_id: int
    at: int
    voice: Voice
    text: str
    caption: str | None
    source_id: str | None
    reply_to: int | None
    rest: dict[str, Any] | None
    where: str
    half: bool


def row_of(record: Record, seq: int, at: int, voice: Voice, *, numbered: bool) -> Row:
    """The row; ``numbered`` is whether the record has a localId of its own, or could have."""
    flags = HALF if voice.half else 0
    text = record.text
    try:
        told = text.encode()
    except UnicodeEncodeError:
        flags |= HALF
        told = _bytes(text)
    said = bool((record.words or record.kind in _WORDY) and text and not text.isspace())
    caption = source = reply = rest = None
    if record.caption or (numbered and record.caption is not None):
        caption, said = _bytes(record.caption), said or bool(record.caption)
    if record.source_id is not None:
        source = _bytes(record.source_id)
    if record.reply_to is not None:
        reply = _bytes(record.reply_to)
    if _has_rest(record):
        rest = _rest(record)
    if (caption or source or rest) and _may_be_half(caption, source, rest):
        flags |= HALF
    if said:
        flags |= SAID
    return (seq, at, voice.number, told, caption, source, reply, rest, record.where, flags,
            record.local_id)  # fmt: skip


def record_of(row: Row, voices: Voices) -> Record:
    """The record; its ``words`` are whether it says something."""
    _, at, number, text, caption, source, reply, rest, where, flags, _ = row
    voice = voices.all[number]
    return Record(
        where=where,
        sender=voice.sender,
        sent_at=EPOCH + timedelta(microseconds=at),
        text=text_of(text),
        kind=voice.kind,
        caption=None if caption is None else text_of(caption),
        source_id=None if source is None else text_of(source),
        person=voice.person,
        reply_to=None if reply is None else text_of(reply),
        words=bool(flags & SAID),
        **(read_rest(rest) if rest else {}),
    )


def placed_of(local_id: int, row: Row, reply_to: int | None, voices: Voices) -> Placed:
    """The record under that localId."""
    _, at, voice, text, caption, source, _, rest, where, flags, _ = row
    return Placed(
        local_id,
        at,
        voices.all[voice],
        text_of(text),
        None if caption is None else text_of(caption),
        None if source is None else text_of(source),
        reply_to,
        read_rest(rest) if rest else None,
        where,
        bool(flags & HALF),
    )


def read_rest(rest: str) -> dict[str, Any]:
    """What few messages have, by the names of a message's fields."""
    fields: dict[str, Any] = json.loads(rest)
    if "edited_at" in fields:
        fields["edited_at"] = datetime.fromisoformat(fields["edited_at"])
    if "revisions" in fields:
        fields["revisions"] = tuple(
            Revision(text=text, until=until and datetime.fromisoformat(until))
            for text, until in fields["revisions"]
        )
    if "reactions" in fields:
        fields["reactions"] = tuple(
            Reaction(emoji=emoji, who=tuple(who), count=count)
            for emoji, who, count in fields["reactions"]
        )
    if "attachments" in fields:
        fields["attachments"] = tuple(
            Attachment(name=name, kind=kind, size=size)
            for name, kind, size in fields["attachments"]
        )
    return fields


def _has_rest(record: Record) -> bool:
    return bool(
        record.edited_at is not None
        or record.reactions
        or record.attachments
        or record.revisions
        or record.forwarded_from is not None
    )


def _may_be_half(caption: bytes | None, source: bytes | None, rest: str | None) -> bool:
    """Whether any of it holds the beginning of a lone surrogate, as bytes or as an escape."""
    if (caption and b"\xed" in caption) or (source and b"\xed" in source):
        return True
    return rest is not None and "\\ud" in rest


def _rest(record: Record) -> str:
    fields: dict[str, Any] = {}
    if record.edited_at is not None:
        fields["edited_at"] = record.edited_at.isoformat()
    if record.revisions:
        fields["revisions"] = [(r.text, r.until and r.until.isoformat()) for r in record.revisions]
    if record.reactions:
        fields["reactions"] = [(r.emoji, r.who, r.count) for r in record.reactions]
    if record.attachments:
        fields["attachments"] = [(a.name, a.kind, a.size) for a in record.attachments]
    if record.forwarded_from is not None:
        fields["forwarded_from"] = record.forwarded_from
    return _encode(fields)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def text_of(given: bytes) -> str:
    """A text of a row."""
    return given.decode("utf-8", "surrogatepass")
