from datetime import UTC, datetime, timedelta

import pytest

from eval.bench_linear import Bm25, LinearRanking
from sayso.core.chat import Chat, Message, Participant
from sayso.retrieval.embedder import MiniLM

SAID = (
    ("Ana", "We went to the lake yesterday"),
    ("Ben", "Which lake?"),
    ("Ana", "The one behind the mill"),
    ("Ben", "I bought a kayak there once"),
    ("Ana", "I bought a tent"),
)


@pytest.fixture(scope="module")
def ranking():
    at = datetime(2024, 3, 1, 10, tzinfo=UTC)
    messages = [
        Message(local_id=n, sender=who, sent_at=at + timedelta(days=20 * n), text=text)
        for n, (who, text) in enumerate(SAID, 1)
    ]
    people = (Participant(name="Ana"), Participant(name="Ben"))
    chat = Chat(chat_id="a", title="a", platform="invented", participants=people, messages=messages)
    return LinearRanking(chat, MiniLM(fitted=None))


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Who has a canoe?", 3),
        ("What did Ana buy?", 4),
        ("What did Benn buy?", 3),
        ("What was said on 30 April?", 2),
    ],
)
def test_words_meaning_people_and_dates_put_what_answers_first(ranking, question, first):
    found = ranking.rank(question)

    assert found[0] == first
    assert sorted(found) == list(range(len(SAID)))


def test_a_question_that_meets_nothing_ranks_every_message(ranking):
    assert sorted(ranking.rank("???")) == list(range(len(SAID)))


def test_a_chat_of_one_message_is_ranked():
    at = datetime(2024, 3, 1, 10, tzinfo=UTC)
    message = Message(local_id=1, sender="Ana", sent_at=at, text="hello")
    people = (Participant(name="Ana"),)
    chat = Chat(chat_id="a", title="a", platform="x", participants=people, messages=[message])

    assert LinearRanking(chat, MiniLM(fitted=None)).rank("Who said hello?") == [0]


def test_bm25_weighs_rare_terms_and_short_documents_more():
    bm25 = Bm25([["kayak", "red"], ["kayak", "red", "lake", "mill"], ["red"]], 0.4)

    shares = bm25.shares(["kayak", "red"])

    assert shares[0] == 1.0
    assert 0 < shares[2] < shares[1] < 1.0
    assert bm25.shares(["boat"]).tolist() == [0.0, 0.0, 0.0]
