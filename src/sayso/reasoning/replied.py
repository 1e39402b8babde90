"""A question somebody asked in the chat, cited for its words, says nothing without its reply."""

from collections.abc import Sequence

from sayso.core.chat import Chat, Message
from sayso.core.models import Graded
from sayso.core.sentences import content_words, sentences
from sayso.reasoning.grading import citable

_SHORT = 80  # characters; a longer reply is found by its own words
_SECONDS = 6 * 3600
_GREETING = 2  # content words: "Great news." before a question tells nothing either
_ASKS = ("?", "？")


def with_reply(
    chat: Chat, cited: tuple[Graded, ...], graded: Sequence[Graded]
) -> tuple[Graded, ...]:
    """The citations with the short reply to the first of them, if that only asks, before it.

    "What time does the ferry leave?" shares all its words with the same question in the chat;
    the answer is "half 7". Only what was retrieved is cited, so the reply has to be in ``graded``.
    """
    if not cited:
        return cited
    asked = chat.by_id[cited[0].local_id]
    reply = _reply(chat, asked) if _only_asks(asked.text) else None
    if reply is None or any(g.local_id == reply.local_id for g in cited):
        return cited
    found = next((g for g in graded if g.local_id == reply.local_id), None)
    return cited if found is None else (found, *cited)


def _only_asks(text: str) -> bool:
    telling = [
        text[start:end]
        for start, end in sentences(text)
        if len(content_words(text[start:end])) > _GREETING or text[:end].endswith(_ASKS)
    ]
    return bool(telling) and all(one.endswith(_ASKS) for one in telling)


def _reply(chat: Chat, asked: Message) -> Message | None:
    """The next thing that anybody says, if another says it soon and in few words."""
    at = chat.position[asked.local_id]
    after = next((m for m in chat.messages[at + 1 :] if citable(m)), None)
    if after is None or after.sender == asked.sender or len(after.text) > _SHORT:
        return None
    late = (after.sent_at - asked.sent_at).total_seconds() > _SECONDS
    return None if late or _only_asks(after.text) else after
