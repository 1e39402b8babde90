"""What a match of a rule means: one reader for each way of writing a time.

A reader gives None where the match is no time after all.
"""

import math
import re
from collections.abc import Callable

from sayso.core.time_meanings import Beside, Meaning, Shift, Through, Unit, Unplaced
from sayso.core.time_named import Named
from sayso.core.time_words import (
    DAYS_AWAY,
    HOLIDAYS,
    LOOSELY_AWAY,
    MONTHS,
    MULTIPLES,
    NUMBERS,
    ORDINALS,
    PARTS,
    SEASONS,
    UNITS,
    UNITS_AWAY,
    WEEKDAYS,
    WEEKDAYS_OFTEN,
)

Match = re.Match[str]
Reader = Callable[[Match], Meaning | None]
_HALVES: dict[str, tuple[Unit, int]] = {
    "year": ("month", 6), "month": ("day", 15), "week": ("day", 3), "day": ("hour", 12),
    "hour": ("minute", 30),
}  # fmt: skip
# The unit in which so many and a half are counted, and of how many of it one of them consists.
_FINER: dict[Unit, tuple[Unit, float]] = {
    "year": ("month", 12), "month": ("week", 4.35), "week": ("day", 7), "day": ("hour", 24),
    "hour": ("minute", 60),
}  # fmt: skip


def amount(match: Match) -> tuple[Unit, int, int]:
    """The unit of an AMOUNT, the least and the most of it that is meant."""
    word = match["unit"]
    unit, factor = MULTIPLES.get(word) or (UNITS[" ".join(word.split())], 1)
    half = bool(match["half"] or match["halved"]) or match["tenths"] == "5"
    if match["digits"]:
        most = int(match["digits"])
        least = min(int(match["least"] or most), most)
        return _counted(unit, factor, least, most, half, ranges=bool(match["least"]))
    number = " ".join(match["number"].split())
    if number.startswith("half"):
        finer, count = _HALVES.get(unit, (unit, 0))
        return finer, count * factor, count * factor
    low, high = NUMBERS[number]
    return _counted(unit, factor, low, high, half)


def _counted(
    unit: Unit, factor: int, low: int, high: int, half: bool, *, ranges: bool = False
) -> tuple[Unit, int, int]:
    """``half`` of one more at the upper end, and at the lower where that is no other number."""
    if half and factor > 1:
        more = factor // 2
        return unit, low * factor + (0 if ranges else more), high * factor + more
    if not half:
        return unit, low * factor, high * factor
    finer, least, most = and_a_half(unit, low, high)
    if ranges and unit in _FINER:
        least = math.floor(low * _FINER[unit][1])
    return finer, least, most


def and_a_half(unit: Unit, low: int, high: int, half: bool = True) -> tuple[Unit, int, int]:
    """So many, and where ``half`` half of one more, in the finer unit that tells it."""
    if not half or unit not in _FINER:
        return unit, low, high
    finer, of_them = _FINER[unit]
    return finer, math.floor((low + 0.5) * of_them), math.ceil((high + 0.5) * of_them)


def year_from(digits: str) -> int:
    """A year of two digits belongs to this century."""
    return int(digits) + (2000 if len(digits) == 2 else 0)


def always(meaning: Meaning) -> Callable[[Match], Meaning | None]:
    """A reader that gives that meaning whatever was matched."""
    return lambda match: meaning


def numeric(match: Match) -> Meaning | None:
    """2023-05-08, 08.05.2023, 08.05.23 and 08.05."""
    given = match.groupdict()
    year = year_from(given["year"]) if given.get("year") else None
    month, day = int(match["month"]), int(match["day"])
    return Named(year, month, day) if 1 <= month <= 12 and 1 <= day <= 31 else None


def slashed(match: Match) -> Meaning | None:
    """5/8/2023."""
    return _either_order(year_from(match["year"]), int(match["month"]), int(match["day"]))


def short(match: Match) -> Meaning | None:
    """5/8."""
    # Fractions and "24/7" look like dates.
    if match.group() in {"24/7", "1/2", "1/3", "2/3", "1/4", "3/4", "9/11"}:
        return None
    return _either_order(None, int(match["month"]), int(match["day"]))


def _either_order(year: int | None, one: int, other: int) -> Meaning | None:
    if not (1 <= min(one, other) <= 12 and 1 <= max(one, other) <= 31):
        return None
    if one > 12:
        return Named(year, other, one)
    return Named(year, one, other, ambiguous=other <= 12 and one != other)


def clock_time(match: Match) -> Meaning | None:
    """5:30 and 7pm."""
    return Unplaced("clock") if int(match["hour"]) <= 24 else None


def clock_of_twelve(match: Match) -> Meaning | None:
    """At 5."""
    return Unplaced("clock") if int(match["hour"] or 1) in range(1, 13) else None


def away(match: Match) -> Meaning | None:
    """Yesterday."""
    days = DAYS_AWAY[" ".join(match.group().split())]
    return Shift("day", days, days)


def loosely(match: Match) -> Meaning | None:
    """Recently."""
    return Shift("day", *LOOSELY_AWAY[" ".join(match.group().split())])


def ago(match: Match) -> Meaning | None:
    """Two weeks ago."""
    unit, low, high = amount(match)
    return Shift(unit, -high, -low, "around")


def ago_to_the_day(match: Match) -> Meaning | None:
    """A year ago today, a week ago yesterday."""
    unit, low, high = amount(match)
    away = DAYS_AWAY.get(match["from"], 0)
    exact = Shift(unit, -high, -low, "exact")
    return Beside(exact, "day", away) if away else exact


def weekdays_ago(match: Match) -> Meaning | None:
    """Two Tuesdays ago: the Tuesday before the last."""
    number = match["number"]
    count = int(number) if number.isdecimal() else NUMBERS[" ".join(number.split())][0]
    last = Named(weekday=WEEKDAYS_OFTEN[match["weekday"]], which="last")
    return Beside(last, "day", -7 * (count - 1)) if count > 1 else None


def ahead(match: Match) -> Meaning | None:
    """In two weeks."""
    unit, low, high = amount(match)
    return Shift(unit, low, high, "around")


def rolling_back(match: Match) -> Meaning | None:
    """The past two weeks, the past weeks."""
    unit, _, high = _stretch(match)
    return Shift(unit, -high, 0, "rolling")


def rolling_on(match: Match) -> Meaning | None:
    """The next two weeks, the coming weeks."""
    unit, _, high = _stretch(match)
    return Shift(unit, 0, high, "rolling")


def _stretch(match: Match) -> tuple[Unit, int, int]:
    groups = match.re.groupindex
    if "few" in groups:
        return UNITS[match["few"]], *NUMBERS["few"]
    if "digits" in groups:
        return amount(match)
    return and_a_half(UNITS[match["unit"]], 1, 1, "halved" in groups)


def length(match: Match) -> Meaning | None:
    """Ten years."""
    # "a day", "one day", "a minute" and "some night" say how long only with more around them.
    vague = not match["digits"] and match["number"] in (
        "a",
        "an",
        "one",
        "some",
        "un",
        "una",
        "une",
        "ein",
        "eine",
    )
    return None if vague and " half" not in match.group() else Unplaced("duration")


def _steps(match: Match, group: str = "which") -> int:
    return UNITS_AWAY[" ".join(match[group].split())]


def week_on(match: Match) -> Meaning | None:
    """Monday week, tomorrow week."""
    if given := match.groupdict().get("from"):
        days = DAYS_AWAY[given] + 7
        return Shift("day", days, days)
    coming = Named(weekday=WEEKDAYS[match["weekday"]], which="coming")
    return Beside(coming, "day", 7)


def weekday_of_week(match: Match) -> Meaning | None:
    """Friday of last week."""
    weeks = _steps(match)
    return Shift("week", weeks, weeks, weekday=WEEKDAYS[match["weekday"]])


def day_of_month(match: Match) -> Meaning | None:
    """The 5th of last month."""
    months = _steps(match)
    return Shift("month", months, months, day=int(match["day"]))


def twice_away(match: Match) -> Meaning | None:
    """The week before last."""
    count = -2 if match["order"].startswith("before") else 2
    return Shift(UNITS[match["period"]], count, count)


def weekday_twice_away(match: Match) -> Meaning | None:
    """The Friday after next: a week beyond the coming one, whatever "next Friday" is."""
    weekday = WEEKDAYS[match["weekday"]]
    if match["order"].startswith("before"):
        return Beside(Named(weekday=weekday, which="last"), "day", -7)
    return Beside(Named(weekday=weekday, which="coming"), "day", 7)


def period(match: Match) -> Meaning | None:
    """Last week, la semana pasada, the end of the month."""
    given = match.groupdict()
    unit, part = UNITS[given["period"]], None
    if given.get("part"):
        count, part = 0, PARTS[" ".join(given["part"].split())]
    elif given.get("after"):
        count = _steps(match, "after")
    else:
        count = _steps(match)
    return Shift(unit, count, count, part=part)


def named(match: Match) -> Meaning | None:
    """Names of the calendar: 8 May, Friday, Christmas, summer, 2023."""
    given = {name: text for name, text in match.groupdict().items() if text}
    day = ORDINALS[given["nth"]] if "nth" in given else int(given.get("day", 0)) or None
    last = int(given["last"]) if "last" in given else None
    if not 1 <= (day or 1) <= (last or 31) <= 31 or given.get("day") in ("0", "00"):
        return None
    return Named(
        year=int(given["year"]) if "year" in given else None,
        month=MONTHS.get(given.get("month", "")),
        day=day,
        last_day=last,
        weekday=WEEKDAYS.get(given.get("weekday", "")),
        season=SEASONS.get(given.get("season", "")),
        holiday=HOLIDAYS[" ".join(given["holiday"].split())] if "holiday" in given else None,
    )


def two_days(match: Match) -> Meaning | None:
    """24 and 25 May, between 6 and 8 June."""
    neighbours = int(match["last"]) - int(match["day"]) == 1
    return named(match) if neighbours or match["between"] is not None else None


def decade(match: Match) -> Meaning | None:
    """The early 1990s."""
    first = int(match["decade"]) + (1900 if len(match["decade"]) == 2 else 0)
    low, high = {"early": (0, 3), "mid": (4, 6), "late": (7, 9)}.get(match["third"], (0, 9))
    return Through(Named(first + low), Named(first + high))
