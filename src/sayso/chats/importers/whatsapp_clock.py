"""Which number is the day, and what hour a word means: decided from the whole WhatsApp file.

Evidence, in this order: the user's word; a number that can only be a day, and times that never
run backwards; then separators, as far as they are conclusive. What is left open is read one way
and said loudly, with the flag that settles it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache

from sayso.chats.importers.report import DateOrder
from sayso.chats.importers.whatsapp_headers import Header, folded

Triple = tuple[int, int, int]

# fmt: off
_AM = ("am", "上午", "凌晨", "清晨", "早上", "早晨", "午夜", "半夜", "오전", "午前", "ص", "ق.ظ", "öö", "de", "ap",
       "fm", "πμ", "dop", "pd", "sa", "pg", "पूर्वाह्न", "পূর্বাহ্ণ", "முற்பகல்", "ก่อนเที่ยง", 'לפנה"צ',
       "לפנה״צ", "vorm")
_PM = ("pm", "下午", "晚上", "傍晚", "오후", "午後", "م", "ب.ظ", "ös", "du", "ip", "em", "μμ", "odp", "md", "ch",
       "ptg", "अपराह्न", "অপরাহ্ণ", "பிற்பகல்", "หลังเที่ยง", 'אחה"צ', "אחה״צ", "nachm")
# fmt: on
_NOON = frozenset({"中午", "正午"})
_MORNING = frozenset(map(folded, _AM))
_EVENING = frozenset(map(folded, _PM))
# Written before the time, as only languages do that write the year first.
_YEAR_FIRST = frozenset(
    {"上午", "下午", "凌晨", "清晨", "早上", "中午", "晚上", "오전", "오후", "午前", "午後"}
)

_ARABIC = frozenset({"ص", "م"})

_FIRST_YEAR, _LAST_YEAR = 1990, 2099
_FIRST_SHORT_YEAR = 2009  # there is no WhatsApp before
_BUDDHIST = 543
_LATE_DAYS = 2  # a message may arrive that late, and stand among later ones
_SURE = 3  # one order is believed when every other has this many times its contradictions
_NAMES: dict[DateOrder, str] = {"dmy": "day/month", "mdy": "month/day", "ymd": "year/month/day"}


# Where year, month and day stand among the three numbers.
_SLOTS: dict[DateOrder, Triple] = {"dmy": (2, 1, 0), "mdy": (2, 0, 1), "ymd": (0, 1, 2)}


@dataclass(frozen=True)
class Decision:
    """How the file's dates are read, and the warning where that is not certain."""

    order: DateOrder
    warning: str | None = None


def knows_period(period: str) -> bool:
    """Whether the folded word is a part of the day that we know; no word is one."""
    return not period or period in _MORNING or period in _EVENING or period in _NOON


def hour_of(hour: int, period: str) -> int:
    """The hour in 0..23 (or more for an impossible one); hours over 12 are 24-hour ones."""
    if hour == 24 and not period:
        return 0  # some phones count 1 to 24
    if hour > 12 or not period:
        return hour
    if period in _MORNING:
        return hour % 12
    if period in _NOON:
        return hour + 12 if hour < 10 else hour
    return hour % 12 + 12


def wall_time(header: Header, order: DateOrder) -> datetime:
    """The naive wall-clock time of a header; raises ValueError where there is no such time."""
    if not knows_period(header.period):
        raise ValueError(f"unknown part of the day {header.raw_period!r}: {header.stamp!r}")
    day = day_of(header.date, order)
    if day is None:
        raise ValueError(f"no such date ({_NAMES[order]}): {header.stamp!r}")
    hour = hour_of(header.hour, header.period)
    try:
        # Placed in the chat's timezone by the caller.
        return datetime(day.year, day.month, day.day, hour, header.minute, header.second)  # noqa: DTZ001
    except ValueError as error:
        raise ValueError(f"no such time: {header.stamp!r}") from error


@lru_cache(maxsize=4096)
def day_of(triple: Triple, order: DateOrder) -> date | None:
    """The date that three numbers make in that order, or None."""
    year, month, day = (triple[i] for i in _SLOTS[order])
    if year < 100:
        year += 2000
        first = _FIRST_SHORT_YEAR
    else:
        # A phone set to Thai counts years so.
        year -= _BUDDHIST if year >= _FIRST_YEAR + _BUDDHIST else 0
        first = _FIRST_YEAR
    if not first <= year <= _LAST_YEAR:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


class Dates:
    """What the dates of headers of one shape, given in file order, tell of their order.

    Only what is needed is kept of them: there may be millions.
    """

    def __init__(self) -> None:
        self.first: Header | None = None
        self.differing: Header | None = None  # the first whose day depends on the order
        self.count = 0  # of dates, each run of the same once
        self.impossible = dict.fromkeys(_SLOTS, 0)
        self.contradictions = dict.fromkeys(_SLOTS, 0)  # impossible, or earlier than the one before
        self._last: Triple | None = None
        self._ordinal = dict.fromkeys(_SLOTS, 0)

    def add(self, header: Header) -> None:
        """The next header."""
        if header.date == self._last:
            return
        if self.first is None:
            self.first = header
        self._last = header.date
        self.count += 1
        days = {order: day_of(header.date, order) for order in _SLOTS}
        if self.differing is None and days["dmy"] != days["mdy"]:
            self.differing = header
        for order, day in days.items():
            if day is None:
                self.impossible[order] += 1
                self.contradictions[order] += 1
                continue
            ordinal = day.toordinal()
            self.contradictions[order] += ordinal < self._ordinal[order] - _LATE_DAYS
            self._ordinal[order] = ordinal


def decide(headers: Iterable[Header], named: DateOrder | None) -> Decision:
    """The order of day, month and year in headers of one shape (at least one of them)."""
    dates = Dates()
    for header in headers:
        dates.add(header)
    return decided(dates, named)


def decided(dates: Dates, named: DateOrder | None) -> Decision:
    """The order of day, month and year; of at least one header."""
    assert dates.first is not None
    shape = dates.first.shape
    if shape[2]:
        return Decision("ymd")
    if named == "dmy" or named == "mdy" or (named == "ymd" and not shape[3]):
        return Decision(named, _disagrees(dates, named))
    costs = {order: dates.contradictions[order] for order in _candidates(dates, shape[3])}
    if _year_first(costs, dates.first):
        return Decision("ymd")
    costs.pop("ymd", None)
    if len(costs) == 1:
        return Decision(next(iter(costs)))
    return _day_or_month(dates, costs)


def _year_first(costs: Mapping[DateOrder, int], header: Header) -> bool:
    """Whether the first of three short numbers is the year."""
    year_first = costs.get("ymd")
    if year_first is None:
        return False
    year_last = min((cost for order, cost in costs.items() if order != "ymd"), default=None)
    if year_last is None:
        return True
    if header.raw_period in _YEAR_FIRST:
        return year_first <= year_last
    # Rare outside East Asia: a few odd lines do not prove it.
    return _SURE * (year_first + 1) < year_last


def _day_or_month(dates: Dates, costs: Mapping[DateOrder, int]) -> Decision:
    assert dates.first is not None
    guess = _guess(dates.first)
    other: DateOrder = "mdy" if guess == "dmy" else "dmy"
    best, rival = (guess, other) if costs[guess] <= costs[other] else (other, guess)
    if costs[rival] >= max(1, _SURE * costs[best]):
        return Decision(best)
    # No locale writes the month first with dots or hyphens, nor with Arabic parts of the day.
    day_first = dates.first.shape[1] in ".-" or dates.first.period in _ARABIC
    if costs[best] == costs[rival] and day_first:
        return Decision("dmy")
    if dates.differing is None:
        return Decision(best)
    return Decision(best, _ambiguous(dates.differing, best, rival))


def _candidates(dates: Dates, long_year: bool) -> tuple[DateOrder, ...]:
    """The orders that are not ruled out: no one can have pasted the first line, nor most lines."""
    assert dates.first is not None
    orders: tuple[DateOrder, ...] = ("dmy", "mdy") if long_year else ("dmy", "mdy", "ymd")
    possible = [
        order
        for order in orders
        if day_of(dates.first.date, order) is not None
        and dates.impossible[order] * 3 <= dates.count
    ]
    return tuple(possible) if set(possible) - {"ymd"} else orders


def _guess(header: Header) -> DateOrder:
    """A weak guess, always said: only America writes the month first, with slashes and AM/PM."""
    american = header.shape[1] == "/" and header.raw_period in {"AM", "PM"}
    return "mdy" if american else "dmy"


def _ambiguous(header: Header, best: DateOrder, rival: DateOrder) -> str:
    first, second = day_of(header.date, best), day_of(header.date, rival)
    return (
        f"ambiguous dates: line {header.line}, {header.stamp!r}, is read as {first} "
        f"({_NAMES[best]}) but could be {second or 'no date'} ({_NAMES[rival]}), and nothing in the file "
        f"settles it; settle it with --date-order {best} or --date-order {rival}"
    )


def _disagrees(dates: Dates, order: DateOrder) -> str | None:
    wrong = dates.contradictions[order]
    if not wrong:
        return None
    return (
        f"--date-order {order} makes {wrong} dates impossible or run backwards; leave it out and "
        "the file may settle it"
    )
