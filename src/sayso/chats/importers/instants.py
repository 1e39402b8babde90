"""Times that are instants: unix seconds and milliseconds, ISO texts with an offset.

An instant needs no timezone, but a day does. Where the export shows on what clock its times stood,
and that clock was always the same number of hours from UTC, it is the chat's; else UTC.
"""

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from sayso.chats.clock import checked

_HOUR = 3600


def unix(value: Any, *, per_second: int = 1) -> datetime:
    """The instant of a number (or its digits) of seconds since 1970, or of parts of a second.

    Raises ValueError for anything else, and outside the years 2 to 9998.
    """
    number = _number(value)
    if number is None:
        raise ValueError(f"expected a unix time, found {_shown(value)}")
    try:
        whole, part = divmod(number, per_second)
        micro = round(part * 1_000_000 / per_second)
        return checked(
            datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=whole, microseconds=micro)
        )
    except OverflowError as error:
        raise ValueError(f"expected a unix time, found {_shown(value)}") from error


def iso(value: Any) -> datetime:
    """The instant of an ISO text with an offset; raises ValueError for anything else."""
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"expected a time such as 2024-01-05T21:03:04+01:00, found {_shown(value)}"
        ) from error
    if time.tzinfo is None:
        raise ValueError(f"expected a time with an offset, found {_shown(value)}")
    return checked(time)


def offset_of(wall: Any, instant: datetime) -> int | None:
    """Seconds from UTC on the clock that showed this ISO text at that instant; None if it is none."""
    try:
        shown = datetime.fromisoformat(wall)
    except (TypeError, ValueError):
        return None
    if shown.tzinfo is not None:
        return None
    seconds = (shown.replace(tzinfo=UTC) - instant).total_seconds()
    quarter = round(seconds / 900) * 900
    return quarter if abs(seconds - quarter) < 60 and abs(quarter) <= 15 * _HOUR else None


def zone_of(offsets: Iterable[int | None]) -> tuple[str, str | None]:
    """The zone's name for a clock that was always so far from UTC, and what to tell of it."""
    found = {offset for offset in offsets if offset is not None}
    if len(found) == 1:
        (offset,) = found
        hours, rest = divmod(offset, _HOUR)
        if offset == 0 or rest or not -12 <= hours <= 14:
            return "UTC", None if offset == 0 else _told(found)
        return f"Etc/GMT{-hours:+d}", None
    return "UTC", _told(found)


def _told(found: set[int]) -> str:
    clock = ""
    if found:
        clocks = " and ".join(f"UTC{_signed(offset)}" for offset in sorted(found)[:3])
        clock = f"; the export's clock stood at {clocks}"
    return f"days are counted in UTC{clock}; name the chat's own zone with --timezone"


def _signed(offset: int) -> str:
    sign = "-" if offset < 0 else "+"
    return f"{sign}{abs(offset) // _HOUR}:{abs(offset) % _HOUR // 60:02d}"


def _number(value: Any) -> int | float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        text = value.strip()
        if text.isascii() and text.lstrip("-").isdigit() and len(text) < 20:
            return int(text)
        try:
            number = float(text) if text.isascii() and len(text) < 30 else math.nan
        except ValueError:
            return None
        return number if math.isfinite(number) else None
    return None


def _shown(value: object) -> str:
    return "nothing" if value is None else f"{value!r:.60}"
