import pytest

from sayso.retrieval.embedder import Among
from sayso.retrieval.surroundings import ChatTexts, surroundings

LONG = "word " * 30


@pytest.mark.parametrize(
    ("texts", "session", "expected"),
    [
        pytest.param([], [], [], id="nothing"),
        pytest.param(["a"], [0], [((), "a", ())], id="one"),
        pytest.param(["a", "b"], [0, 0], [((), "a", ("b",)), (("a",), "b", ())], id="a session"),
        pytest.param(["a", "b"], [0, 1], [((), "a", ()), ((), "b", ())], id="two sessions"),
        pytest.param(
            ["a", "b", "c"],
            [0, 0, 0],
            [((), "a", ("b", "c")), (("a",), "b", ("c",)), (("a", "b"), "c", ())],
            id="in the order of the chat",
        ),
    ],
)
def test_texts_stand_among_those_of_their_session(texts, session, expected):
    assert surroundings(texts, session) == [Among(*one) for one in expected]


def test_so_many_stand_around_a_text_as_are_long_enough_together():
    (of_long, *_) = surroundings(["a", LONG, LONG, "b"], [0] * 4)
    *_, of_short = surroundings([str(i) for i in range(30)], [0] * 30)

    assert of_long.after == (LONG, LONG)
    assert of_short.before == tuple(str(i) for i in range(21, 29))


def test_what_is_added_changes_the_last_few_alone():
    texts = [f"{i} and some words" for i in range(200)]
    former = surroundings(texts, [0] * 200)

    grown = surroundings([*texts, "new"], [0] * 201)

    assert [a == b for a, b in zip(former, grown, strict=False)] == [True] * 192 + [False] * 8


def test_what_is_taken_out_changes_its_neighbours_alone():
    texts = [f"{i} and some words" for i in range(200)]
    former = surroundings(texts, [0] * 200)

    fewer = surroundings([*texts[:100], *texts[101:]], [0] * 199)

    assert fewer[:92] == former[:92]
    assert fewer[108:] == former[109:]


def test_an_embedder_that_reads_each_by_itself_is_told_of_no_others(word_bags):
    class Alone:
        def encode(self, texts, progress=None):
            return word_bags.encode(texts, progress)

    told = ChatTexts(["a", "b", "c"], [0, 0, 0], Alone())

    assert told.among is None
    assert told.encoded([2, 0], None).contexts.shape == (2, 0)
    assert word_bags.seen == ["c", "a"]


def test_an_embedder_that_reads_among_others_is_told_of_them(word_bags):
    told = ChatTexts(["a", "b", "c"], [0, 0, 0], word_bags)

    found = told.encoded([2, 0], None)

    assert (
        found.contexts.tobytes()
        == word_bags.among(["a", "b", "c"], [0] * 3).contexts[[2, 0]].tobytes()
    )
