"""Times told from another time: "the year before", "two days later", 前一年, seen from a range of days."""

import re
from datetime import date, timedelta

from sayso.core.days import (
    DayRange,
    month_after,
    month_of,
    one_day,
    season_of,
    week_of,
    weekend_of,
    years_of,
)
from sayso.core.time_words import NUMBERS

_UNIT = r"(?P<unit>day|night|evening|morning|afternoon|weekend|week|month|year|spring|summer|autumn|fall|winter)s?"
_THAT = r"(?: (?:that|it|this|then))?"
_ENGLISH = (
    rf"(?:(?:in|on|during|at|for) )?(?:the )?(?P<count>{{numbers}}|\d{{{{1,3}}}})? ?{_UNIT} (?P<way>before|earlier|prior|after|later|afterwards){_THAT}",
    rf"(?:(?:in|on|during|at|for) )?(?:the )?(?P<way>previous|preceding|prior|next|following){_THAT} {_UNIT}",
)
_NUMBER = "|".join(sorted(map(re.escape, NUMBERS), key=len, reverse=True))
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        _ENGLISH[0].format(numbers=_NUMBER),
        _ENGLISH[1].format(),
        r"(?P<way>前|上|后|後|下|再前|再后)(?P<count>[一二两三四五六七八九十\d]{1,2})?个?(?P<unit>天|日|周|星期|礼拜|月|年)",
        r"(?P<count>[一二两三四五六七八九十\d]{1,2})个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:之|以)?(?P<way>前|后|後)",
        r"(?P<way>第二)(?P<unit>天|年)",
    )
)
_BACK = {"before", "earlier", "prior", "previous", "preceding", "前", "上", "再前"}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "月": "month",
          "年": "year", "night": "day", "evening": "day", "morning": "day", "afternoon": "day",
          "fall": "autumn"}  # fmt: skip
_HAN = {word: n for n, word in enumerate("零一二三四五六七八九十")} | {"两": 2}


def shifted(words: str, seen_from: DayRange) -> DayRange | None:
    """The days that the words mean, all of them, seen from a range; None where they tell no shift.

    A year before or after keeps the range's own days (May 2023 → May 2022). Another unit is the
    whole one beside the range, counted: "the month before" 5 March is February.
    """
    for pattern in _PATTERNS:
        match = pattern.fullmatch(words.strip())
        if match is None:
            continue
        unit = match["unit"].lower()
        unit = _UNITS.get(unit, unit)
        count = _count((match.groupdict().get("count") or "1").lower())
        steps = -count if match["way"].lower() in _BACK else count
        try:
            return _moved(seen_from, unit, steps) if steps else None
        except (ValueError, OverflowError):  # before the year 1, or after 9999
            return None
    return None


def written(days: DayRange, *, chinese: bool = False) -> str:
    """The days as a question would name them, with "in", "on" or "from" before English ones."""
    first, last = days.first, days.last
    if days == years_of(first.year, first.year):
        return f"{first.year}年" if chinese else f"in {first.year}"
    if days == month_of(first.year, first.month):
        return f"{first.year}年{first.month}月" if chinese else f"in {first:%B} {first.year}"
    ends = [_day(day, chinese=chinese) for day in dict.fromkeys((first, last))]
    if chinese:
        return "到".join(ends)
    return f"{'from' if ends[1:] else 'on'} {' to '.join(ends)}"


def _day(day: date, *, chinese: bool) -> str:
    if chinese:
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {day:%B} {day.year}"


def _count(words: str) -> int:
    if words.isdecimal():
        return int(words)
    return _HAN.get(words) or NUMBERS.get(words, (1, 1))[0]


def _moved(days: DayRange, unit: str, steps: int) -> DayRange:
    edge = days.first if steps < 0 else days.last
    match unit:
        case "day":
            return one_day(edge + timedelta(days=steps))
        case "week":
            return week_of(edge + timedelta(weeks=steps))
        case "weekend":
            return weekend_of(edge + timedelta(weeks=steps))
        case "month":
            month = month_after(edge.replace(day=1), steps)
            return month_of(month.year, month.month)
        case "year":
            return _years_on(days, steps)
    season = season_of(unit, edge.year)
    year = edge.year + steps
    # The nearest one that lies wholly on that side counts as the first.
    if steps < 0 and season.last < days.first:
        year += 1
    if steps > 0 and season.first > days.last:
        year -= 1
    return season_of(unit, year)


def _years_on(days: DayRange, years: int) -> DayRange:
    if days == month_of(days.first.year, days.first.month):
        return month_of(days.first.year + years, days.first.month)  # February has its own last day
    return DayRange(month_after(days.first, 12 * years), month_after(days.last, 12 * years))
