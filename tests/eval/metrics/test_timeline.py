from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from eval.metrics import timeline_coverage


def at(day: int, hour: int = 12) -> datetime:
    return datetime(2024, 1, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("expected", "cited", "value"),
    [
        pytest.param([at(1), at(2)], [at(1), at(2)], 1.0, id="the perfect answer"),
        pytest.param([at(1), at(2, 1), at(2, 23), at(5)], [at(2)], 1 / 3, id="one day of three"),
        pytest.param([at(1), at(9)], [at(1, 1), at(9, 2), at(4)], 1.0, id="more days than needed"),
        pytest.param([at(4), at(5), at(6)], [at(1), at(31)], 0.0, id="a wide interval"),
        pytest.param([at(4)], [], 0.0, id="nothing cited"),
        pytest.param([], [at(4)], 1.0, id="nothing expected"),
    ],
)
def test_value_by_hand(expected, cited, value):
    assert timeline_coverage(expected, cited, UTC) == value


def test_days_are_those_of_the_chats_timezone():
    before, after = datetime(2024, 1, 1, 15, tzinfo=UTC), datetime(2024, 1, 1, 17, tzinfo=UTC)

    assert timeline_coverage([before], [after], UTC) == 1.0
    # In Shanghai it is 23:00 on the 1st and 01:00 on the 2nd.
    assert timeline_coverage([before], [after], ZoneInfo("Asia/Shanghai")) == 0.0


def test_the_offset_that_a_time_was_written_in_changes_nothing():
    east = timezone(timedelta(hours=8))
    written = datetime(2024, 1, 2, 0, 30, tzinfo=east)

    assert timeline_coverage([written], [written.astimezone(UTC)], east) == 1.0


def test_a_time_without_a_timezone_is_refused():
    naive = at(1).replace(tzinfo=None)

    with pytest.raises(ValueError, match="no timezone"):
        timeline_coverage([at(1)], [naive], UTC)
