"""From an export's records to a chat: localIds, participants, and the report."""

from collections import Counter
from collections.abc import Iterable, Sequence

from sayso.chats.clock import zone_named
from sayso.chats.ids import checked_chat_id, mended
from sayso.chats.importers.export import Export
from sayso.chats.importers.report import (
    Fault,
    Findings,
    Imported,
    ImportOptions,
    ImportReport,
    Record,
    faults,
)
from sayso.core.chat import Chat, ChatHeader, Message, Participant, in_message_order
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
) -> ChatHeader:
    """The header of a chat whose times have no timezone: named by the user, else assumed UTC.

    ``chat_id`` is the option's, the given one, or the file's stem; the title defaults to it.
    """
    chosen = checked_chat_id(options.chat_id or chat_id or export.stem, export.name)
    return ChatHeader(
        chat_id=chosen,
        title=mended(title or chosen),
        platform=platform,
        timezone=zone_named(options.timezone or "UTC", "--timezone").key,
        timezone_origin="named" if options.timezone else "assumed",
    )


def assemble(
    head: ChatHeader, records: Sequence[Record], *, export: Export, form: str, findings: Findings
) -> Imported:
    """The records as a chat: localIds from 1 in order of time, ties in file order.

    Of two records with one source_id the second has none. Participants are those who speak, in
    message order. Raises ImportFormatError where nobody says anything.
    """
    seen: set[str] = set()
    messages = []
    in_order = sorted(records, key=lambda record: record.sent_at)
    ids = {id(record): n for n, record in enumerate(in_order, 1)}
    for record in records:  # file order: it is the second in the file that loses its source_id
        source_id = record.source_id
        if source_id is not None and source_id in seen:
            reason = f"id {source_id!r} stands there twice; this message has none now"
            findings.duplicates.append(Fault(where=record.where, reason=reason))
            source_id = None
        elif source_id is not None:
            seen.add(source_id)
        fields = {
            "local_id": ids[id(record)],
            "sender": record.sender,
            "sent_at": record.sent_at,
            "text": record.text,
            "kind": record.kind,
            "caption": record.caption,
            "source_id": source_id,
        }
        messages.append(repaired(Message.model_validate(fields), record.where, findings))
    if head.timezone_origin == "assumed":
        findings.notes.append(
            "the times have no timezone: read as UTC; name the chat's own with --timezone"
        )
    people = speakers(in_message_order(messages))
    chat = Chat(
        **{name: getattr(head, name) for name in ChatHeader.model_fields if name != "participants"},
        participants=tuple(Participant(name=name) for name in people),
        messages=in_message_order(messages),
    )
    return reported(chat, export=export, form=form, findings=findings)


def reported(chat: Chat, *, export: Export, form: str, findings: Findings) -> Imported:
    """The chat with its report; raises ImportFormatError where nobody says anything in it."""
    if not any(m.caption or (m.kind in _WORDY and m.text.strip()) for m in chat.messages):
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


def repaired(message: Message, where: str, findings: Findings) -> Message:
    """The message with U+FFFD for each lone surrogate, which is reported."""
    strings = ("sender", "text", "caption", "source_id")
    given = {name: getattr(message, name) or "" for name in strings}
    whole = "\n".join(given.values())
    if mended(whole) == whole:  # nearly every message: one look instead of four
        return message
    update = {name: mended(value) for name, value in given.items() if mended(value) != value}
    reason = f"half a character in {', '.join(update)}, stored as U+FFFD"
    findings.repaired.append(Fault(where=where, reason=reason))
    return message.model_copy(update=update)


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
