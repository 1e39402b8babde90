"""Timeline coverage: on how many of the days that matter does the answer stand?"""

from collections.abc import Iterable
from datetime import date, datetime, tzinfo


def timeline_coverage(
    expected_times: Iterable[datetime], cited_times: Iterable[datetime], zone: tzinfo
) -> float:
    """Share of the expected messages' days on which at least one message is cited, in [0, 1].

    The times are when the messages were sent; days are calendar days in ``zone``, the chat's
    timezone. Only days with a citation count, so a wide interval earns nothing; 1.0 when
    nothing is expected. Raises ValueError for a time without a timezone.
    """
    expected = {_day(time, zone) for time in expected_times}
    cited = {_day(time, zone) for time in cited_times}
    return len(expected & cited) / len(expected) if expected else 1.0


def _day(time: datetime, zone: tzinfo) -> date:
    # A naive time would silently be read in the machine's own zone.
    if time.utcoffset() is None:
        raise ValueError(f"{time.isoformat()} has no timezone, so its day is unknown")
    return time.astimezone(zone).date()
