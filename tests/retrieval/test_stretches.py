import pytest

from sayso.retrieval.stretches import Stretch, stretches

LONG = "word " * 30


@pytest.mark.parametrize(
    ("texts", "session", "expected"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param(["a"], [0], [("", "a")], id="one"),
        pytest.param(["a", "b"], [0, 0], [("", "a", "b")], id="a session together"),
        pytest.param(["a", "b", "c"], [0, 1, 1], [("", "a"), ("", "b", "c")], id="two sessions"),
        pytest.param(
            [LONG] * 4, [0] * 4, [("", LONG, LONG), (f"{LONG}\n{LONG}", LONG, LONG)], id="long"
        ),
        pytest.param([LONG * 9, "a"], [0, 0], [("", LONG * 9, "a")], id="of one its beginning"),
        pytest.param(
            ["a", LONG, LONG, LONG, "b"],
            [0, 1, 1, 1, 1],
            [("", "a"), ("", LONG, LONG), (f"{LONG}\n{LONG}", LONG, "b")],
            id="before, in the session",
        ),
    ],
)
def test_runs_end_with_the_session_or_where_they_are_long(texts, session, expected):
    assert stretches(texts, session) == [Stretch(b, tuple(rest)) for b, *rest in expected]


@pytest.mark.parametrize("text", ["", "ok", "word " * 7, LONG])
def test_all_texts_are_in_a_run_in_their_order_and_no_run_is_without_an_end(text):
    texts = [f"{i} {text}" for i in range(500)]

    found = stretches(texts, [0] * 500)

    assert [t for one in found for t in one.texts] == texts
    assert max(len(one.texts) for one in found) <= 100


def test_what_is_added_changes_the_last_run_alone():
    texts = [f"{i} and some words" for i in range(200)]
    former = stretches(texts, [0] * 200)

    grown = stretches([*texts, "new"], [0] * 201)

    assert grown[: len(former) - 1] == former[:-1]
    assert len(former) > 5
