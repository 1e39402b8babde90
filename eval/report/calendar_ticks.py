"""Where a time line is marked: the turns of days, months or years, few enough to be read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

_MOST = 6

Turn = Callable[[datetime], datetime]


@dataclass(frozen=True)
class Tick:
    """A midnight in the time line's zone, and what stands below it."""

    at: datetime
    words: str


def ticks(first: datetime, last: datetime) -> tuple[Tick, ...]:
    """The turns between two moments of one zone: at most six, of the finest step that has so few.

    Nothing where no midnight lies between them.
    """
    for turns, words in _steps():
        found = tuple(Tick(at, f"{at:{words}}") for at in _from(first, last, turns))
        if len(found) <= _MOST:
            return found
    return ()


def _steps() -> Iterator[tuple[Turn, str]]:
    for days in (1, 2, 7, 14):
        yield _days(days), "%m-%d"
    for months in (1, 2, 3, 6):
        yield _months(months), "%Y-%m"
    for years in (1, 2, 5, 10, 20, 50, 100, 1000):
        yield _months(12 * years), "%Y"


def _from(first: datetime, last: datetime, turns: Turn) -> Iterator[datetime]:
    """Turns from the first after ``first``, and one more than may be shown."""
    at = first
    for _ in range(_MOST + 1):
        try:
            at = turns(at)
        except (OverflowError, ValueError):  # beyond the year 9999
            return
        if at >= last:
            return
        yield at


def _days(step: int) -> Turn:
    """The next midnight whose day's number is a multiple of the step; weeks begin on Mondays."""

    def turn(at: datetime) -> datetime:
        day = at.toordinal()
        # Day 1 of the calendar is a Monday.
        return at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(
            days=step - (day - 1) % step
        )

    return turn


def _months(step: int) -> Turn:
    """The next midnight that begins a month whose number since year 0 is a multiple of the step."""

    def turn(at: datetime) -> datetime:
        month = 12 * at.year + at.month - 1
        month += step - month % step
        return datetime(month // 12, month % 12 + 1, 1, tzinfo=at.tzinfo)

    return turn
