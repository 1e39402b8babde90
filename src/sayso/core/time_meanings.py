"""What a time mention means, and which days that makes it.

Every meaning answers two questions: which days beside a moment (a message speaks from the day
it was sent), and which days within the span of a chat (a question speaks of the chat).
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, Protocol

from sayso.core.days import (
    DayRange,
    day_in_month,
    month_after,
    month_of,
    one_day,
    part_of,
    week_of,
    weekend_of,
    years_of,
)

Kind = Literal["date", "partial", "relative", "duration", "frequency", "clock"]
Which = Literal["closest", "last", "this", "next", "coming"]
Lean = Literal["past", "future", ""]
Unit = Literal["second", "minute", "hour", "day", "week", "weekend", "month", "year"]


class Meaning(Protocol):
    """What a mention stands for."""

    @property
    def kind(self) -> Kind:
        """What sort of expression it is."""

    def near(self, said_at: datetime, lean: Lean) -> DayRange | None:
        """The days meant in something said then; None where it names none."""

    def within(self, chat: DayRange) -> tuple[DayRange, ...]:
        """The days meant in a question about a chat of those days, in order; empty for none."""


@dataclass(frozen=True)
class Unplaced:
    """Words of time that name no day by themselves: durations, frequencies, "the day after"."""

    kind: Kind

    def near(self, said_at: datetime, lean: Lean) -> None:
        """None."""

    def within(self, chat: DayRange) -> tuple[DayRange, ...]:
        """Nothing."""
        return ()


@dataclass(frozen=True)
class Shift:
    """A distance from the moment of speaking, ``low`` to ``high`` units (negative = past).

    "whole": the calendar units themselves ("last week"); "around": a point that far away, at
    the grain of its unit ("two weeks ago" = that day and three on each side, "a month ago" =
    that month); "rolling": everything between ("the past two weeks"); "exact": the one day ("a
    year ago today").
    """

    unit: Unit
    low: int
    high: int
    shape: Literal["whole", "around", "rolling", "exact"] = "whole"
    weekday: int | None = None
    day: int | None = None
    part: str | None = None

    @property
    def kind(self) -> Kind:
        """Always "relative"."""
        return "relative"

    def near(self, said_at: datetime, lean: Lean) -> DayRange | None:
        """The days that far from the moment."""
        today = said_at.date()
        if self.weekday is not None:
            monday = week_of(today + timedelta(days=7 * self.low)).first
            return one_day(monday + timedelta(days=self.weekday))
        if self.day is not None:
            month = month_after(today.replace(day=1), self.low)
            day = day_in_month(month.year, month.month, self.day)
            return one_day(day) if day else None
        if self.unit in ("second", "minute", "hour"):
            days = DayRange(self._moment(said_at, self.low), self._moment(said_at, self.high))
        elif self.shape == "rolling":
            days = _between(today, _move(today, self.unit, self.low or self.high))
        elif self.shape == "exact":
            days = DayRange(*(_move(today, self.unit, n) for n in (self.low, self.high)))
        else:
            days = self._grains(today)
        return part_of(days, self.part) if self.part else days

    def within(self, chat: DayRange) -> tuple[DayRange, ...]:
        """The days that far from the last day of the chat."""
        found = self.near(datetime.combine(chat.last, time(12), tzinfo=UTC), "")
        return (found,) if found else ()

    def _moment(self, said_at: datetime, amount: int) -> date:
        # Through UTC, so that a day of 23 or 25 hours counts as it was lived.
        moment = said_at.astimezone(UTC) + timedelta(**{f"{self.unit}s": amount})
        return moment.astimezone(said_at.tzinfo).date()

    def _grains(self, today: date) -> DayRange:
        low, high = _move(today, self.unit, self.low), _move(today, self.unit, self.high)
        if self.unit == "week" and self.shape == "around":
            leeway = timedelta(days=3)
            return DayRange(low - leeway, high + leeway)
        grain = _GRAINS[self.unit]
        return DayRange(grain(low).first, grain(high).last)


@dataclass(frozen=True)
class Beside:
    """So many units before (negative) or after another mention: "the week before Christmas".

    An amount of 0 is the unit around it: "the week of 8 May".
    """

    anchor: Meaning
    unit: Unit
    amount: int
    weekday: int | None = None

    @property
    def kind(self) -> Kind:
        """Always "relative", even beside a full date."""
        return "relative"

    def near(self, said_at: datetime, lean: Lean) -> DayRange | None:
        """Beside the anchor's days near the moment."""
        anchor = self.anchor.near(said_at, lean)
        return self._from(anchor) if anchor else None

    def within(self, chat: DayRange) -> tuple[DayRange, ...]:
        """Beside each of the anchor's days within the chat."""
        return tuple(self._from(anchor) for anchor in self.anchor.within(chat))

    def _from(self, anchor: DayRange) -> DayRange:
        if self.amount == 0:
            return _GRAINS[self.unit](anchor.first)
        edge, sign = (anchor.last, 1) if self.amount > 0 else (anchor.first, -1)
        if self.weekday is not None:
            away = (sign * (self.weekday - edge.weekday()) - 1) % 7 + 1
            return one_day(edge + timedelta(days=sign * away))
        if self.unit == "weekend":
            saturday = weekend_of(edge + timedelta(days=7 * min(self.amount, 0))).first
            if sign > 0 and saturday <= edge:
                saturday += timedelta(days=7)
            return DayRange(saturday, saturday + timedelta(days=1))
        if self.unit == "week" and abs(self.amount) == 1:
            return _between(edge + timedelta(days=sign), edge + timedelta(days=7 * sign))
        moved = _move(edge, self.unit, self.amount)
        if self.unit == "week":
            return DayRange(moved - timedelta(days=3), moved + timedelta(days=3))
        return _GRAINS[self.unit](moved)


@dataclass(frozen=True)
class Through:
    """From one mention to another: "from January to March"."""

    start: Meaning
    end: Meaning

    @property
    def kind(self) -> Kind:
        """The kind of its end."""
        return self.end.kind

    def near(self, said_at: datetime, lean: Lean) -> DayRange | None:
        """From the first day of the start to the last of the end, which may be that after it."""
        start, end = self.start.near(said_at, lean), self.end.near(said_at, lean)
        if start and end and end < start:
            begun = datetime.combine(start.first, time(12), tzinfo=said_at.tzinfo)
            end = self.end.near(begun, "future")
        return DayRange(start.first, end.last) if start and end and start <= end else None

    def within(self, chat: DayRange) -> tuple[DayRange, ...]:
        """Each start with the first end that follows it."""
        ends = self.end.within(chat)
        pairs = ((s, next((e for e in ends if s <= e), None)) for s in self.start.within(chat))
        return tuple(DayRange(s.first, max(s.last, e.last)) for s, e in pairs if e)


_GRAINS: dict[Unit, Callable[[date], DayRange]] = {
    "second": one_day,
    "minute": one_day,
    "hour": one_day,
    "day": one_day,
    "week": week_of,
    "weekend": weekend_of,
    "month": lambda day: month_of(day.year, day.month),
    "year": lambda day: years_of(day.year, day.year),
}
_DAYS: dict[Unit, int] = {"second": 0, "minute": 0, "hour": 0, "day": 1, "week": 7, "weekend": 7}


def _move(day: date, unit: Unit, amount: int) -> date:
    if unit in _DAYS:
        return day + timedelta(days=_DAYS[unit] * amount)
    return month_after(day, amount * (12 if unit == "year" else 1))


def _between(one: date, other: date) -> DayRange:
    return DayRange(min(one, other), max(one, other))
