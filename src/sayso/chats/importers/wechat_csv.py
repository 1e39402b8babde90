"""WeChat as MemoTrace (WeChatMsg) writes it: CSV, of the old database columns or with Chinese names.

Old versions wrote fewer names than values. A row is read by position only where the two times in
it, one unix and one written out, stand where the names say; else it is reported, never shifted.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice
from typing import NamedTuple

from sayso.chats.clock import placed, zone_named
from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import Met, shown, whole
from sayso.chats.importers.format import Format
from sayso.chats.importers.instants import offset_of, unix, zone_of
from sayso.chats.importers.records import Records
from sayso.chats.importers.report import Fault, Findings, ImportOptions, Record
from sayso.chats.importers.rows import Row, header_row, rows
from sayso.chats.importers.several import read_several
from sayso.chats.importers.wechat_kinds import QUOTE, kind_of_name, kind_of_number, spoken
from sayso.chats.spooling import Spool

NAME = "WeChat CSV (MemoTrace)"
_OLD = ("localId", "TalkerId", "Type", "SubType", "IsSender", "CreateTime", "StrContent", "StrTime")
_NEW = {"消息ID", "类型", "发送人", "时间", "内容"}
_WXID = re.compile(r"(?:wxid_|gh_)[\w-]+|[\w.-]+@(?:chatroom|openim)", re.ASCII)
_ME = "\0me"
_MINE = "我"


class Talk(NamedTuple):
    """The rows of one conversation, under the file's names."""

    names: Sequence[str]
    rows: Iterable[Row]


def recognises(export: Export) -> bool:
    """Whether the first row has the names of a database's columns, or the Chinese ones."""
    names = set(header_row(export.head)[1])
    return set(_OLD) <= names or names >= _NEW


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The chat of the file; where rows of several conversations are mixed, each as a chat."""
    delimiter, names = header_row(export.head)

    def values() -> Iterator[Row]:
        return islice(rows(export.pieces(), delimiter), 1, None)

    if "消息ID" in names:
        return (_new(Talk(names, values()), export, options),)
    at = names.index("TalkerId")
    talkers = dict.fromkeys(_talker(row, at) for row in values())
    if len(talkers) <= 1 or not all(key.isdigit() for key in talkers):
        return (_old(Talk(names, values()), export, options),)
    stem = options.chat_id or export.stem
    talks = _Talks(values(), at, export.spool)
    parts = [(f"{stem}_{key}", Talk(names, talks.of(key))) for key in talkers]
    return read_several(parts, partial(_part, export=export), options, export)


def _talker(row: Row, at: int) -> str:
    return row.values[at] if at < len(row.values) else ""


class _Talks:
    """The rows of several conversations, laid apart."""

    def __init__(self, values: Iterable[Row], at: int, spool: Spool) -> None:
        self._spool = spool
        self._table = spool.table("talker TEXT, line INTEGER, given TEXT")
        laid = ((_talker(row, at), row.line, json.dumps(row.values)) for row in values)
        spool.fill(self._table, laid, 3)
        spool.run(f"CREATE INDEX {self._table}_talker ON {self._table} (talker)")

    def of(self, talker: str) -> Iterator[Row]:
        """The rows of one, in file order."""
        found = self._spool.rows(
            f"SELECT line, given FROM {self._table} WHERE talker = ? ORDER BY rowid", (talker,)
        )
        return (Row(line, json.loads(given)) for line, given in found)


WECHAT_CSV = Format("wechat-csv", NAME, "sayso import 小满.csv --as xiaoman", recognises, read)


def _part(talk: Talk, options: ImportOptions, *, export: Export) -> Draft:
    return _old(talk, export, options)


def _old(talk: Talk, export: Export, options: ImportOptions) -> Draft:
    findings = Findings()
    place = {name: n for n, name in enumerate(talk.names)}
    offsets: set[int | None] = set()
    longer, wordless = Met(), Met()

    def each() -> Iterator[Record]:
        for row in talk.rows:
            try:
                if len(row.values) != len(talk.names):
                    longer.add(f"line {row.line}")
                record = _old_row(row, place, options)
            except ValueError as error:
                findings.unread.append(Fault(where=f"line {row.line}", reason=str(error)))
                continue
            if record.source_id is None:
                reason = "no localId; a message of its own"
                findings.duplicates.append(Fault(where=record.where, reason=reason))
            if record.kind == "other" and not record.text and _sub(row, place) == QUOTE:
                wordless.add(record.where)
            offsets.add(offset_of(row.values[place["StrTime"]], record.sent_at))
            yield record

    records = Records(each(), export.spool)
    if longer.times:
        findings.warnings.append(
            f"{longer.first}{longer.more} has another number of values than the {len(talk.names)} "
            "names of line 1; read by position where the times stand under their names"
        )
    if wordless.times:
        findings.warnings.append(
            f"{wordless.first}{wordless.more} is a quoted reply whose words this export left out"
        )
    zone, told = zone_of(offsets)
    if told and not options.timezone:
        findings.notes.append(told)
    mine = _ME if any(v.person == _ME for v in records.voices.all) else None
    head = header(export, options, "wechat", zone=zone, owner=mine)
    return assemble(head, records, export=export, form=NAME, findings=findings, options=options)


def _old_row(row: Row, place: Mapping[str, int], options: ImportOptions) -> Record:
    values, last = row.values, place["StrTime"]
    if len(values) <= last:
        raise ValueError(f"{len(values)} values under {len(place)} names")
    given = {name: values[n] for name, n in place.items() if n < len(values)}
    sent_at = unix(given["CreateTime"])
    if offset_of(given["StrTime"].strip(), sent_at) is None:
        raise ValueError(
            f"StrTime {shown(given['StrTime'])} is not the time of CreateTime {given['CreateTime']}; "
            "the values do not stand under their names"
        )
    behind = [value.strip() for value in values[last + 1 :] if value.strip()]
    person = next((value for value in behind if _WXID.fullmatch(value)), None)
    name = next((value for value in behind if not _WXID.fullmatch(value)), "")
    mine = given["IsSender"].strip() == "1"
    content, sub = given["StrContent"], whole(given["SubType"].strip())
    kind = kind_of_number(whole(given["Type"].strip()), sub, content)
    text = spoken(content, kind, person)
    if kind == "text" and not text:
        if sub != QUOTE:
            raise ValueError("a text without content")
        kind = "other"
    system = kind == "system"
    return Record(
        where=f"line {row.line}",
        sender="" if system else (options.owner or name or options.me) if mine else name,
        person=None if system else _ME if mine else person or name or "?",
        sent_at=sent_at,
        text=text,
        kind=kind,
        source_id=given["localId"].strip() or None,
        words=kind in {"text", "link"},
    )


def _new(talk: Talk, export: Export, options: ImportOptions) -> Draft:
    findings = Findings()
    place = {name: n for n, name in enumerate(talk.names)}
    zone = zone_named(options.timezone or "UTC", "--timezone")

    def each() -> Iterator[Record]:
        before: datetime | None = None
        for row in talk.rows:
            try:
                if len(row.values) != len(talk.names):
                    raise ValueError(f"{len(row.values)} values under {len(talk.names)} names")  # noqa: TRY301
                given = {name: row.values[n] for name, n in place.items()}
                wall = _wall(given["时间"])
            except ValueError as error:
                findings.unread.append(Fault(where=f"line {row.line}", reason=str(error)))
                continue
            before = placed(wall, zone, after=before)
            yield _new_row(given, f"line {row.line}", before, options)

    records = Records(each(), export.spool)
    me = options.owner or _MINE
    head = header(export, options, "wechat")
    if any(v.sender == me for v in records.voices.all):
        head = head.model_copy(update={"owner": me})
    return assemble(head, records, export=export, form=NAME, findings=findings, options=options)


def _new_row(
    given: Mapping[str, str], where: str, sent_at: datetime, options: ImportOptions
) -> Record:
    kind = kind_of_name(given["类型"].strip(), given["内容"])
    sender = given["发送人"].strip()
    if sender == _MINE and options.owner:
        sender = options.owner
    return Record(
        where=where,
        sender="" if kind == "system" else sender,
        sent_at=sent_at,
        text=spoken(given["内容"], kind, None),
        kind=kind,
        source_id=given["消息ID"].strip() or None,
        words=kind in {"text", "link"},
    )


def _wall(given: str) -> datetime:
    try:
        return datetime.fromisoformat(given.strip().replace("/", "-")).replace(tzinfo=None)
    except ValueError as error:
        raise ValueError(
            f"expected a time such as 2024-01-05 21:03:04, found {shown(given)}"
        ) from error


def _sub(row: Row, place: Mapping[str, int]) -> int | None:
    return whole(row.values[place["SubType"]].strip())
