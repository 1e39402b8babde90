from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.citing import resolve
from sayso.core.models import Message
from sayso.reasoning.arcs import parts

START = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
QUESTION = "How did the plan to move develop?"


@pytest.fixture
def move(make_chat):
    """Five days on which the move is spoken of, the last two a few hours apart."""
    days = (0, 9, 20, 45, 45.1)
    texts = (
        "Thinking about a move. No idea where to",
        "saw a flat today, third floor, far too small for two people and a dog and a piano",
        "we signed!",
        "boxes everywhere",
        "keys handed over",
    )
    return make_chat(
        *(("Ana", text, START + timedelta(days=d)) for d, text in zip(days, texts, strict=True))
    )


def test_a_development_is_told_in_phases_in_order_of_time(move, told):
    relevant = ((3, 0.9), (1, 0.8), (5, 0.7), (2, 0.6), (4, 0.5))
    draft = told(move, QUESTION, "arc", *relevant)

    answer = resolve(draft, move, {1, 2, 3, 4, 5})

    assert [[e.local_id for e in p.evidence] for p in answer.phases] == [[1], [2], [3], [4, 5]]
    assert all(a.end < b.start for a, b in pairwise(answer.phases))
    assert [(p.start, p.end) for p in answer.phases] == [
        (p.evidence[0].sent_at, p.evidence[-1].sent_at) for p in answer.phases
    ]
    assert all(p.title and p.summary for p in answer.phases)
    assert answer.local_ids == (1, 2, 3, 4, 5)


def test_a_phase_is_titled_by_its_most_relevant_message_cut_at_a_word(move, told):
    draft = told(move, QUESTION, "arc", *((i, 0.9 - i / 20) for i in (1, 2, 3, 5, 4)))

    assert draft.phases[0].title == "Thinking about a move."
    assert draft.phases[1].title == "saw a flat today, third floor, far too small…"
    assert draft.phases[3].title == "boxes everywhere"
    assert draft.phases[3].summary == "Ana, 16 April 2024: “boxes everywhere”"


def test_the_answer_numbers_the_phases_and_gives_the_interval(move, told):
    answer = told(move, QUESTION, "arc", *((i, 0.9) for i in range(1, 6))).answer

    head, *lines = answer.split("\n")
    assert head == "4 stages, from 2 March 2024 to 16 April 2024:"
    assert [line[:2] for line in lines] == ["1.", "2.", "3.", "4."]


def test_a_long_chinese_message_gives_a_short_title(make_chat, told):
    long = "我们终于决定搬家了因为房东又要涨租金而且楼上每天晚上都在装修吵得谁都睡不着"
    chat = make_chat(("小明", long, START), ("陈雨", "新家真好", START + timedelta(days=3)))

    first, second = told(chat, "搬家是怎么一步步发展的？", "arc", (1, 0.9), (2, 0.9)).phases

    assert long.startswith(first.title.removesuffix("…"))
    assert len(first.title) < 30
    assert second.title == "新家真好"


def test_a_phase_without_any_words_still_has_a_title(make_chat, told):
    chat = make_chat(("Ana", "", START), ("Ana", "moved", START + timedelta(days=3)))

    first, second = told(chat, QUESTION, "arc", (1, 0.9), (2, 0.9)).phases

    assert first.title == "Ana, 2 March 2024: [text]"
    assert second.title == "moved"


def test_messages_of_little_relevance_stay_out_of_the_story(move, told):
    draft = told(move, QUESTION, "arc", (1, 0.9), (3, 0.8), (2, 0.001))

    assert [c.local_id for p in draft.phases for c in p.citations] == [1, 3]


@given(st.lists(st.integers(0, 24 * 40), min_size=2, max_size=14).map(sorted))
def test_a_time_line_falls_into_at_most_five_parts_cut_at_its_widest_silences(hours):
    messages = [
        Message(local_id=i, sender="Ana", sent_at=START + timedelta(hours=h), text="x")
        for i, h in enumerate(hours, 1)
    ]

    found = parts(messages)

    assert [m for part in found for m in part] == messages
    assert all(found)
    silences = [b - a for a, b in pairwise(hours) if b - a > 6]
    assert len(found) == min(5, len(silences) + 1)
    cut = [int((b[0].sent_at - a[-1].sent_at).total_seconds() // 3600) for a, b in pairwise(found)]
    assert sorted(cut, reverse=True) == sorted(silences, reverse=True)[:4]
