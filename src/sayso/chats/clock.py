"""Wall clocks to instants: every ``sent_at`` carries the fixed offset its zone had then.

Fixed offsets because Python compares and subtracts two times of one ``ZoneInfo`` by their wall
clocks, which is wrong in the hour that a clock change repeats.
"""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from sayso.errors import InputError

# Phones deliver a little out of order; a step back of more than this is the repeated hour.
_JITTER = timedelta(minutes=1)
# Names that the database of zones has, and that mean whatever this machine is set to.
_NOWHERE = frozenset({"localtime", "posixrules", "Factory"})


def zone_named(key: str, where: str) -> ZoneInfo:
    """The IANA timezone of that name; raises InputError naming ``where`` it was given."""
    unknown = InputError(
        f"{where}: unknown timezone {key!r}; expected an IANA name such as Europe/Berlin or UTC"
    )
    if key in _NOWHERE:
        raise unknown
    try:
        return ZoneInfo(key)
    except (KeyError, ValueError, OSError, ImportError) as error:
        raise unknown from error


def in_zone(instant: datetime, zone: ZoneInfo) -> datetime:
    """The same instant on the zone's clock, with a fixed offset; ValueError as :func:`checked`."""
    return _fixed(checked(instant).astimezone(zone), zone)


def checked(time: datetime) -> datetime:
    """The time as it is; raises ValueError outside the years 2 to 9998, an instant by UTC.

    Within them the clock of every zone stays within the calendar.
    """
    try:
        year = (time if time.tzinfo is None else time.astimezone(UTC)).year
    except OverflowError:
        year = time.year
    if not 1 < year < 9999:
        raise ValueError(f"{time.isoformat()}: expected a year in 2..9998")
    return time


def placed(wall: datetime, zone: ZoneInfo, after: datetime | None = None) -> datetime:
    """The instant of a naive wall-clock time in that zone.

    In the hour that a clock change repeats, the first pass is taken unless ``after``, the instant
    of the line before, is later than that; then the second. A time that a clock change skips
    keeps its wall clock, with the offset from before the change. ValueError as :func:`checked`.
    """
    checked(wall)
    first = checked(_fixed(wall.replace(fold=0), zone))
    if after is None or after - first <= _JITTER:
        return first
    second = _fixed(wall.replace(fold=1), zone)
    return max(first, second)


def _fixed(local: datetime, zone: ZoneInfo) -> datetime:
    offset = zone.utcoffset(local)
    tz = timezone(offset) if offset else UTC
    return local.replace(tzinfo=tz, fold=0)
