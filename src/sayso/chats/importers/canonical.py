"""Canonical chat JSONL, as anyone may have written it: gaps are filled and reported.

A record without a localId gets the next free one, and so does the second of two records with the
same localId: they are two messages.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from sayso.chats.canonical import Flaw, Line, is_canonical, read_lines
from sayso.chats.clock import in_zone, placed, zone_named
from sayso.chats.ids import checked_chat_id, mended
from sayso.chats.importers.assembling import finish
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.format import Format
from sayso.chats.importers.record_ids import ids_once, number
from sayso.chats.importers.records import Records
from sayso.chats.importers.repairing import repaired
from sayso.chats.importers.report import Fault, Findings, ImportOptions, Record
from sayso.core.chat import ChatHeader, Participant
from sayso.errors import ImportFormatError

NAME = "canonical chat JSONL"
# What an export may hold without telling whose it is.
_OF_NOBODY = ("system", "deleted")


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The one chat of the file."""
    head, lines = read_lines(export.lines(), export.name, export.stem)
    for person in head.participants:
        if not person.name.strip():
            raise ImportFormatError(
                f"{export.name}: participants: expected a name, found {person.name!r}"
            )
    findings = Findings()
    records = Records(_records(lines, head, options, findings), export.spool, numbered=True)
    number(records, findings.duplicates)
    ids_once(records, findings.duplicates)
    people = {p.name: p for p in map(_mended, head.participants)}
    known = {name for p in people.values() for name in (p.name, *p.aliases)}
    spoke = records.voices.speakers(lambda voice: voice.sender)
    people |= {name: Participant(name=name) for name in spoke if name not in known}
    update: dict[str, Any] = {"title": mended(head.title), "platform": mended(head.platform)}
    update["owner"] = mended(head.owner) if head.owner else None
    update["chat_id"] = checked_chat_id(options.chat_id or head.chat_id, export.name)
    update["participants"] = tuple(people.values())
    if options.timezone is not None:
        update["timezone"] = options.timezone
        if head.timezone_origin == "assumed":
            update["timezone_origin"] = "named"
    head = head.model_copy(update=update)
    return (finish(head, records, export=export, form=NAME, findings=findings, options=options),)


CANONICAL = Format(
    "canonical", NAME, "sayso import chat.jsonl", lambda export: is_canonical(export.head), read
)


def _records(
    lines: Iterable[Line | Flaw], head: ChatHeader, options: ImportOptions, findings: Findings
) -> Iterator[Record]:
    """The messages, repaired, on the clock that the user names."""
    moved = _moving(head, options.timezone)
    for line in lines:
        where = f"line {line.number}"
        if isinstance(line, Flaw):
            findings.unread.append(Fault(where=where, reason=line.reason))
            continue
        message = repaired(line.message, where, findings.repaired)
        if not message.sender.strip() and message.kind not in _OF_NOBODY:
            reason = f"sender: expected a name, found {message.sender!r}"
            findings.unread.append(Fault(where=where, reason=reason))
            continue
        sent_at = moved(message.sent_at)
        edited_at = message.edited_at
        yield Record(
            where=where,
            sender=message.sender,
            sent_at=sent_at,
            text=message.text,
            kind=message.kind,
            caption=message.caption,
            source_id=message.source_id,
            reply_to=None if message.reply_to is None else f"{message.reply_to}",
            edited_at=edited_at and sent_at + (edited_at - message.sent_at),
            revisions=message.revisions,
            reactions=message.reactions,
            attachments=message.attachments,
            forwarded_from=message.forwarded_from,
            local_id=message.local_id if line.numbered else None,
        )


def _moving(head: ChatHeader, timezone: str | None) -> Callable[[datetime], datetime]:
    """Times in that zone: where the file only assumed one, its wall clocks are kept."""
    if timezone is None:
        return lambda time: time
    zone = zone_named(timezone, "--timezone")

    def moved(time: datetime) -> datetime:
        try:
            if head.timezone_origin != "assumed":
                return in_zone(time, zone)
            return placed(time.replace(tzinfo=None), zone)
        except ValueError as error:
            raise ImportFormatError(f"--timezone {timezone}: {error}") from error

    return moved


def _mended(person: Participant) -> Participant:
    return Participant(name=mended(person.name), aliases=tuple(map(mended, person.aliases)))
