"""The lines of a LINE export that tell the day, and which of their numbers is which.

Most say the day of the week as well, which settles what day and month are.
"""

import re
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from sayso.chats.importers.report import DateOrder
from sayso.chats.importers.whatsapp_clock import day_of

_DAY = re.compile(
    r"\ufeff?(?:(?P<before>[^\W\d]{1,12})[.,]{0,2} ?)?"
    r"(?P<a>\d{1,4}) ?(?P<sep>[/.\-年년]) ?(?P<b>\d{1,2}) ?[/.\-月월] ?(?P<c>\d{1,4})[.日일]?"
    r"(?: ?[(（]?(?P<after>[^\W\d]{1,12})\.?[)）]?)?[ \t]*"
)
_WEEK = {
    name: n
    for n, names in enumerate(
        (
            "mon monday 月 月曜日 一 週一 周一 星期一 禮拜一 월 월요일 lun lunes seg mo montag จ lundi",
            "tue tuesday 火 火曜日 二 週二 周二 星期二 禮拜二 화 화요일 mar martes ter di dienstag อ mardi",
            "wed wednesday 水 水曜日 三 週三 周三 星期三 禮拜三 수 수요일 mié miércoles qua mi mittwoch พ mercredi",
            "thu thursday 木 木曜日 四 週四 周四 星期四 禮拜四 목 목요일 jue jueves qui do donnerstag พฤ jeudi",
            "fri friday 金 金曜日 五 週五 周五 星期五 禮拜五 금 금요일 vie viernes sex fr freitag ศ vendredi",
            "sat saturday 土 土曜日 六 週六 周六 星期六 禮拜六 토 토요일 sáb sábado sa samstag ส samedi",
            "sun sunday 日 日曜日 天 週日 周日 星期日 星期天 禮拜日 일 일요일 dom domingo so sonntag อา dimanche",
        )
    )
    for name in names.split()
}
_ORDERS: tuple[DateOrder, ...] = ("dmy", "mdy")


class Day(NamedTuple):
    """The numbers of a day as they stand, the day of the week from Monday (0), and its line."""

    numbers: tuple[int, int, int]
    long_first: bool
    weekday: int | None
    line: int
    shown: str

    def date_in(self, order: DateOrder) -> date | None:
        """The date, or None where there is none such."""
        return day_of(self.numbers, "ymd" if self.long_first else order)


def day_at(line: str, number: int) -> Day | None:
    """The day that this line tells; None where it tells none."""
    found = _DAY.fullmatch(line)
    if found is None:
        return None
    a, b, c = found["a"], found["b"], found["c"]
    if (len(a) == 4) == (len(c) == 4) and len(a) + len(c) != 4:
        return None
    word = (found["before"] or found["after"] or "").casefold()
    return Day((int(a), int(b), int(c)), len(a) == 4, _WEEK.get(word), number, line.strip())


def decided(days: Iterable[Day], named: DateOrder | None) -> tuple[DateOrder, str | None]:
    """Which number is the day, by the user's word, the week, and the order of the days."""
    wrong = dict.fromkeys(_ORDERS, 0)
    last = dict.fromkeys(_ORDERS, date.min)
    differing: Day | None = None
    before: Day | None = None
    for day in days:
        if day.long_first or day == before:
            continue
        before = day
        for order in _ORDERS:
            found = day.date_in(order)
            wrong[order] += _contradicts(day, found, last[order])
            last[order] = found or last[order]
        if differing is None and day.date_in("dmy") != day.date_in("mdy"):
            differing = day
    if before is None or named in _ORDERS:
        return named or "ymd", None
    best: DateOrder = "dmy" if wrong["dmy"] <= wrong["mdy"] else "mdy"
    if wrong["dmy"] != wrong["mdy"] or differing is None:
        return best, None
    return best, (
        f"ambiguous dates: line {differing.line}, {differing.shown!r}, is read as "
        f"{differing.date_in(best)}, and nothing in the file settles it; settle it with "
        "--date-order dmy or --date-order mdy"
    )


def _contradicts(day: Day, found: date | None, last: date) -> bool:
    """Whether there is no such day, another day of the week, or one before the last."""
    if found is None or found < last:
        return True
    return day.weekday is not None and found.weekday() != day.weekday
