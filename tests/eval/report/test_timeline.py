import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from eval.report.calendar_ticks import ticks
from eval.report.markup import html
from eval.report.timeline import Lane, Stretch, timeline

ZONE = ZoneInfo("UTC")


def day(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def drawn(*lanes):
    return html(timeline("Phases", lanes, ZONE))


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2024-03-01T09:00", "2024-03-01T18:00", []),
        ("2024-03-01T09:00", "2024-03-04T09:00", ["03-02", "03-03", "03-04"]),
        # 12 midnights are too many; every second day is counted from the calendar's first.
        ("2024-03-01T09:00", "2024-03-13T09:00",
         ["03-02", "03-04", "03-06", "03-08", "03-10", "03-12"]),
        # Mondays.
        ("2024-03-01T09:00", "2024-03-31T09:00", ["03-04", "03-11", "03-18", "03-25"]),
        ("2023-10-05T09:00", "2024-02-10T09:00", ["2023-11", "2023-12", "2024-01", "2024-02"]),
        ("2021-02-01T09:00", "2024-02-10T09:00",
         ["2021-07", "2022-01", "2022-07", "2023-01", "2023-07", "2024-01"]),
        ("2009-02-01T09:00", "2024-02-10T09:00", ["2010", "2015", "2020"]),
        ("9999-12-31T09:00", "9999-12-31T10:00", []),
    ],
    ids=["hours", "days", "every second day", "weeks", "months", "half years", "years", "the end"],
)  # fmt: skip
def test_a_time_line_is_marked_at_the_turns_that_have_room(first, last, words):
    assert [tick.words for tick in ticks(day(first), day(last))] == words


def test_a_day_begins_at_the_midnight_of_the_zone_also_when_clocks_change():
    lisbon = ZoneInfo("Europe/Lisbon")
    first = datetime(2024, 3, 30, 12, tzinfo=lisbon)

    (one, two) = ticks(first, datetime(2024, 4, 1, 12, tzinfo=lisbon))

    assert one.at.astimezone(UTC) == datetime(2024, 3, 31, 0, tzinfo=UTC)
    assert two.at.astimezone(UTC) == datetime(2024, 3, 31, 23, tzinfo=UTC)


def test_expected_messages_are_filled_and_others_hollow():
    times = (day("2024-03-01"), day("2024-03-05"))
    page = drawn(Lane("agent", (Stretch("went", times, (True, False)),), 0))

    assert page.count('class="dot m0"') == 1
    assert page.count('class="hollow m0"') == 1


def test_a_lane_without_phases_says_why():
    phase = Stretch("went", (day("2024-03-01"), day("2024-03-05")))
    page = drawn(
        Lane("expected", (), none="nothing: to abstain is right"),
        Lane("agent", (), 0, "abstained"),
        Lane("oneshot", (phase,), 1),
    )

    assert ">expected: nothing: to abstain is right<" in page
    assert ">agent: abstained<" in page


def test_a_title_stands_above_its_bar_and_never_leaves_the_drawing():
    times = (day("2024-03-01"), day("2024-03-05"))
    long = "a title that is far too long to be shown whole, of more than sixty letters"
    page = drawn(
        Lane(
            "agent",
            (Stretch("first", times[:1]), Stretch("last", times[1:]), Stretch(long, times)),
            0,
        )
    )
    starts = {
        words: float(x)
        for x, words in re.findall(r'<text x="([\d.]+)"[^>]*class="phase">([^<]*)<', page)
    }

    # Of 360 units, 10 are kept free on either side; a letter takes 6.
    assert starts["1. first"] == 10
    assert starts["2. last"] == 350 - 7 * 6
    (cut,) = [words for words in starts if words.endswith("…")]
    assert len(cut) == 56
    assert 10 <= starts[cut] <= 350 - 56 * 6


def test_no_time_gives_no_line():
    assert timeline("Phases", [Lane("agent", (), 0)], ZONE) is None
