from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.models import Candidate, Graded
from sayso.reasoning.choosing import best_cut, wide_cut


def pool(*relevances: float) -> tuple[Graded, ...]:
    return tuple(
        Graded(candidate=Candidate(chat_id="c", local_id=i, score=0.0), relevance=p)
        for i, p in enumerate(relevances, 1)
    )


@pytest.mark.parametrize(
    ("relevances", "kept"),
    [
        pytest.param((), 0, id="nothing"),
        pytest.param((0.01,), 1, id="at least one"),
        pytest.param((0.0, 0.0), 1, id="at least one of none"),
        # 2·0.9/(1 + 1.0) = 0.9; two: 2·1.0/(2 + 1.0) = 0.67.
        pytest.param((0.9, 0.1), 1, id="one that stands out"),
        # 2·0.9/(1 + 1.7) = 0.67; two: 2·1.7/(2 + 1.7) = 0.92.
        pytest.param((0.9, 0.8), 2, id="two that do"),
        pytest.param((1.0,) * 6, 6, id="all certain"),
    ],
)
def test_the_cut_keeps_what_is_worth_citing(relevances, kept):
    assert len(best_cut(pool(*relevances), 12)) == kept


def test_the_cut_never_keeps_more_than_it_may():
    assert len(best_cut(pool(*[0.9] * 9), 4)) == 4


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=15).map(lambda p: sorted(p, reverse=True)),
    st.integers(1, 15),
)
def test_no_other_cut_has_a_higher_expected_f1(relevances, most):
    def expected_f1(k: int) -> float:
        return 2 * sum(relevances[:k]) / (k + sum(relevances))

    kept = best_cut(pool(*relevances), most)

    best = max(expected_f1(k) for k in range(1, min(most, len(relevances)) + 1))
    assert kept == pool(*relevances)[: len(kept)]
    assert 1 <= len(kept) <= most
    assert expected_f1(len(kept)) == pytest.approx(best, abs=1e-9)


@given(st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=1, max_size=4))
def test_the_formula_comes_near_the_f1_that_is_to_be_expected(relevances):
    """Against the true mean over every way that the messages may turn out."""
    relevances = sorted(relevances, reverse=True)

    def true_mean(k: int) -> float:
        total = 0.0
        for outcome in product([0, 1], repeat=len(relevances)):
            chance = 1.0
            for p, is_evidence in zip(relevances, outcome, strict=True):
                chance *= p if is_evidence else 1 - p
            total += chance * 2 * sum(outcome[:k]) / (k + sum(outcome))
        return total

    kept = len(best_cut(pool(*relevances), 12))

    assert true_mean(kept) >= max(true_mean(k) for k in range(1, len(relevances) + 1)) - 0.1


def test_a_wide_cut_keeps_all_of_the_head_that_reach_the_bar():
    assert [g.local_id for g in wide_cut(pool(0.9, 0.05, 0.3, 0.1, 0.8), 4, 0.1)] == [1, 3, 4]
    assert wide_cut((), 4, 0.1) == ()
