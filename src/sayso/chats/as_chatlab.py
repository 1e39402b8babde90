"""A chat in ChatLab's standard format 0.0.2, JSON or JSONL, so that other tools can read it.

The format holds who said what when, in whole seconds, with replies. What it has no place for is
told by :func:`left_out`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from sayso.core.chat import Chat, Kind, Message

VERSION = "0.0.2"
_TYPES: dict[Kind, int] = {
    "text": 0, "photo": 1, "voice": 2, "video": 3, "file": 4, "sticker": 5, "link": 7,
    "location": 8, "call": 23, "contact": 27, "system": 80, "deleted": 81,
}  # fmt: skip
_REPLY, _OTHER = 25, 99

Fields = dict[str, Any]  # a JSON object


def as_json(chat: Chat, *, exported_at: int) -> Iterator[str]:
    """The lines of the JSON document, a message a line; ``exported_at`` in unix seconds."""
    head = _head(chat, exported_at)
    yield f'{{"chatlab": {_json(head["chatlab"])},'
    yield f'"meta": {_json(head["meta"])},'
    yield f'"members": {_json(list(_members(chat)))},'
    yield '"messages": ['
    last = len(chat.messages) - 1
    for n, fields in enumerate(_messages(chat)):
        yield _json(fields) + ("," if n < last else "")
    yield "]}"


def as_lines(chat: Chat, *, exported_at: int) -> Iterator[str]:
    """The lines of the JSONL: the header, a member a line, a message a line."""
    yield _json({"_type": "header", **_head(chat, exported_at)})
    for member in _members(chat):
        yield _json({"_type": "member", **member})
    for fields in _messages(chat):
        yield _json({"_type": "message", **fields})


def left_out(chat: Chat) -> tuple[str, ...]:
    """What of the chat the format cannot hold, in words; empty where it holds all of it."""
    told = [f"the timezone {chat.timezone} (times stay; name it again with --timezone)"]
    found = [] if chat.timezone == "UTC" else told
    counts: Counter[str] = Counter()
    for place, m in enumerate(chat.messages, 1):
        counts.update(_lost(m))
        if m.local_id != place:
            counts["localIds, which are numbered anew"] += 1
    counts["messages without an id, which got one for replies to name"] = len(
        _names_for_replies(chat)
    )
    return (*found, *(f"{what} ({n})" for what, n in counts.items() if n))


def _lost(m: Message) -> Iterator[str]:
    if m.sent_at.microsecond:
        yield "fractions of a second"
    if m.kind not in _TYPES or _says_nothing(m):
        yield f"messages of kind {m.kind}, written as other"
    if m.caption:
        yield "captions" if m.text else "captions, written as the text"
    for name, what in (("edited_at", "times of edits"), ("revisions", "messages' former texts"),
                       ("reactions", "messages' reactions"), ("attachments", "messages' files"),
                       ("forwarded_from", "senders of forwarded messages")):  # fmt: skip
        if getattr(m, name):
            yield what


def _head(chat: Chat, exported_at: int) -> Fields:
    meta: Fields = {
        "name": chat.title,
        "platform": chat.platform,
        "type": "group" if len(chat.participants) > 2 else "private",
    }
    if chat.owner is not None:
        meta["ownerId"] = _person(chat.owner)
    made = {"version": VERSION, "exportedAt": exported_at, "generator": "sayso"}
    return {"chatlab": made, "meta": meta}


def _members(chat: Chat) -> Iterator[Fields]:
    for person in chat.participants:
        member: Fields = {"platformId": _person(person.name), "accountName": person.name}
        if person.aliases:
            member["aliases"] = list(person.aliases)
        yield member


def _messages(chat: Chat) -> Iterator[Fields]:
    named = _names_for_replies(chat)
    for m in chat.messages:
        fields: Fields = {}
        if (name := m.source_id or named.get(m.local_id)) is not None:
            fields["platformMessageId"] = name
        fields["sender"] = "system" if m.kind == "system" and not m.sender else _person(m.sender)
        fields["accountName"] = m.sender
        fields["timestamp"] = int(m.sent_at.timestamp() // 1)
        fields["type"] = _type(m)
        fields["content"] = m.text or m.caption or None
        if m.reply_to is not None and (answered := chat.by_id.get(m.reply_to)) is not None:
            fields["replyToMessageId"] = answered.source_id or named[answered.local_id]
        yield fields


def _names_for_replies(chat: Chat) -> dict[int, str]:
    """By localId an id of its own for each message that is replied to and has none."""
    answered = {m.reply_to for m in chat.messages} & chat.by_id.keys()
    return {
        n: _free(f"sayso:{n}", chat.by_source_id)
        for n in answered
        if n is not None and chat.by_id[n].source_id is None
    }


def _free(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name += "'"
    return name


def _type(m: Message) -> int:
    if _says_nothing(m):
        return _OTHER
    if m.kind == "text" and m.reply_to is not None:
        return _REPLY
    return _TYPES.get(m.kind, _OTHER)


def _says_nothing(m: Message) -> bool:
    """Whether it is a text without one, which readers refuse."""
    return m.kind == "text" and not (m.text or m.caption)


def _person(name: str) -> str:
    """An id for the person of that name, which is all that is known; ids have no space at the ends."""
    return name if name == name.strip() else f"“{name}”"


def _json(value: Any) -> str:  # whatever JSON can write
    return json.dumps(value, ensure_ascii=False)
