"""Which participants a question names: by name, alias, nickname learned from the chat, or loosely.

A name that nobody bears names nobody; it never limits a search.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from sayso.core.chat import Chat
from sayso.core.stopwords import STOPWORDS
from sayso.core.time_words import MONTHS, WEEKDAYS

_NAME = re.compile(r"[^\W\d_][\w.’'-]*[^\W_]|[^\W\d_]")
_GREETING = (
    r"hey|hi|hello|hiya|heya|yo|thanks|thank you|thx|morning|good morning|good night|goodnight|"
    r"night|bye|sorry|congrats|congratulations|wow|yes|no|ok|okay|hola|dear|aww|oh"
)
# No two runs of white space meet in it: a message of 100,000 line breaks is searched at once.
_ADDRESSED = re.compile(
    rf"(?:^|[.!?\n][^\S\n]*)(?i:{_GREETING})[\s,]+(?:my\s+)?([A-Z][\w]+)\b|"
    r",\s*([A-Z][\w]+)\s*(?:[!?.…]+\s*)?$"
)
_LOOSE = 0.75
# "Jan" is nobody's short name while it can be a month, and "The" is not Theo.
_NEVER_LOOSE = STOPWORDS | MONTHS.keys() | WEEKDAYS.keys()
# Scripts that part words with spaces end before here; Chinese or Korean names stand inside a run.
_SPACED = "\u0590"
_LIKE_A_PLURAL = re.compile(r"([\w.'’ -]*?[^\W\d_]s)(?:['’]s?)?", re.IGNORECASE)
_SOMEBODY = "somebody"


@dataclass(frozen=True)
class Named:
    """The participants named, in the order of the question, and the question without their names.

    ``neutral`` is the question with a word for somebody in place of the names that end like a
    plural ("What did Mattias …").
    """

    people: tuple[str, ...]
    rest: str
    neutral: str


def known_names(chat: Chat) -> dict[str, str]:
    """Every name, alias and part of a name that means one participant, casefolded, to that name.

    Nicknames are learned where two people talk: a capitalised word that one of them uses to
    address somebody at least twice means the other.
    """
    owners: dict[str, set[str]] = defaultdict(set)
    for person in chat.participants:
        for name in (person.name, *person.aliases):
            for part in {name, *_NAME.findall(name)}:
                if len(part) > 1:
                    owners[part.casefold()].add(person.name)
    for nickname, person_name in _nicknames(chat).items():
        owners.setdefault(nickname, {person_name})
    return {name: next(iter(who)) for name, who in owners.items() if len(who) == 1}


def named(question: str, names: Mapping[str, str]) -> Named:
    """Who is named, all of them where several share a name, and what is left of the question."""
    people: dict[str, None] = {}
    cut: list[tuple[int, int]] = []
    for full in sorted((n for n in names if " " in n or not n.isascii()), key=len, reverse=True):
        for match in re.finditer(_standing(full), question, flags=re.IGNORECASE):
            if not any(s < match.end() and match.start() < e for s, e in cut):
                cut.append(match.span())
                people.setdefault(names[full])
    for match in _NAME.finditer(question):
        if any(s < match.end() and match.start() < e for s, e in cut):
            continue
        word = re.sub(r"['’]s?$", "", match.group())
        bearer = _bearer(word, names, first=match.start() == 0)
        found = _sharing(word, names) if bearer is None else [bearer]
        if found:
            people.update(dict.fromkeys(found))
            cut.append(match.span())
    rest = neutral = question
    for start, end in sorted(cut, reverse=True):
        rest = rest[:start] + " " + rest[end:]
        if plural := _LIKE_A_PLURAL.fullmatch(question, start, end):
            neutral = neutral[:start] + _SOMEBODY + neutral[plural.end(1) :]
    rest = re.sub(r"\s+", " ", rest).strip()
    return Named(tuple(people), rest or question, neutral)


def _standing(name: str) -> str:
    """A pattern for the name: a word of its own, where its script parts words."""
    return rf"(?<!\w){re.escape(name)}(?!\w)" if max(name) < _SPACED else re.escape(name)


def _bearer(word: str, names: Mapping[str, str], *, first: bool) -> str | None:
    folded = word.casefold()
    if folded in names:
        # A name in small letters is taken too: people type so; but not a common short word.
        return names[folded] if word[0].isupper() or len(folded) > 3 else None
    if not word[0].isupper() or first or len(folded) < 3 or folded in _NEVER_LOOSE:
        return None
    close = {
        who
        for name, who in names.items()
        if len(name) > 2
        and (
            (len(folded) >= 3 and name.startswith(folded))
            or (len(name) >= 4 and folded.startswith(name))
            # Ana is in Joana, but they are two names; who mistypes a short one starts it right.
            or (
                (len(name) > 3 or name[0] == folded[0])
                and SequenceMatcher(None, folded, name).ratio() >= _LOOSE
            )
        )
    }
    return next(iter(close)) if len(close) == 1 else None


def _sharing(word: str, names: Mapping[str, str]) -> list[str]:
    """All who have this as a part of their name, where it is several: either may be meant."""
    if not word[0].isupper():
        return []
    folded = word.casefold()
    found = dict.fromkeys(who for name, who in names.items() if folded in name.split())
    return list(found) if len(found) > 1 else []


def _nicknames(chat: Chat) -> dict[str, str]:
    if len(chat.participants) != 2:
        return {}
    one, other = chat.names
    said: dict[str, Counter[str]] = defaultdict(Counter)
    for message in chat.messages:
        for match in _ADDRESSED.finditer(message.text):
            said[match.group(1) or match.group(2)][message.sender] += 1
    taken = {part.casefold() for name in chat.names for part in (name, *_NAME.findall(name))}
    learned = {}
    for word, by in said.items():
        (speaker, times), total = by.most_common(1)[0], by.total()
        if times >= 2 and times / total >= 0.8 and word.casefold() not in taken:
            learned[word.casefold()] = other if speaker == one else one
    return learned
