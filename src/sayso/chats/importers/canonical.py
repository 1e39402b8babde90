"""Canonical chat JSONL, as anyone may have written it: gaps are filled and reported.

A record without a localId gets the next free one, and so does the second of two records with the
same localId: they are two messages.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sayso.chats.canonical import Line, is_canonical, parse
from sayso.chats.clock import in_zone, placed, zone_named
from sayso.chats.ids import checked_chat_id, mended
from sayso.chats.importers.assembling import reported, speakers
from sayso.chats.importers.export import Export
from sayso.chats.importers.format import Format
from sayso.chats.importers.naming import as_told
from sayso.chats.importers.repairing import repaired
from sayso.chats.importers.report import Fault, Findings, Imported, ImportOptions
from sayso.chats.numbering import free_ids
from sayso.core.chat import Chat, ChatHeader, Message, Participant, in_message_order
from sayso.errors import ImportFormatError

NAME = "canonical chat JSONL"


def read(export: Export, options: ImportOptions) -> tuple[Imported, ...]:
    """The one chat of the file."""
    parsed = parse(export.text, export.name, export.stem)
    findings = Findings()
    findings.unread += [Fault(where=f"line {f.number}", reason=f.reason) for f in parsed.flaws]
    messages = _unique(_numbered(parsed.lines, findings), findings)
    chat = as_told(_chat(parsed.header, messages, export, options), options, findings)
    return (reported(chat, export=export, form=NAME, findings=findings),)


CANONICAL = Format(
    "canonical", NAME, "sayso import chat.jsonl", lambda export: is_canonical(export.text), read
)


def _numbered(lines: Sequence[Line], findings: Findings) -> list[tuple[Line, Message]]:
    """Each line with its message under its own or the next free localId, in file order."""
    holder: dict[int, int] = {}
    for line in lines:
        if line.numbered:
            holder.setdefault(line.message.local_id, line.number)
    without = [n for n in lines if holder.get(n.message.local_id) != n.number or not n.numbered]
    in_order = sorted(without, key=lambda n: (n.message.sent_at, n.number))
    free = free_ids(holder, len(in_order))
    ids = {line.number: local_id for line, local_id in zip(in_order, free, strict=True)}
    for line in without:
        had = (
            f"localId {line.message.local_id} stands there twice" if line.numbered else "no localId"
        )
        reason = f"{had}; this message is {ids[line.number]} now"
        findings.duplicates.append(Fault(where=f"line {line.number}", reason=reason))
    return [
        (n, n.message.model_copy(update={"local_id": ids.get(n.number, n.message.local_id)}))
        for n in lines
    ]


def _unique(numbered: list[tuple[Line, Message]], findings: Findings) -> list[Message]:
    """The messages, repaired; of two with one source_id the second has none, and is reported."""
    seen: Counter[str] = Counter()
    messages = []
    for line, given in numbered:
        where = f"line {line.number}"
        message = repaired(given, where, findings)
        if message.source_id is not None:
            seen[message.source_id] += 1
            if seen[message.source_id] > 1:
                reason = f"id {message.source_id!r} stands there twice; this message has none now"
                findings.duplicates.append(Fault(where=where, reason=reason))
                message = message.model_copy(update={"source_id": None})
        messages.append(message)
    return messages


def _chat(
    head: ChatHeader, messages: list[Message], export: Export, options: ImportOptions
) -> Chat:
    update: dict[str, Any] = {"title": mended(head.title), "platform": mended(head.platform)}
    update["owner"] = mended(head.owner) if head.owner else None
    update["chat_id"] = checked_chat_id(options.chat_id or head.chat_id, export.name)
    named = speakers(in_message_order(messages))
    people = {p.name: p for p in map(_mended, head.participants)}
    known = {name for p in people.values() for name in (p.name, *p.aliases)}
    people |= {name: Participant(name=name) for name in named if name not in known}
    if options.timezone is not None:
        messages, update["timezone_origin"] = _rezoned(messages, head, options.timezone)
        update["timezone"] = options.timezone
    fields = {name: getattr(head, name) for name in ChatHeader.model_fields} | update
    fields |= {"participants": tuple(people.values()), "messages": in_message_order(messages)}
    return Chat.model_validate(fields)


def _mended(person: Participant) -> Participant:
    return Participant(name=mended(person.name), aliases=tuple(map(mended, person.aliases)))


def _rezoned(messages: list[Message], head: ChatHeader, timezone: str) -> tuple[list[Message], str]:
    """The messages in that zone: where the file only assumed one, its wall clocks are kept."""
    zone = zone_named(timezone, "--timezone")
    try:
        if head.timezone_origin != "assumed":
            at = [in_zone(m.sent_at, zone) for m in messages]
        else:
            at = [placed(m.sent_at.replace(tzinfo=None), zone) for m in messages]
    except ValueError as error:
        raise ImportFormatError(f"--timezone {timezone}: {error}") from error
    moved = [
        m.model_copy(
            update={"sent_at": t, "edited_at": m.edited_at and t + (m.edited_at - m.sent_at)}
        )
        for m, t in zip(messages, at, strict=True)
    ]
    return moved, "named" if head.timezone_origin == "assumed" else head.timezone_origin
