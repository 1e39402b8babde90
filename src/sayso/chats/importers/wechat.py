"""WeChat as WeFlow and EchoTrace write it (JSON of one session), and chatlog's list of messages.

The Chinese name of a message's type is trusted, its number is not. ``localId`` is unique within
one shard of a database at best: two messages may share one.
"""

from datetime import datetime
from typing import Any

from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import (
    Object,
    Reading,
    id_of,
    object_of,
    pointed,
    shown,
    text_of,
    whole,
)
from sayso.chats.importers.format import Format
from sayso.chats.importers.instants import iso, offset_of, unix, zone_of
from sayso.chats.importers.records import Records
from sayso.chats.importers.report import Fault, Findings, ImportOptions, Record
from sayso.chats.importers.streaming import head_of
from sayso.chats.importers.wechat_kinds import QUOTE, kind_of_name, kind_of_number, spoken

NAME = "WeChat JSON"
_ME = "\0me"  # no id of the platform


def recognises(export: Export) -> bool:
    """Whether it is a session with WeChat's messages, or a list as chatlog writes it."""
    value = export.json
    if isinstance(value, dict) and isinstance(value.get("session"), dict):
        return any(
            isinstance(m, dict) and "createTime" in m and m.keys() & {"isSend", "senderUsername"}
            for m in head_of(value.get("messages"))
        )
    return any(map(_is_chatlog, head_of(value)))


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The one chat of the file."""
    findings = Findings()
    reading = Reading(findings)
    is_session = isinstance(export.json, dict)
    session = object_of(export.json["session"]) if is_session else {}
    other = id_of(session.get("wxid"))
    me: set[str] = set()

    def one(fields: Object, where: str, before: datetime | None) -> Record:
        read_one = _of_session if is_session else _of_chatlog
        record, mine = read_one(fields, where, reading, options, other)
        if record.source_id is None:
            reason = "no localId; a message of its own"
            findings.duplicates.append(Fault(where=where, reason=reason))
        if mine and record.person is not None:
            me.add(record.person)
        return record

    messages = pointed(export.json["messages"] if is_session else export.json,
                       "/messages" if is_session else "")  # fmt: skip
    records = Records(reading.each(messages, one), export.spool)
    zone, told = zone_of(reading.offsets)
    if told and not options.timezone:
        findings.notes.append(told)
    names = [text_of(session.get(key)).strip() for key in ("remark", "displayName", "nickname")]
    title = next((name for name in [*names[1:2], *names] if name), None)
    head = header(
        export, options, "wechat", title=title or _talker(export.json), zone=zone,
        owner=next(iter(me)) if len(me) == 1 else None,
    )  # fmt: skip
    roster = {other: [n for n in names if n]} if other and not other.endswith("@chatroom") else {}
    done = assemble(
        head, records, export=export, form=NAME, findings=findings, options=options, roster=roster
    )
    return (done,)


WECHAT = Format("wechat", NAME, "sayso import 私聊_小满.json --as xiaoman", recognises, read)


def _is_chatlog(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() >= {"time", "talker", "sender", "content"}


def _talker(value: Any) -> str | None:
    first = next((m for m in head_of(value) if isinstance(m, dict)), {})
    return text_of(first.get("talkerName")) or text_of(first.get("talker")) or None


def _of_session(
    fields: Object, where: str, reading: Reading, options: ImportOptions, other: str | None
) -> tuple[Record, bool]:
    sent_at = unix(fields.get("createTime"))
    reading.offsets.add(offset_of(fields.get("formattedTime"), sent_at))
    mine = f"{fields.get('isSend')!s:.5}" in {"1", "True"}
    person = id_of(fields.get("senderUsername")) or (_ME if mine else other)
    content = _content(fields)
    kind = kind_of_name(text_of(fields.get("type")).strip(), content)
    if kind == "text" and not content:
        raise ValueError("a text without content")
    name = text_of(fields.get("senderDisplayName")).strip()
    if kind == "system":
        person, mine = None, False
    record = Record(
        where=where,
        sender=name or (options.me if mine else ""),
        person=person,
        sent_at=sent_at,
        text=spoken(content, kind, person),
        kind=kind,
        source_id=id_of(fields.get("localId")),
        words=kind in {"text", "link"},
    )
    return record, mine


def _of_chatlog(
    fields: Object, where: str, reading: Reading, options: ImportOptions, other: str | None
) -> tuple[Record, bool]:
    sent_at = iso(fields.get("time"))
    offset = sent_at.utcoffset()
    reading.offsets.add(int(offset.total_seconds()) if offset is not None else None)
    mine = fields.get("isSelf") is True
    content = _content(fields)
    sub = whole(fields.get("subType"))
    kind = kind_of_number(whole(fields.get("type", 1)), sub, content)
    if kind == "text" and not content and sub != QUOTE:
        raise ValueError("a text without content")
    name = text_of(fields.get("senderName")).strip()
    record = Record(
        where=where,
        sender=name or (options.me if mine else ""),
        person=None if kind == "system" else id_of(fields.get("sender")),
        sent_at=sent_at,
        text=spoken(content, kind, id_of(fields.get("sender"))),
        kind=kind,
        source_id=id_of(fields.get("seq")),
        words=kind in {"text", "link"},
    )
    return record, mine and kind != "system"


def _content(fields: Object) -> str:
    content = fields.get("content")
    if content is not None and not isinstance(content, str):
        raise ValueError(f"expected content to be text, found {shown(content)}")
    return content or ""
