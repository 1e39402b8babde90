"""Names that a chat's people call each other by, learned from how they speak to one another."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Set

from sayso.core.chat import Chat
from sayso.core.time_words import words

_GREETING = (
    r"hey|hi|hello|hiya|heya|yo|thanks|thank you|thx|morning|good morning|good night|goodnight|"
    r"night|bye|sorry|congrats|congratulations|wow|yes|no|ok|okay|hola|dear|aww|oh"
)
# No two runs of white space meet in it: a message of 100,000 line breaks is searched at once.
_ADDRESSED = re.compile(
    rf"(?:^|[.!?\n][^\S\n]*)(?i:{_GREETING})[\s,]+(?:my\s+)?([A-Z][\w]+)\b|"
    r",\s*([A-Z][\w]+)\s*(?:[!?.…]+\s*)?$"
)
_THANKED = re.compile(
    r"(?:^|[.!?\n][^\S\n]*)(?i:thanks|thank\s+you|thx|ta|cheers)(?i:\s+(?:so\s+much|a\s+lot|again))?"
    r"[\s,]+(?i:my\s+)?([A-Z]\w{2,})\b"
)
# Wally and Walt, Katie and Katherine: what is left without the ending begins the name.
_FOND = re.compile(r"(?P<base>\w{2,}?(?P<last>\w))(?P=last)?(?:y|ie|ey|i|o|s|er|ers)")
_NO_NICKNAMES = words(
    "mate man buddy love dear darling sister sis brother bro mum mom mother dad father boss"
)


def addressed(chat: Chat, taken: Set[str]) -> dict[str, str]:
    """Where two people talk: the words that one addresses the other by at least twice, casefolded.

    ``taken`` are names that somebody bears, casefolded: none of them is learned.
    """
    if len(chat.participants) != 2:
        return {}
    one, other = chat.names
    said: dict[str, Counter[str]] = defaultdict(Counter)
    for message in chat.messages:
        for match in _ADDRESSED.finditer(message.text):
            said[match.group(1) or match.group(2)][message.sender] += 1
    learned = {}
    for word, by in said.items():
        (speaker, times), total = by.most_common(1)[0], by.total()
        if times >= 2 and times / total >= 0.8 and word.casefold() not in taken:
            learned[word.casefold()] = other if speaker == one else one
    return learned


def thanked(
    chat: Chat, borne: Mapping[str, Set[str]], is_like: Callable[[str, Set[str]], bool]
) -> dict[str, set[str]]:
    """By what name senders are thanked for what they just wrote, casefolded, where it is like theirs.

    ``borne`` are each participant's names, casefolded, by which ``is_like`` judges a word as written.
    """
    found: dict[str, set[str]] = defaultdict(set)
    before: str | None = None  # who wrote last, but for the one who writes now
    writer: str | None = None
    for message in chat.messages:
        if message.sender != writer:
            before, writer = writer, message.sender
        if before is None or before not in borne:
            continue
        for match in _THANKED.finditer(message.text):
            word = match[1].casefold()
            if word not in _NO_NICKNAMES and is_like(match[1], borne[before]):
                found[word].add(before)
    return found


def is_fond(word: str, names: Set[str]) -> bool:
    """Whether the word is a fond form of one of the names, which are casefolded."""
    fond = _FOND.fullmatch(word.casefold())
    return fond is not None and any(name.startswith(fond["base"]) for name in names)
