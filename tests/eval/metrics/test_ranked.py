from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import all_hit_at_k, ndcg_at_k, recall_at_k

IDS = st.lists(st.integers(1, 15), max_size=15)
METRICS = (recall_at_k, all_hit_at_k, ndcg_at_k)


@pytest.mark.parametrize(
    ("ranking", "expected", "k", "value"),
    [
        pytest.param([3, 1, 7, 9], {1, 9}, 2, 0.5, id="one within, one below"),
        pytest.param([3, 1, 7, 9], {1, 9}, 4, 1.0, id="both within"),
        pytest.param([3], {1}, 10, 0.0, id="none"),
        pytest.param([], {1}, 10, 0.0, id="nothing ranked"),
        pytest.param([1], set(), 1, 1.0, id="nothing expected"),
        pytest.param([1, 2, 3], {1, 2, 3}, 1, 1 / 3, id="more expected than k"),
        pytest.param([5, 5, 5, 1], {1}, 2, 1.0, id="what follows a duplicate moves up"),
    ],
)
def test_recall_at_k_by_hand(ranking, expected, k, value):
    assert recall_at_k(ranking, expected, k) == value


def test_all_hit_at_k_by_hand():
    assert all_hit_at_k([3, 1, 7, 9], {1, 7}, 3) == 1.0
    assert all_hit_at_k([3, 1, 7, 9], {1, 7}, 2) == 0.0
    assert all_hit_at_k([], [], 2) == 1.0


@pytest.mark.parametrize(
    ("ranking", "expected", "k", "value"),
    [
        pytest.param([1, 2], [2, 1], 10, 1.0, id="perfect"),
        pytest.param([8, 1], [1], 10, 1 / log2(3), id="second"),
        pytest.param([8, 9, 1], [1], 10, 0.5, id="third"),
        pytest.param([8, 9, 1], [1], 2, 0.0, id="below k"),
        pytest.param(
            [1, 8, 2], [1, 2], 10, (1 + 1 / 2) / (1 + 1 / log2(3)), id="first and third of two"
        ),
        pytest.param([1, 1, 2], [1, 2], 10, 1.0, id="a duplicate gains once"),
        pytest.param([1], [1, 2, 3], 1, 1.0, id="the ideal fits into k"),
        pytest.param([1], [], 10, 1.0, id="nothing expected"),
        pytest.param([], [1], 10, 0.0, id="nothing ranked"),
    ],
)
def test_ndcg_at_k_by_hand(ranking, expected, k, value):
    assert ndcg_at_k(ranking, expected, k) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("k", [0, -3])
def test_k_counts_from_one(metric, k):
    with pytest.raises(ValueError, match=f"not {k}"):
        metric([1], [1], k)


@given(IDS, st.sets(st.integers(1, 15)), st.integers(1, 15))
def test_values_lie_in_0_to_1_and_a_perfect_ranking_is_perfect(ranking, expected, k):
    for metric in METRICS:
        assert 0.0 <= metric(ranking, expected, k) <= 1.0
    assert ndcg_at_k([*sorted(expected), *ranking], expected, k) == 1.0
    assert recall_at_k([*sorted(expected), *ranking], expected, 15) == 1.0


@given(IDS, st.sets(st.integers(1, 15)), st.integers(1, 15))
def test_repeating_a_ranking_changes_nothing(ranking, expected, k):
    for metric in METRICS:
        assert metric([*ranking, *ranking], expected, k) == metric(ranking, expected, k)
