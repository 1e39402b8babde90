"""Slack's export: an archive with users, channels, and a file of messages for each day of a channel.

``ts`` is a text, the time and within its channel the id. A file of one day is read, too.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from sayso.chats.importers.assembling import assemble, header, once
from sayso.chats.importers.bundle import Bundle
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import (
    Object,
    Reading,
    attachment,
    id_of,
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
from sayso.chats.importers.report import Fault, Findings, ImportOptions, Record
from sayso.chats.importers.several import read_several
from sayso.chats.importers.slack_changes import Changes
from sayso.chats.importers.slack_text import plain
from sayso.chats.importers.slack_workspace import (
    Workspace,
    json_in,
    names_of,
    title_of,
    workspace_of,
)
from sayso.chats.importers.streaming import head_of
from sayso.core.chat import Attachment, Kind, Reaction

Items = Iterator[tuple[str, Any]]  # what stands in the files, which may be anything, and where

NAME = "Slack export"
_DAY = re.compile(r"(?:(?P<top>.*)/)?(?P<channel>[^/]+)/\d{4}-\d\d-\d\d\.json")
_SLACKBOT = "USLACKBOT"
_TS = re.compile(r"(\d{1,12})(?:\.(\d{1,6}))?", re.ASCII)
_SAID = frozenset(
    {
        "",
        "bot_message",
        "thread_broadcast",
        "file_share",
        "me_message",
        "file_comment",
        "reply_broadcast",
    }
)


def recognises(export: Export) -> bool:
    """Whether it holds files of days with Slack's messages, or is one."""
    if export.bundle is None:
        return any(map(_is_message, head_of(export.json)))
    return any(
        any(map(_is_message, head_of(json_in(export.bundle, name))))
        for name in _first_days(export.bundle)
    )


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """Every channel and conversation in which something is said."""
    if export.bundle is None:

        def one_day(findings: Findings) -> Items:
            return pointed(export.json, "")

        return (_channel(one_day, "", Workspace(), export, options),)
    bundle = export.bundle
    top, folders = _folders(bundle)
    workspace = workspace_of(bundle, top)
    titles = {name: title_of(name, workspace) for name in folders}
    ids = ids_for([(titles[name], name) for name in folders], options.chat_id)
    alone = options.chat_id is not None and len(folders) == 1
    parts = [(options.chat_id if alone and options.chat_id else chat_id, name)
             for chat_id, name in zip(ids, folders, strict=True)]  # fmt: skip
    read_one = partial(_folder, folders=folders, workspace=workspace, titles=titles, export=export)
    return read_several(parts, read_one, options, export)


SLACK = Format("slack", NAME, 'sayso import "Team Slack export Jan 1 2024.zip"', recognises, read)


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") == "message"
        and isinstance(value.get("ts"), str)
        and _TS.fullmatch(value["ts"]) is not None
    )


def _first_days(bundle: Bundle) -> Iterator[str]:
    """The first day of up to five channels."""
    seen: set[str] = set()
    for name in bundle.sizes:
        found = _DAY.fullmatch(name)
        if found and found["channel"] not in seen and len(seen) < 5:
            seen.add(found["channel"])
            yield name


def _folders(bundle: Bundle) -> tuple[str, dict[str, list[str]]]:
    """The folder above all, and the files of each channel by its folder's name, in order."""
    folders: dict[str, list[str]] = {}
    top = ""
    for name in bundle.sizes:
        found = _DAY.fullmatch(name)
        if found:
            top = found["top"] or ""
            folders.setdefault(found["channel"], []).append(name)
    return top, folders


def _folder(
    folder: str, options: ImportOptions, *, folders: Mapping[str, list[str]], workspace: Workspace,
    titles: Mapping[str, str], export: Export,
) -> Draft:  # fmt: skip
    bundle = export.bundle
    assert bundle is not None

    def days(findings: Findings) -> Items:  # one after the other: together they may be too much
        for name in folders[folder]:
            value = json_in(bundle, name)
            if not isinstance(value, list):
                findings.unread.append(Fault(where=name, reason="is no JSON list of messages"))
            yield from pointed(value, f"{name}: ")

    return _channel(days, titles[folder], workspace, export, options)


def _channel(
    items: Callable[[Findings], Items], title: str, workspace: Workspace, export: Export,
    options: ImportOptions,
) -> Draft:  # fmt: skip
    findings = Findings()
    roster = dict(workspace.people)

    def one(fields: Object, where: str, before: datetime | None) -> Record | None:
        return _record(fields, where, roster, workspace)

    def plainly(text: str) -> str:
        return plain(text, workspace.names, workspace.channels)

    changes = Changes(findings, _instant)
    read = Reading(findings).each(changes.unfolded(items(findings)), one)
    records = Records(read, export.spool)
    once(records, findings)
    if changes.former or changes.gone:
        records = Records(changes.applied(records, plainly), export.spool)
    zone, told = zone_of([])
    if told and not options.timezone:
        findings.notes.append(told)
    head = header(export, options, "slack", title=title or None, zone=zone)
    return assemble(
        head, records, export=export, form=NAME, findings=findings, options=options, roster=roster,
    )  # fmt: skip


def _record(
    fields: Object, where: str, roster: dict[str, list[str]], workspace: Workspace
) -> Record:
    sent_at = _instant(fields.get("ts"))
    person = id_of(fields.get("user")) or id_of(fields.get("bot_id"))
    if person == _SLACKBOT and text_of(fields.get("subtype")) == "tombstone":
        person = None  # it stands in for whoever wrote what was deleted
    listed = object_of(fields.get("user_profile")) or object_of(fields.get("bot_profile"))
    if person is not None and not roster.get(person):
        roster[person] = names_of(listed)
    names = roster.get(person or "", [])
    sender = names[0] if names else text_of(fields.get("username")).strip()
    files = _files(fields.get("files"))
    edited = object_of(fields.get("edited")).get("ts")
    thread = id_of(fields.get("thread_ts"))
    kind, caption = _kind(fields, files)
    return Record(
        where=where,
        sender=sender,
        person=person,
        sent_at=sent_at,
        text=plain(_text(fields), workspace.names, workspace.channels),
        kind=kind,
        caption=caption,
        source_id=fields["ts"],
        reply_to=thread if thread != fields["ts"] else None,
        edited_at=_instant(edited) if edited else None,
        reactions=tuple(_reactions(fields.get("reactions"))),
        attachments=files,
        words=kind not in {"system", "deleted"},
    )


def _instant(ts: Any) -> datetime:
    """By whole numbers: as a fraction it would lose the last digits."""
    found = _TS.fullmatch(ts) if isinstance(ts, str) else None
    if found is None:
        raise ValueError(f"expected ts such as '1475643100.000002', found {ts!r:.60}")
    return unix(int(found[1] + (found[2] or "").ljust(6, "0")), per_second=1_000_000)


def _text(fields: Object) -> str:
    if text := text_of(fields.get("text")):
        return text
    told = (
        text_of(a.get("fallback") or a.get("text")) for a in objects_of(fields.get("attachments"))
    )
    return "\n".join(text for text in told if text)


def _files(value: Any) -> tuple[Attachment, ...]:
    found: list[Attachment] = []
    for given in objects_of(value):
        name = text_of(given.get("name")) or text_of(given.get("title"))
        found += attachment(name, kind_of_file(name), given.get("size"))
    return tuple(found)


def _kind(fields: Object, files: tuple[Attachment, ...]) -> tuple[Kind, str | None]:
    subtype = text_of(fields.get("subtype"))
    if subtype == "tombstone":
        return "deleted", None
    if subtype in {"huddle_thread", "sh_room_created"}:
        return "call", None
    if subtype not in _SAID:
        return "system", None
    if files:
        named = files[0].kind == "file" and not text_of(fields.get("text"))
        return files[0].kind, files[0].name if named else None
    return ("text" if _text(fields) else "other"), None


def _reactions(value: Any) -> Iterator[Reaction]:
    for given in objects_of(value):
        users = given.get("users")
        who = tuple(text_of(u) for u in users if text_of(u)) if isinstance(users, list) else ()
        count = whole(given.get("count"))
        if name := text_of(given.get("name")):
            yield Reaction(emoji=f":{name}:", who=who, count=None if count == len(who) else count)
