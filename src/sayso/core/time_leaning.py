"""Whether a sentence speaks of what was or of what will be, seen from a time within it.

A sign is a word or two: a verb in the past, "will", "send me". Where all of a sentence lean alike
it leans so; else as the nearest before the time does ("I heard they're coming on the 11th", "show me
what you bought on the 7th"), or the first after it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import Literal, NamedTuple

from sayso.core.time_meanings import Lean, Meaning
from sayso.core.time_named import Named

_ADVERBS = r"(?:(?:just|only|finally|already|also|really|never|even|all|both|accidentally)\s+)*"
_SUBJECT = rf"\b(?:i|we|he|she|they|it|you|who|that|which)\s+{_ADVERBS}"
# "Held", "sold" and the verbs in -ed are no past after "is" and "gets", "got" none after "I've".
_NOT_BEING = (
    r"(?<!\bbe )(?<!\bis )(?<!\bam )(?<!\bare )(?<!\bbeing )(?<!\bget )(?<!\bgets )(?<!\bgetting )"
    r"(?<!['’]re )(?<!['’]m )(?<!\bim )(?<!\bit['’]s )(?<!\bthat['’]s )"
)
_GOT = r"(?<!\bhave )(?<!\bhas )(?<!['’]ve )(?<!['’]s )(?<!\bive )got"
# Nothing but the past.
_PRETERITE = re.compile(
    r"\b(?:was|were|went|did|didn['’]t|saw|came|took|ate|gave|began|broke|fell|ran|wrote|flew|drove|rang|"
    r"chose|drank|knew|spoke|stole|swam|threw|woke|wore|sang|rode|froze|became|blew|grew|tore|shook|"
    r"sank|swore|forgot(?!\s+(?:to|that|about|we|i|it|you|there)\b))\b",
    re.IGNORECASE,
)
# The participle has the same form: "get it finished on Friday".
_PAST = re.compile(
    r"\b(?:had|been|"
    rf"{_NOT_BEING}(?:{_GOT}|made|met|bought|told|said|found|left|felt|lost|won|sold|spent|paid|sent|"
    r"lent|taught|built|caught|kept|slept|stood|held|hid|fought|dug|brought|burnt|learnt|died|lied|tied|"
    r"used(?!\s+to\b)|heard(?=\s+(?:from|back|about|it|the|a|him|her|them)\b)|"
    # What is thought may be to come: "thought we could go on Friday".
    r"thought(?!\s+(?:we|i|you|maybe|of)\b)|"
    r"(?!(?:needed|required|expected|supposed|scheduled|excited)\b)[a-z]{3,}ed))\b|[了过過]",
    re.IGNORECASE,
)
# "Have it finished" is none of them.
_SAID_OF_SOMEBODY = re.compile(
    rf"(?<!\bhave )(?<!\bget )(?<!\bneed )(?<!\bwant ){_SUBJECT}$", re.IGNORECASE
)
# "Posted the parcel" and "moved in on Tuesday", and no "United States" or "feeling inspired".
_AT_START = re.compile(r"(?:^|[,;:.!?]\s*|\band\s+)$", re.IGNORECASE)
_WITH_OBJECT = re.compile(
    r"\S+\s+(?:the|an?|my|his|her|our|their|it|him|them|me|us|up|off|out|back|down)\b",
    re.IGNORECASE,
)
# One form for the past, for the present or a request, and some for a noun or for Saturday.
ONE_FORM = ("cut", "put", "let", "hit", "read", "hurt", "quit", "shut", "split", "beat", "cost")
_EITHER = "|".join(ONE_FORM)
_ALSO_NOUNS = "bit|sat|shot|led|bent|drew"
_OBJECT = (
    r"(?=\s+(?:his|her|their|its|my|me|us|him|them|the|an?|it|off|out|up|down|through|smoking)\b)"
)
_TOLD_OF = (
    rf"\b(?:i|we|he|she|they|it|who)\s+{_ADVERBS}(?:{_EITHER}|{_ALSO_NOUNS})\b",
    rf"\b(?:my|his|her|our|their)\s+[a-z]+\s+{_ADVERBS}(?:{_EITHER}|{_ALSO_NOUNS})\b{_OBJECT}",
    rf"\bthe\s+[a-z]+\s+(?:bit|hit|let|beat|shut|shot)\b{_OBJECT}",
)
# "Sat my test", and not "Sat the 5th".
_BY_ITSELF = r"(?:hurt\s+my|sat\s+(?:my|an?|down)|(?:drew|bent|led)\s+(?:the|an?|my|it))\b"
_ONE_FORM = re.compile("|".join(_TOLD_OF) + rf"|(?:^|[.!?\n,]\s*){_BY_ITSELF}", re.IGNORECASE)
_NAMED_ONE_FORM = re.compile(
    r"\b(?!(?:Please|Just|Then|Also|Maybe|Never|Always|And|But|So|Or|Dont|Ok|Okay|To|Can|Could|Will|"
    r"Would|Should|Lets|Did|Does|Do|Now|I|Remember|Pls|When|If|Let)\b)"
    rf"[A-Z][a-z]+\s+(?:{_EITHER}|{_ALSO_NOUNS})\b{_OBJECT}"
)
_OPEN_CLAUSE = re.compile(
    r"\b(?:will|would|should|shall|can|could|may|might|must|to|do|does|don['’]t|doesn['’]t|if|when|once|"
    r"unless|until|before|after|let|make|help|lets|let['’]s|gonna|wanna|need|every|get|getting|have|"
    r"having)\b|['’]ll\b",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;:.!?\n(]")
_CLAUSE = 60  # characters looked back over

_FUTURE = re.compile(
    r"\b(?:will|won['’]t|gonna|(?<!was )(?<!were )going\sto|see\syou|see\sya|let['’]?s|shall|should)\b|"
    r"['’]ll\b",
    re.IGNORECASE,
)
# These speak as well of what was: "I was free on Friday", "said he would".
_MAY_BE_FUTURE = re.compile(
    r"\b(?:going\sto|plan|planning|can|wanna|would|upcoming|looking\sforward|can['’]t\swait|soon|"
    r"are\syou\sfree|free)\b|[会會]|打算|准备|準備|计划|要",
    re.IGNORECASE,
)
_DOING = re.compile(
    r"(?:\b(?:i|we|you|they|he|she|it|who|that|what|there)['’](?:m|re|s)|\b(?:im|theyre|youre|hes|shes)|"
    r"(?<!how )\b(?:am|are|is))\s+"
    r"(?:(?:not|also|just|only|all|both|now|probably|maybe|finally|actually|definitely|i|we|you|they|he|"
    r"she|it|anyone|everyone)\s+){0,2}"
    r"(?!(?:feeling|missing|wondering|asking|talking|saying|dying|loving|enjoying|kidding|joking|trying|"
    r"being|recovering|raining|snowing|freezing|boiling|amazing|interesting|boring|annoying|exciting|"
    r"exhausting|willing|morning|evening|nothing|something|anything|everything|living|using|working|"
    r"reading|watching|sitting|wearing|spring|thing|killing|aching|hurting|throbbing|sulking|suffering|"
    r"limping|bleeding|grieving|regretting|thinking)\b)[a-z]{2,}ing\b",
    re.IGNORECASE,
)
# "We're having the roof mended": its participles are no past.
_HAVING = re.compile(r"(?:having|getting)$", re.IGNORECASE)
# "Moving in October" says it as well, and "going there was great" does not.
_BARE_DOING = re.compile(
    r"(?:^|[,;:!?.]\s*|\b(?:and|then|so|but)\s+)(?:moving|leaving|starting|coming|going|flying|arriving|"
    r"heading|meeting|getting|opening|launching|visiting|staying)\b",
    re.IGNORECASE,
)
_DUE = re.compile(r"(?<!\bwas )(?<!\bwere )\bdue\b(?!\s+to\b)", re.IGNORECASE)
_REQUEST_AT = (
    r"(?:^|[,;:.!?)\n–—-]\s*|\b(?:please|pls|plz|then|so|and|but|ok|okay|or|don['’]t|dont|never|also|maybe)\s+)"
    r"(?:just\s+|pls\s+|please\s+)?"
)
_REQUEST = re.compile(
    _REQUEST_AT
    # "Come Monday he was gone", "tell you what", "tell me how Monday was".
    + r"(?:send|bring|come(?!\s+(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)|take|give|"
    r"tell(?!\s+you\b|\s+(?:me|us)\s+(?:all\s+)?(?:about|how|what|who|why|where|when|if)\b)|make|get|keep|remember|save|buy|pay|pick|don['’]t\s+forget|"
    r"dont\s+forget|join)\b(?!['’])",
    re.IGNORECASE,
)
# Of the same form are nouns and what was: "visit on Friday was lovely", "put the bins out".
_MAY_BE_REQUEST = re.compile(
    _REQUEST_AT + r"(?:call|ring|text|visit|check|show|meet|book|drop|post|return|move|collect|"
    r"put(?=\s+(?:the|it|them|your|in|on|out|a)\b)|read(?=\s+(?:it|the|this|that)\b)|"
    r"(?:shut|cut|hit|split)(?=\s+(?:the|it|them)\b)|let(?=\s+(?:me|us|him|her|them)\b))\b(?!['’])",
    re.IGNORECASE,
)
# "Send me the pics of the party", "the letter written on Monday".
_FOR_WHAT_WAS = re.compile(
    r"\S+\s+(?:[a-z]+\s+){0,4}?(?:(?:pics?|pictures?|photos?|videos?|clips?|snaps|shots|footage|"
    r"recordings?|notes|minutes)\s+(?:of|from|taken|made)|"
    r"(?:the|an?|that|those)\s+[a-z]+\s+(?:taken|written|given|drawn|shown|sung|worn))\b",
    re.IGNORECASE,
)
# "Friday was lovely", and no "I wish Friday was here".
_WAS_BEHIND = re.compile(
    r"(?:\s+(?:morning|afternoon|evening|night))?\s+"
    r"(?:(?:was|were)(?:n['’]t)?(?!\s+(?:going|supposed|meant)\s+to\b)|went|had(?!\s+(?:better|to)\b))"
    r"(?!\w)",
    re.IGNORECASE,
)
_WISHED = re.compile(r"\b(?:wish|if)\s+$", re.IGNORECASE)
# These reach over a comma: "we went to Rome, on Friday to Bari", and no "woke up, exam on Friday".
_REACHES = re.compile(
    r"was|were|went|did|didn['’]t|had|got|saw|came|took|made|been|met|bought|told|said|ate|gave|found|"
    r"left|felt|lost|won|began|[a-z]{3,}ed|[了过過]",
    re.IGNORECASE,
)
_PART_END = re.compile(r"[,;](?!\d)|[:.!?](?!\S)|[\n()]|\s[–—-]\s")
# "On Friday, we drove to Leeds".
_TIME_ALONE = re.compile(
    r"\W*(?:(?:and|then|so|but)\s+)?(?:(?:on|in|at)\s+)?(?:the\s+)?", re.IGNORECASE
)
_LOVED_IT = re.compile(
    r"\W*(?:and\s+)?(?:(?:it|i|we|that)\s+)?(?:(?:really|just|all)\s+)?", re.IGNORECASE
)
_OTHER_CLAUSE = re.compile(
    r"\b(?:if|when|whether|because|cos|cause|that|who|which|what|how|as|since|where|like|but|so)\b|"
    r"\b(?:i|we|he|she|they|it|you)\s+(?:[a-z]+\s+)?$",
    re.IGNORECASE,
)
_REQUESTS: tuple[tuple[re.Pattern[str], Literal["sure", "weak"]], ...] = (
    (_REQUEST, "sure"),
    (_MAY_BE_REQUEST, "weak"),
)
_BESIDE = 32  # signs looked at on each side of a time
_BY = re.compile(r"\bby\s+(?:the\s+)?$", re.IGNORECASE)
_WILL_DO = re.compile(r"\s+(?:works|suits)\b", re.IGNORECASE)
_PLANNED_FOR = re.compile(r"\b(?:in|on|by|until|till|for)\s+(?:the\s+)?$", re.IGNORECASE)
_LOOKING_BACK = re.compile(
    r"\b(?:since|after|about|of|from|than|like)\s+(?:the\s+)?$", re.IGNORECASE
)
_REACH = 16  # characters beside a time


Strength = Literal["sure", "fair", "weak"]


# A "bound" sign counts only for a time in its own clause, as does "doing", which gives way to a past
# nearer to the time. A "request" is none where its clause tells of what was.
Kind = Literal["", "bound", "doing", "request"]


class Sign(NamedTuple):
    """A word that leans.

    Where a sentence has both sorts, the nearest before a time decides if it is "sure", a "fair"
    one only where all before the time lean so, and a "weak" one leaves it open.
    """

    at: int
    lean: Lean
    strength: Strength
    kind: Kind = ""


class _Signs:
    """The signs of a sentence in order."""

    def __init__(self, text: str, signs: Iterable[Sign]) -> None:
        self._text = text
        self._signs = sorted(signs)

    def lean(self, start: int, end: int) -> Lean | None:
        """None where no sign counts for the time."""
        signs = self._counting(start, end)
        leans = {sign.lean for sign in signs}
        if len(leans) < 2:
            return next(iter(leans), None)
        earlier = [sign for sign in signs if sign.at < start]
        nearest = earlier[-1] if earlier else signs[0]
        others = [sign for sign in earlier if sign.lean != nearest.lean]
        fair = nearest.strength == "fair" and bool(earlier)
        decides = nearest.strength == "sure" or (
            fair and all(nearest.lean == "past" and sign.kind == "doing" for sign in others)
        )
        return nearest.lean if decides else ""

    def _counting(self, start: int, end: int) -> list[Sign]:
        at = bisect_left(self._signs, start, key=lambda sign: sign.at)
        beside = self._signs[max(0, at - _BESIDE) : at + _BESIDE]
        if not beside:
            return beside
        own = self._part(start)
        part_start = self._part_ends[own - 1] if own else 0
        alone = _TIME_ALONE.fullmatch(self._text, part_start, start) is not None
        counting = [
            sign
            for sign in beside
            if sign.kind not in ("bound", "doing")
            or self._part(sign.at) == own
            or (alone and sign.at > start and sign.lean == "past")
        ]
        told = [s for s in counting if s.at >= end and s.lean == "past" and s.strength == "sure"]
        within = any(self._part(s.at) == own and self._is_told(end, s.at) for s in told)
        behind = within or any(self._is_told_behind(own, s.at) for s in told)
        return [
            sign
            for sign in counting
            if not (behind and sign.lean == "future" and sign.strength == "weak")
            and not (within and sign.kind == "request")
        ]

    def _is_told(self, end: int, at: int) -> bool:
        """Whether what was is told of the time itself: "visit on Friday with Gran was lovely"."""
        return at - end < _CLAUSE and not _OTHER_CLAUSE.search(self._text, end, at)

    def _is_told_behind(self, own: int, at: int) -> bool:
        """Whether it is told in the next clause: "read it on Friday, loved it"."""
        if own >= len(self._part_ends) or self._part(at) != own + 1:
            return False
        return _LOVED_IT.fullmatch(self._text, self._part_ends[own], at) is not None

    def _part(self, at: int) -> int:
        return bisect_right(self._part_ends, at)

    @cached_property
    def _part_ends(self) -> list[int]:
        return [match.end() for match in _PART_END.finditer(self._text)]


class Sentence:
    """What a sentence leans to, its signs found once: it may hold thousands of times."""

    def __init__(self, text: str) -> None:
        self._text = text

    def lean(self, start: int, end: int, meaning: Meaning) -> Lean:
        """What it leans to at a time at ``[start, end)``, in its own code points."""
        before = self._text[max(0, start - _REACH) : start]
        if _WAS_BEHIND.match(self._text, end) and not _WISHED.search(before):
            return "past"
        near = _is_near(meaning, before)
        lean = (self._all if near else self._plain).lean(start, end)
        if lean is not None or not near:
            return lean or ""
        ahead = _BY.search(before) or _WILL_DO.match(self._text, end, end + _REACH)
        return "future" if ahead else ""

    @cached_property
    def _plain(self) -> _Signs:
        """Signs for any time."""
        return _Signs(self._text, _plain_signs(self._text))

    @cached_property
    def _all(self) -> _Signs:
        """With those that tell only of days near by: "I'm paying for Christmas" tells nothing."""
        return _Signs(self._text, (*_plain_signs(self._text), *_near_signs(self._text)))


def speaks_of_past(text: str) -> bool:
    """Whether some verb of it is in the past, whatever else it speaks of."""
    return any(sign.lean == "past" for sign in _plain_signs(text))


def _is_near(meaning: Meaning, before: str) -> bool:
    """Whether a weekday, a day of some month, or what is planned for a month."""
    if not isinstance(meaning, Named) or meaning.season or meaning.holiday:
        return False
    if _LOOKING_BACK.search(before):
        return False
    if meaning.month is None:
        return meaning.weekday is not None or meaning.day is not None
    return _PLANNED_FOR.search(before) is not None


def _plain_signs(text: str) -> Iterable[Sign]:
    for match in _PRETERITE.finditer(text):
        yield Sign(match.start(), "past", "sure", _reach(match.group()))
    for match in _PAST.finditer(text):
        at = match.start()
        yield Sign(at, "past", _strength(text, at, match.group()), _reach(match.group()))
    for pattern in (_ONE_FORM, _NAMED_ONE_FORM):
        for match in pattern.finditer(text):
            clause = _CLAUSE_END.split(text[max(0, match.start() - _CLAUSE) : match.start()])[-1]
            if not _OPEN_CLAUSE.search(clause):
                yield Sign(match.start(), "past", "sure", "bound")
    future = set()
    for match in _FUTURE.finditer(text):
        future.add(match.start())
        yield Sign(match.start(), "future", "sure")
    for match in _MAY_BE_FUTURE.finditer(text):
        if match.start() not in future:
            yield Sign(match.start(), "future", "fair")


def _reach(verb: str) -> Kind:
    """Whether a past is told of times in other clauses too."""
    return "" if _REACHES.fullmatch(verb) else "bound"


def _strength(text: str, at: int, verb: str) -> Strength:
    """How surely what may be a participle is a past."""
    reach = max(0, at - _CLAUSE)
    if _SAID_OF_SOMEBODY.search(text, reach, at):
        return "sure"
    if not verb.lower().endswith("ed"):
        return "fair"
    first, has_object = _AT_START.search(text, reach, at), _WITH_OBJECT.match(text, at)
    if first and has_object:
        return "sure"
    return "fair" if first or has_object else "weak"


def _near_signs(text: str) -> Iterable[Sign]:
    for match in _DOING.finditer(text):
        having = _HAVING.search(match.group())
        yield Sign(match.start(), "future", "sure", "bound" if having else "doing")
    for match in _DUE.finditer(text):
        yield Sign(match.start(), "future", "sure", "request")
    for match in _BARE_DOING.finditer(text):
        yield Sign(match.start(), "future", "weak")
    for pattern, strength in _REQUESTS:
        for match in pattern.finditer(text):
            asked = re.search(r"\S+$", match.group())
            at = match.start() + (asked.start() if asked else 0)
            if not _FOR_WHAT_WAS.match(text, at):
                yield Sign(match.start(), "future", strength, "request")
