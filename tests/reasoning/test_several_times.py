from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sayso.reasoning.planning import days_meant, window

UTC = ZoneInfo("UTC")


@pytest.fixture
def year(make_chat):
    """A chat from 1 March 2023 to 15 June 2024, a message every other day."""
    days = (datetime(2023, 3, 1, 9, tzinfo=UTC) + timedelta(days=n) for n in range(0, 473, 2))
    return make_chat(*(("Ana", "hi", day) for day in days))


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("What did Ana start recently, as mentioned on 3 June 2023?", (2023, 6, 3), (2023, 6, 3)),
        ("What cake did Ana bake recently in May 2023?", (2023, 5, 1), (2023, 5, 31)),
        ("What did Ana finish last Friday on 23 July 2023?", (2023, 7, 23), (2023, 7, 23)),
        ("What went wrong last week, as mentioned on 5 July 2023?", (2023, 7, 5), (2023, 7, 5)),
        ("What did Ana find on the last night of December?", (2023, 12, 1), (2023, 12, 31)),
        ("What had Ana baked on 6 August 2023 recently?", (2023, 8, 6), (2023, 8, 6)),
        ("What happened to Ana recently before 4 April 2023?", (2023, 3, 1), (2023, 4, 3)),
        ("What did Ana recently finish and lend to on 1 June 2023?", (2023, 6, 1), (2023, 6, 1)),
        ("What did Ana do this year at Easter?", (2024, 3, 31), (2024, 3, 31)),
        ("What did Ana buy recently in June?", (2024, 6, 2), (2024, 6, 15)),
        ("Was it colder in May 2024 than last week?", (2024, 5, 1), (2024, 6, 9)),
        ("Where was Ana in May 2023 and in June 2023?", (2023, 5, 1), (2023, 6, 30)),
        ("How often did Ana swim recently?", (2024, 6, 2), (2024, 6, 15)),
        ("What did Ana say last week or on 3 May 2024?", (2024, 5, 3), (2024, 6, 9)),
        ("Was Ana in Rome recently or in May 2024?", (2024, 5, 1), (2024, 6, 15)),
        ("What did Ana say recently about April 2024 and why?", (2024, 4, 1), (2024, 6, 15)),
        ("What did Ana say in May 2024 and what did she do recently?", (2024, 5, 1), (2024, 6, 15)),
        ("What did Ana say yesterday about Easter 2024?", (2024, 3, 31), (2024, 6, 14)),
        ("What did Ana start recently for August 2024?", (2024, 6, 2), (2024, 8, 31)),
        ("Was hat Ana im März 2024 oder gestern gesagt?", (2024, 3, 1), (2024, 6, 14)),
        ("2024年5月、上周聊了什么？", (2024, 5, 1), (2024, 6, 9)),
        ("2023年6月3日说的，Ana最近开始做什么？", (2023, 6, 3), (2023, 6, 3)),
    ],
)
def test_what_counts_from_today_gives_way_to_a_time_that_does_not(question, first, last, year):
    since, until = window(question, year)

    assert (since.date(), until.date() - timedelta(days=1)) == (date(*first), date(*last))


def test_a_word_of_time_that_means_no_days_still_counts_as_one(year):
    assert days_meant("What was sent recently in May 2023?", year).first == date(2023, 5, 1)
    assert days_meant("What was sent on Saturdays in May 2023?", year) is None
