"""Telegram Desktop's ``result.json``: one chat, or a whole account with every chat of it.

``date`` is the wall clock of the machine that exported and ``date_unixtime`` the instant; old
versions have the first alone. Ids are unique within one chat only.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from sayso.chats.clock import placed, zone_named
from sayso.chats.importers.assembling import assemble, header, once
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.fields import Object, Reading, id_of, object_of, pointed, text_of
from sayso.chats.importers.format import Format
from sayso.chats.importers.instants import offset_of, unix, zone_of
from sayso.chats.importers.naming import ids_for
from sayso.chats.importers.records import Records
from sayso.chats.importers.report import Findings, ImportOptions, Record
from sayso.chats.importers.several import read_several
from sayso.chats.importers.streaming import head_of, listed
from sayso.chats.importers.telegram_messages import is_message, record
from sayso.chats.importers.voices import Voices

NAME = "Telegram Desktop JSON"


def recognises(export: Export) -> bool:
    """Whether it is a chat whose messages are Telegram's, or an account with such chats."""
    value = export.json
    return isinstance(value, dict) and (_is_chat(value) or _is_account(value))


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The chat, or every chat of the account in which something is said."""
    if _is_chat(export.json):
        return (_chat(export.json, "", None, export, options),)
    about = object_of(export.json.get("personal_information"))
    owner = id_of(about.get("user_id"))
    chats = list(_chats(export.json))
    ids = ids_for(
        [(_title(chat), id_of(chat.get("id")) or "") for _, chat in chats], options.chat_id
    )
    return read_several(
        [(chat_id, (where, chat)) for chat_id, (where, chat) in zip(ids, chats, strict=True)],
        lambda part, chosen: _chat(part[1], part[0], owner, export, chosen),
        options,
        export,
    )


TELEGRAM = Format("telegram", NAME, "sayso import result.json --as family", recognises, read)


def _is_chat(value: Any) -> bool:
    return isinstance(value, dict) and any(map(is_message, head_of(value.get("messages"))))


def _is_account(value: Object) -> bool:
    return any(_is_chat(chat) for _, chat in _chats(value, all_of_them=False))


def _chats(account: Object, *, all_of_them: bool = True) -> Iterator[tuple[str, Object]]:
    for key in ("chats", "left_chats"):
        given = object_of(account.get(key)).get("list")
        for n, chat in enumerate((listed(given) or ()) if all_of_them else head_of(given)):
            if isinstance(chat, dict):
                yield f"/{key}/list/{n}", chat


def _title(chat: Object) -> str:
    saved = "Saved Messages" if chat.get("type") == "saved_messages" else ""
    return text_of(chat.get("name")).strip() or saved


def _chat(
    chat: Object, where: str, owner: str | None, export: Export, options: ImportOptions
) -> Draft:
    findings = Findings()
    reading = Reading(findings)
    zone = zone_named(options.timezone or "UTC", "--timezone")
    exact = {"unix": 0, "wall": 0}

    def one(fields: Object, at: str, before: datetime | None) -> Record:
        sent_at = _instant(fields, "date", zone, before)
        known = fields.get("date_unixtime") is not None
        exact["unix" if known else "wall"] += 1
        if known:
            reading.offsets.add(offset_of(fields.get("date"), sent_at))
        edited_at = None
        if fields.get("edited_unixtime") or text_of(fields.get("edited"))[:4] > "1970":
            edited_at = _instant(fields, "edited", zone, sent_at)
        return record(fields, at, sent_at, edited_at)

    records = Records(
        reading.each(pointed(chat.get("messages"), f"{where}/messages"), one), export.spool
    )
    clock, told = zone_of(reading.offsets)
    if exact["unix"] and told and not options.timezone:
        findings.notes.append(told)
    title = _title(chat)
    head = header(
        export, options, "telegram", chat_id=ids_for([(title, id_of(chat.get("id")) or "")], None)[0]
        or None, title=title or None, zone=clock if exact["unix"] else None,
    )  # fmt: skip
    once(records, findings)
    _name(records.voices)
    head = head.model_copy(update={"owner": _owner(chat, records.voices, owner)})
    return assemble(head, records, export=export, form=NAME, findings=findings, options=options)


def _instant(fields: Object, key: str, zone: ZoneInfo, before: datetime | None) -> datetime:
    if fields.get(f"{key}_unixtime") is not None:
        return unix(fields[f"{key}_unixtime"])
    try:
        wall = datetime.fromisoformat(fields.get(key, ""))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"expected {key} such as 2024-01-05T21:03:04, found {fields.get(key)!r:.60}"
        ) from error
    return placed(wall.replace(tzinfo=None), zone, after=before)


def _name(voices: Voices) -> None:
    """Who has deleted their account and is named nowhere goes by their id."""
    named = {v.person for v in voices.heard_of if v.sender}
    voices.called(
        lambda v: (
            v.sender if v.person is None or v.person in named else f"Deleted account ({v.person})"
        )
    )


def _owner(chat: Object, voices: Voices, owner: str | None) -> str | None:
    """Who exported: the account's person, or the one of two who is not the chat's other."""
    speaking = {v.person for v in voices.heard_of if v.person and v.speaks}
    if owner is not None:
        return f"user{owner}" if f"user{owner}" in speaking else None
    if chat.get("type") != "personal_chat":
        return None
    others = [person for person in speaking if person != f"user{id_of(chat.get('id'))}"]
    return others[0] if len(others) == 1 else None
