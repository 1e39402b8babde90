import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.statistics import Abstention, Outcome, Summary, abstention, summarise


def test_worked_example_by_hand():
    # Mean 40 / 8 = 5; squares 9+1+1+1+0+0+4+16 = 32; 32 / 7; median between the 4th and 5th.
    summary = summarise([2, 4, 4, None, 4, 5, 5, 7, 9, None])

    assert summary == Summary(
        mean=5.0, median=4.5, std=pytest.approx(math.sqrt(32 / 7)), n=8, undefined=2
    )


def test_deviation_is_that_of_a_sample():
    # Mean 0.5; (0.25 + 0 + 0.25) / (3 - 1) = 0.25.
    assert summarise([0.0, 0.5, 1.0]).std == 0.5


@pytest.mark.parametrize(
    ("values", "summary"),
    [
        pytest.param([], Summary(None, None, None, 0, 0), id="no case"),
        pytest.param([None, None], Summary(None, None, None, 0, 2), id="none defined"),
        pytest.param([0.25], Summary(0.25, 0.25, None, 1, 0), id="one"),
        pytest.param([0.25, None], Summary(0.25, 0.25, None, 1, 1), id="one and one undefined"),
        pytest.param([0.1, 0.1, 0.1], Summary(0.1, 0.1, 0.0, 3, 0), id="all the same"),
    ],
)
def test_few_values_have_a_summary_without_nan(values, summary):
    assert summarise(values) == summary


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_no_number_is_refused(value):
    with pytest.raises(ValueError, match="finite number or None"):
        summarise([0.5, value])


@given(st.lists(st.none() | st.floats(0, 1)), st.randoms())
def test_summary_lies_within_the_scores_whatever_their_order(values, random):
    shuffled = list(values)
    random.shuffle(shuffled)
    summary = summarise(values)

    assert summarise(shuffled) == summary
    assert summary.n + summary.undefined == len(values)
    if summary.mean is not None:
        assert 0.0 <= summary.mean <= 1.0
    if summary.std is not None:
        assert 0.0 <= summary.std < 1.0


def outcomes(*, tp: int = 0, fp: int = 0, fn: int = 0, tn: int = 0) -> list[Outcome]:
    return (
        [Outcome(nothing_to_find=True, abstained=True)] * tp
        + [Outcome(nothing_to_find=False, abstained=True)] * fp
        + [Outcome(nothing_to_find=True, abstained=False)] * fn
        + [Outcome(nothing_to_find=False, abstained=False)] * tn
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            outcomes(tp=3, fp=1, fn=2, tn=10), Abstention(0.75, 0.6, 6 / 9, 3, 1, 2), id="mixed"
        ),
        pytest.param(
            outcomes(tp=2, fp=6), Abstention(0.25, 1.0, 4 / 10, 2, 6, 0), id="always abstains"
        ),
        pytest.param(
            outcomes(fn=2, tn=6), Abstention(None, 0.0, 0.0, 0, 0, 2), id="never abstains"
        ),
        pytest.param(
            outcomes(fp=1, tn=6), Abstention(0.0, None, 0.0, 0, 1, 0), id="always something to find"
        ),
        pytest.param(
            outcomes(tn=6), Abstention(None, None, None, 0, 0, 0), id="no positive at all"
        ),
        pytest.param([], Abstention(None, None, None, 0, 0, 0), id="no case"),
    ],
)
def test_abstention_by_hand(given, expected):
    assert abstention(given) == expected
