import numpy as np
import pytest

from sayso.retrieval import late
from sayso.retrieval.index import Meaning
from sayso.retrieval.late import word_matches

NORMS = np.zeros(0, dtype=np.float32)


def meaning(counts: list[int], seed: int = 7) -> Meaning:
    drawn = np.random.default_rng(seed).normal(size=(sum(counts), 96))
    unit = drawn / np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), 1e-9)
    return Meaning(
        vectors=np.zeros((len(counts), 4), dtype=np.float32),
        tokens=np.rint(unit * 127).astype(np.int8),
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        pair_norm=NORMS,
        next_norm=NORMS,
        window_norm=NORMS,
    )


def by_hand(held: Meaning, row: int, word: np.ndarray) -> float:
    tokens = held.tokens[held.starts[row] : held.starts[row + 1]]
    cosines = [sum(int(a) * int(b) for a, b in zip(t, word, strict=True)) for t in tokens]
    return max(cosines, default=0) / 127**2


@pytest.mark.parametrize(
    ("counts", "rows"),
    [
        pytest.param([3, 1, 4, 2], [0, 1, 2, 3], id="all"),
        pytest.param([3, 1, 4, 2], [1, 3], id="some"),
        pytest.param([0, 3, 0, 0, 2, 0], [0, 1, 2, 3, 4, 5], id="messages without words"),
        pytest.param([0, 3, 0, 0, 2, 0], [0, 4], id="the first without words"),
        pytest.param([0, 3, 0], [0, 2], id="none of them has words"),
        pytest.param([5], [0], id="one message"),
        pytest.param([2, 2], [], id="no rows"),
    ],
)
def test_each_query_word_meets_its_best_word_of_each_message(counts, rows):
    held, query = meaning(counts), meaning([3], seed=11).tokens

    found = word_matches(held, np.asarray(rows, dtype=np.int64), query)

    expected = [[by_hand(held, row, word) for word in query] for row in rows]
    assert found.shape == (len(rows), 3)
    assert found == pytest.approx(np.asarray(expected).reshape(len(rows), 3), abs=1e-5)


@pytest.mark.parametrize("words", [1, 3, 4])
def test_words_are_met_in_blocks_of_any_size(words, monkeypatch):
    held, query = meaning([3, 1, 4, 2]), meaning([3], seed=11).tokens
    whole = word_matches(held, np.arange(4), query)

    monkeypatch.setattr(late, "AT_ONCE", words * query.size)

    assert (word_matches(held, np.arange(4), query) == whole).all()


def test_a_word_is_most_like_itself():
    held = meaning([2, 3, 1])

    found = word_matches(held, np.arange(3), held.tokens[3:4])

    assert found[:, 0].argmax() == 1
    assert found[1, 0] == pytest.approx(1.0, abs=0.03)


def test_a_query_without_words_matches_nothing():
    found = word_matches(meaning([2, 3]), np.arange(2), np.zeros((0, 96), dtype=np.int8))

    assert found.shape == (2, 0)
