r"""WhatsApp's exported text, iOS and Android, in the locale of whichever phone exported it.

An export is written in one go, so all its messages begin in one shape (:mod:`whatsapp_headers`):
a line in another shape, or absurdly out of time, is text that someone pasted. Line ends are the
exporter's; a newline within a message is ``\n``. Texts are stored as sent, without the exporter's
leading direction mark and its "edited" suffix; times are on the chat's wall clock.
"""

from collections import Counter
from collections.abc import Sequence, Sized
from datetime import datetime
from typing import NamedTuple

from sayso.chats.clock import placed, zone_named
from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import attachment
from sayso.chats.importers.format import Format
from sayso.chats.importers.report import (
    DateOrder,
    Fault,
    Findings,
    Imported,
    ImportOptions,
    Record,
)
from sayso.chats.importers.whatsapp_clock import decide, knows_period, wall_time
from sayso.chats.importers.whatsapp_headers import Header, Shape, Style, header_at
from sayso.chats.importers.whatsapp_kinds import (
    DIRECTION_MARKS,
    Read,
    attached_name,
    kind_without_sender,
    read_text,
)
from sayso.chats.importers.whatsapp_order import backward_steps, pasted
from sayso.chats.importers.whatsapp_senders import group_names, split_sender
from sayso.core.chat import Attachment, ChatHeader, Kind

NAME = "WhatsApp text"
_LOOKED_AT = 200


class Entry(NamedTuple):
    """A message of the file: where it begins and ends (0-based lines, half-open), and its time.

    ``wall`` is None where its time cannot be read. ``sender`` is None where the line names none.
    """

    start: int
    end: int
    wall: datetime | None
    sender: str | None
    first: str
    reason: str = ""


def recognises(export: Export) -> bool:
    """Whether one of the first lines begins a message, with a part of the day that we know."""
    return any(
        found is not None and knows_period(found.period)
        for n, line in enumerate(export.text.split("\n", _LOOKED_AT)[:_LOOKED_AT])
        for found in [header_at(line, n)]
    )


def read(export: Export, options: ImportOptions) -> tuple[Imported, ...]:
    """The one chat of the file; what cannot be read is reported with its line."""
    findings = Findings()
    head, records = _read(export, options, findings)  # which lets go of the lines and their parts
    done = assemble(head, records, export=export, form=NAME, findings=findings, options=options)
    return (done,)


WHATSAPP = Format("whatsapp", NAME, 'sayso import "WhatsApp Chat with Ana.zip"', recognises, read)


def _read(
    export: Export, options: ImportOptions, findings: Findings
) -> tuple[ChatHeader, list[Record]]:
    lines = [line.removesuffix("\r") for line in export.text.removesuffix("\n").split("\n")]
    headers = _headers(lines, findings)
    decision = decide(headers, options.date_order)
    if decision.warning:
        findings.warnings.append(decision.warning)
    style = headers[0].shape[0]
    entries = _in_time(_entries(headers, decision.order, len(lines)), findings)
    del headers
    _report_unread(lines, entries, findings)
    said = [(e, _read_entry(e, lines, style)) for e in entries if e.wall is not None]
    return _records(said, style, export, options)


def _headers(lines: Sequence[str], findings: Findings) -> list[Header]:
    """The lines that begin a message: those in the shape of the file's first, or most common."""
    found = [h for n, line in enumerate(lines, 1) for h in [header_at(line, n)] if h]
    shapes = [h.shape for h in found if knows_period(h.period)]
    opening = next((n for n, line in enumerate(lines, 1) if line.strip()), 1)
    if found[0].line == opening and knows_period(found[0].period):
        shape: Shape = found[0].shape
    else:
        shape = Counter(shapes).most_common(1)[0][0]
    kept = [h for h in found if h.shape == shape]
    others = [h for h in found if h.shape != shape]
    if others:
        said = (
            f"line {others[0].line}{_more(others)} looks like a message's beginning, but is dated "
            f"in another way than the file's first ({others[0].stamp!r}); kept as text of the "
            "message before; if these are messages, import them as a file of their own"
        )
        (findings.warnings if len(others) * 10 > len(kept) else findings.notes).append(said)
    return kept


def _entries(headers: Sequence[Header], order: DateOrder, end: int) -> list[Entry]:
    ends = [h.line - 1 for h in headers[1:]] + [end]
    return [_entry(h, order, until) for h, until in zip(headers, ends, strict=True)]


def _entry(head: Header, order: DateOrder, end: int) -> Entry:
    sender, first = split_sender(head.rest, head.shape[0])
    wall, reason = None, ""
    try:
        wall = wall_time(head, order)
    except ValueError as error:
        reason = str(error)
    return Entry(head.line - 1, end, wall, sender, first, reason)


def _in_time(entries: list[Entry], findings: Findings) -> list[Entry]:
    """The entries, those that are absurdly out of time given to the entry before as its text."""
    timed = [(i, e.wall, e.sender) for i, e in enumerate(entries) if e.wall is not None]
    walls = [wall for _, wall, _ in timed]
    places = pasted(walls, [sender for *_, sender in timed])
    dropped = {timed[place][0] for place in places}
    if dropped:
        findings.notes.append(
            f"line {entries[min(dropped)].start + 1}{_more(dropped)} looks like a message's "
            "beginning, but is far out of time; kept as text of the message before"
        )
    elif steps := backward_steps(walls):
        findings.warnings.append(
            f"line {entries[timed[steps[0]][0]].start + 1}{_more(steps)} is more than a day earlier "
            "than the message before; if the file was put together from several, import each of them"
        )
    kept: list[Entry] = []
    for i, entry in enumerate(entries):
        if i in dropped:
            kept[-1] = kept[-1]._replace(end=entry.end)
        else:
            kept.append(entry)
    return kept


def _more(found: Sized) -> str:
    return f" (and {len(found) - 1} more)" if len(found) > 1 else ""


def _report_unread(lines: Sequence[str], entries: Sequence[Entry], findings: Findings) -> None:
    for n, line in enumerate(lines[: entries[0].start], 1):
        if line.strip():
            reason = f"before the first message: {line!r:.60}"
            findings.unread.append(Fault(where=f"line {n}", reason=reason))
    findings.unread += [
        Fault(where=f"line {e.start + 1}", reason=e.reason) for e in entries if e.wall is None
    ]


def _records(
    said: Sequence[tuple[Entry, Read]], style: Style, export: Export, options: ImportOptions
) -> tuple[ChatHeader, list[Record]]:
    speakers = frozenset(e.sender for e, r in said if e.sender and r.kind not in {None, "system"})
    system = ((e.sender, r.text) for e, r in said if e.sender and r.kind is None)
    groups = group_names(system, speakers) if style == "ios" else ()
    platform = "kakaotalk" if style == "comma" else "whatsapp"
    head = header(export, options, platform, title=groups[0] if groups else None)
    zone = zone_named(head.timezone, "--timezone")
    records: list[Record] = []
    for entry, (text, kind) in said:
        assert entry.wall is not None
        records.append(
            Record(
                where=f"line {entry.start + 1}",
                sender="" if entry.sender is None or entry.sender in groups else entry.sender,
                sent_at=placed(entry.wall, zone, after=records[-1].sent_at if records else None),
                text=text,
                kind=kind or "system",
                attachments=_attached(text, kind, export),
            )
        )
    return head, records


def _attached(text: str, kind: Kind | None, export: Export) -> tuple[Attachment, ...]:
    name = attached_name(text) if kind not in {None, "text"} else None
    return attachment(name, kind or "file", export.beside.get(name or ""))


def _read_entry(entry: Entry, lines: Sequence[str], style: Style) -> Read:
    text = "\n".join((entry.first, *lines[entry.start + 1 : entry.end]))
    if entry.sender is None:
        return Read(text.lstrip(DIRECTION_MARKS), kind_without_sender(text))
    return read_text(text, ios=style == "ios")
