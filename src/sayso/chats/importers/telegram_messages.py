"""One message of Telegram Desktop's JSON: its text without formatting, its kind, what hangs on it."""

from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sayso.chats.importers.fields import (
    Object,
    attachment,
    id_of,
    object_of,
    objects_of,
    text_of,
    whole,
)
from sayso.chats.importers.report import Record
from sayso.core.chat import Attachment, Kind, Reaction

_KINDS: dict[str, Kind] = {
    "sticker": "sticker", "voice_message": "voice", "video_message": "video",
    "video_file": "video", "animation": "video", "audio_file": "file",
}  # fmt: skip
_CALLS = frozenset({"phone_call", "group_call", "conference_call"})
_ACTIONS = {
    "create_group": "created the group",
    "create_channel": "created the channel",
    "migrate_to_supergroup": "made the group a supergroup",
    "migrate_from_group": "made the group a supergroup",
    "invite_members": "invited",
    "remove_members": "removed",
    "join_group_by_link": "joined by a link",
    "join_group_by_request": "joined by request",
    "pin_message": "pinned a message",
    "edit_group_title": "changed the title to",
    "edit_group_photo": "changed the photo",
    "delete_group_photo": "removed the photo",
    "clear_history": "cleared the history",
    "joined_telegram": "joined Telegram",
    "take_screenshot": "took a screenshot",
    "topic_created": "created the topic",
    "topic_edit": "changed the topic to",
    "set_messages_ttl": "set messages to delete themselves",
    "edit_chat_theme": "changed the theme",
}


class Media(NamedTuple):
    """What a message is beside its words."""

    kind: Kind
    caption: str | None = None
    files: tuple[Attachment, ...] = ()


def is_message(value: Any) -> bool:
    """Whether it is a message as Telegram Desktop writes it."""
    return (
        isinstance(value, dict)
        and text_of(value.get("type")) in {"message", "service", "unsupported"}
        and "id" in value
        and ("date" in value or "date_unixtime" in value)
    )


def record(fields: Object, where: str, sent_at: datetime, edited_at: datetime | None) -> Record:
    """The message; an account that was deleted has an id and no name."""
    service = fields.get("type") == "service"
    who = "actor" if service else "from"
    sender = text_of(fields.get(who)).strip()
    text = flat(fields.get("text"), fields.get("text_entities"))
    media = _media(fields)
    kind: Kind = media.kind if media.kind != "text" or text else "other"
    caption = media.caption
    if service:
        kind = "call" if text_of(fields.get("action")) in _CALLS else "system"
        text, caption = (text, _call(fields)) if kind == "call" else (_told(fields, sender), None)
    elif kind == "poll":
        text = _poll(object_of(fields.get("poll")))
    elsewhere = fields.get("reply_to_peer_id") is not None
    return Record(
        where=where,
        sender=sender,
        person=id_of(fields.get(f"{who}_id")),
        sent_at=sent_at,
        text=text,
        kind=kind,
        caption=caption,
        source_id=id_of(fields.get("id")),
        reply_to=None if elsewhere else id_of(fields.get("reply_to_message_id")),
        edited_at=edited_at,
        reactions=_reactions(fields.get("reactions")),
        attachments=media.files,
        forwarded_from=text_of(fields.get("forwarded_from")) or None,
        words=not service,
    )


def flat(text: Any, entities: Any) -> str:
    """The text that was sent: formatting is pieces in a row, each of which holds its own words."""
    if isinstance(text, str):
        return text
    pieces = text if isinstance(text, list) else entities if isinstance(entities, list) else []
    return "".join(
        piece if isinstance(piece, str) else text_of(object_of(piece).get("text"))
        for piece in pieces
    )


def _media(fields: Object) -> Media:
    if "poll" in fields:
        return Media("poll")
    if place := object_of(fields.get("location_information")):
        spot = f"{place.get('latitude')}, {place.get('longitude')}"
        names = [text_of(fields.get(key)) for key in ("place_name", "address")]
        return Media("location", ", ".join([n for n in names if n] + [spot]))
    if contact := object_of(fields.get("contact_information")):
        parts = (text_of(contact.get(key)) for key in ("first_name", "last_name", "phone_number"))
        return Media("contact", " ".join(p for p in parts if p) or None)
    if "photo" in fields:
        return Media("photo", None, _file(fields, "photo", "photo_file_size", "photo"))
    if "file" not in fields and "media_type" not in fields:
        return Media("text")
    kind = _KINDS.get(text_of(fields.get("media_type")), "file")
    return Media(kind, _caption(fields, kind), _file(fields, "file", "file_size", kind))


def _file(fields: Object, key: str, size: str, kind: Kind) -> tuple[Attachment, ...]:
    path = text_of(fields.get(key))
    if path.startswith("("):  # "(File not included. …)", in the program's language
        path = ""
    return attachment(path or fields.get("file_name"), kind, fields.get(size))


def _caption(fields: Object, kind: Kind) -> str | None:
    if kind == "sticker":
        return text_of(fields.get("sticker_emoji")) or None
    if kind != "file":
        return None
    song = " – ".join(t for t in (text_of(fields.get(k)) for k in ("performer", "title")) if t)
    return song or text_of(fields.get("file_name")) or None


def _poll(poll: Object) -> str:
    question = flat(poll.get("question"), None)
    answers = [flat(answer.get("text"), None) for answer in objects_of(poll.get("answers"))]
    return "\n".join([question, *answers])


def _call(fields: Object) -> str:
    seconds = whole(fields.get("duration_seconds") or fields.get("duration"))
    reason = text_of(fields.get("discard_reason"))
    if seconds:
        return f"call, {timedelta(seconds=min(seconds, 10**8))}"
    return f"call, {reason}" if reason else "call"


def _told(fields: Object, actor: str) -> str:
    action = text_of(fields.get("action"))
    members = fields.get("members")
    names = (
        [text_of(name) or "a deleted account" for name in members]
        if isinstance(members, list)
        else []
    )
    title = text_of(fields.get("title") or fields.get("new_title"))
    who = actor or "A deleted account"
    done = _ACTIONS.get(action, action.replace("_", " ") or "did something")
    told = f"{who} {done}"
    if title:
        told += f" “{title}”"
    if names:
        told += f" {', '.join(names)}" if not title else f" with {', '.join(names)}"
    return told


def _reactions(value: Any) -> tuple[Reaction, ...]:
    found = []
    for given in objects_of(value):
        emoji = text_of(given.get("emoji")) or text_of(given.get("type")).replace("_", " ")
        who = tuple(
            id_of(r.get("from_id")) or text_of(r.get("from"))
            for r in objects_of(given.get("recent"))
        )
        count = whole(given.get("count"))
        if emoji:
            known = tuple(w for w in who if w)
            left = count if count is not None and count != len(known) else None
            found.append(Reaction(emoji=emoji, who=known, count=left))
    return tuple(found)
