"""Importing a chat again: what is new gets new ids, what was there keeps its own for ever.

Two messages are the same when they have the same source_id; where either has none, when time,
sender, text and caption are the same, the first such one with the first, the second with the
second, so that "ok" sent twice in a minute stays two. What an edit or a new name for a person means
is in :mod:`~sayso.chats.edits` and :mod:`~sayso.chats.renaming`.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from sayso.chats.clock import in_zone, placed
from sayso.chats.edits import edits, says_other, updated
from sayso.chats.importers.whatsapp_kinds import words_of
from sayso.chats.numbering import free_ids
from sayso.chats.renaming import Naming, Renamed, one_name_each, renamed, united
from sayso.core.chat import Chat, ChatHeader, Message, in_message_order
from sayso.core.value import Value

_Key = tuple[datetime, str, str, str | None]


class MergeReport(Value):
    """How many messages were added and how many were there already.

    ``changed`` counts those whose text is another one now, and ``edited`` are their localIds in
    message order: spans and cases that quoted them may no longer hold. ``completed`` counts texts
    that only stood in for a file or for words that are there now. ``deleted`` are those that were
    deleted since; their words stay. ``renamed`` are people under another name now. ``owner``
    is whose archive it is, where that is somebody else than before.
    """

    added: int
    already_there: int
    changed: int = 0
    edited: tuple[int, ...] = ()
    completed: int = 0
    deleted: tuple[int, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    owner: str | None = None


def merge(old: Chat, new: Chat, *, owner_told: bool = False) -> tuple[Chat, MergeReport]:
    """The union under the old chat's id, in message order.

    New messages get the next free ids, in message order. Where one import knew its
    timezone and the other assumed it, or the user named another, the wall clocks are read anew in
    the one that is known, so that the same message is found under both. The owner stays whom the
    old chat names, unless the user told who it is (``owner_told``) at the new import.
    """
    old, new = on_one_clock(old, new)
    later = _reach(new) >= _reach(old)
    naming = one_name_each(old, new, later=later)
    old, new = renamed(old, naming.old), renamed(new, naming.new)
    same = the_same(old.messages, new.messages)
    fresh = [m for m in in_message_order(new.messages) if m.local_id not in same]
    free = free_ids((m.local_id for m in old.messages), len(fresh))
    ids = same | {m.local_id: local_id for m, local_id in zip(fresh, free, strict=True)}
    again = {ids[m.local_id]: m for m in new.messages if m.local_id in same}
    kept = [_updated(m, again, ids, later=later) for m in old.messages]
    people = united(old.participants, new.participants)
    messages = in_message_order([*kept, *(numbered(m, ids) for m in fresh)])
    # A copy made by pydantic takes along what the old chat had worked out from its messages.
    fields = {name: getattr(old, name) for name in Chat.model_fields}
    owner = (new.owner if owner_told else None) or old.owner or new.owner
    chat = Chat.model_validate(
        fields | {"participants": people, "owner": owner, "messages": messages}
    )
    other = [(m, now) for m, now in zip(old.messages, kept, strict=True) if says_other(m, now)]
    edited = tuple(m.local_id for m, now in other if now.revisions != m.revisions)
    gone = [n for n, m in again.items() if m.kind == "deleted" != old.by_id[n].kind]
    return chat, MergeReport(
        added=len(fresh),
        already_there=len(same),
        changed=len(edited),
        edited=edited,
        completed=len(other) - len(edited),
        deleted=tuple(gone),
        renamed=renamings(naming),
        owner=owner if owner != old.owner else None,
    )


def _updated(
    message: Message, again: Mapping[int, Message], ids: Mapping[int, int], *, later: bool
) -> Message:
    told = again.get(message.local_id)
    if told is None:
        return message
    reply_to = None if told.reply_to is None else ids.get(told.reply_to)
    return updated(message, told, reply_to=reply_to, later=later)


def _reach(chat: Chat) -> float:
    return chat.messages[-1].sent_at.timestamp() if chat.messages else 0.0


def renamings(naming: Naming) -> tuple[Renamed, ...]:
    """Whose name became another one, on either side."""
    pairs = {**naming.new, **naming.old}
    return tuple(Renamed(before=before, now=now) for before, now in pairs.items())


def the_same(old: Sequence[Message], new: Sequence[Message]) -> dict[int, int]:
    """New localId → old localId of the same message, edited or not."""
    same = _matches(old, new)
    taken = set(same.values())
    left = (m for m in old if m.local_id not in taken)
    return same | {
        b.local_id: a.local_id for a, b in edits(left, (m for m in new if m.local_id not in same))
    }


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
    # Earlier imports kept the words that stood for a file which the export left out.
    words = words_of(message.text, message.kind)
    return (message.sent_at, message.sender, words, message.caption)


def numbered(message: Message, ids: Mapping[int, int]) -> Message:
    """The message under the id that ``ids`` has for it, replying to that which it has for that."""
    reply_to = None if message.reply_to is None else ids.get(message.reply_to)
    return message.model_copy(update={"local_id": ids[message.local_id], "reply_to": reply_to})


Clocks = Literal["as they are", "old ones anew", "new ones anew", "new ones shown"]


def clocks_of(old: ChatHeader, new: ChatHeader) -> Clocks:
    """Whose wall clocks have to be read anew in the other's timezone, or only shown in it."""
    if (old.timezone, old.timezone_origin) == (new.timezone, new.timezone_origin):
        return "as they are"
    match (old.timezone_origin, new.timezone_origin):
        case ("assumed" | "named", "named"):
            return "old ones anew"
        case ("named", "assumed"):
            return "new ones anew"
        case _:
            return "new ones shown"


def on_one_clock(old: Chat, new: Chat) -> tuple[Chat, Chat]:
    """Both chats with their times read, or at least shown, in one timezone."""
    match clocks_of(old, new):
        case "as they are":
            return old, new
        case "old ones anew":
            return _moved(old, new, reclocked(old.messages, new.zone)), new
        case "new ones anew":
            return old, _moved(new, old, reclocked(new.messages, old.zone))
        case "new ones shown":
            shown = (m.model_copy(update={"sent_at": in_zone(m.sent_at, old.zone)})
                     for m in new.messages)  # fmt: skip
            return old, _moved(new, old, shown)


def reclocked(messages: Iterable[Message], zone: ZoneInfo) -> Iterator[Message]:
    """The messages, given in their order, with their wall clocks read in that zone."""
    at: datetime | None = None
    for m in messages:
        at = placed(m.sent_at.replace(tzinfo=None), zone, after=at)
        edited_at = m.edited_at and at + (m.edited_at - m.sent_at)
        yield m.model_copy(update={"sent_at": at, "edited_at": edited_at})


def _moved(chat: Chat, like: Chat, messages: Iterable[Message]) -> Chat:
    fields = {name: getattr(chat, name) for name in Chat.model_fields}
    zone = {"timezone": like.timezone, "timezone_origin": like.timezone_origin}
    return Chat.model_validate(fields | zone | {"messages": in_message_order(messages)})
