"""What the words beside a time expression add: "last", "early", a year, "the week before".

A word that usually means something else ("may", "sun", "fall") counts only with such support.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from sayso.core.time_meanings import Beside, Meaning, Shift, Unit, Unplaced
from sayso.core.time_named import Named
from sayso.core.time_readings import amount, year_from
from sayso.core.time_rules import AMOUNT, BEGIN, END
from sayso.core.time_words import (
    PARTS,
    UNITS,
    WEEKDAYS,
    WHICH_AFTER,
    WHICH_BEFORE,
    any_of,
)

# How far back the words before an expression are looked at.
REACH = 40
_VERBS = frozenset({"may", "march", "sun", "sat", "wed", "mon", "mai", "mars", "fall", "spring"})
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_SUPPORT_BEFORE = {
    "season": r"(?:(?:in|during|since|until|by|over|throughout|this|en)\s+(?:the\s+|el\s+|la\s+)?|(?:for|of|im|l'))\s*$",
    "weekday": r"(?:on|by|until|till|til|before|after|since|from|for|am)\s+$",
    "month": r"(?:in|since|until|till|til|by|during|before|after|of|around|through|from|for|between|"
    r"im|ab|seit|bis|en|de|desde|hasta|depuis)\s+(?:the\s+)?$",
    "other": r"(?:in|on|since|until|till|til|by|during|before|after|of|around|through|from|between|over|for|year|"
    r"im|am|seit|bis|en|de|desde|hasta|depuis)\s+(?:the\s+)?$",
}


@dataclass(frozen=True)
class Found:
    """A span of the text and what it means; ``timed`` when it holds a time of day already."""

    start: int
    end: int
    meaning: Meaning
    doubtful: bool = False
    timed: bool = False


def extended(found: Found, low: str, text: str) -> Found:
    """The expression with the words just after and just before it that belong to it.

    ``low`` is ``text`` in lower case, character for character.
    """
    for pattern, add in _after():
        match = pattern.match(low, found.end)
        meaning = add(match, found.meaning) if match else None
        if match and meaning:
            found = replace(found, end=match.end(), meaning=meaning, doubtful=False)
    word = text[found.start : found.end]
    for pattern, add in _before():
        match = pattern.search(low, max(0, found.start - REACH), found.start)
        meaning = add(match, found.meaning) if match else None
        if match and meaning and not _is_verb_after(match, word):
            found = replace(found, start=match.start(), meaning=meaning, doubtful=False)
    return found


def supported(found: Found, low: str) -> bool:
    """Whether the words before an expression speak for a doubtful one."""
    if not found.doubtful:
        return True
    word, meaning = low[found.start : found.end], found.meaning
    sort = "other"
    if isinstance(meaning, Named) and not meaning.day:
        sort = "season" if meaning.season else "weekday" if meaning.weekday is not None else sort
        sort = "month" if meaning.month else sort
    before = _support(sort).search(low, max(0, found.start - REACH), found.start)
    return before is not None and (word not in ("sun", "sat") or before.group().strip() == "on")


def lacks_year(named: Named) -> bool:
    """Whether a year or "last", "next" could still choose among its occurrences."""
    return named.year is None and named.year_shift is None and named.which == "closest"


def takes_clock(meaning: Meaning) -> bool:
    """Whether a time of day can follow: days do, months do not."""
    match meaning:
        case Named(day=day, weekday=weekday, holiday=holiday):
            return day is not None or weekday is not None or holiday is not None
        case Shift(unit=unit, weekday=weekday, day=day):
            return unit == "day" or weekday is not None or day is not None
        case Unplaced(kind=kind):
            return kind in ("frequency", "relative")
    return isinstance(meaning, Beside)


def _is_verb_after(before: re.Match[str], word: str) -> bool:
    """Whether "this may", "he last sat" and their like are at hand, and not a month or a day."""
    if word not in _VERBS:
        return False
    which = before.groupdict().get("which")
    if which == "this":
        return word not in ("fall", "spring")
    return which == "last" and word in ("sat", "sun")


Addition = tuple[re.Pattern[str], Callable[[re.Match[str], Meaning], Meaning | None]]


@cache
def _after() -> tuple[Addition, ...]:
    part_of_day = (
        r"\s+(?:(?:early|late)\s+)?(?:in\s+the\s+)?(?:morning|afternoon|evening|night|noon|lunchtime|"
        r"früh|vormittag|mittag|nachmittag|abend|nacht|matin|midi|après-midi|soir|noche|"
        r"por\s+la\s+(?:mañana|tarde|noche))"
    )
    return (
        (re.compile(rf"\s+(?:of\s+)?{_YEAR}\s*[-–/]\s*(?:20)?\d\d{END}"), _add_two_years),
        (re.compile(rf"(?:(?:'s)?,?\s+(?:of\s+|in\s+|de\s+|del\s+)?|[-./,]){_YEAR}{END}(?![:%])"), _add_year),
        (re.compile(rf",?\s*'(?P<year>\d\d){END}(?!:)"), _add_year),
        (re.compile(rf"\s+(?P<which>{any_of(WHICH_AFTER)}){END}"), _add_which_after),
        (re.compile(r"的?(?P<side>[前后後])一(?P<unit>[天晚周週])"), _add_day_beside),
        (re.compile(rf"(?:'s)?{part_of_day}{END}"), _add_part_of_day),
    )  # fmt: skip


@cache
def _before() -> tuple[Addition, ...]:
    ordinals = "first|second|third|fourth|last|1st|2nd|3rd|4th"
    unit = rf"day|night|morning|evening|week|weekend|month|year|{any_of(WEEKDAYS)}"
    return (
        (re.compile(rf"{BEGIN}(?:the\s+)?(?P<part>{any_of(PARTS)})(?:[\s-]+)(?:the\s+)?$"), _add_part),
        (re.compile(rf"{BEGIN}(?:the\s+)?(?P<order>{ordinals})\s+(?P<of>half|week|weekend|{any_of(WEEKDAYS)})\s+(?:of|in)\s+(?:the\s+)?$"), _add_order),
        (re.compile(r"(?<![\w./-])(?P<year>20[0-4]\d)\s+$"), _add_year_before),
        (re.compile(rf"{BEGIN}(?P<which>{any_of(WHICH_BEFORE)})\s+$"), _add_which),
        (re.compile(rf"{BEGIN}(?:the\s+)?(?P<unit>week|weekend|month)\s+of\s+(?:the\s+)?$"), _add_within),
        (re.compile(rf"{BEGIN}(?:(?:the\s+)?(?P<one>{unit})|{AMOUNT})\s+(?P<side>before|prior\s+to|after|following|from)\s+(?:the\s+)?$"), _add_beside),
    )  # fmt: skip


@cache
def _support(sort: str) -> re.Pattern[str]:
    return re.compile(BEGIN + _SUPPORT_BEFORE[sort])


def _add_year(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    if (
        isinstance(meaning, Named)
        and lacks_year(meaning)
        and (meaning.month or meaning.season or meaning.holiday)
    ):
        return replace(meaning, year=year_from(match["year"]))
    return None


def _add_two_years(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    winter = isinstance(meaning, Named) and meaning.season == "winter"
    return _add_year(match, meaning) if winter else None


def _add_year_before(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    whole = isinstance(meaning, Named) and meaning.day is None
    return _add_year(match, meaning) if whole else None


def _add_which_after(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    if isinstance(meaning, Named) and lacks_year(meaning):
        return replace(meaning, which=WHICH_AFTER[" ".join(match["which"].split())])
    return None


def _add_which(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    if isinstance(meaning, Named) and lacks_year(meaning):
        return replace(meaning, which=WHICH_BEFORE[" ".join(match["which"].split())])
    return None


def _add_part_of_day(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    return meaning if takes_clock(meaning) else None


def _add_part(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    return _with_part(meaning, PARTS[" ".join(match["part"].split())])


def _add_order(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    number = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth"}
    order, of = number.get(match["order"], match["order"]), match["of"]
    return _with_part(meaning, f"{order} {WEEKDAYS.get(of, of)}")


def _with_part(meaning: Meaning, part: str) -> Meaning | None:
    match meaning:
        case Named(day=None, weekday=None, holiday=None, part=None):
            return replace(meaning, part=part)
        case Shift(
            unit=("week" | "month" | "year"), shape="whole", weekday=None, day=None, part=None
        ):
            return replace(meaning, part=part)
    return None


def _add_within(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    around_day = takes_clock(meaning) and not isinstance(meaning, Unplaced)
    return Beside(meaning, UNITS[match["unit"]], 0) if around_day else None


def _add_day_beside(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    if isinstance(meaning, Unplaced):
        return None
    unit: Unit = "week" if match["unit"] in ("周", "週") else "day"
    return Beside(meaning, unit, -1 if match["side"] == "前" else 1)


def _add_beside(match: re.Match[str], meaning: Meaning) -> Meaning | None:
    if isinstance(meaning, Unplaced):
        return None
    sign = 1 if match["side"] in ("after", "following", "from") else -1
    if match["one"]:
        weekday = WEEKDAYS.get(match["one"])
        return Beside(meaning, UNITS.get(match["one"], "day"), sign, weekday)
    unit, low, _ = amount(match)
    return Beside(meaning, unit, sign * low)
