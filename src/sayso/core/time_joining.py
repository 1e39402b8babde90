"""Neighbouring time expressions that make one: "tomorrow" "at 5", "March" "last year"."""

import re
from dataclasses import replace

from sayso.core.time_beside import REACH, Found, lacks_year, takes_clock
from sayso.core.time_meanings import Meaning, Shift, Through, Unplaced
from sayso.core.time_named import Named

_GAP = {
    "clock": re.compile(r",?\s*(?:at|around|about|um|a\s+las|à|的)?\s*"),
    "after clock": re.compile(r",?\s+(?:on\s+)?"),
    "close": re.compile(r"|的|(?:'s)?,?\s+(?:(?:in|on|of|for|de|del)\s+)?(?:the\s+)?"),
    "comma": re.compile(r",?\s+(?:(?:the|den|dem)\s+)?|，?"),
    "to": re.compile(r"\s*(?:-|–|—|~|到|至)\s*|\s+(?:to|through|thru|until|till|bis|hasta)\s+"),
    "and": re.compile(r"\s+(?:and|y|und|et)\s+"),
}
_BETWEEN = re.compile(r"\b(?:between|entre|zwischen)\s+$")


def joined(one: Found, two: Found, low: str) -> Found | None:
    """The two as one expression where they make one ("tomorrow at 5", "March last year")."""
    gap = low[one.end : two.start]
    if len(gap) > 12:
        return None
    meaning = _together(one, two, gap, low[max(0, one.start - REACH) : one.start])
    timed = one.timed or two.timed or _is_clock(one.meaning) or _is_clock(two.meaning)
    return Found(one.start, two.end, meaning, timed=timed) if meaning else None


def _together(one: Found, two: Found, gap: str, before: str) -> Meaning | None:
    first, second = one.meaning, two.meaning
    if _is_clock(second) and takes_clock(first) and not one.timed and _GAP["clock"].fullmatch(gap):
        return first
    if (
        _is_clock(first)
        and takes_clock(second)
        and not two.timed
        and _GAP["after clock"].fullmatch(gap)
    ):
        return second
    if _GAP["close"].fullmatch(gap):
        close = _of_year(first, second) or _of_year(second, first) or _of_month(first, second)
        if close:
            return close
    weekday = isinstance(first, Named) and first.weekday is not None and first.which == "closest"
    if weekday and isinstance(second, Named) and second.day and _GAP["comma"].fullmatch(gap):
        return second
    placed = not isinstance(first, Unplaced) and not isinstance(second, Unplaced)
    # "1990s to 2000s" joins two stretches; "Monday to Friday to Monday to ..." is no longer one.
    placed = placed and not (isinstance(first, Through) and isinstance(first.start, Through))
    between = _GAP["and"].fullmatch(gap) and _BETWEEN.search(before)
    return Through(first, second) if placed and (between or _GAP["to"].fullmatch(gap)) else None


def _is_clock(meaning: Meaning) -> bool:
    return isinstance(meaning, Unplaced) and meaning.kind == "clock"


def _of_year(year: Meaning, named: Meaning) -> Meaning | None:
    if not isinstance(named, Named) or not lacks_year(named) or named.weekday is not None:
        return None
    match year:
        case Shift(unit="year", shape="whole" | "around", low=low, high=high, part=None) if (
            low == high
        ):
            return replace(named, year_shift=low)
        case Named(year=int(number)) if year == Named(number):
            return replace(named, year=number)
    return None


def _of_month(month: Meaning, named: Meaning) -> Meaning | None:
    match month, named:
        case Shift(unit="month", shape="whole", day=None, part=None), Named(day=int(day)):
            return replace(month, day=day) if named == Named(day=day) else None
    return None
