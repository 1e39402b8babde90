"""Facebook Messenger and Instagram: JSON by thread, as downloaded, and the end-to-end encrypted kind.

The first writes each byte of UTF-8 as a Latin-1 character of its own, and the newest message
first, in files of ten thousand; the second is right as it is.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import (
    Met,
    Object,
    Reading,
    attachment,
    kind_of_file,
    object_of,
    objects_of,
    pointed,
    text_of,
    whole,
)
from sayso.chats.importers.format import Format
from sayso.chats.importers.instants import unix, zone_of
from sayso.chats.importers.naming import ids_for
from sayso.chats.importers.records import Records
from sayso.chats.importers.report import Findings, ImportOptions, Record
from sayso.chats.importers.several import read_several
from sayso.chats.importers.streaming import head_of
from sayso.core.chat import Attachment, Kind, Reaction

NAME = "Messenger and Instagram JSON"
_MEDIA: dict[str, Kind] = {
    "photos": "photo", "videos": "video", "audio_files": "voice", "gifs": "photo", "files": "file",
}  # fmt: skip
_SYSTEM = frozenset({"Subscribe", "Unsubscribe"})
_NUMBER = re.compile(r"(\d+)")


class Thread(NamedTuple):
    """The files of one thread, the newest messages first."""

    exports: list[Export]
    title: str


def recognises(export: Export) -> bool:
    """Whether it is a thread: participants, and messages with a sender and milliseconds."""
    value = export.json
    return (
        isinstance(value, dict)
        and isinstance(value.get("participants"), list)
        and any(
            isinstance(m, dict)
            and (
                m.keys() >= {"sender_name", "timestamp_ms"}
                or m.keys() >= {"senderName", "timestamp"}
            )
            for m in head_of(value.get("messages"))
        )
    )


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The thread of the file."""
    return (_thread(Thread([export], _title(export.json)), options),)


def join(exports: Sequence[Export], options: ImportOptions) -> tuple[Draft, ...]:
    """Every thread of the files; those of one thread are one chat."""
    threads: dict[str, list[Export]] = {}
    for export in sorted(exports, key=lambda e: _natural(e.member or "")):
        threads.setdefault(_key(export), []).append(export)
    found = [(key, Thread(parts, _title(parts[0].json))) for key, parts in threads.items()]
    if len(found) == 1:
        return (_thread(found[0][1], options),)
    ids = ids_for(
        [(thread.title, key.rpartition("_")[2]) for key, thread in found], options.chat_id
    )
    named = [(chat_id, thread) for chat_id, (_, thread) in zip(ids, found, strict=True)]
    return read_several(named, _thread, options, exports[0])


MESSENGER = Format(
    "messenger", NAME, "sayso import facebook-ana.zip --tz Europe/Lisbon", recognises, read, join
)


def mended_latin1(text: str) -> str:
    """The text whose UTF-8 bytes were written as characters; any other text as it is."""
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _key(export: Export) -> str:
    value = export.json
    path = text_of(value.get("thread_path")) or text_of(value.get("threadName"))
    return path.rpartition("/")[2] or (export.member or "").rpartition("/")[0] or export.name


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in _NUMBER.split(name)]


def _title(value: Object) -> str:
    title = mended_latin1(text_of(value.get("title"))).strip()
    return title or re.sub(r"_\d+$", "", text_of(value.get("threadName"))).strip()


def _thread(thread: Thread, options: ImportOptions) -> Draft:
    findings = Findings()
    mended = Met()
    first = thread.exports[0]

    def each() -> Iterator[Record]:
        for export in thread.exports:
            place = f"{export.member}: /messages" if len(thread.exports) > 1 else "/messages"
            one = partial(_record, export=export, mended=mended)
            yield from Reading(findings).each(pointed(export.json.get("messages"), place), one)

    records = Records(each(), first.spool)
    if records.first_at >= records.last_at:
        records.turned()  # of two in one millisecond the older one stands below
    if mended.times:
        findings.notes.append(
            f"{mended.times} messages had UTF-8 written as Latin-1 (first {mended.first}); read right"
        )
    zone, told = zone_of([])
    if told and not options.timezone:
        findings.notes.append(told)
    chat_id = ids_for([(thread.title, "")], None)[0]
    head = header(
        first, options, _platform(first), chat_id=chat_id or None, title=thread.title or None,
        zone=zone, owner=_owner(first.json, thread.title),
    )  # fmt: skip
    return assemble(head, records, export=first, form=NAME, findings=findings, options=options)


def _platform(export: Export) -> str:
    return "instagram" if "instagram" in (export.member or export.name).lower() else "messenger"


def _owner(value: Object, title: str) -> str | None:
    """Of two, the one after whom the thread is not called."""
    names = [
        mended_latin1(text_of(p.get("name")) if isinstance(p, dict) else text_of(p))
        for p in value["participants"]
    ]
    others = [name for name in names if name and name != title]
    return others[0] if len(names) == 2 and len(others) == 1 else None


def _record(
    fields: Object, where: str, before: datetime | None, *, export: Export, mended: Met
) -> Record:
    encrypted = "senderName" in fields
    fix = text_of if encrypted else lambda value: mended_latin1(text_of(value))
    sender = fix(fields.get("senderName" if encrypted else "sender_name"))
    given = text_of(fields.get("text" if encrypted else "content"))
    text = given if encrypted else mended_latin1(given)
    if text != given or (not encrypted and sender != fields.get("sender_name")):
        mended.add(where)
    files = _files(fields, export)
    kind, caption = _kind(fields, text, files)
    if kind == "link" and not text:
        text = fix(object_of(fields.get("share")).get("link"))
    return Record(
        where=where,
        sender=sender,
        sent_at=unix(fields.get("timestamp" if encrypted else "timestamp_ms"), per_second=1000),
        text=text,
        kind=kind,
        caption=caption if caption is None or encrypted else mended_latin1(caption),
        reactions=tuple(
            Reaction(emoji=fix(r.get("reaction")), who=(fix(r.get("actor")),))
            for r in objects_of(fields.get("reactions"))
        ),
        attachments=files,
        words=kind not in {"system", "deleted"},
    )


def _files(fields: Object, export: Export) -> tuple[Attachment, ...]:
    found: list[Attachment] = []
    for key, kind in _MEDIA.items():
        for given in objects_of(fields.get(key)):
            found += attachment(given.get("uri"), kind, _size(given.get("uri"), export))
    for given in objects_of(fields.get("media")):
        uri = text_of(given.get("uri"))
        found += attachment(uri, kind_of_file(uri), _size(uri, export))
    return tuple(found)


def _size(uri: Any, export: Export) -> int | None:
    """The size of the file whose path ends alike."""
    tail = "/".join(text_of(uri).split("/")[-2:])
    return export.beside.get(tail, export.beside.get(tail.rpartition("/")[2]))


def _kind(fields: Object, text: str, files: Sequence[Attachment]) -> tuple[Kind, str | None]:
    if fields.get("is_unsent") is True or fields.get("isUnsent") is True:
        return "deleted", None
    if "call_duration" in fields or fields.get("type") == "Call":
        seconds = min(whole(fields.get("call_duration")) or 0, 10**8)
        return "call", f"call, {timedelta(seconds=seconds)}" if seconds else "call"
    if text_of(fields.get("type")) in _SYSTEM:
        return "system", None
    if files:
        return files[0].kind, files[0].name if files[0].kind == "file" and not text else None
    if isinstance(fields.get("sticker"), dict):
        return "sticker", None
    if share := object_of(fields.get("share")):
        link = text_of(share.get("link"))
        told = text_of(share.get("share_text"))
        return "link", told or (link if text and link not in text else None) or None
    return ("text" if text else "other"), None
