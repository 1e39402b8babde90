"""Clocks that remember where they stand tell the times that are worked out one by one."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.chats.canonical import format_message
from sayso.chats.clock import Clock, Placing, in_zone, micros, placed
from sayso.core.chat import Message

ZONES = [
    "UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu",
    "Africa/Monrovia", "Etc/GMT+12",
]  # fmt: skip
# Around a change of each kind, and anywhere.
NEAR = [
    datetime(2024, 3, 31, 1, 0, tzinfo=UTC), datetime(2024, 10, 27, 1, 0, tzinfo=UTC),
    datetime(2024, 4, 6, 15, 0, tzinfo=UTC), datetime(1972, 1, 7, 0, 44, 30, tzinfo=UTC),
    datetime(1900, 1, 1, tzinfo=UTC),
]  # fmt: skip
moments = st.builds(
    lambda near, seconds, part: near + timedelta(seconds=seconds, microseconds=part),
    st.sampled_from(NEAR),
    st.integers(-9000, 9000),
    st.sampled_from([0, 1, 999_999]),
) | st.datetimes(datetime(2, 2, 1), datetime(9998, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(st.sampled_from(ZONES), st.lists(moments, min_size=1, max_size=6))
def test_a_clock_shows_each_instant_as_its_zone_does(zone: str, instants: list[datetime]) -> None:
    clock = Clock(ZoneInfo(zone))

    shown = [clock(micros(instant)) for instant in instants]

    expected = [in_zone(instant, ZoneInfo(zone)) for instant in instants]
    assert [one.isoformat() for one in shown] == [one.isoformat() for one in expected]


@given(st.sampled_from(ZONES), st.lists(moments, min_size=1, max_size=6))
def test_wall_clocks_are_placed_as_one_by_one(zone: str, instants: list[datetime]) -> None:
    walls = [instant.replace(tzinfo=None) for instant in instants]
    placing = Placing(ZoneInfo(zone))
    before: datetime | None = None

    for wall in walls:
        expected = placed(wall, ZoneInfo(zone), before)
        found = placing(wall, before)

        assert found.isoformat() == expected.isoformat()
        before = found


@pytest.mark.parametrize(
    "text",
    ["", 'a "quote" \\ back', "two\nlines\t\r", "\x00\x1f\x7f\u2028", "小满 😀", "</script>"],
)
@pytest.mark.parametrize("more", [{}, {"reply_to": 3, "source_id": 'a"b', "caption": "ü\n"}])
def test_the_line_of_a_message_is_its_json(text: str, more: dict[str, object]) -> None:
    at = datetime(2024, 1, 5, 21, 3, 4, 500, tzinfo=UTC)
    message = Message.model_validate(
        {"local_id": 7, "sender": text, "sent_at": at, "text": text, "kind": "photo", **more}
    )
    fields = message.model_dump(mode="json", by_alias=True, exclude_none=True)
    fields["sentAt"] = "2024-01-05T22:03:04.000500+01:00"

    line = format_message(message, ZoneInfo("Europe/Berlin"))

    assert line == json.dumps(fields, ensure_ascii=False)
