"""A day or period by its names in the calendar: which of its occurrences is meant."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from sayso.core.days import (
    DayRange,
    closest,
    day_in_month,
    month_of,
    part_of,
    season_of,
    week_of,
    years_of,
)
from sayso.core.holidays import holiday_of
from sayso.core.time_meanings import Kind, Lean, Which


@dataclass(frozen=True)
class Named:
    """A day or period by its names in the calendar; what is not named is None.

    Without a year it recurs, and ``which`` chooses. ``ambiguous`` marks a numeric date whose
    day and month could be exchanged. ``year_shift`` counts years from the speaker's own.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    last_day: int | None = None
    weekday: int | None = None
    last_weekday: int | None = None
    season: str | None = None
    holiday: str | None = None
    part: str | None = None
    which: Which = "closest"
    year_shift: int | None = None
    ambiguous: bool = False

    @property
    def kind(self) -> Kind:
        """A "date" when a year fixes a day."""
        if self.year is not None and (self.day is not None or self.holiday is not None):
            return "date"
        relative = self.which != "closest" or self.year_shift is not None
        return "relative" if relative else "partial"

    @property
    def _is_weekday(self) -> bool:
        # With a day ("Friday the 13th") the weekday only chooses among the months.
        return self.weekday is not None and self.day is None

    def near(self, said_at: datetime, lean: Lean) -> DayRange | None:
        """The nearest fitting occurrence; an ambiguous date only where one reading is close."""
        today = said_at.date()
        if self.ambiguous:
            return self._one_reading(said_at, lean)
        if self.year_shift is not None or self.year is not None:
            year = self.year if self.year is not None else today.year + (self.year_shift or 0)
            found = self._in_year(year)
            return found[0] if len(found) == 1 else None
        if self._is_weekday:
            return self._weekday_near(today, lean)
        # A 29 February can be eight years away; a season's neighbours, two.
        reach = 8 if (self.month, self.day) == (2, 29) else 2
        return _choose(self._over(today.year - reach, today.year + reach), today, self.which, lean)

    def within(self, chat: DayRange) -> tuple[DayRange, ...]:
        """Every occurrence that meets the chat; with a year, that one, inside the chat or not.

        A bare weekday is too vague. "last spring" is the last one over by the end of the chat,
        or where the chat has none such, the latest that meets it.
        """
        end = datetime.combine(chat.last, time(12), tzinfo=UTC)
        if self.ambiguous:
            readings = (*self._plain().within(chat), *self._exchanged().within(chat))
            return tuple(sorted({r for r in readings if r.meets(chat)}))
        if self.year is not None:
            return tuple(self._in_year(self.year))
        if self._is_weekday and self.which == "closest":
            return ()
        if self.which == "closest" and self.year_shift is None:
            return tuple(self._meeting(chat))
        found = self.near(end, "")
        if self.which == "last" and not self._is_weekday and found and not found.meets(chat):
            found = max(self._meeting(chat), default=found)
        return (found,) if found else ()

    def _meeting(self, chat: DayRange) -> list[DayRange]:
        # A winter that began in the year before may reach into the chat.
        years = self._over(chat.first.year - 1, chat.last.year)
        return [days for days in years if days.meets(chat)]

    def _over(self, first: int, last: int) -> list[DayRange]:
        return [
            d for year in range(max(first, 1), min(last, 9998) + 1) for d in self._in_year(year)
        ]

    def _in_year(self, year: int) -> list[DayRange]:
        found: list[DayRange]
        if self.holiday is not None:
            holiday = holiday_of(self.holiday, year)
            found = [holiday] if holiday else []
        elif self.season is not None:
            found = [season_of(self.season, year)]
        elif self.day is not None:
            months = range(1, 13) if self.month is None else (self.month,)
            found = [days for month in months if (days := self._days_in(year, month))]
        elif self.month is not None:
            found = [month_of(year, self.month)]
        else:
            found = [years_of(year, year)]
        return [part_of(days, self.part) for days in found] if self.part else found

    def _days_in(self, year: int, month: int) -> DayRange | None:
        first = day_in_month(year, month, self.day or 0)
        last = day_in_month(year, month, self.last_day) if self.last_day else first
        if first and self.weekday is not None and first.weekday() != self.weekday:
            return None
        return DayRange(first, last) if first and last and first <= last else None

    def _weekday_near(self, today: date, lean: Lean) -> DayRange | None:
        monday = week_of(today).first
        days = [
            DayRange(
                first,
                first + timedelta(days=(self.last_weekday or self.weekday or 0) - first.weekday()),
            )
            for first in (
                monday + timedelta(days=7 * n + (self.weekday or 0)) for n in (-2, -1, 0, 1, 2)
            )
        ]
        match self.which:
            case "this":
                return days[2]
            case "next":
                return days[3]
        return _choose(days, today, self.which, lean)

    def _plain(self) -> "Named":
        return replace(self, ambiguous=False)

    def _exchanged(self) -> "Named":
        return replace(self, ambiguous=False, month=self.day, day=self.month)

    def _one_reading(self, said_at: datetime, lean: Lean) -> DayRange | None:
        """The only reading within a month of the moment, else None: never picked silently."""
        readings = {self._plain().near(said_at, lean), self._exchanged().near(said_at, lean)}
        near = [r for r in readings if r and r.distance(said_at.date()) <= 31]
        return near[0] if len(near) == 1 else None


def _choose(options: list[DayRange], today: date, which: Which, lean: Lean) -> DayRange | None:
    match which, lean:
        case "last", _:
            return max((d for d in options if d.last < today), default=None)
        case (("next" | "coming"), _):
            return min((d for d in options if d.first > today), default=None)
        case "closest", "past":
            return max((d for d in options if d.first <= today), default=None)
        case "closest", "future":
            return min((d for d in options if d.last >= today), default=None)
        case _:
            return closest(options, today)
