"""Importing a chat again: what is new gets new ids, what was there keeps its own for ever.

Two messages are the same when they have the same source_id; where either has none, when time,
sender, text and caption are the same, the first such one with the first, the second with the
second, so that "ok" sent twice in a minute stays two.
"""

from collections import defaultdict, deque
from collections.abc import Iterable
from datetime import datetime

from sayso.chats.clock import in_zone, placed
from sayso.chats.numbering import free_ids
from sayso.core.chat import Chat, Message, Participant, in_message_order
from sayso.core.value import Value

_Key = tuple[datetime, str, str, str | None]


class MergeReport(Value):
    """How many messages were added and how many were there already.

    ``changed`` counts those that were there under the same source_id with other words: the words
    of the first import stay.
    """

    added: int
    already_there: int
    changed: int = 0


def merge(old: Chat, new: Chat) -> tuple[Chat, MergeReport]:
    """The union under the old chat's id, in message order.

    New messages get the next free ids, in message order. Where one import knew its
    timezone and the other assumed it, or the user named another, the wall clocks are read anew in
    the one that is known, so that the same message is found under both.
    """
    old, new = _on_one_clock(old, new)
    same = _matches(old.messages, new.messages)
    fresh = [m for m in in_message_order(new.messages) if m.local_id not in same]
    free = free_ids((m.local_id for m in old.messages), len(fresh))
    ids = same | {m.local_id: local_id for m, local_id in zip(fresh, free, strict=True)}
    added = [_numbered(m, ids) for m in fresh]
    known = {m.local_id: m for m in old.messages}
    changed = sum(known[ids[m.local_id]].text != m.text for m in new.messages if m.local_id in same)
    chat = old.model_copy(
        update={
            "participants": _people(old.participants, new.participants),
            "messages": in_message_order([*old.messages, *added]),
        }
    )
    # A copy made by pydantic takes along what the old chat had worked out from its messages.
    chat = Chat.model_validate({name: getattr(chat, name) for name in Chat.model_fields})
    return chat, MergeReport(added=len(added), already_there=len(same), changed=changed)


def _matches(old: Iterable[Message], new: Iterable[Message]) -> dict[int, int]:
    """New localId → old localId of the same message."""
    by_source = {m.source_id: m for m in old if m.source_id is not None}
    same = {m.local_id: by_source[m.source_id].local_id for m in new if m.source_id in by_source}
    taken = set(same.values())
    # One line of those with a source_id and one of those without: two that both have one, and
    # a different one, are never the same.
    waiting: dict[tuple[_Key, bool], deque[int]] = defaultdict(deque)
    for m in in_message_order(old):
        if m.local_id not in taken:
            waiting[_key(m), m.source_id is not None].append(m.local_id)
    for m in in_message_order(new):
        if m.local_id in same:
            continue
        bare = waiting[_key(m), False]
        line = bare or (waiting[_key(m), True] if m.source_id is None else bare)
        if line:
            same[m.local_id] = line.popleft()
    return same


def _key(message: Message) -> _Key:
    return (message.sent_at, message.sender, message.text, message.caption)


def _numbered(message: Message, ids: dict[int, int]) -> Message:
    reply_to = None if message.reply_to is None else ids.get(message.reply_to)
    return message.model_copy(update={"local_id": ids[message.local_id], "reply_to": reply_to})


def _people(old: tuple[Participant, ...], new: tuple[Participant, ...]) -> tuple[Participant, ...]:
    known = {name for p in old for name in (p.name, *p.aliases)}
    return (*old, *(p for p in new if p.name not in known))


def _on_one_clock(old: Chat, new: Chat) -> tuple[Chat, Chat]:
    if (old.timezone, old.timezone_origin) == (new.timezone, new.timezone_origin):
        return old, new
    match (old.timezone_origin, new.timezone_origin):
        case ("assumed" | "named", "named"):
            return _reclocked(old, new), new
        case ("named", "assumed"):
            return old, _reclocked(new, old)
        case _:
            return old, _shown_in(new, old)


def _reclocked(chat: Chat, like: Chat) -> Chat:
    """The chat with its wall clocks read in the other's timezone."""
    at: datetime | None = None
    messages = []
    for m in chat.messages:
        at = placed(m.sent_at.replace(tzinfo=None), like.zone, after=at)
        messages.append(m.model_copy(update={"sent_at": at}))
    return _moved(chat, like, messages)


def _shown_in(chat: Chat, like: Chat) -> Chat:
    """The chat with the same instants, on the other's clock."""
    messages = [
        m.model_copy(update={"sent_at": in_zone(m.sent_at, like.zone)}) for m in chat.messages
    ]
    return _moved(chat, like, messages)


def _moved(chat: Chat, like: Chat, messages: list[Message]) -> Chat:
    fields = {name: getattr(chat, name) for name in Chat.model_fields}
    return Chat.model_validate(
        fields
        | {
            "timezone": like.timezone,
            "timezone_origin": like.timezone_origin,
            "messages": in_message_order(messages),
        }
    )
