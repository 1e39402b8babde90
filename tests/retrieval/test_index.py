from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from sayso.retrieval import index as index_module
from sayso.retrieval.index import build_index, build_surface, sessions
from sayso.retrieval.marks import MARKS

START = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
NEIGHBOURS = {"pair_norm": (-1, 0), "next_norm": (0, 1), "window_norm": (-2, -1, 0, 1, 2)}


def test_a_gap_of_more_than_six_hours_begins_a_session():
    hour = 3600.0

    assert sessions([0, 6 * hour, 12 * hour + 1, 12 * hour + 2]) == [0, 0, 1, 1]
    assert sessions([]) == []


def test_an_index_is_in_message_order_and_knows_who_said_what(make_chat, word_bags):
    chat = make_chat(("Bo", "hi"), ("Ana", "hello"), ("Bo", "again", START + timedelta(hours=9)))

    surface = build_index(chat, word_bags).surface

    assert surface.local_ids.tolist() == [1, 2, 3]
    assert [surface.senders[i] for i in surface.sender] == ["Bo", "Ana", "Bo"]
    assert surface.lexicon.session.tolist() == [0, 0, 1]
    assert surface.seconds.tolist() == [m.sent_at.timestamp() for m in chat.messages]


def test_a_message_has_its_vector_and_its_words_with_its_caption(make_chat, word_bags):
    chat = make_chat(("Ana", "red kayak"), ("Bo", ""), ("Ana", "tea"))
    photo = chat.messages[1].model_copy(update={"caption": "a dog"})
    chat = chat.model_copy(update={"messages": (chat.messages[0], photo, chat.messages[2])})

    meaning = build_index(chat, word_bags).meaning

    expected = word_bags.encode(["red kayak", " a dog", "tea"])
    assert word_bags.seen[:3] == ["red kayak", " a dog", "tea"]
    assert np.array_equal(meaning.vectors, expected.vectors)
    assert meaning.starts.tolist() == [0, 2, 4, 5]
    assert np.array_equal(meaning.tokens, expected.tokens)
    assert meaning.missing == 0


@pytest.mark.parametrize("block", [1, 2, 3, 8192])
def test_neighbourhood_lengths_are_those_of_the_sums_within_the_session(
    block, make_chat, word_bags, monkeypatch
):
    monkeypatch.setattr(index_module, "_BLOCK", block)
    session = [0, 0, 0, 0, 1, 1, 2]
    chat = make_chat(
        *(
            ("Ana", f"word{i} and word{i + 1}", START + timedelta(hours=9 * s, minutes=i))
            for i, s in enumerate(session)
        )
    )

    meaning = build_index(chat, word_bags).meaning

    for name, offsets in NEIGHBOURS.items():
        by_hand = [
            np.linalg.norm(
                sum(
                    meaning.vectors[i + o]
                    for o in offsets
                    if 0 <= i + o < len(session) and session[i + o] == session[i]
                )
            )
            for i in range(len(session))
        ]
        assert getattr(meaning, name) == pytest.approx(by_hand, abs=1e-5), name


def test_an_empty_chat_has_an_empty_index(make_chat, word_bags):
    index = build_index(make_chat(), word_bags)

    assert (index.size, index.surface.senders, len(index.meaning.pair_norm)) == (0, (), 0)
    assert index.surface.marks.shape == (0, len(MARKS))
    assert index.surface.spoken.shape == (0, 2)
    assert index.meaning.vectors.shape == (0, 16)


def test_the_surface_needs_no_embedder(make_chat):
    surface = build_surface(make_chat(("Ana", "I play tennis"), ("Bo", "tea, yesterday")))

    assert [bool(c) for c in surface.categories] == [True, True]
    assert surface.categories[0] != surface.categories[1]
    assert np.isnan(surface.spoken[:, 0]).tolist() == [True, False]


def test_a_message_has_its_vector_among_those_of_its_session(make_chat, word_bags):
    later = START + timedelta(hours=9)
    texts = ["tea", "red kayak", "yes", "no", "hi"]
    chat = make_chat(*(("Ana", text) for text in texts[:4]), ("Bo", "hi", later))

    meaning = build_index(chat, word_bags).meaning

    expected = word_bags.among(texts, [0, 0, 0, 0, 1])
    assert np.array_equal(meaning.contexts, expected.contexts)
    assert meaning.contexts[4] == pytest.approx(meaning.vectors[4])
    assert (meaning.contexts[3] != meaning.vectors[3]).any()
