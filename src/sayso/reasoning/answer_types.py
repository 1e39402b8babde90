"""What kind of words would answer a question, and which words it shares with its answer."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from sayso.core.simplified import simplified
from sayso.reasoning.phrase_marks import SAME_WORD, listed
from sayso.reasoning.phrase_words import Word, stem, words

AnswerType = Literal[
    "when",
    "clock",
    "duration",
    "number",
    "who",
    "where",
    "name",
    "choice",
    "thing",
    "manner",
    "claim",
]
"""A "claim" (yes or no, why) is answered by a clause, a "manner" (how) by any words."""

_READ = 400  # characters; the patterns look ahead, and a question is short
# The words that stand first in the question decide; of two at one place, the upper row.
_PATTERNS: dict[AnswerType, str] = {
    "duration": r"\bhow long\b|\bsince when\b"
    r"|\bhow many (?:full |more |whole )?(?:years|months|weeks|days|hours|minutes)\b"
    r"|多久|多长时间|几(?:年|天|个月|个小时|周)",
    "number": r"\bhow (?:many|much|old|often|tall|far|big|wide|cold|hot|heavy|large|high|deep|fast|expensive)\b"
    r"|\bwhat (?:size|price|age|percentage|amount|number|temperature|score)\b"
    r"|多少|多大|几(?!号|点|月)|多高|多重|多远|多贵",
    "clock": r"\b(?:what|which) time\b|\bwhat hour\b|几点",
    "when": r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|week|weekend|season)\b"
    r"|\bwann\b|\bcuándo\b|¿cuando\b|\bquand est-ce\b"
    r"|什么时候|何时|哪天|哪一天|几号|几月|哪年|哪个月|星期几|周几",
    "where": r"\bwhere\b|\b(?:what|which) (?:\w+ )?"
    r"(?:city|country|place|state|town|location|island|area|region|neighbou?rhood)\b"
    r"|哪里|哪儿|在哪|去哪|什么地方|哪个城市",
    "name": r"\b(?:what|which) (?:is|are|was|were) (?:\S+ ){0,4}?names?\b"
    r"|\bwhat (?:is|are|was|were) .*(?<!\bhe )(?<!she )(?<!they )(?:called|named)\W*$"
    r"|\b(?:what|which) (?:\S+ ){0,3}(?:team|book|movie|film|song|band|artist|singer|restaurant|cafe|bar"
    r"|shop|store|game|show|series|brand|university|college|school|company|app|album|author|actor|actress"
    r"|player|club|anime|museum|hotel|beach|park|podcast)\b|叫什么|名字|牌子|哪(?:家|部|本|个牌)",
    "who": r"\bwho\b|\bwhom\b|\bwhose\b|\bwhich (?:\w+ )?(?:person|friend|colleague|relative)\b|谁",
    "claim": r"\bwhy\b|\bhow come\b|\bwhat (?:is|was) the reason\b|为什么|为啥|干嘛",
    "manner": r"\bhow\b|怎么|如何|怎样",
    "thing": r"\bwhat\b|\bwhich\b|什么|啥|哪(?!几)",
    "choice": r"^(?:do|does|did|is|are|was|were|would|will|can|has|have)\b.* or \b|还是",
}
_TYPE = re.compile(
    "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items()), re.IGNORECASE
)
_OF_TIME = frozenset({"when", "clock", "duration"})
_MONEY = re.compile(
    r"\bhow much (?!time|longer|older)|\bprice\b|多少钱|多少(?=[？?]?$)|价|租|费", re.IGNORECASE
)
_SEVERAL = re.compile(
    r"\b(?:what|which) (?:are|were)\b|\b(?:both|names)\b|哪些|分别|哪几"
    r"|\b(?:what|which) (?:\w+ )?\w+[^\Wsu]s (?:are|were|do|did|have|does|has)\b",
    re.IGNORECASE,
)
# Words that a question is made of, and that an answer need not repeat.
_VAGUE = listed(
    "kind type sort name time date day month year long many much old roughly about did do does thing"
    " what which"
)
# What an answer may say instead, by stem.
_RELATED = {
    "job": "work", "trade": "work job", "profess": "work job", "career": "work job",
    "occup": "work job", "favorit": "love best prefer like", "prefer": "like love rather favorit",
    "spend": "cost pay", "cost": "pay spend price", "live": "move stay", "base": "live move",
    "studi": "major", "reason": "becaus", "watch": "see", "buy": "get order", "visit": "go trip",
    "travel": "go trip", "attend": "go", "cook": "make", "bake": "make", "adopt": "get",
    "like": "love enjoy hate", "love": "like enjoy", "enjoy": "like love", "plan": "go gonna", "start": "begin", "recommend": "suggest", "suggest": "recommend",
    "pet": "dog cat", "vehicl": "car", "lose": "miss", "vacat": "trip holiday",
    "trip": "vacat holiday", "holiday": "vacat trip", "marri": "wed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the picker of phrases needs it.

    ``stems``: of its words of content, without the participants' names; ``related``: of what an
    answer may say instead; ``initials``: the first letters of both, to refuse most words at once.
    ``pieces``: its pieces of Chinese, ``characters``: all characters of these. ``people``: the
    participants' names and their parts, casefolded. ``money``: it asks for a price; ``several``:
    it asks for more than one.
    """

    kind: AnswerType
    stems: frozenset[str]
    related: frozenset[str]
    initials: frozenset[str]
    pieces: frozenset[str]
    characters: frozenset[str]
    people: frozenset[str]
    money: bool
    several: bool

    @property
    def of_time(self) -> bool:
        """Whether a time answers it."""
        return self.kind in _OF_TIME

    @property
    def size(self) -> float:
        """How many words it has that an answer can repeat; four characters count as one."""
        return max(1.0, len(self.stems) + len(self.characters) / 4)

    def shares(self, word: Word) -> bool:
        """Whether the word stands in the question, in some form."""
        if word.han:
            return word.low in self.pieces or self.characters.issuperset(word.low)
        return stem(word.low) in self.stems

    def relates(self, word: Word) -> bool:
        """Whether the word may stand for one of the question."""
        return stem(word.low) in self.related

    def may_hold(self, word: Word) -> bool:
        """False where the first letter tells that the word neither stands in it nor relates."""
        return SAME_WORD.get(word.low, word.low)[0] in self.initials


@lru_cache(maxsize=256)
def asked(question: str, people: tuple[str, ...] = ()) -> Asked:
    """The question read; ``people`` are the participants' names."""
    text = question[:_READ]
    told = [w for w in words(text) if w.mark in "WVGN"]
    named = frozenset(p.casefold() for name in people for p in (name, *name.split()))
    lows = [w.low.removesuffix("'s") for w in told if not w.han]
    stems = frozenset(stem(low) for low in lows if low not in named and low not in _VAGUE)
    related = frozenset(r for s in stems for r in _RELATED.get(s, "").split()) - stems
    pieces = frozenset(w.low for w in told if w.han and w.mark in "WV" and w.low not in named)
    return Asked(
        kind=kind_of(question),
        stems=stems,
        related=related,
        initials=frozenset(s[:1] for s in stems | related),
        pieces=pieces,
        characters=frozenset(c for piece in pieces for c in piece),
        people=named,
        money=_MONEY.search(simplified(text)) is not None,
        several=_SEVERAL.search(text) is not None,
    )


def kind_of(question: str) -> AnswerType:
    """What kind of words would answer the question, whoever takes part in the chat."""
    found = _TYPE.search(simplified(question[:_READ]))
    return cast(AnswerType, found.lastgroup) if found else "claim"
