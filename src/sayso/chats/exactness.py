"""Two exports of one chat whose clocks are not equally exact.

WhatsApp writes seconds on an iPhone and whole minutes on Android. Of a chat exported from both, a
message gets the finer time in both, by which it is then known to be the same.
"""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from datetime import datetime

from sayso.chats.importers.whatsapp_kinds import words_of
from sayso.chats.laid import Laid
from sayso.core.chat import Chat, Message, in_message_order

_Key = tuple[datetime, bool, str, str | None]
# So many whole minutes in a row are no accident.
_ENOUGH = 3


def as_exact(old: Chat, new: Chat) -> tuple[Chat, Chat]:
    """Both chats, on one clock, with the finer time of what they tell alike within a minute.

    The same chats where both or neither are told in whole minutes. Names do not count, since each
    phone has its own; what is said twice in a minute is matched in its order.
    """
    match _whole_minutes(old.messages), _whole_minutes(new.messages):
        case True, False:
            return _refined(old, new), new
        case False, True:
            return old, _refined(new, old)
        case _:
            return old, new


def unlike(old: Laid, new: Laid) -> bool:
    """Whether one of two chats on disk is told in whole minutes and the other is not."""
    return old.whole_minutes != new.whole_minutes and min(old.count, new.count) >= _ENOUGH


def _whole_minutes(messages: Sequence[Message]) -> bool:
    return len(messages) >= _ENOUGH and all(m.sent_at == _minute(m) for m in messages)


def _refined(coarse: Chat, fine: Chat) -> Chat:
    times: dict[_Key, deque[datetime]] = defaultdict(deque)
    for m in fine.messages:
        times[_key(m)].append(m.sent_at)

    def told() -> Iterator[Message]:
        for m in coarse.messages:
            waiting = times.get(_key(m))
            yield m.model_copy(update={"sent_at": waiting.popleft()}) if waiting else m

    fields = {name: getattr(coarse, name) for name in Chat.model_fields}
    return Chat.model_validate(fields | {"messages": in_message_order(told())})


def _key(message: Message) -> _Key:
    words = words_of(message.text, message.kind)
    return (_minute(message), message.kind == "system", words, message.caption)


def _minute(message: Message) -> datetime:
    return message.sent_at.replace(second=0, microsecond=0)
