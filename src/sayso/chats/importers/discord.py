"""Discord as DiscordChatExporter writes it: JSON of one channel, whole or in several files.

Names are not unique and change; ids are for ever. Texts may be as Discord keeps them, with mentions
as ``<@123>``: those become names, as readers saw them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from sayso.chats.importers.assembling import assemble, header, once
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
from sayso.chats.importers.instants import iso, zone_of
from sayso.chats.importers.naming import ids_for
from sayso.chats.importers.records import Records
from sayso.chats.importers.report import Findings, ImportOptions, Record
from sayso.chats.importers.several import read_several
from sayso.chats.importers.streaming import Streamed
from sayso.core.chat import Attachment, Kind, Reaction

NAME = "Discord JSON (DiscordChatExporter)"
_SAID = frozenset(
    {"Default", "Reply", "ThreadStarterMessage", "ChatInputCommand", "ContextMenuCommand"}
)
_MENTION = re.compile(r"<@!?(\d+)>")
_EMOJI = re.compile(r"<a?(:\w+:)\d+>")


def recognises(export: Export) -> bool:
    """Whether it is an object with a guild, a channel and messages."""
    value = export.json
    return (
        isinstance(value, dict)
        and isinstance(value.get("guild"), dict)
        and isinstance(value.get("channel"), dict)
        and isinstance(value.get("messages"), list | Streamed)
    )


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The channel of the file."""
    return (_channel([export], options),)


def join(exports: Sequence[Export], options: ImportOptions) -> tuple[Draft, ...]:
    """Every channel of the files; those of one channel are one chat."""
    channels: dict[str, list[Export]] = {}
    for export in exports:
        channel = export.json["channel"]
        channels.setdefault(id_of(channel.get("id")) or _title(export.json), []).append(export)
    if len(channels) == 1:
        return (_channel(exports, options),)
    wanted = [(_title(parts[0].json), key) for key, parts in channels.items()]
    ids = ids_for(wanted, options.chat_id)
    named = list(zip(ids, channels.values(), strict=True))
    return read_several(named, _channel, options, exports[0])


DISCORD = Format(
    "discord", NAME, 'sayso import "Guild - general [123].json"', recognises, read, join
)


def _title(value: Object) -> str:
    guild, channel = object_of(value.get("guild")), object_of(value.get("channel"))
    names = [text_of(place.get("name")).strip() for place in (guild, channel)]
    if id_of(guild.get("id")) in {None, "0"}:
        return names[1]
    return " - ".join(name for name in names if name)


def _channel(exports: Sequence[Export], options: ImportOptions) -> Draft:
    findings = Findings()
    reading = Reading(findings)
    roster: dict[str, list[str]] = {}

    def one(fields: Object, where: str, before: datetime | None) -> Record:
        return _record(fields, where, reading, roster)

    def each() -> Iterator[Record]:
        for export in exports:
            place = f"{export.member}: /messages" if len(exports) > 1 else "/messages"
            yield from reading.each(pointed(export.json.get("messages"), place), one)

    records = Records(each(), exports[0].spool)
    zone, told = zone_of(reading.offsets)
    if told and not options.timezone:
        findings.notes.append(told)
    title = _title(exports[0].json)
    chat_id = ids_for([(title, "")], None)[0]
    head = header(
        exports[0], options, "discord", chat_id=chat_id or None, title=title or None, zone=zone
    )
    once(records, findings)
    return assemble(
        head, records, export=exports[0], form=NAME, findings=findings, options=options,
        roster=roster,
    )  # fmt: skip


def _record(fields: Object, where: str, reading: Reading, roster: dict[str, list[str]]) -> Record:
    sent_at = iso(fields.get("timestamp"))
    offset = sent_at.utcoffset()
    reading.offsets.add(int(offset.total_seconds()) if offset is not None else None)
    edited = fields.get("timestampEdited")
    author = object_of(fields.get("author"))
    person = id_of(author.get("id"))
    sender = _known(author, roster)
    reference = object_of(fields.get("reference"))
    forwarded = object_of(fields.get("forwardedMessage"))
    source = forwarded if forwarded and not fields.get("content") else fields
    mentions = {id_of(m.get("id")): _known(m, roster) for m in objects_of(fields.get("mentions"))}
    text = _plain(text_of(source.get("content")), mentions)
    files = _files(source.get("attachments"))
    kind, caption = _kind(fields, text, files)
    elsewhere = bool(forwarded) or reference.get("type") == "Forward"
    return Record(
        where=where,
        sender=sender,
        person=person,
        sent_at=sent_at,
        text=text,
        kind=kind,
        caption=caption,
        source_id=id_of(fields.get("id")),
        reply_to=None if elsewhere else id_of(reference.get("messageId")),
        edited_at=iso(edited) if edited else None,
        reactions=_reactions(fields.get("reactions"), roster),
        attachments=files,
        forwarded_from=f"channel {id_of(reference.get('channelId'))}" if elsewhere else None,
        words=kind != "system",
    )


def _known(author: Object, roster: dict[str, list[str]]) -> str:
    """The name one reads; it and the account's are the latest that are known of the person."""
    names = [text_of(author.get(key)).strip() for key in ("nickname", "name")]
    names = [name for name in dict.fromkeys(names) if name]
    if (person := id_of(author.get("id"))) and names:
        roster[person] = list(dict.fromkeys([*names, *roster.get(person, [])]))
    return names[0] if names else ""


def _plain(content: str, mentions: dict[str | None, str]) -> str:
    if "<" not in content:
        return content
    content = _MENTION.sub(
        lambda found: f"@{mentions[found[1]]}" if mentions.get(found[1]) else found[0], content
    )
    return _EMOJI.sub(r"\1", content)


def _files(value: Any) -> tuple[Attachment, ...]:
    files: list[Attachment] = []
    for given in objects_of(value):
        name = text_of(given.get("fileName"))
        files += attachment(name, kind_of_file(name), given.get("fileSizeBytes"))
    return tuple(files)


def _kind(fields: Object, text: str, files: Sequence[Attachment]) -> tuple[Kind, str | None]:
    """The kind, and what tells of a message without words of its own."""
    if fields.get("type") == "Call":
        return "call", _lasted(fields)
    if text_of(fields.get("type") or "Default") not in _SAID:
        return "system", None
    if files:
        return files[0].kind, None if text or files[0].kind != "file" else files[0].name
    if stickers := objects_of(fields.get("stickers")):
        return "sticker", text_of(stickers[0].get("name")) or None
    if text:
        return "text", None
    for embed in objects_of(fields.get("embeds")):
        said = [text_of(embed.get(key)).strip() for key in ("title", "description", "url")]
        if any(said):
            return "link", " – ".join(part for part in said if part)
    return "other", None


def _lasted(fields: Object) -> str:
    try:
        return f"call, {iso(fields.get('callEndedTimestamp')) - iso(fields.get('timestamp'))}"
    except ValueError:
        return "call"


def _reactions(value: Any, roster: dict[str, list[str]]) -> tuple[Reaction, ...]:
    found = []
    for given in objects_of(value):
        emoji = text_of(object_of(given.get("emoji")).get("name"))
        who = list(_ids(objects_of(given.get("users")), roster))
        count = whole(given.get("count"))
        if emoji:
            found.append(
                Reaction(emoji=emoji, who=tuple(who), count=None if count == len(who) else count)
            )
    return tuple(found)


def _ids(users: Iterable[Object], roster: dict[str, list[str]]) -> Iterable[str]:
    for user in users:
        name, key = _known(user, roster), id_of(user.get("id"))
        if key or name:
            yield key or name
