"""LoCoMo: conversations whose sessions have a time each, to the minute, and messages none.

The messages of a session follow each other within that minute: a second apart, or evenly closer
where there are more than sixty. So message order is file order, and no time says more than the
session's minute does. Sessions of the same minute share it, in file order.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from sayso.chats.clock import checked, placed, zone_named
from sayso.chats.ids import checked_chat_id
from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.dialogue import (
    Object,
    has_records,
    pointer,
    record,
    records_of,
    sessions,
)
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.format import Format
from sayso.chats.importers.report import Fault, Findings, ImportOptions, Record
from sayso.chats.importers.streaming import listed
from sayso.errors import ImportFormatError, InputError

NAME = "LoCoMo JSON"
_TIME = re.compile(r"(\d{1,2}):(\d{2}) ?([ap])m on (\d{1,2}) ([a-z]+),? (\d{4})", re.I | re.A)
_MONTHS = {
    name: n
    for n, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}


def recognises(export: Export) -> bool:
    """Whether it is a conversation, an object with one, or a list of such."""
    return any(True for _ in _conversations(export.json))


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """Every conversation of the file as a chat.

    A single one goes by the file's stem; several go by their ``sample_id``, or by the stem and
    their number where that is missing, taken or impossible. A conversation in which nothing is
    said is left out, and the other chats' reports say so.
    """
    found = list(_conversations(export.json))
    ids = [None] if len(found) == 1 else _chat_ids(found, export, options)
    if len(found) > 1:
        options = options.model_copy(update={"chat_id": None})
    imported: list[Draft] = []
    failures: list[ImportFormatError] = []
    for (where, _, conversation), chat_id in zip(found, ids, strict=True):
        try:
            imported.append(_read(conversation, where, export, options, chat_id))
        except ImportFormatError as error:
            failures.append(error)
    if not imported:
        raise failures[0]
    if failures:
        warnings = tuple(
            f"left out: {str(error).removeprefix(f'{export.name}: ')}" for error in failures
        )
        imported = [one.warned(*warnings) for one in imported]
    return tuple(imported)


LOCOMO = Format("locomo", NAME, "sayso import locomo10.json", recognises, read)


def _conversations(value: object) -> Iterable[tuple[str, object, Object]]:
    """Each conversation with its JSON pointer and its sample_id."""
    several = listed(value)
    samples = [value] if several is None else several
    for i, sample in enumerate(samples):
        if not isinstance(sample, dict):
            continue
        where = pointer(str(i)) if several is not None else ""
        if has_records(sample.get("conversation"), "text"):
            yield where + "/conversation", sample.get("sample_id"), sample["conversation"]
        elif has_records(sample, "text"):
            yield where, sample.get("sample_id"), sample


def _chat_ids(
    found: list[tuple[str, object, Object]], export: Export, options: ImportOptions
) -> list[str]:
    ids: list[str] = []
    stem = options.chat_id or export.stem
    for n, (_, sample_id, _) in enumerate(found, 1):
        named = f"{sample_id}" if isinstance(sample_id, str | int) else ""
        try:
            chat_id = checked_chat_id(named, export.name)
        except InputError:
            chat_id = f"{stem}_{n}"
        if options.chat_id and chat_id == named:
            chat_id = f"{stem}_{chat_id}"
        ids.append(f"{stem}_{n}" if chat_id in ids else chat_id)
    return ids


def _read(
    conversation: Object, where: str, export: Export, options: ImportOptions, chat_id: str | None
) -> Draft:
    findings = Findings()
    names = [conversation.get(key) for key in ("speaker_a", "speaker_b")]
    title = " and ".join(n for n in names if isinstance(n, str) and n.strip())
    head = header(export, options, "locomo", chat_id=chat_id, title=title or None)
    zone = zone_named(head.timezone, "--timezone")
    by_minute: dict[datetime, list[tuple[str, Object]]] = defaultdict(list)
    for key, session in sessions(conversation):
        place = where + pointer(key)
        fields = records_of(session, place, findings)
        try:
            by_minute[_time(conversation.get(f"{key}_date_time"))] += fields
        except ValueError as error:
            reason = f"{key}_date_time: {error}"
            findings.unread.extend(Fault(where=at, reason=reason) for at, _ in fields)
    records: list[Record] = []
    for minute, members in by_minute.items():
        start = placed(minute, zone, after=records[-1].sent_at if records else None)
        step = min(timedelta(seconds=1), timedelta(minutes=1) / max(1, len(members)))
        for i, (at, fields_of_one) in enumerate(members):
            try:
                records.append(record(fields_of_one, at, start + i * step, text_key="text"))
            except ValueError as error:
                findings.unread.append(Fault(where=at, reason=str(error)))
    return assemble(head, records, export=export, form=NAME, findings=findings, options=options)


def _time(given: object) -> datetime:
    found = _TIME.fullmatch(given.strip()) if isinstance(given, str) else None
    month = _MONTHS.get(found[5][:3].lower()) if found else None
    if found is None or month is None:
        raise ValueError(f"expected a time such as '1:56 pm on 8 May, 2023', found {given!r:.60}")
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0)
    if not 1 <= int(found[1]) <= 12:
        raise ValueError(f"{given!r}: the hour must be in 1..12")
    # Placed in the chat's timezone by the caller.
    wall = datetime(int(found[6]), month, int(found[4]), hour, int(found[2]))  # noqa: DTZ001
    return checked(wall)
