from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from sayso.retrieval.index import MARKS, build_index, sessions

START = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)


def marks(index, name: str) -> list[float]:
    return index.marks[:, MARKS.index(name)].tolist()


def test_a_gap_of_more_than_six_hours_begins_a_session():
    hour = 3600.0

    assert sessions([0, 6 * hour, 12 * hour + 1, 12 * hour + 2]) == [0, 0, 1, 1]
    assert sessions([]) == []


def test_an_index_is_in_message_order_and_knows_who_said_what(make_chat, word_bags):
    chat = make_chat(("Bo", "hi"), ("Ana", "hello"), ("Bo", "again", START + timedelta(hours=9)))

    index = build_index(chat, word_bags)

    assert index.size == 3
    assert index.local_ids.tolist() == [1, 2, 3]
    assert [index.senders[i] for i in index.sender] == ["Bo", "Ana", "Bo"]
    assert index.lexicon.session.tolist() == [0, 0, 1]
    assert index.seconds.tolist() == [m.sent_at.timestamp() for m in chat.messages]


def test_the_marks_say_what_is_seen_of_a_message(make_chat, word_bags):
    chat = make_chat(
        ("Bo", "Where did you sleep? Tell me"),
        ("Ana", "at home"),
        ("Ana", "my flight leaves on 5 May"),
        ("Bo", "你什么时候到？"),
        ("Ana", "我不知道"),
    )

    index = build_index(chat, word_bags)

    assert marks(index, "asks") == [1, 0, 0, 1, 0]
    assert marks(index, "ends_asking") == [0, 0, 0, 1, 0]
    assert marks(index, "answers_other") == [0, 1, 0, 0, 1]
    assert marks(index, "first_person") == [1, 0, 1, 0, 1]
    assert marks(index, "has_time")[2] == 1
    assert marks(index, "has_time")[1] == 0


def test_neighbourhood_lengths_are_those_of_the_summed_vectors(make_chat, word_bags):
    chat = make_chat(*(("Ana", f"word{i} and word{i + 1}") for i in range(6)))

    index = build_index(chat, word_bags)

    v = index.vectors
    assert index.pair_norm[3] == pytest.approx(np.linalg.norm(v[2] + v[3]), abs=1e-5)
    assert index.pair_norm[0] == pytest.approx(np.linalg.norm(v[0]), abs=1e-5)
    assert index.window_norm[2] == pytest.approx(np.linalg.norm(v[:5].sum(axis=0)), abs=1e-5)


def test_an_empty_chat_has_an_empty_index(make_chat, word_bags):
    index = build_index(make_chat(), word_bags)

    assert (index.size, index.senders, len(index.pair_norm)) == (0, (), 0)
    assert index.marks.shape == (0, len(MARKS))
