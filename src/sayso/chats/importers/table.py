"""Messages as a table that nobody's program wrote: CSV, JSON lines, a JSON list; columns by name.

Common names are known in several languages; ``--map text=body,sender=from,time=ts`` names others.
``a.b`` is the key b of the object in a.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, get_args

from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import Object, Reading, id_of, shown
from sayso.chats.importers.format import Format
from sayso.chats.importers.instants import zone_of
from sayso.chats.importers.records import Records
from sayso.chats.importers.report import Findings, ImportOptions, Record
from sayso.chats.importers.rows import header_row, rows
from sayso.chats.importers.streaming import Streamed, listed
from sayso.chats.importers.table_times import Times
from sayso.core.chat import Kind
from sayso.errors import InputError

NAME = "table (CSV, JSON lines)"
# fmt: off
_KNOWN: dict[str, tuple[str, ...]] = {
    "text": ("text", "body", "message", "content", "msg", "messagetext", "内容", "消息", "訊息", "mensaje", "texto",
             "nachricht", "メッセージ", "메시지", "сообщение", "текст"),
    "sender": ("sendername", "sender", "from", "author", "user", "username", "who", "name", "speaker", "nickname",
               "发送人", "发送者", "发件人", "寄件人", "absender", "von", "remitente", "autor", "送信者", "보낸사람",
               "отправитель", "автор"),
    "time": ("timestamp", "sentat", "ts", "datetime", "createdat", "sent", "senttime", "time", "date", "when", "时间",
             "發送時間", "zeit", "zeitstempel", "datum", "fecha", "hora", "data", "日時", "날짜", "время", "дата"),
    "id": ("id", "messageid", "msgid", "消息id"),
    "reply": ("replyto", "replytoid", "inreplyto", "replytomessageid"),
    "kind": ("kind",),
}
# fmt: on
_DAYS = ("date", "datum", "fecha", "data", "日期", "日付", "날짜", "дата")
_CLOCKS = ("time", "uhrzeit", "hora", "heure", "ora", "时间", "時間", "時刻", "시간", "время")
_NEEDED = ("text", "sender", "time")
_KINDS: dict[Any, Kind] = {kind: kind for kind in get_args(Kind)}
_LOOKED_AT = 20


class Cell(NamedTuple):
    """A row: where it stands and its values by column."""

    where: str
    fields: Object


def recognises(export: Export) -> bool:
    """Whether columns for text, sender and time can be told by their names."""
    columns = _named(_columns(export))
    return all(key in columns for key in _NEEDED)


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The one chat of the file. Raises InputError for a column that it does not have."""
    columns = _columns(export)
    place = _chosen(columns, options, export)
    findings = Findings()
    reading = Reading(findings)
    times = Times(
        (
            (_number_of(where), _at(fields, place["time"]))
            for where, fields in _rows(export)
            if isinstance(fields, dict)
        ),
        options, findings,
    )  # fmt: skip

    def one(fields: Object, where: str, before: datetime | None) -> Record:
        return _record(fields, where, place, times.of(_at(fields, place["time"]), before))

    records = Records(reading.each(_rows(export), one), export.spool)
    zone, told = zone_of([])
    if times.exact and told and not options.timezone:
        findings.notes.append(told)
    findings.notes.append("columns: " + ", ".join(f"{k}={v}" for k, v in place.items()))
    head = header(export, options, "table", zone=zone if times.exact else None)
    done = assemble(head, records, export=export, form=NAME, findings=findings, options=options)
    return (done,)


TABLE = Format(
    "table", NAME, "sayso import log.csv --map text=body,sender=from,time=ts", recognises, read
)


def _columns(export: Export) -> list[str]:
    """The names of the columns: of the first row, or the keys of the first few objects."""
    if export.bundle is not None:
        return []
    first = export.head.lstrip()[:1]
    if export.large is None and first not in {"{", "["}:
        return header_row(export.head)[1]
    keys: dict[str, None] = {}
    for _, value in islice(_rows(export), _LOOKED_AT):
        for key, inner in value.items() if isinstance(value, dict) else ():
            keys[key] = None
            for more in inner if isinstance(inner, dict) else ():
                keys[f"{key}.{more}"] = None
    return list(keys)


def _rows(export: Export) -> Iterator[Cell]:
    """Every row with where it stands; a value that is no object is for the caller to refuse."""
    value = export.json
    if isinstance(value, dict) and listed(value.get("messages")) is not None:
        value = value["messages"]
        place = "/messages"
    else:
        place = ""
    if isinstance(value, list | Streamed):
        yield from (Cell(f"{place}/{n}", item) for n, item in enumerate(value))
    elif export.head.lstrip()[:1] == "{":
        yield from _lines(export.lines())
    elif export.head.lstrip()[:1] != "[":
        yield from _csv(export)


def _lines(lines: Iterable[str]) -> Iterator[Cell]:
    for number, line in enumerate(lines, 1):
        if line and not line.isspace():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = line
            yield Cell(f"line {number}", value)


def _csv(export: Export) -> Iterator[Cell]:
    delimiter, names = header_row(export.head)
    for row in islice(rows(export.pieces(), delimiter), 1, None):
        if len(row.values) == len(names):
            yield Cell(f"line {row.line}", dict(zip(names, row.values, strict=True)))
        else:
            values: Any = f"{len(row.values)} values under {len(names)} names"
            yield Cell(f"line {row.line}", values)


def _named(columns: Sequence[str]) -> dict[str, str]:
    """The column for each part of a message, by the names we know, the likelier first."""
    plain = {_plain(column): column for column in reversed(columns)}
    found: dict[str, str] = {}
    for part, names in _KNOWN.items():
        name = next((name for name in names if name in plain), None)
        if name is not None:
            found[part] = plain[name]
    day, clock = ([plain[n] for n in names if n in plain] for names in (_DAYS, _CLOCKS))
    if day and clock and found.get("time") in {day[0], clock[0]}:
        found["time"] = f"{day[0]}+{clock[0]}"
    return found


def _plain(column: str) -> str:
    return "".join(c for c in column.casefold() if c.isalnum())


def _chosen(columns: Sequence[str], options: ImportOptions, export: Export) -> dict[str, str]:
    found = _named(columns) | dict(options.columns)
    has = ", ".join(" ".join(name.split()) for name in columns[:30]) or "none"
    for part, column in options.columns:
        if part not in _KNOWN:
            raise InputError(f"--map {part}={column}: expected one of {', '.join(_KNOWN)}")
        if not all(piece in columns for piece in column.split("+")):
            raise InputError(
                f"{export.name}: --map {part}={column}: it has no such column; it has: {has}"
            )
    lacking = [part for part in _NEEDED if part not in found]
    if lacking:
        raise InputError(
            f"{export.name}: no column for {', '.join(lacking)}; name them with --map, as "
            f"--map text=body,sender=from,time=ts; it has: {has}"
        )
    return found


def _number_of(where: str) -> int:
    """The line, or the place in the list from 1, that ``where`` tells."""
    line, _, number = where.rpartition("line ")
    return int(number) if not line and number.isdigit() else int(where.rpartition("/")[2]) + 1


def _at(fields: Mapping[str, Any], column: str) -> Any:
    """The value of a column; of two joined by ``+`` both, with a space between."""
    if column in fields:
        return fields[column]
    if "+" in column:
        return " ".join(f"{_at(fields, piece) or ''}" for piece in column.split("+")).strip()
    first, _, rest = column.partition(".")
    inner = fields.get(first)
    return _at(inner, rest) if rest and isinstance(inner, dict) else None


def _record(fields: Object, where: str, place: Mapping[str, str], sent_at: datetime) -> Record:
    text, sender = _at(fields, place["text"]), _at(fields, place["sender"])
    if text is not None and not isinstance(text, str):
        raise ValueError(f"expected {place['text']} to be text, found {shown(text)}")
    name = f"{sender}".strip() if isinstance(sender, str | int) else ""
    kind = _at(fields, place["kind"]) if "kind" in place else None
    return Record(
        where=where,
        sender=name,
        sent_at=sent_at,
        text=text or "",
        kind=_KINDS.get(f"{kind}", "text" if text else "other"),
        source_id=id_of(_at(fields, place["id"])) if "id" in place else None,
        reply_to=id_of(_at(fields, place["reply"])) if "reply" in place else None,
    )
