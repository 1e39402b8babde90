"""REALTALK: a real chat of two, ``session_N`` lists of messages that each have a time.

Times and order come from ``date_time`` alone: the session number inside a ``dia_id`` often
differs from the session that holds the message.
"""

import re
from datetime import datetime

from sayso.chats.clock import placed, zone_named
from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.dialogue import has_records, pointer, record, records_of, sessions
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.format import Format
from sayso.chats.importers.report import Fault, Findings, ImportOptions, Record

NAME = "REALTALK JSON"
_TIME = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}), (\d{1,2}):(\d{2}):(\d{2})", re.ASCII)


def recognises(export: Export) -> bool:
    """Whether some session has records with a ``clean_text`` or a ``date_time``."""
    return has_records(export.json, "clean_text", "date_time")


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The one chat of the file; a message that cannot be used is reported and left out."""
    findings = Findings()
    head = header(export, options, "realtalk", title=_title(export.json.get("name")))
    zone = zone_named(head.timezone, "--timezone")
    records: list[Record] = []
    for key, session in sessions(export.json):
        for where, fields in records_of(session, pointer(key), findings):
            before = records[-1].sent_at if records else None
            try:
                at = placed(_time(fields.get("date_time")), zone, after=before)
                records.append(record(fields, where, at, text_key="clean_text"))
            except ValueError as error:
                findings.unread.append(Fault(where=where, reason=str(error)))
    return (assemble(head, records, export=export, form=NAME, findings=findings, options=options),)


REALTALK = Format("realtalk", NAME, "sayso import Chat_1_Emi_Elise.json", recognises, read)


def _time(given: object) -> datetime:
    found = _TIME.fullmatch(given) if isinstance(given, str) else None
    if found is None:
        raise ValueError(f"expected date_time such as '29.12.2023, 22:42:04', found {given!r:.60}")
    day, month, year, hour, minute, second = map(int, found.groups())
    try:
        return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 placed by the caller
    except ValueError as error:
        raise ValueError(f"date_time {given!r}: {error}") from error


def _title(name: object) -> str | None:
    """The two speakers' names, where the file has them as it should."""
    if not isinstance(name, dict):
        return None
    names = [n for n in name.values() if isinstance(n, str) and n.strip()]
    return " and ".join(names[:2]) or None
