"""ChatLab's standard format 0.0.2, JSON and JSONL: what tools for many platforms can write.

A person's ``platformId`` is theirs for ever; ``accountName`` and ``groupNickname`` are what they
were called when the message was sent. Times are unix seconds.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import (
    Met,
    Object,
    Reading,
    id_of,
    object_of,
    pointed,
    shown,
    text_of,
)
from sayso.chats.importers.format import Format
from sayso.chats.importers.instants import unix, zone_of
from sayso.chats.importers.records import Records
from sayso.chats.importers.report import Fault, Findings, ImportOptions, Record
from sayso.chats.importers.streaming import listed
from sayso.core.chat import Kind
from sayso.errors import ImportFormatError

NAME = "ChatLab JSON"
_KINDS: dict[int, Kind] = {
    0: "text", 1: "photo", 2: "voice", 3: "video", 4: "file", 5: "sticker", 7: "link",
    8: "location", 23: "call", 24: "link", 25: "text", 27: "contact", 80: "system", 81: "deleted",
}  # fmt: skip
_WORDS = frozenset({0, 7, 24, 25, 26})
_MILLISECONDS = 10**11  # seconds would be the year 5138


def recognises(export: Export) -> bool:
    """Whether it is the standard's object, or its header line."""
    value = export.json if export.large or not _is_lines(export) else None
    return (isinstance(value, dict) and _is_header(value)) or _is_lines(export)


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The one chat of the file."""
    findings = Findings()
    met = _Beside()
    if _is_lines(export):
        messages = _of_lines(export, findings, met)
    else:
        met.meta = object_of(export.json.get("meta"))
        met.members = [m for m in listed(export.json.get("members")) or () if isinstance(m, dict)]
        messages = pointed(export.json.get("messages"), "/messages")
    milli = Met()

    def one(fields: Object, where: str, before: datetime | None) -> Record:
        return _record(fields, where, milli)

    records = Records(Reading(findings).each(messages, one), export.spool)
    if milli.times:
        findings.notes.append(
            f"{milli.first} and {milli.times - 1} more have their time in milliseconds; read as such"
        )
    zone, told = zone_of([])
    if told and not options.timezone:
        findings.notes.append(told)
    meta = met.meta
    head = header(
        export, options, text_of(meta.get("platform")).strip() or "chatlab",
        title=text_of(meta.get("name")).strip() or None, zone=zone, owner=id_of(meta.get("ownerId")),
    )  # fmt: skip
    roster = {key: _names(m) for m in met.members if (key := id_of(m.get("platformId")))}
    done = assemble(
        head, records, export=export, form=NAME, findings=findings, options=options, roster=roster
    )
    return (done,)


CHATLAB = Format("chatlab", NAME, "sayso import qq_family.jsonl --as family", recognises, read)


def _is_header(value: Object) -> bool:
    return isinstance(value.get("chatlab"), dict) and isinstance(value.get("meta"), dict)


def _lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers; ``#`` begins a comment."""
    for number, given in enumerate(lines, 1):
        line = given.strip(" \t\r\ufeff")
        if line and not line.startswith("#"):
            yield number, line


def _is_lines(export: Export) -> bool:
    if export.large is not None:
        return False
    first = next(_lines(_split(export.head)), (0, ""))[1]
    if '"_type"' not in first:
        return False
    value = _parsed(first)
    return isinstance(value, dict) and value.get("_type") == "header" and "chatlab" in value


def _parsed(line: str) -> Any:  # whatever the line holds; None where it is no JSON
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _split(text: str) -> Iterator[str]:
    """The lines of a text, found as they are asked for."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


@dataclass
class _Beside:
    """What the lines hold beside messages; whole when the last of them is read."""

    meta: Object = field(default_factory=dict)
    members: list[Object] = field(default_factory=list)


def _of_lines(export: Export, findings: Findings, met: _Beside) -> Iterator[tuple[str, Any]]:
    """The messages with their lines."""
    found = False
    for number, line in _lines(export.lines()):
        value = _parsed(line)
        match value.get("_type") if isinstance(value, dict) else None:
            case "header":
                met.meta = met.meta or object_of(value.get("meta"))
            case "member":
                met.members.append(value)
            case "message":
                found = True
                yield f"line {number}", value
            case _:
                reason = f"expected a header, member or message, found {line!r:.60}"
                findings.unread.append(Fault(where=f"line {number}", reason=reason))
    if not found:
        raise ImportFormatError(f"{export.name}: has a ChatLab header and no message")


def _names(member: Object) -> list[str]:
    aliases = member.get("aliases")
    others = [text_of(a) for a in aliases] if isinstance(aliases, list) else []
    return [text_of(member.get("groupNickname")), text_of(member.get("accountName")), *others]


def _record(fields: Object, where: str, milli: Met) -> Record:
    stamp = fields.get("timestamp")
    late = isinstance(stamp, int | float) and stamp >= _MILLISECONDS
    sent_at = unix(stamp, per_second=1000 if late else 1)
    if late:
        milli.add(where)
    content = fields.get("content")
    if content is not None and not isinstance(content, str):
        raise ValueError(f"expected content to be text, found {shown(content)}")
    number = fields.get("type", 0)
    kind = _KINDS.get(number, "other") if isinstance(number, int) else "other"
    sender = text_of(fields.get("groupNickname")) or text_of(fields.get("accountName"))
    if kind == "text" and not content:
        raise ValueError("a text without content")
    return Record(
        where=where,
        sender=sender,
        person=id_of(fields.get("sender")) if sender or kind != "system" else None,
        sent_at=sent_at,
        text=content or "",
        kind=kind,
        source_id=id_of(fields.get("platformMessageId")),
        reply_to=id_of(fields.get("replyToMessageId")),
        words=isinstance(number, int) and number in _WORDS,
    )
