"""How times are written in English, and the commonest ways in Spanish, German and French.

Rules are tried on lower-case text with straight apostrophes, in order, at each place.
"""

import re
from dataclasses import dataclass
from functools import cache

from sayso.core.time_meanings import Shift, Unplaced
from sayso.core.time_named import Named
from sayso.core.time_readings import (
    Match,
    Reader,
    ago,
    ahead,
    always,
    away,
    clock_of_twelve,
    clock_time,
    day_of_month,
    decade,
    length,
    loosely,
    named,
    numeric,
    period,
    rolling_back,
    rolling_on,
    short,
    slashed,
    twice_away,
    weekday_of_week,
)
from sayso.core.time_words import (
    CLOCK_NUMBERS,
    DAYS_AWAY,
    DOUBTFUL,
    HOLIDAYS,
    LOOSELY_AWAY,
    MONTHS,
    MULTIPLES,
    NUMBERS,
    ORDINALS,
    PARTS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    WHICH_AFTER,
    WHICH_BEFORE,
    any_of,
)

BEGIN, END = r"(?<![a-z0-9à-ÿ_])", r"(?![a-z0-9à-ÿ_])"
# What may follow "at 5" or "on the 2nd" for it to be a time and not a count of something.
FREE = (
    r"(?=\s*(?:$|[^\w\s'\-%:/])|\s+(?:and|or|at|in|of|with|for|to|we|i|he|she|they|you|it|was|is|"
    r"did|does|do|because|when|if|but|so|by|my|our|the|lol|please|then|from|as|until|till|on|"
    rf"tomorrow|today|tonight|sharp){END})"
)
_MONTH = rf"(?P<month>{any_of(MONTHS)})"
_WEEKDAY = rf"(?P<weekday>{any_of(WEEKDAYS)})"
_UNIT = any_of({**UNITS, **MULTIPLES})
_PERIOD = any_of(w for w, unit in UNITS.items() if unit in ("week", "month", "year"))
_PART_OF_DAY = "(?:morning|afternoon|evening|night)"
AMOUNT = (
    rf"(?:(?P<digits>\d{{1,4}})(?:\.\d)?\+?[\s-]*|(?P<number>{any_of(NUMBERS)})[\s-]+"
    rf"(?:more\s+|whole\s+|full\s+|long\s+)?)(?P<unit>{_UNIT}){END}(?:\s+and\s+a\s+half{END})?"
)
_NTH = r"(?:st|nd|rd|th|er|º)?"


@dataclass(frozen=True)
class Rule:
    """One way of writing a time.

    The mention is group "x" of the pattern where it has one, else the whole match. A doubtful
    one needs support around it.
    """

    pattern: re.Pattern[str]
    read: Reader
    doubtful: bool = False

    def is_doubtful(self, match: Match) -> bool:
        """Whether the words may well mean something else."""
        return self.doubtful or match.group() in DOUBTFUL


@cache
def rules() -> tuple[Rule, ...]:
    """The rules, compiled once, longer ways of writing before the shorter that they contain."""
    return tuple(
        Rule(re.compile(BEGIN + pattern), read, doubtful) for pattern, read, doubtful in _table()
    )


def _table() -> list[tuple[str, Reader, bool]]:
    which, after = any_of(WHICH_BEFORE), any_of(WHICH_AFTER)
    days = r"(?P<day>\d{1,2})" + _NTH
    days_to = rf"{days}(?:\s*(?:-|–|to)\s*(?P<last>\d{{1,2}}){_NTH})?"
    no_date = (
        r"(?![\d%:]|[.,/]\d|\s*[ap]\.?m\b|\s+(?:times|people|miles|km|minutes|hours|days|more)\b)"
    )
    no_verb = (
        r"(?!(?<=may)\s+(?:be|have|not|also|well|need|come|want|seem|get|go|take|help|make)\b)"
    )
    at = r"(?:(?:at|around|about|by|until|till|til|before|after|from|since|@|um)\s*)?"
    frequency, duration, clock = (
        always(Unplaced(kind)) for kind in ("frequency", "duration", "clock")
    )
    told = always(Unplaced("relative"))
    per = rf"(?:a|an|per|every|each)\s+{_UNIT}"
    return [
        # 2023-05-08, 5/8/2023, 08.05.2023
        (r"(?<![/.\-])(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)", numeric, False),
        (r"(?<![/.\-:])(?P<month>\d{1,2})[/-](?P<day>\d{1,2})[/-](?P<year>(?:19|20)?\d\d)(?![\d/-])", slashed, False),
        (r"(?<![/.\-:])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>(?:19|20)\d\d)(?![\d.])", numeric, False),
        (r"(?<![/.\-:])(?P<month>\d{1,2})/(?P<day>\d{1,2})(?![\d/%])", short, True),
        # 5:30 pm, 7pm, at 5, six o'clock, half past two
        (rf"{at}(?P<hour>\d{{1,2}})[:：h](?P<minute>[0-5]\d)(?::[0-5]\d)?(?:\s*[ap]\.?m\.?)?{END}(?![:%])", clock_time, False),
        (rf"{at}(?P<hour>\d{{1,2}})\s*(?:[ap]\.?m\.?|uhr|o'clock){END}", clock_time, False),
        (rf"(?:at|@)\s*(?:(?P<hour>\d{{1,2}})|{any_of(CLOCK_NUMBERS)})(?:ish)?{FREE}", clock_of_twelve, False),
        (rf"{at}{any_of(CLOCK_NUMBERS)}(?:\s+o'clock|\s+thirty|\s*[ap]m){END}", clock, False),
        (rf"{at}(?:half|quarter|ten|twenty)\s+(?:past|to)\s+(?:\d{{1,2}}|{any_of(CLOCK_NUMBERS)}){END}", clock, False),
        (rf"{at}(?:noon|midnight|midday){END}", clock, False),
        (rf"(?:(?:early\s+|late\s+)?in\s+the\s+(?:morning|afternoon|evening)|at\s+night|late\s+at\s+night){END}", clock, False),
        # how often
        (rf"(?:every|each)\s+(?:(?:other|single|second|\d{{1,3}}|{any_of(NUMBERS)})\s+)?"
         rf"(?:{_UNIT}|{_PART_OF_DAY}|weekdays?|{any_of({**WEEKDAYS, **MONTHS, **SEASONS, **HOLIDAYS})}){END}", frequency, False),
        (rf"(?:(?:once|twice|thrice)|(?:\d{{1,3}}|{any_of(NUMBERS)})(?:\s+(?:or|to)\s+\w+)?\s+(?:times|days|nights|hours|minutes))\s+{per}{END}", frequency, False),
        (rf"(?:daily|weekly|monthly|yearly|annually|(?:on\s+)?(?:weekends|weekdays|(?:mon|tues|wednes|thurs|fri|satur|sun)days)(?:\s+{_PART_OF_DAY}s?)?){END}", frequency, False),
        # so far from now
        (rf"{any_of(DAYS_AWAY)}{END}", away, False),
        (rf"(?:(?<!la )(?<!buena )(?<!las )mañana|(?<=bis )morgen|morgen(?=\s+(?:um|geh|ist|bin|hab|komm|w[ie]rd|wieder|kann|muss|treff)))(?![a-zà-ÿ])", always(Shift("day", 1, 1)), False),
        (r"hier(?=\s+(?:j'|on\s|nous\s|midi|nuit|après))", always(Shift("day", -1, -1)), False),
        (rf"{any_of(LOOSELY_AWAY)}{END}", loosely, False),
        (rf"{AMOUNT}\s+(?:ago|back){END}", ago, False),
        (rf"(?:hace|vor|il\s+y\s+a)\s+{AMOUNT}", ago, False),
        (rf"{AMOUNT}\s+from\s+(?:now|today){END}", ahead, False),
        (rf"(?:in|dentro\s+de|dans)\s+(?:about\s+|around\s+|like\s+)?{AMOUNT}(?:'?\s+time{END})?(?!\s+of\b)", ahead, False),
        (rf"(?:the\s+)?(?:last|past|previous)\s+{AMOUNT}", rolling_back, False),
        (rf"(?:the\s+)?(?:next|coming)\s+{AMOUNT}", rolling_on, False),
        (rf"the\s+past\s+(?P<unit>{_PERIOD}){END}", rolling_back, False),
        (rf"{_WEEKDAY},?\s+(?:of\s+)?(?P<which>{which})\s+(?:week|woche){END}", weekday_of_week, False),
        (rf"(?P<which>{which})\s+week(?:'s)?\s+(?:on\s+)?{_WEEKDAY}{END}", weekday_of_week, False),
        (rf"(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)\s+of\s+(?P<which>{which})\s+month{END}", day_of_month, False),
        (rf"the\s+(?P<period>{_PERIOD}|weekend)\s+(?P<order>before\s+last|after\s+next){END}", twice_away, False),
        (rf"(?P<which>{which})\s+(?P<period>{_PERIOD}){END}(?!\s+of\b)", period, False),
        (rf"(?P<period>{_PERIOD})\s+(?P<after>{after}){END}", period, False),
        (rf"(?:the\s+)?(?P<part>{any_of(PARTS)})\s+the\s+(?P<period>{_PERIOD}){END}", period, False),
        # so far from something told before
        (rf"(?:(?:the\s+)?(?:next|following|same|previous)\s+(?:day|{_PART_OF_DAY})|the\s+(?:day|{_PART_OF_DAY}|week|weekend|month|year)\s+(?:before|after)|"
         rf"(?:the\s+)?following\s+(?:week|weekend|month|year)|that\s+(?:same\s+)?(?:day|{_PART_OF_DAY}|week|weekend|month|year|summer|winter|spring|fall)){END}", told, False),
        (rf"{AMOUNT}\s+(?:later|earlier|after|before|afterwards){END}", told, False),
        # how long
        (rf"(?:for|over|within|during|takes?|took|about|around|almost|nearly)\s+(?:(?:about|around|over|almost|nearly|like|the|at\s+least|more\s+than)\s+)?{AMOUNT}(?!\s*[-\s]?old\b)", duration, False),
        (rf"{AMOUNT}(?!\s*[-\s]?old\b)", length, False),
        (rf"(?:for|in)\s+(?:so\s+many\s+|many\s+)?(?:ages|years|months|weeks|days|hours|decades){END}", duration, False),
        (rf"(?:all|the\s+whole|the\s+entire)\s+(?:day|night|week|weekend|month|year|{_PART_OF_DAY}|summer|winter|spring)(?:\s+long)?{END}", duration, False),
        # by name
        (rf"{_MONTH}\.?\s*(?:the\s+)?{days_to}{no_date}", named, False),
        (rf"(?:the\s+)?{days_to}\.?\s*(?:of\s+|de\s+|-)?{_MONTH}{END}{no_verb}", named, False),
        (rf"(?:the\s+)?(?P<nth>{any_of(ORDINALS)})\s+of\s+{_MONTH}{END}", named, False),
        (rf"(?:on|by|until|till|since|before|after|around|from)\s+(?P<x>the\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)){FREE}", named, False),
        (rf"(?:the\s+)?(?P<holiday>{any_of(HOLIDAYS)}){END}", named, False),
        (rf"the\s+(?:weekend|wochenende){END}", always(Named(weekday=5, last_weekday=6)), False),
        (rf"(?:weekend|wochenende|fin\s+de\s+semana){END}", always(Named(weekday=5, last_weekday=6)), True),
        (rf"{_MONTH}{END}{no_verb}", named, False),
        (rf"{_WEEKDAY}{END}", named, False),
        (rf"(?P<season>{any_of(SEASONS)}){END}", named, False),
        (rf"(?:the\s+)?(?:(?P<third>early|mid|late)[\s-]+)?(?:the\s+)?(?P<decade>(?:19|20)\d0)'?s{END}", decade, False),
        (rf"the\s+(?:(?P<third>early|mid|late)[\s-]+)?'?(?P<decade>[5-9]0)'?s{END}", decade, False),
        (rf"(?<![$€£¥#/.:\-])(?P<year>20[1-3]\d)(?=\s*(?:$|[.!?,;)](?!\d))|\s+(?:was|is|has|will)\b)", named, False),
        (rf"(?<![$€£¥#/.:\-])(?P<year>19[5-9]\d|20[0-4]\d){END}(?![%:/]|[.,-]\d)", named, True),
    ]  # fmt: skip
