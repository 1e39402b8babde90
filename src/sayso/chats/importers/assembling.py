"""From an export's records to a chat: localIds, participants, and the report."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from sayso.chats.canonical import Given, format_plain, given
from sayso.chats.clock import Clock, zone_named
from sayso.chats.ids import checked_chat_id, mended
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.naming import NOBODY, Named, Roster, as_told, renamed, with_names
from sayso.chats.importers.record_ids import ids_once, without_repeats
from sayso.chats.importers.record_rows import Placed
from sayso.chats.importers.records import Records
from sayso.chats.importers.repairing import repaired
from sayso.chats.importers.report import NO_TIMEZONE, Findings, ImportOptions, Record
from sayso.chats.importers.reporting import Counts, reported
from sayso.core.chat import ChatHeader, Message, Participant, Reaction


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
    records: Records | Iterable[Record],
    *,
    export: Export,
    form: str,
    findings: Findings,
    options: ImportOptions,
    roster: Roster | None = None,
) -> Draft:
    """The records as a chat: localIds from 1 in order of time, ties in file order.

    Of two records with one source_id the second has none. Participants are those who speak, in
    message order. ``head.owner`` may be a person's id. Raises ImportFormatError where nobody says anything.
    """
    if not isinstance(records, Records):
        records = Records(records, export.spool)
    named = with_names(records.voices.all, roster or {})
    if head.owner in named.by_id:
        head = head.model_copy(update={"owner": mended(named.of_id(head.owner or ""))})
    ids_once(records, findings.duplicates)  # the second in the file loses its own
    _report_repairs(records, named, findings)
    if head.timezone_origin == "assumed":
        findings.notes.append(NO_TIMEZONE)
    spoke = records.voices.speakers(lambda voice: mended(named.name(voice)))
    people = {mended(name): _mended(person) for name, person in named.speaking.items()}
    listed = tuple(people.get(name, Participant(name=name)) for name in spoke)
    head = head.model_copy(update={"participants": listed})
    return finish(
        head, records, export=export, form=form, findings=findings, options=options, named=named
    )


def finish(
    head: ChatHeader,
    records: Records,
    *,
    export: Export,
    form: str,
    findings: Findings,
    options: ImportOptions,
    named: Named = NOBODY,
) -> Draft:
    """The records under their localIds, with the user's word on who is who, and the report."""
    head, renames = as_told(head, options, findings)
    telling = _Telling(records, named, zone_named(head.timezone, "--timezone"), renames)
    spoke: Counter[str] = Counter()
    for name, count in records.voices.speakers(lambda voice: mended(named.name(voice))).items():
        spoke[renames.get(name, name)] += count
    counts = Counts(records.voices.kinds, spoke, records.said, *telling.ends)
    return reported(
        head, telling.messages, telling.lines, counts, export=export, form=form, findings=findings
    )


def once(records: Records, findings: Findings) -> None:
    """Keep once what stands there twice: for platforms whose ids are certain, parts overlap."""
    if repeats := without_repeats(records):
        findings.notes.append(
            f"{repeats} messages stand there twice under one id; each is kept once"
        )


@dataclass
class _Telling:
    """The records as messages, in message order."""

    records: Records
    named: Named
    zone: ZoneInfo
    renames: Mapping[str, str]

    def lines(self) -> Iterator[Given]:
        """The messages as the chat's file has them, most of them without being made."""
        odd, clock = _has_odd_names(self.named), self.clock
        names = [
            self.renames.get(name, name) for name in map(self.named.name, self.records.voices.all)
        ]
        for record in self.records.in_order():
            if record.rest is not None or record.half or odd:
                yield given(self._message(record, odd=odd), self.zone)
                continue
            local_id, at, voice, text, caption, source_id, reply_to, *_ = record
            sender, kind = names[voice.number], voice.kind
            line = format_plain(
                local_id, sender, clock(at), text, kind, reply_to, source_id, caption
            )
            yield Given(local_id, at, sender, kind, source_id, line)

    def messages(self) -> Iterator[Message]:
        """The messages in message order."""
        odd = _has_odd_names(self.named)
        for record in self.records.in_order():
            yield self._message(record, odd=odd)

    def _message(self, record: Placed, *, odd: bool) -> Message:
        message = _message(record, self.named, self.clock)
        if record.half or odd:
            message = repaired(message, record.where)
        return renamed(message, self.renames) if self.renames else message

    @cached_property
    def clock(self) -> Clock:
        """The chat's clock."""
        return Clock(self.zone)

    @property
    def ends(self) -> tuple[datetime, datetime] | tuple[None, None]:
        """The times of the first and the last message."""
        heard = self.records.voices.heard_of
        if not heard:
            return None, None
        return self.clock(heard[0].first.at), self.clock(max(voice.last for voice in heard).at)


def _report_repairs(records: Records, named: Named, findings: Findings) -> None:
    """Tell of every half character, in file order."""
    clock = Clock(zone_named("UTC", "UTC"))
    for record in records.halves(all_of_them=_has_odd_names(named)):
        repaired(_message(record, named, clock), record.where, findings.repaired)


def _has_odd_names(named: Named) -> bool:
    return any(mended(person.name) != person.name for person in named.by_id.values())


def _message(record: Placed, named: Named, clock: Clock) -> Message:
    """The message; what is unset is not named, for a million messages hold what they name."""
    fields: dict[str, Any] = {
        "local_id": record.local_id,
        "sender": named.name(record.voice),
        "sent_at": clock(record.at),
        "text": record.text,
    }
    if record.voice.kind != "text":
        fields["kind"] = record.voice.kind
    if record.source_id is not None:
        fields["source_id"] = record.source_id
    if record.reply_to is not None:
        fields["reply_to"] = record.reply_to
    if record.caption is not None:
        fields["caption"] = record.caption
    if record.rest is not None:
        fields |= record.rest
        if "reactions" in fields:
            fields["reactions"] = tuple(_by_name(r, named) for r in fields["reactions"])
    return Message.model_validate(fields)


def _by_name(reaction: Reaction, named: Named) -> Reaction:
    return reaction.model_copy(update={"who": tuple(map(named.of_id, reaction.who))})


def _mended(person: Participant) -> Participant:
    return Participant(name=mended(person.name), aliases=tuple(map(mended, person.aliases)))
