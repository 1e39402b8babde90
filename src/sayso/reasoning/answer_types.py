"""What kind of words would answer a question, and the words that it shares with its answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sayso.reasoning.phrase_words import Word, stem, words

AnswerType = Literal[
    "when", "clock", "duration", "number", "who", "where", "name", "choice", "thing", "clause"
]

_TYPES: tuple[tuple[AnswerType, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))  # type: ignore[misc]
    for kind, pattern in (
        ("duration", r"\bhow long\b|\bsince when\b|\bhow many (?:full |more |whole )?(?:years|months|weeks|days|hours|minutes)\b|多久|多长时间|几(?:年|天|个月|个小时|周)"),
        ("number", r"\bhow (?:many|much|old|often|tall|far|big|wide|cold|hot|heavy|large|high|deep|fast|expensive)\b|\bwhat (?:size|price|age|percentage|amount|number|temperature|score)\b|多少|多大|几(?!号|点|月)|多高|多重|多远|多贵"),
        ("clock", r"\b(?:what|which) time\b|\bwhat hour\b|几点"),
        ("when", r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|week|weekend|season)\b|什么时候|何时|哪天|哪一天|几号|几月|哪年|哪个月|星期几|周几"),
        ("where", r"\bwhere\b|\b(?:what|which) (?:\w+ )?(?:city|country|place|state|town|location|island|area|region|neighbou?rhood)\b|哪里|哪儿|在哪|去哪|什么地方|哪个城市"),
        ("name", r"\b(?:what|which) (?:is|are|was|were) (?:\S+ ){0,4}?names?\b|\bwhat\b.*\b(?:called|named)\b|\b(?:what|which) (?:\S+ ){0,3}(?:team|book|movie|film|song|band|artist|singer|restaurant|cafe|bar|shop|store|game|show|series|brand|university|college|school|company|app|album|author|actor|actress|player|club|anime|museum|hotel|beach|park|podcast)\b|叫什么|名字|牌子|哪(?:家|部|本|个牌)"),
        ("who", r"\bwho\b|\bwhom\b|\bwhose\b|\bwhich (?:\w+ )?(?:person|friend|colleague|relative)\b|谁"),
        ("clause", r"\bwhy\b|\bwhat (?:is|was) the reason\b|\bhow\b|为什么|怎么|如何|干嘛"),
        ("thing", r"\bwhat\b|\bwhich\b|什么|啥|哪"),
        ("choice", r"^(?:do|does|did|is|are|was|were|would|will|can|has|have)\b.* or \b|还是"),
    )
)  # fmt: skip

# Said in other words than asked: the stems of what stands for it in an answer.
_RELATED = {
    "job": "work job", "trade": "work job", "profess": "work job", "career": "work job", "occup": "work job",
    "favourit": "love best prefer like", "favorit": "love best prefer like", "prefer": "like love rather favorit",
    "spend": "cost pay", "cost": "pay spend price", "live": "move stay", "base": "live move", "studi": "major",
    "reason": "becaus", "watch": "see", "buy": "get order", "visit": "go trip", "travel": "go trip", "attend": "go",
    "cook": "make", "bake": "make", "adopt": "get", "plan": "go gonna", "start": "begin", "recommend": "suggest",
    "suggest": "recommend", "say": "think", "describ": "is", "pet": "dog cat", "vehicl": "car", "lose": "miss", "find": "turn",
    "vacat": "trip holiday", "trip": "vacat holiday", "holiday": "vacat trip", "marri": "wed",
}  # fmt: skip
_VAGUE = frozenset(
    "kind type sort name time date day month year long many much old roughly about did do does thing what which".split()
)


@dataclass(frozen=True)
class Asked:
    """A question as the picker of phrases needs it.

    ``stems`` are the stems of its words of content, without the people's names; ``starts`` the
    first three letters of those words, for a quick refusal; ``pairs`` its pairs of Chinese
    characters.
    """

    kind: AnswerType
    stems: frozenset[str]
    starts: frozenset[str]
    related: frozenset[str]
    related_starts: frozenset[str]
    han: frozenset[str]
    people: frozenset[str]

    def shares(self, word: Word) -> bool:
        """Whether the word stands in the question, in some form."""
        low = word.low
        if word.han:
            return low in self.han or (len(low) > 1 and all(a in self.han for a in low))
        return (low[:1] in self.starts) and stem(low) in self.stems


    def relates(self, word: Word) -> bool:
        """Whether the word may stand for one of the question."""
        return word.low[:1] in self.related_starts and stem(word.low) in self.related


@lru_cache(maxsize=256)
def asked(question: str, people: Sequence[str] = ()) -> Asked:
    """The question read; ``people`` are the participants' names."""
    found = [(m.start(), i, k) for i, (k, p) in enumerate(_TYPES) if (m := p.search(question))]
    kind = min(found)[2] if found else "clause"
    named = {part.casefold() for name in people for part in (name, *name.split())}
    lows = [w.low.removesuffix("'s") for w in words(question) if w.mark in "WVGN" and not w.han]
    kept = [low for low in lows if low not in named and low not in _VAGUE]
    stems = frozenset(stem(low) for low in kept)
    related = frozenset(r for s in stems for r in _RELATED.get(s, "").split()) - stems
    hans = [w.low for w in words(question) if w.han and w.mark in "WVN" and w.low not in named]
    han = frozenset(hans) | frozenset(c for w in hans for c in w)
    names = frozenset(named)
    return Asked(kind, stems, frozenset(low[:1] for low in kept) | frozenset(s[:1] for s in stems), related, frozenset(r[:1] for r in related), han, names)
