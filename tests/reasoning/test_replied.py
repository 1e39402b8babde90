from datetime import UTC, datetime

import pytest

from sayso.reasoning.replied import with_reply

EVENING = datetime(2024, 3, 2, 21, 0, tzinfo=UTC)


def cited_with_reply(chat, graded, cited, found=(1, 2, 3)) -> list[int]:
    pool = graded(*((i, 0.1) for i in found))
    return [g.local_id for g in with_reply(chat, graded(*((i, 0.9) for i in cited)), pool)]


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        pytest.param("what time does the ferry leave?", "half 7", id="a question"),
        pytest.param("Great! What time does the ferry leave?", "half 7", id="after a greeting"),
        pytest.param("渡轮几点开？", "七点半", id="Chinese"),
        pytest.param("the ferry?? or the bus?", "ferry, half 7", id="two questions"),
    ],
)
def test_the_reply_to_a_bare_question_stands_before_it(asked, reply, make_chat, graded):
    chat = make_chat(("Ana", asked), ("Bo", reply), ("Ana", "then we need a taxi"))

    assert cited_with_reply(chat, graded, [1]) == [2, 1]
    assert cited_with_reply(chat, graded, [1, 3]) == [2, 1, 3]


@pytest.mark.parametrize(
    ("said", "cited"),
    [
        pytest.param([("Ana", "the ferry leaves at half 7"), ("Bo", "ok")], [1], id="it tells"),
        pytest.param(
            [("Ana", "We took the early ferry to Korsholm. Did you?"), ("Bo", "no")], [1],
            id="it tells and asks",
        ),
        pytest.param([("Ana", "when is the ferry?"), ("Ana", "half 7, found it")], [1],
                     id="the same person goes on"),
        pytest.param([("Ana", "when is the ferry?"), ("Bo", "which ferry?")], [1],
                     id="asked back"),
        pytest.param([("Ana", "when is the ferry?"), ("Bo", "no idea, " * 20)], [1],
                     id="a long story"),
        pytest.param([("Ana", "when is the ferry?"), ("Bo", "half 7", EVENING)], [1],
                     id="hours later"),
        pytest.param([("Ana", "when is the ferry?"), ("Bo", "half 7")], [1, 2],
                     id="cited already"),
        pytest.param([("Ana", "when is the ferry?")], [1], id="nobody replied"),
        pytest.param([("Ana", "half 7"), ("Bo", "when is the ferry?"), ("Ana", "said so")],
                     [1, 2], id="only the first citation counts"),
        pytest.param([("Ana", "")], [], id="nothing cited"),
    ],
)  # fmt: skip
def test_otherwise_the_citations_stay_as_they_are(said, cited, make_chat, graded):
    assert cited_with_reply(make_chat(*said), graded, cited) == cited


def test_a_reply_that_was_not_retrieved_is_not_cited(make_chat, graded):
    chat = make_chat(("Ana", "when is the ferry?"), ("Bo", "half 7"))

    assert cited_with_reply(chat, graded, [1], found=[1]) == [1]


def test_a_deleted_or_empty_message_between_them_is_passed_over(make_chat, graded):
    chat = make_chat(("Ana", "when is the ferry?"), ("Cy", " "), ("Bo", "half 7"))

    assert cited_with_reply(chat, graded, [1]) == [3, 1]
