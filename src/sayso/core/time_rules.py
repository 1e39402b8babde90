"""How times are written in English, and the commonest ways in Spanish, German and French.

Rules are tried on lower-case text with straight apostrophes, in order, at each place.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sayso.core.time_meanings import Shift, Unplaced
from sayso.core.time_named import Named
from sayso.core.time_readings import (
    Match,
    Reader,
    ago,
    ago_to_the_day,
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
    two_days,
    week_on,
    weekday_of_week,
    weekday_twice_away,
    weekdays_ago,
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
    TWICE_AWAY,
    UNITS,
    WEEKDAYS,
    WEEKDAYS_OFTEN,
    WHICH_AFTER,
    WHICH_BEFORE,
    any_of,
    first,
    words,
)

BEGIN, END = r"(?<![a-z0-9à-ÿ_])", r"(?![a-z0-9à-ÿ_])"
# What may follow "at 5" or "on the 2nd" for it to be a time and not a count of something.
FREE = (
    r"(?=\s*(?:$|[^\w\s'\-%:/])|\s+(?:and|or|at|in|with|for|to|we|i|he|she|they|you|it|was|is|"
    r"did|does|do|because|when|if|but|so|by|my|our|the|lol|please|then|from|as|until|till|on|"
    r"tomorrow|today|tonight|sharp|btw|tho|though|instead|anyway|again|thanks|thx|yeah|ok|okay|not|"
    rf"just|can|could|should|will|would|works|suits|unless|which|who|where|why|how|lads|hun|x+){END})"
)
_MONTH = rf"(?P<month>{any_of(MONTHS)})"
_WEEKDAY = rf"(?P<weekday>{any_of(WEEKDAYS)})"
_UNIT = any_of({**UNITS, **MULTIPLES})
_PERIODS = [w for w, unit in UNITS.items() if unit in ("week", "month", "year")]
_PERIOD = any_of(w for w in _PERIODS if not w.endswith("s") or w in ("mes", "mois"))
_PART_OF_DAY = "(?:morning|afternoon|evening|night)"
# "elf" is a creature in English.
_NUMBER = rf"(?!elf[\s-]+(?!sekunden|minuten|stunden|tage|wochen|monate|jahre))(?P<number>{any_of(NUMBERS)})"
AMOUNT = (
    rf"(?:(?:(?P<least>\d{{1,4}})\s*(?:-|–|to|or)\s*)?(?P<digits>\d{{1,4}})(?:\.(?P<tenths>\d))?\+?[\s-]*|"
    rf"(?:(?:one|two|three|four|five|six)\s+or\s+)?{_NUMBER}[\s-]+"
    rf"(?:more\s+|whole\s+|full\s+|long\s+)?)(?P<half>and\s+a\s+half\s+)?(?P<unit>{_UNIT}){END}"
    rf"(?P<halved>\s+and\s+a\s+half{END})?"
)
_D = words("0")
_AT = words("at around about by until till til before after from since um @")
_COUNT = _D | first(NUMBERS)
_NTH = r"(?:st|nd|rd|th|er|º)?"


@dataclass(frozen=True)
class Rule:
    """One way of writing a time.

    The mention is group "x" of the pattern where it has one, else the whole match. ``starts``
    are the first words it can have ("0" = a digit). A doubtful one needs support around it.
    """

    pattern: re.Pattern[str]
    read: Reader
    starts: frozenset[str] = frozenset()
    doubtful: bool = False

    def is_doubtful(self, match: Match) -> bool:
        """Whether the words may well mean something else."""
        return self.doubtful or match.group() in DOUBTFUL


@cache
def by_first_word() -> Mapping[str, tuple[Rule, ...]]:
    """The rules that a word can begin, in order; those that a digit begins are under "0".

    In order means: longer ways of writing before the shorter that they contain.
    """
    found: dict[str, list[Rule]] = {}
    for each in _rules():
        for start in each.starts:
            found.setdefault(start, []).append(each)
    return {start: tuple(rules) for start, rules in found.items()}


def rule(starts: frozenset[str], pattern: str, read: Reader, *, doubtful: bool = False) -> Rule:
    """A rule from the text of its pattern."""
    return Rule(re.compile(pattern), read, starts, doubtful)


def _rules() -> list[Rule]:
    which, after = any_of(WHICH_BEFORE), any_of(WHICH_AFTER)
    twice, steps = any_of(TWICE_AWAY), any_of({**WHICH_BEFORE, **TWICE_AWAY})
    days = r"(?P<day>\d{1,2})" + _NTH
    days_to = rf"{days}(?:\s*(?:-|–|to)\s*(?P<last>\d{{1,2}}){_NTH})?"
    # Without "between" only neighbours, and neither "pages 3 and 4 May" nor "at 3 and 4 May".
    two = (
        r"(?P<between>(?<=between )|(?<=zwischen )|(?<=zwischen dem )|(?<=entre )|(?<=entre el )|(?<=entre le ))?"
        r"(?(between)|(?<![/.,:\-])(?<!\bat )(?<!@ )(?:(?<![a-z]s )|(?<=\bis )|(?<=\bwas )|(?<='s )|(?<=\bdates )))"
        rf"(?:the\s+)?{days}\.?(?:\s+(?:and|und|y|et)\s+|\s*&\s*|(?<!\b[123])/)(?:(?:the|dem|den|el|le)\s+)?(?P<last>\d{{1,2}}){_NTH}"
    )
    no_date = (
        r"(?![\d%:]|[.,/]\d|\s*[ap]\.?m\b|\s+(?:times|people|miles|km|minutes|hours|days|more)\b)"
    )
    no_verb = (
        r"(?!(?<=may)\s+(?:be|have|not|also|well|need|come|want|seem|get|go|take|help|make)\b)"
    )
    at = r"(?:(?:at|around|about|by|until|till|til|before|after|from|since|um)\s+|@\s*)?"
    frequency, duration, clock = (
        always(Unplaced(kind)) for kind in ("frequency", "duration", "clock")
    )
    told = always(Unplaced("relative"))
    # "a week on Monday" is as often how long something has lasted.
    # "It took us a week from Monday" tells how long.
    no_length = r"(?<!\bneed )(?<!\btook )(?<!\btakes )(?<!\btake )(?<!\bbeen )(?<!\bhad )(?<!\bhave )(?<!\bgive )(?<!\bus )(?<!\bme )"
    to_come = r"(?:(?<![^.!?,;:(\n])|(?<=[.!?,;:(] )|(?<=\bis )|(?<=\bare )|(?<='s )|(?<='re )|(?<=\bmeet )|(?<=\bsee you ))"
    in_days = rf"(?!\s*(?:-|–|to\b|till?\b|until\b|through\b)|\s+since{END})"
    per = rf"(?:a|an|per|every|each)\s+{_UNIT}"
    return [
        # 2023-05-08, 5/8/2023, 08.05.2023
        rule(_D, r"(?<![/.\-])(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?!\d)", numeric),
        rule(_D, r"(?<![/.\-:])(?P<month>\d{1,2})[/-](?P<day>\d{1,2})[/-](?P<year>(?:19|20)?\d\d)(?![\d/-])", slashed),
        rule(_D, r"(?<![/.\-:])(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>(?:19|20)\d\d)(?![\d.])", numeric),
        # 10.12.13 may be a version or an address.
        rule(words("am vom bis ab seit zum den on since until by"), rf"(?<!\bi )(?:am|vom|bis|ab|seit|zum|den|on|since|until|by)\s+(?P<x>(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>[0-3]\d)){END}(?![.:/]\d|\s?[%€$])", numeric),
        rule(_D | words("the"), rf"{two}\.?\s*(?:of\s+|de\s+)?{_MONTH}{END}{no_verb}", two_days),
        rule(_D, r"(?<![/.\-:])(?P<month>\d{1,2})/(?P<day>\d{1,2})(?![\d/%])", short, doubtful=True),
        # am 12.10.: without a German word before it, a number at the end of a sentence
        rule(words("am vom bis ab seit zum den"), r"(?<!\bi )(?:am|vom|bis|ab|seit|zum|den)\s+(?P<x>(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.)(?!\d)", numeric),
        # 5:30 pm, 5.30 pm, 7pm, at 5, six o'clock, half past two
        rule(_AT | _D, rf"{at}(?P<hour>\d{{1,2}})[:：h](?P<minute>[0-5]\d)(?::[0-5]\d)?(?:\s*[ap]\.?m\.?)?{END}(?![:%])", clock_time),
        rule(_AT | _D, rf"{at}(?P<hour>\d{{1,2}})\.(?P<minute>[0-5]\d)\s*(?:[ap]\.?m\.?|uhr){END}", clock_time),
        rule(_AT | _D, rf"{at}(?P<hour>\d{{1,2}})\s*(?:[ap]\.?m\.?|uhr|o'clock){END}", clock_time),
        rule(words("at @"), rf"(?:at\s+|@\s*)(?:(?P<hour>\d{{1,2}})|{any_of(CLOCK_NUMBERS)})(?:ish)?{FREE}", clock_of_twelve),
        rule(_AT | first(CLOCK_NUMBERS), rf"{at}{any_of(CLOCK_NUMBERS)}(?:\s+o'clock|\s+thirty|\s*[ap]m){END}", clock),
        rule(_AT | words("half quarter ten twenty"), rf"{at}(?:(?:half|quarter|ten|twenty)\s+past|quarter\s+to)\s+(?:\d{{1,2}}|{any_of(CLOCK_NUMBERS)}){END}", clock),
        rule(_AT | words("noon midnight midday"), rf"{at}(?:noon|midnight|midday){END}", clock),
        rule(words("early late in at"), rf"(?:(?:early\s+|late\s+)?in\s+the\s+(?:morning|afternoon|evening)|at\s+night|late\s+at\s+night){END}", clock),
        # how often
        rule(words("every each"), rf"(?:every|each)\s+(?:(?:other|single|second|\d{{1,3}}|{any_of(NUMBERS)})\s+)?"
         rf"(?:{_UNIT}|{_PART_OF_DAY}|weekdays?|{any_of({**WEEKDAYS, **MONTHS, **SEASONS, **HOLIDAYS})}){END}", frequency),
        rule(_COUNT | words("once twice thrice"), rf"(?:(?:once|twice|thrice)|(?:\d{{1,3}}|{any_of(NUMBERS)})(?:\s+(?:or|to)\s+\w+)?\s+(?:times|days|nights|hours|minutes))\s+{per}{END}", frequency),
        rule(words("daily weekly monthly yearly annually on weekends weekdays mondays tuesdays wednesdays thursdays fridays saturdays sundays"), rf"(?:daily|weekly|monthly|yearly|annually|(?:on\s+)?(?:weekends|weekdays|(?:mon|tues|wednes|thurs|fri|satur|sun)days)(?:\s+{_PART_OF_DAY}s?)?){END}", frequency),
        # so far from now
        # a week after the coming one: "Monday week", "tomorrow week"
        rule(first(WEEKDAYS), rf"(?<!last )(?<!next )(?<!this )(?<!cyber )(?P<weekday>{any_of(w for w in WEEKDAYS if w not in DOUBTFUL)})\s+week{END}(?!-|\s+(?:\d|after\b|in\b|out\b|(?:{any_of(CLOCK_NUMBERS)}){END}))", week_on),
        rule(words("today tomorrow"), rf"(?P<from>today|tomorrow)\s+week{END}(?!-)", week_on),
        rule(words("a one"), rf"{no_length}(?:a|one)\s+week\s+from\s+(?:{_WEEKDAY}|(?P<from>tomorrow)){END}{in_days}", week_on),
        rule(words("a"), rf"{to_come}a\s+week\s+on\s+{_WEEKDAY}{END}{in_days}", week_on),
        rule(words("a"), rf"(?<!\bbe )(?<!\bbeen )(?<!\d )a\s+week\s+(?P<from>tomorrow){END}{in_days}", week_on),
        rule(first(DAYS_AWAY), rf"{any_of(DAYS_AWAY)}{END}", away),
        rule(words("mañana morgen"), r"(?:(?<!la )(?<!buena )(?<!las )mañana|(?<=bis )morgen|morgen(?=\s+(?:um|geh|ist|bin|hab|komm|w[ie]rd|wieder|kann|muss|treff)))(?![a-zà-ÿ])", always(Shift("day", 1, 1))),
        rule(words("hier"), r"hier(?=\s+(?:j'|on\s|nous\s|midi|nuit|après))", always(Shift("day", -1, -1))),
        rule(first(LOOSELY_AWAY), rf"{any_of(LOOSELY_AWAY)}{END}", loosely),
        rule(_COUNT, rf"{AMOUNT}\s+ago\s+(?P<from>today|yesterday|tomorrow|to\s+the\s+day){END}", ago_to_the_day),
        rule(_COUNT, rf"(?P<number>\d{{1,2}}|{any_of(n for n, (low, high) in NUMBERS.items() if low == high)})\s+(?P<weekday>{any_of(WEEKDAYS_OFTEN)})\s+ago{END}", weekdays_ago),
        rule(_COUNT, rf"{AMOUNT}\s+(?:ago|back){END}", ago),
        rule(words("hace vor il"), rf"(?:hace|vor|il\s+y\s+a)\s+{AMOUNT}", ago),
        # Not among the units: "in a tag" is English.
        rule(words("vor"), rf"vor\s+(?:einem|1)\s+tag{END}", always(Shift("day", -1, -1, "around"))),
        rule(words("in"), rf"in\s+(?:einem|1)\s+tag{END}", always(Shift("day", 1, 1, "around"))),
        rule(_COUNT, rf"{AMOUNT}\s+from\s+(?:now|today){END}", ahead),
        rule(words("in dentro dans"), rf"(?:in|dentro\s+de|dans)\s+(?:about\s+|around\s+|like\s+)?{AMOUNT}(?:'?\s+time{END})?(?!\s+of\b)", ahead),
        rule(words("the last past previous"), rf"(?:the\s+)?(?:last|past|previous)\s+{AMOUNT}(?!\s+of\b)", rolling_back),
        rule(words("the next coming"), rf"(?:the\s+)?(?:next|coming)\s+{AMOUNT}", rolling_on),
        rule(words("the this last past"), rf"(?:the\s+|this\s+)?(?:last|past)\s+(?P<unit>{_PERIOD})(?P<halved>\s+and\s+a\s+half){END}(?!\s+of\b)", rolling_back),
        rule(words("the next coming"), rf"(?:the\s+)?(?:next|coming)\s+(?P<unit>{_PERIOD})(?P<halved>\s+and\s+a\s+half){END}(?!\s+of\b)", rolling_on),
        rule(words("the"), rf"the\s+past\s+(?P<unit>{_PERIOD}){END}", rolling_back),
        rule(words("the last past previous"), r"(?:the\s+)?(?:last|past|previous)\s+(?P<few>days|weeks|months|years)\b", rolling_back),
        rule(words("the next coming"), r"(?:the\s+)?(?:next|coming)\s+(?P<few>days|weeks|months|years)\b", rolling_on),
        rule(first(WEEKDAYS), rf"{_WEEKDAY},?\s+(?:of\s+)?(?P<which>{steps})\s+(?:week|woche){END}", weekday_of_week),
        rule(first(WHICH_BEFORE) | first(TWICE_AWAY), rf"(?P<which>{steps})\s+(?:week(?:'s)?|woche)\s+(?:(?:on|am)\s+)?{_WEEKDAY}{END}", weekday_of_week),
        rule(_D | words("the"), rf"(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)\s+of\s+(?P<which>{which})\s+month{END}", day_of_month),
        rule(words("the") | first(_PERIODS) | words("weekend"), rf"(?:the\s+)?(?P<period>{_PERIOD}|weekend)\s+(?P<order>before\s+last|after\s+next){END}(?!\s+(?:{_PERIOD}|weekend|night){END})", twice_away),
        rule(words("the") | first(WEEKDAYS), rf"(?:the\s+)?{_WEEKDAY}\s+(?P<order>before\s+last|after\s+next){END}(?!\s+(?:\d|{any_of({**UNITS, **NUMBERS, **MONTHS, **WEEKDAYS, **SEASONS, **HOLIDAYS})}){END})", weekday_twice_away),
        rule(first(WHICH_BEFORE), rf"(?P<which>{which})\s+(?P<period>{_PERIOD}){END}(?!\s+of\b)", period),
        rule(first(TWICE_AWAY), rf"(?P<which>{twice})\s+(?P<period>{_PERIOD}|wochenende){END}", period),
        rule(first(_PERIODS), rf"(?P<period>{_PERIOD})\s+(?P<after>{after}){END}", period),
        rule(first(PARTS) | words("the"), rf"(?:the\s+)?(?P<part>{any_of(PARTS)})\s+the\s+(?P<period>{_PERIOD}){END}", period),
        # so far from something told before
        rule(words("the next following same previous that"), rf"(?:(?:the\s+)?(?:next|following|same|previous)\s+(?:day|{_PART_OF_DAY})|the\s+(?:day|{_PART_OF_DAY}|week|weekend|month|year)\s+(?:before|after)|"
         rf"(?:the\s+)?following\s+(?:week|weekend|month|year)|that\s+(?:same\s+)?(?:day|{_PART_OF_DAY}|week|weekend|month|year|summer|winter|spring|fall)){END}", told),
        rule(_COUNT, rf"{AMOUNT}\s+(?:later|earlier|after|before|afterwards){END}", told),
        # how long
        rule(words("for over within during take takes took about around almost nearly"), rf"(?:for|over|within|during|takes?|took|about|around|almost|nearly)\s+(?:(?:about|around|over|almost|nearly|like|the|at\s+least|more\s+than)\s+)?{AMOUNT}(?!\s*[-\s]?old\b)", duration),
        rule(_COUNT, rf"{AMOUNT}(?!\s*[-\s]?old\b)", length),
        rule(words("for in"), rf"(?:for|in)\s+(?:so\s+many\s+|many\s+)?(?:ages|years|months|weeks|days|hours|decades){END}", duration),
        rule(words("all the"), rf"(?:all|the\s+whole|the\s+entire)\s+(?:day|night|week|weekend|month|year|{_PART_OF_DAY}|summer|winter|spring)(?:\s+long)?{END}", duration),
        # by name
        rule(first(MONTHS), rf"{_MONTH}\.?\s*(?:the\s+)?{days_to}{no_date}", named),
        rule(first(WEEKDAYS), rf"{_WEEKDAY},?\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th){END}(?!\s+of\b|,?\s+{any_of(MONTHS)}{END}{no_verb})", named),
        rule(_D | words("the"), rf"(?:the\s+)?{days_to}\.?\s*(?:of\s+|de\s+|-)?{_MONTH}{END}{no_verb}", named),
        rule(first(ORDINALS) | words("the"), rf"(?:the\s+)?(?P<nth>{any_of(ORDINALS)})\s+of\s+{_MONTH}{END}", named),
        rule(words("on by of until till since before after around from due"), rf"(?:on|by|of|until|till|since|before|after|around|from|due)\s+(?P<x>the\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)){FREE}", named),
        rule(words("the"), rf"the\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)(?=\s+(?:works|suits){END})", named),
        rule(first(HOLIDAYS), rf"(?P<holiday>{any_of(HOLIDAYS)}){END}", named),
        rule(words("the"), rf"the\s+(?:weekend|wochenende){END}", always(Named(weekday=5, last_weekday=6))),
        rule(words("weekend wochenende fin"), rf"(?:weekend|wochenende|fin\s+de\s+semana){END}", always(Named(weekday=5, last_weekday=6)), doubtful=True),
        rule(first(MONTHS), rf"{_MONTH}{END}{no_verb}", named),
        rule(first(WEEKDAYS), rf"{_WEEKDAY}{END}", named),
        rule(first(SEASONS), rf"(?P<season>{any_of(SEASONS)}){END}", named),
        rule(_D | words("the early mid late"), rf"(?:the\s+)?(?:(?P<third>early|mid|late)[\s-]+)?(?:the\s+)?(?P<decade>(?:19|20)\d0)'?s{END}", decade),
        rule(words("the"), rf"the\s+(?:(?P<third>early|mid|late)[\s-]+)?'?(?P<decade>[5-9]0)'?s{END}", decade),
        rule(_D, r"(?<![$€£¥#/.:\-])(?P<year>20[1-3]\d)(?=\s*(?:$|[.!?,;)](?!\d))|\s+(?:was|is|has|will)\b)", named),
        rule(_D, rf"(?<![$€£¥#/.:\-])(?P<year>19[5-9]\d|20[0-4]\d){END}(?![%:/]|[.,-]\d)", named, doubtful=True),
    ]  # fmt: skip
