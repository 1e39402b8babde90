import time
from datetime import date, datetime

import pytest

from sayso.retrieval.index import build_surface
from sayso.retrieval.marks import MARKS, marks_of


def marked(chat, name: str) -> list[float]:
    rows = marks_of(chat.messages, [m.text for m in chat.messages])
    return rows[:, MARKS.index(name)].tolist()


def test_questions_and_who_answers_them_are_seen(make_chat):
    chat = make_chat(
        ("Bo", "Where did you sleep? Tell me"),
        ("Ana", "at home"),
        ("Ana", "my flight leaves on 5 May"),
        ("Bo", "你什么时候到？"),
        ("Ana", "我不知道"),
    )

    assert marked(chat, "asks") == [1, 0, 0, 1, 0]
    assert marked(chat, "ends_asking") == [0, 0, 0, 1, 0]
    assert marked(chat, "answers_other") == [0, 1, 0, 0, 1]
    assert marked(chat, "first_person") == [1, 0, 1, 0, 1]
    assert marked(chat, "has_time")[1:3] == [0, 1]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        pytest.param("first_person", "I’ve been", 1, id="curly I've"),
        pytest.param("first_person", "Mimi met Otto", 0, id="me inside a word"),
        pytest.param("names_something", "we saw Paolo there", 1, id="a name"),
        pytest.param("names_something", "Paolo was there", 0, id="the first word is no sign"),
        pytest.param("names_something", "ok. Then home", 0, id="nor is one after a full stop"),
        pytest.param("names_place", "I moved to Porto", 1, id="to Porto"),
        pytest.param("names_place", "I moved to bed", 0, id="to bed"),
        pytest.param("names_place", "我们去北京", 1, id="去北京"),
        pytest.param("counts", "three of them", 1, id="three"),
        pytest.param("counts", "at 15 to go", 1, id="digits"),
        pytest.param("counts", "someone phoned", 0, id="one inside a word"),
        pytest.param("counts", "两只猫", 1, id="两"),
        pytest.param("says_you", "your turn", 1, id="your"),
        pytest.param("says_you", "youth club", 0, id="you inside a word"),
        pytest.param("short", "yes!", 1, id="short"),
        pytest.param("short", "a message of some more words than that", 0, id="not short"),
    ],
)
def test_what_a_look_at_a_message_tells(name, text, expected, make_chat):
    assert marked(make_chat(("Ana", text)), name) == [expected]


@pytest.fixture(params=["UTC", "America/Los_Angeles", "Pacific/Kiritimati"])
def machine(request, monkeypatch):
    """The machine stands in another timezone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("sent", "text", "expected"),
    [
        pytest.param("2024-05-08T10:00+08:00", "saw it yesterday", ("2024-05-07",) * 2, id="offset of the chat"),
        pytest.param("2024-05-07T17:00+00:00", "saw it yesterday", ("2024-05-07",) * 2, id="sent as UTC, on the 8th in Shanghai"),
        pytest.param("2024-05-08T00:30+08:00", "昨天去了", ("2024-05-07",) * 2, id="Chinese, after midnight"),
        pytest.param("2024-05-08T10:00+08:00", "last week was hard", ("2024-04-29", "2024-05-05"), id="a week"),
        pytest.param("2024-05-08T10:00+08:00", "nothing of the kind", None, id="no time"),
        pytest.param("2024-05-08T10:00+08:00", "for ten years", None, id="a duration is no day"),
    ],
)  # fmt: skip
def test_the_day_spoken_of_counts_from_the_day_in_the_chats_zone(
    sent, text, expected, make_chat, machine
):
    chat = make_chat(("Ana", text, datetime.fromisoformat(sent)), timezone="Asia/Shanghai")

    first, last = build_surface(chat).spoken[0]

    if expected is None:
        assert first != first
        assert last != last
    else:
        days = (date.fromordinal(int(first)), date.fromordinal(int(last)))
        assert tuple(map(str, days)) == expected
