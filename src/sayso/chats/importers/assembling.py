"""From an export's records to a chat: localIds, participants, and the report."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

from sayso.chats.clock import in_zone, zone_named
from sayso.chats.ids import checked_chat_id, mended
from sayso.chats.importers.export import Export
from sayso.chats.importers.naming import Roster, as_told, with_names
from sayso.chats.importers.repairing import repaired
from sayso.chats.importers.report import (
    Fault,
    Findings,
    Imported,
    ImportOptions,
    ImportReport,
    Record,
    faults,
)
from sayso.core.chat import (
    Chat,
    ChatHeader,
    Message,
    Participant,
    Revision,
    in_message_order,
)
from sayso.errors import ImportFormatError

# Beside text and captions, what carries words of its own; the rest shows a placeholder.
_WORDY = frozenset({"text", "link", "poll"})


def header(
    export: Export,
    options: ImportOptions,
    platform: str,
    *,
    chat_id: str | None = None,
    title: str | None = None,
    zone: str | None = None,
    owner: str | None = None,
) -> ChatHeader:
    """The header of a chat.

    ``chat_id`` is the option's, the given one, or the file's stem; the title defaults to it.
    ``zone`` is given where times are instants: the one that the export's clock stood in. Without
    it times have no timezone: the user names it, or it is assumed to be UTC.
    """
    chosen = checked_chat_id(options.chat_id or chat_id or export.stem, export.name)
    assumed = "export" if zone else "named" if options.timezone else "assumed"
    return ChatHeader(
        chat_id=chosen,
        title=mended(title or chosen),
        platform=platform,
        timezone=zone_named(options.timezone or zone or "UTC", "--timezone").key,
        timezone_origin=assumed,
        owner=mended(owner) if owner else None,
    )


def assemble(
    head: ChatHeader,
    records: Sequence[Record],
    *,
    export: Export,
    form: str,
    findings: Findings,
    options: ImportOptions,
    roster: Roster | None = None,
) -> Imported:
    """The records as a chat: localIds from 1 in order of time, ties in file order.

    Of two records with one source_id the second has none. Participants are those who speak, in
    message order. ``head.owner`` may be a person's id. Raises ImportFormatError where nobody says anything.
    """
    records, listed, names = with_names(records, roster or {})
    if head.owner in names:
        head = head.model_copy(update={"owner": mended(names[head.owner])})
    in_order = sorted(records, key=lambda record: record.sent_at)
    ids = {id(record): n for n, record in enumerate(in_order, 1)}
    owners = _source_ids(records, findings)  # file order: the second in the file loses its own
    at = {source_id: ids[key] for key, source_id in owners.items()}
    zone = zone_named(head.timezone, "--timezone")
    messages = [
        repaired(_message(record, ids, owners, at, zone), record.where, findings)
        for record in records
    ]
    if head.timezone_origin == "assumed":
        findings.notes.append(
            "the times have no timezone: read as UTC; name the chat's own with --timezone"
        )
    people = {mended(name): _mended(person) for name, person in listed.items()}
    spoke = {
        name: people.get(name, Participant(name=name))
        for name in speakers(in_message_order(messages))
    }
    chat = Chat(
        **{name: getattr(head, name) for name in ChatHeader.model_fields if name != "participants"},
        participants=tuple(spoke.values()),
        messages=in_message_order(messages),
    )
    chat = as_told(chat, options, findings)
    said = any(record.words and record.text.strip() for record in records)
    return reported(chat, export=export, form=form, findings=findings, said=said)


def _message(
    record: Record,
    ids: Mapping[int, int],
    owners: Mapping[int, str],
    at: Mapping[str, int],
    zone: ZoneInfo,
) -> Message:
    """The message; what is unset is not named, for a million messages hold what they name."""
    local_id = ids[id(record)]
    fields: dict[str, Any] = {
        "local_id": local_id,
        "sender": record.sender,
        "sent_at": in_zone(record.sent_at, zone),
        "text": record.text,
    }
    if record.kind != "text":
        fields["kind"] = record.kind
    if (source_id := owners.get(id(record))) is not None:
        fields["source_id"] = source_id
    if record.reply_to is not None and (reply := at.get(record.reply_to)) not in {None, local_id}:
        fields["reply_to"] = reply
    fields |= {name: value for name in _SELDOM if (value := getattr(record, name))}
    return Message.model_validate(fields)


_SELDOM = ("caption", "edited_at", "revisions", "reactions", "attachments", "forwarded_from")


def without_repeats(records: Iterable[Record], findings: Findings) -> list[Record]:
    """Of records with one source_id, sender and time the one that was edited last, in its place.

    For platforms whose ids are certain: parts of an export overlap. An earlier text is a revision.
    """
    kept: dict[Any, Record] = {}
    repeats = 0
    for n, record in enumerate(records):
        key = n if record.source_id is None else (record.source_id, record.sent_at, record.sender)
        other = kept.get(key)
        kept[key] = record if other is None else _latest(other, record)
        repeats += other is not None
    if repeats:
        findings.notes.append(
            f"{repeats} messages stand there twice under one id; each is kept once"
        )
    return list(kept.values())


def _latest(a: Record, b: Record) -> Record:
    newest, older = (b, a) if (b.edited_at or b.sent_at) >= (a.edited_at or a.sent_at) else (a, b)
    if newest.text == older.text:
        return newest
    earlier = Revision(text=older.text, until=newest.edited_at)
    return replace(newest, revisions=(*newest.revisions, *older.revisions, earlier))


def _source_ids(records: Sequence[Record], findings: Findings) -> dict[int, str]:
    """By a record's identity its source_id; the second of two with one has none."""
    seen: set[str] = set()
    owners: dict[int, str] = {}
    for record in records:
        source_id = record.source_id
        if source_id is None:
            continue
        if source_id in seen:
            reason = f"id {source_id!r} stands there twice; this message has none now"
            findings.duplicates.append(Fault(where=record.where, reason=reason))
        else:
            seen.add(source_id)
            owners[id(record)] = source_id
    return owners


def _mended(person: Participant) -> Participant:
    return Participant(name=mended(person.name), aliases=tuple(map(mended, person.aliases)))


def reported(
    chat: Chat, *, export: Export, form: str, findings: Findings, said: bool = False
) -> Imported:
    """The chat with its report; raises ImportFormatError where nobody says anything in it."""
    if export.guess is not None:
        findings.warnings.append(
            f"the file is not UTF-8: read as {export.guess}; if words look wrong, save it as UTF-8"
        )
    if export.large is not None and export.large.count:
        findings.notes.append(f"{export.large.count} halves of characters are stored as U+FFFD")
    if not said and not any(
        m.caption or (m.kind in _WORDY and m.text.strip()) for m in chat.messages
    ):
        raise _nothing_said(chat, export, findings)
    people = speakers(chat.messages)
    return Imported(
        chat=chat,
        report=ImportReport(
            format=form,
            messages=len(chat.messages),
            kinds=dict(Counter(m.kind for m in chat.messages).most_common()),
            people=dict(people.most_common()),
            first=chat.messages[0].sent_at,
            last=chat.messages[-1].sent_at,
            unread=faults(findings.unread),
            repaired=faults(findings.repaired),
            duplicates=faults(findings.duplicates),
            warnings=tuple(findings.warnings),
            notes=tuple(findings.notes),
        ),
    )


def speakers(messages: Iterable[Message]) -> Counter[str]:
    """How many messages each person sent, in order of their first; the system is no person."""
    return Counter(m.sender for m in messages if m.sender and m.kind != "system")


def _nothing_said(chat: Chat, export: Export, findings: Findings) -> ImportFormatError:
    total = len(chat.messages) + len(findings.unread)
    reasons = Counter(fault.reason for fault in findings.unread).most_common(1)
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(m.kind for m in chat.messages).items())
    why = f"; {kinds}" if kinds else ""
    if reasons:
        where = next(f.where for f in findings.unread if f.reason == reasons[0][0])
        why += f"; {reasons[0][1]} times: {reasons[0][0]} (first at {where})"
    return ImportFormatError(
        f"{export.name}: no message with text among {total} records{why}; export the chat again"
    )
