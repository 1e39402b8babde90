"""On which days the holidays that chats speak of fall."""

from collections.abc import Callable
from datetime import date, timedelta

from sayso.core.days import DayRange

Rule = Callable[[int], date | None]

# Month and day, one entry a year from 2005 to 2040.
_LUNAR_FROM = 2005
_NEW_YEAR = (
    "0209 0129 0218 0207 0126 0214 0203 0123 0210 0131 0219 0208 0128 0216 0205 0125 0212 0201 "
    "0122 0210 0129 0217 0206 0126 0213 0203 0123 0211 0131 0219 0208 0128 0215 0204 0124 0212"
)
_DRAGON_BOAT = (
    "0611 0531 0619 0608 0528 0616 0606 0623 0612 0602 0620 0609 0530 0618 0607 0625 0614 0603 "
    "0622 0610 0531 0619 0609 0528 0616 0605 0624 0612 0601 0620 0610 0530 0618 0607 0527 0614"
)
_MID_AUTUMN = (
    "0918 1006 0925 0914 1003 0922 0912 0930 0919 0908 0927 0915 1004 0924 0913 1001 0921 0910 "
    "0929 0917 1006 0925 0915 1003 0922 0912 1001 0919 0908 0927 0916 1004 0924 0913 1002 0920"
)


def holiday_of(name: str, year: int) -> DayRange | None:
    """The day of the holiday in that year (the Lunar New Year: its first week).

    None where the year has none or it is not known: lunar holidays are known for 2005 to 2040.
    """
    day = _RULES[name](year)
    if day is None:
        return None
    return DayRange(day, day + timedelta(days=_LENGTHS.get(name, 1) - 1))


def _on(month: int, day: int) -> Rule:
    return lambda year: date(year, month, day)


def _nth(month: int, weekday: int, nth: int, plus: int = 0) -> Rule:
    """The nth weekday (0 = Monday) of the month, from its end when negative."""

    def find(year: int) -> date:
        if nth > 0:
            first = date(year, month, 1)
            day = first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
        else:
            last = date(year, month + 1, 1) - timedelta(days=1)
            day = last - timedelta(days=(last.weekday() - weekday) % 7)
        return day + timedelta(days=plus)

    return find


def _easter(plus: int) -> Rule:
    """Western Easter by the anonymous Gregorian computus, shifted by ``plus`` days."""

    def find(year: int) -> date:
        golden, century, rest = year % 19, year // 100, year % 100
        correction = century - century // 4 - (century - (century + 8) // 25 + 1) // 3
        epact = (19 * golden + correction + 15) % 30
        weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
        shift = (golden + 11 * epact + 22 * weekday) // 451
        month, day = divmod(epact + weekday - 7 * shift + 114, 31)
        return date(year, month, day + 1) + timedelta(days=plus)

    return find


def _lunar(table: str, plus: int = 0) -> Rule:
    days = table.split()

    def find(year: int) -> date | None:
        if not 0 <= year - _LUNAR_FROM < len(days):
            return None
        entry = days[year - _LUNAR_FROM]
        return date(year, int(entry[:2]), int(entry[2:])) + timedelta(days=plus)

    return find


def _qingming(year: int) -> date | None:
    """The solar term of this century: 4 or 5 April."""
    if not 2000 <= year < 2100:
        return None
    return date(year, 4, int((year - 2000) * 0.2422 + 4.81) - (year - 2000) // 4)


_RULES: dict[str, Rule] = {
    "new year": _on(1, 1),
    "new year's eve": _on(12, 31),
    "epiphany": _on(1, 6),
    "martin luther king day": _nth(1, 0, 3),
    "valentine": _on(2, 14),
    "women's day": _on(3, 8),
    "st patrick": _on(3, 17),
    "april fools": _on(4, 1),
    "good friday": _easter(-2),
    "easter": _easter(0),
    "easter monday": _easter(1),
    "cinco de mayo": _on(5, 5),
    "mother's day": _nth(5, 6, 2),
    "memorial day": _nth(5, 0, -1),
    "father's day": _nth(6, 6, 3),
    "juneteenth": _on(6, 19),
    "independence day": _on(7, 4),
    "labor day": _nth(9, 0, 1),
    "halloween": _on(10, 31),
    "veterans day": _on(11, 11),
    "thanksgiving": _nth(11, 3, 4),
    "black friday": _nth(11, 3, 4, plus=1),
    "christmas eve": _on(12, 24),
    "christmas": _on(12, 25),
    "boxing day": _on(12, 26),
    "lunar new year": _lunar(_NEW_YEAR),
    "lunar new year's day": _lunar(_NEW_YEAR),
    "lunar new year's eve": _lunar(_NEW_YEAR, plus=-1),
    **{f"lunar new year, day {n}": _lunar(_NEW_YEAR, plus=n - 1) for n in range(1, 11)},
    "lantern festival": _lunar(_NEW_YEAR, plus=14),
    "qingming": _qingming,
    "labour day": _on(5, 1),
    "dragon boat": _lunar(_DRAGON_BOAT),
    "mid-autumn": _lunar(_MID_AUTUMN),
    "china national day": _on(10, 1),
}
_LENGTHS = {"lunar new year": 7, "china national day": 7}
