"""Ranges of calendar days: weeks (Monday to Sunday), months, seasons, and parts of them."""

import calendar
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

# Meteorological seasons of the northern half; winter is named after the year it begins in.
SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
_DAYS_OF_PART: dict[str, dict[str, tuple[int, int | None]]] = {"week": {"early": (0, 2), "mid": (2, 4), "late": (4, 7)},
                 "month": {"early": (0, 10), "mid": (10, 20), "late": (20, None)}}  # fmt: skip
_MONTHS_OF_PART = {"early": (0, 1 / 3), "mid": (1 / 3, 2 / 3), "late": (2 / 3, 1),
                   "start": (0, 1 / 4), "end": (3 / 4, 1)}  # fmt: skip


@dataclass(frozen=True, order=True)
class DayRange:
    """The days from ``first`` to ``last``, both included; ValueError when they are reversed."""

    first: date
    last: date

    def __post_init__(self) -> None:
        if self.last < self.first:
            raise ValueError(f"a range of days ends before it starts: {self.first} to {self.last}")

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last

    @property
    def days(self) -> int:
        """How many days, 1 or more."""
        return (self.last - self.first).days + 1

    def meets(self, other: "DayRange") -> bool:
        """Whether the two share a day."""
        return self.first <= other.last and other.first <= self.last

    def distance(self, day: date) -> int:
        """Days between ``day`` and the range; 0 inside it."""
        return max((self.first - day).days, (day - self.last).days, 0)


def one_day(day: date) -> DayRange:
    """The range of that day alone."""
    return DayRange(day, day)


def week_of(day: date) -> DayRange:
    """Monday to Sunday around the day."""
    monday = day - timedelta(days=day.weekday())
    return DayRange(monday, monday + timedelta(days=6))


def weekend_of(day: date) -> DayRange:
    """Saturday and Sunday of the day's week."""
    sunday = week_of(day).last
    return DayRange(sunday - timedelta(days=1), sunday)


def month_of(year: int, month: int) -> DayRange:
    """The whole month."""
    return DayRange(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))


def years_of(first: int, last: int) -> DayRange:
    """1 January of the first year to 31 December of the last."""
    return DayRange(date(first, 1, 1), date(last, 12, 31))


def season_of(name: str, year: int) -> DayRange:
    """The season that begins in the year; winter runs into the next."""
    first = date(year, SEASON_STARTS[name], 1)
    return DayRange(first, month_after(first, 3) - timedelta(days=1))


def month_after(day: date, months: int) -> date:
    """The same day so many months on (back when negative), or the last day of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def day_in_month(year: int, month: int, day: int) -> date | None:
    """The date, or None where the month has no such day."""
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    return date(year, month, day)


def part_of(whole: DayRange, part: str) -> DayRange:
    """A part of a week, month, season or year; the whole where the part does not apply.

    Parts: "early", "mid", "late", "start", "end", "first half", "second half", and an ordinal
    with "week", "weekend" or a weekday number: "first week", "last weekend", "second 4".
    Thirds, except that start and end of a season or year are quarters.
    """
    order, _, unit = part.partition(" ")
    match unit:
        case "half":
            middle = whole.first + timedelta(days=whole.days // 2)
            if order == "first":
                return DayRange(whole.first, middle - timedelta(days=1))
            return DayRange(middle, whole.last)
        case "":
            return _third_of(whole, part)
        case "week":
            return _week_within(whole, _ORDINALS[order])
        case "weekend":
            saturday = _weekday_within(whole, 5, _ORDINALS[order])
            return DayRange(saturday, saturday + timedelta(days=1)) if saturday else whole
        case _:
            day = _weekday_within(whole, int(unit), _ORDINALS[order])
            return one_day(day) if day else whole


def closest(ranges: Iterable[DayRange], day: date) -> DayRange | None:
    """The range nearest to the day; of two as near, the earlier; None of none."""
    return min(ranges, key=lambda r: (r.distance(day), r.first), default=None)


def _third_of(whole: DayRange, part: str) -> DayRange:
    if whole.days <= 31:
        table = _DAYS_OF_PART["week" if whole.days <= 7 else "month"]
        start, end = table[{"start": "early", "end": "late"}.get(part, part)]
        last = whole.first + timedelta(days=end - 1) if end else whole.last
        return DayRange(whole.first + timedelta(days=start), min(last, whole.last))
    months = (whole.last.year - whole.first.year) * 12 + whole.last.month - whole.first.month + 1
    low, high = _MONTHS_OF_PART[part]
    first = month_after(whole.first, round(low * months))
    return DayRange(first, month_after(whole.first, round(high * months)) - timedelta(days=1))


def _week_within(whole: DayRange, index: int) -> DayRange:
    if index < 0:
        return DayRange(max(whole.first, whole.last - timedelta(days=6)), whole.last)
    first = min(whole.first + timedelta(days=7 * index), whole.last)
    return DayRange(first, min(first + timedelta(days=6), whole.last))


def _weekday_within(whole: DayRange, weekday: int, index: int) -> date | None:
    if index < 0:
        day = whole.last - timedelta(days=(whole.last.weekday() - weekday) % 7)
    else:
        day = whole.first + timedelta(days=(weekday - whole.first.weekday()) % 7 + 7 * index)
    return day if day in whole else None
