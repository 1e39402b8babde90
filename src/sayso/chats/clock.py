"""Wall clocks to instants: every ``sent_at`` carries the fixed offset its zone had then.

Fixed offsets because Python compares and subtracts two times of one ``ZoneInfo`` by their wall
clocks, which is wrong in the hour that a clock change repeats.
"""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from sayso.errors import InputError

# Phones deliver a little out of order; a step back of more than this is the repeated hour.
_JITTER = timedelta(minutes=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER = datetime(1, 1, 1)  # noqa: DTZ001 a wall clock
_QUARTER = 900_000_000  # microseconds
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


def micros(moment: datetime) -> int:
    """The instant of an aware time, in microseconds since 1970."""
    span = moment - EPOCH
    return (span.days * 86_400 + span.seconds) * 1_000_000 + span.microseconds


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


class Clock:
    """Instants, in microseconds since 1970, on a zone's clock, as :func:`in_zone` has them."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        self._from = self._until = 0  # between which the clock stands at one offset
        self._base = EPOCH

    def __call__(self, at: int) -> datetime:
        """The time on the clock, with a fixed offset."""
        if not self._from <= at < self._until:
            self._look(at)
        return self._base + timedelta(microseconds=at)

    def _look(self, at: int) -> None:
        first = at - at % _QUARTER
        ends = [in_zone(EPOCH + timedelta(microseconds=end), self._zone).tzinfo
                for end in (first, first + _QUARTER - 1)]  # fmt: skip
        if ends[0] == ends[1]:
            self._from, self._until, tz = first, first + _QUARTER, ends[0]
        else:
            self._from, self._until = at, at + 1
            tz = in_zone(EPOCH + timedelta(microseconds=at), self._zone).tzinfo
        self._base = EPOCH.astimezone(tz)


class Placing:
    """Wall clocks of one zone to instants, as :func:`placed` has them, one after the other."""

    def __init__(self, zone: ZoneInfo) -> None:
        self._zone = zone
        self._from = self._until = _NEVER  # walls between which the zone has one offset
        self._offset: tzinfo = UTC

    def __call__(self, wall: datetime, after: datetime | None = None) -> datetime:
        """The instant of a naive wall-clock time; ValueError as :func:`checked`."""
        if self._from <= wall < self._until:
            return wall.replace(tzinfo=self._offset)
        self._look(wall)
        return placed(wall, self._zone, after)

    def _look(self, wall: datetime) -> None:
        first = wall.replace(minute=wall.minute - wall.minute % 15, second=0, microsecond=0, fold=0)
        last = first + timedelta(minutes=15, microseconds=-1)
        ends = [_fixed(end.replace(fold=fold), self._zone).tzinfo
                for end in (first, last) for fold in (0, 1)]  # fmt: skip
        if len(set(ends)) == 1 and ends[0] is not None and 2 < wall.year < 9998:
            self._from, self._until, self._offset = first, last, ends[0]


def _fixed(local: datetime, zone: ZoneInfo) -> datetime:
    offset = zone.utcoffset(local)
    tz = timezone(offset) if offset else UTC
    return local.replace(tzinfo=tz, fold=0)
