r"""WhatsApp's exported text, iOS and Android, in the locale of whichever phone exported it.

An export is written in one go, so all its messages begin in one shape (:mod:`whatsapp_headers`):
a line in another shape, or absurdly out of time, is text that someone pasted. Line ends are the
exporter's; a newline within a message is ``\n``. Texts are stored as sent, without the exporter's
leading direction mark and its "edited" suffix; times are on the chat's wall clock.

The file is read twice or three times: what its dates mean is told from all of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from zoneinfo import ZoneInfo

from sayso.chats.clock import Placing, zone_named
from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import attachment
from sayso.chats.importers.format import Format
from sayso.chats.importers.records import Records
from sayso.chats.importers.report import Findings, ImportOptions, Record
from sayso.chats.importers.voices import Voice
from sayso.chats.importers.whatsapp_clock import knows_period
from sayso.chats.importers.whatsapp_entries import Entry, entries_of, looked_over
from sayso.chats.importers.whatsapp_headers import Style, header_at
from sayso.chats.importers.whatsapp_kinds import (
    DIRECTION_MARKS,
    Read,
    attached_name,
    kind_without_sender,
    read_text,
)
from sayso.core.chat import Attachment, Kind

NAME = "WhatsApp text"
_LOOKED_AT = 200


def recognises(export: Export) -> bool:
    """Whether one of the first lines begins a message, with a part of the day that we know."""
    return any(
        found is not None and knows_period(found.period)
        for n, line in enumerate(islice(export.head.split("\n", _LOOKED_AT), _LOOKED_AT))
        for found in [header_at(line, n)]
    )


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The one chat of the file; what cannot be read is reported with its line."""
    findings = Findings()
    lines = export.lines()
    plan = looked_over(lines, options.date_order, findings, export.spool.folder)
    zone = zone_named(options.timezone or "UTC", "--timezone")
    system = _System()
    entries = entries_of(lines, plan, findings)
    records = Records(_records(entries, plan.style, zone, export, system), export.spool)
    speaking = {v.sender for v in records.voices.all if v.kind != "system" and v.sender}
    groups = system.groups(speaking) if plan.style == "ios" else ()
    records.voices.called(lambda voice: _called(voice, groups))
    platform = "kakaotalk" if plan.style == "comma" else "whatsapp"
    head = header(export, options, platform, title=groups[0] if groups else None)
    done = assemble(head, records, export=export, form=NAME, findings=findings, options=options)
    return (done,)


WHATSAPP = Format("whatsapp", NAME, 'sayso import "WhatsApp Chat with Ana.zip"', recognises, read)


@dataclass
class _System:
    """Senders of what the system says, who may be the group itself."""

    named: dict[str, None] = field(default_factory=dict)

    def said(self, sender: str, text: str) -> None:
        """One more text: a person's own begins with the name of who acts."""
        if not text.startswith(sender):
            self.named[sender] = None

    def groups(self, speaking: set[str]) -> tuple[str, ...]:
        """Those who never speak, in order of appearance."""
        return tuple(name for name in self.named if name not in speaking)


def _records(
    entries: Iterable[Entry], style: Style, zone: ZoneInfo, export: Export, system: _System
) -> Iterator[Record]:
    placing = Placing(zone)
    before: datetime | None = None
    for line, wall, sender, given in entries:
        text, kind, edited = _read_text(given, sender, style)
        if sender and kind is None:
            system.said(sender, text)
        before = placing(wall, before)
        yield Record(
            where=f"line {line}",
            sender=sender or "",
            sent_at=before,
            text=text,
            kind=kind or "system",
            # The export says that it was edited and not when: no earlier than it was sent.
            edited_at=before if edited else None,
            attachments=_attached(text, kind, export) if kind not in _BARE else (),
        )


_BARE = frozenset({None, "text", "system"})


def _attached(text: str, kind: Kind | None, export: Export) -> tuple[Attachment, ...]:
    name = attached_name(text)
    return attachment(name, kind or "file", export.beside.get(name or ""))


def _read_text(given: str, sender: str | None, style: Style) -> Read:
    if sender is None:
        return Read(given.lstrip(DIRECTION_MARKS), kind_without_sender(given))
    return read_text(given, ios=style == "ios")


def _called(voice: Voice, groups: tuple[str, ...]) -> str:
    return "" if voice.sender in groups else voice.sender
