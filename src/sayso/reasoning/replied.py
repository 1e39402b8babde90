"""A question somebody asked in the chat, cited for its words, says nothing without its reply."""

import re
from collections.abc import Sequence
from itertools import islice

from sayso.core.asking_when import asks_when
from sayso.core.chat import Chat, Message
from sayso.core.models import Graded, Intent
from sayso.core.sentences import content_words, sentences
from sayso.core.time_expressions import find_times
from sayso.reasoning.grading import citable
from sayso.reasoning.phrase_words import words
from sayso.reasoning.planning import intent_of
from sayso.reasoning.unmarked import asks_unmarked

# The others count messages, or say which was first or last: a reply is not one of theirs, unless
# the same was asked in the chat.
_INTENTS: frozenset[Intent] = frozenset({"fact", "list", "when"})
_SHORT = 80  # characters; a longer reply is found by its own words
_SECONDS = 6 * 3600
_GREETING = 2  # content words: "Great news." before a question tells nothing either
_ASKS = re.compile(r"(?<!/)[?？؟][^\w\s]*$")  # a link may end in a question mark, too
_WORD = re.compile(r"\w")
_ASKS_BACK = re.compile(r",\s*(?:and\s+)?you\W*$", re.IGNORECASE)


def with_reply(
    chat: Chat,
    cited: tuple[Graded, ...],
    graded: Sequence[Graded],
    intent: Intent,
    *,
    most: int,
    people: Sequence[str] = (),
) -> tuple[Graded, ...]:
    """The citations, at most ``most``; before each that only asks, the short reply to it.

    "What time does the ferry leave?" shares all its words with the same question in the chat;
    the answer is "half 7". Only what was retrieved is cited, so the reply has to be in ``graded``.
    Where a time is asked for, the question keeps its place if it names one and the reply does not.
    Behind the first, what somebody else says than one of the ``people`` asked about is left out.
    """
    held = {g.local_id for g in cited}
    made: list[Graded] = []
    for each in cited:
        reply = _reply_before(chat, chat.by_id[each.local_id], intent)
        if reply is not None and made and people and reply.sender not in people:
            reply = None
        if reply is not None and reply.local_id not in held:
            found = (g for g in graded if g.local_id == reply.local_id)
            made.extend(islice(found, 1))
            held.add(reply.local_id)
        made.append(each)
    return tuple(made[:most])


def _reply_before(chat: Chat, asked: Message, intent: Intent) -> Message | None:
    """The reply that tells what a message only asks; None where it is no such message."""
    if not _only_asks(asked.text) or (intent not in _INTENTS and intent_of(asked.text) != intent):
        return None
    reply = _reply(chat, asked)
    if reply is None:
        return None
    if intent == "when" and find_times(asked.text) and not _tells_when(asked, reply):
        return None
    return reply


def _only_asks(text: str) -> bool:
    """Whether it is a question, or several, after a greeting at most."""
    parts = _parts(text)
    while parts and not _asks(parts[0]) and len(content_words(parts[0])) <= _GREETING:
        parts = parts[1:]
    return bool(parts) and all(map(_asks, parts))


def _asks(sentence: str) -> bool:
    return bool(_ASKS.search(sentence)) or asks_unmarked(sentence)


def _reply(chat: Chat, asked: Message) -> Message | None:
    """What another says to it soon and in few words: marked as a reply, or else the next thing."""
    marked = (chat.by_id[i] for i in chat.replies.get(asked.local_id, ()))
    reply = next((m for m in marked if citable(m) and m.sender != asked.sender), None)
    if reply is None:
        at = chat.position[asked.local_id]
        later = (chat.messages[i] for i in range(at + 1, len(chat.messages)))
        reply = next((m for m in later if citable(m)), None)
        if reply is None or reply.sender == asked.sender or reply.reply_to is not None:
            return None
    late = (reply.sent_at - asked.sent_at).total_seconds() > _SECONDS
    return None if late or len(reply.text) > _SHORT or _asks_back(reply.text) else reply


def _tells_when(asked: Message, reply: Message) -> bool:
    """Whether it names a time, or a number where an hour or a day was asked for: "half 7"."""
    if find_times(reply.text):
        return True
    return asks_when(asked.text) and any(word.mark == "N" for word in words(reply.text))


def _asks_back(text: str) -> bool:
    """Whether it tells nothing: "6:30. You?" does, and "Bremen, you?"."""
    parts = _parts(text)
    return all(map(_asks, parts)) and not _ASKS_BACK.search(text)


def _parts(text: str) -> list[str]:
    """Its sentences, without what has no word."""
    parts = (text[start:end] for start, end in sentences(text))
    return [part for part in parts if _WORD.search(part)]
