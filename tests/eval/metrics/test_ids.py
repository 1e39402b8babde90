import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import all_hit, evidence_f1, evidence_precision, evidence_recall, fuzzy_recall

IDS = st.lists(st.integers(1, 40), max_size=12)


@pytest.mark.parametrize(
    ("metric", "returned", "expected", "value"),
    [
        pytest.param(evidence_recall, [4, 28], [4, 14], 0.5, id="recall, one of two"),
        pytest.param(evidence_recall, [], [4], 0.0, id="recall of nothing returned"),
        pytest.param(evidence_recall, [4], [], 1.0, id="recall, nothing expected"),
        pytest.param(evidence_recall, [4, 4], [4, 4, 14], 0.5, id="recall, duplicates"),
        pytest.param(fuzzy_recall, [6], [4], 1.0, id="fuzzy, two away"),
        pytest.param(fuzzy_recall, [7], [4], 1.0, id="fuzzy, three away"),
        pytest.param(fuzzy_recall, [1], [4], 1.0, id="fuzzy, three before"),
        pytest.param(fuzzy_recall, [8], [4], 0.0, id="fuzzy, four away"),
        pytest.param(fuzzy_recall, [10], [8, 12, 14], 2 / 3, id="fuzzy, one serves several"),
        pytest.param(fuzzy_recall, [], [4], 0.0, id="fuzzy of nothing returned"),
        pytest.param(fuzzy_recall, [], [], 1.0, id="fuzzy, nothing expected"),
        pytest.param(evidence_precision, [1, 2, 3, 4, 5], [2, 5, 9], 0.4, id="2 of 5"),
        pytest.param(evidence_precision, [2, 2, 3], [2], 0.5, id="precision, duplicates"),
        pytest.param(evidence_precision, [], [4], 0.0, id="precision of nothing"),
        pytest.param(evidence_precision, [4], [], 0.0, id="precision, nothing expected"),
        pytest.param(evidence_f1, [4, 28], [4, 14], 0.5, id="f1, balanced"),
        pytest.param(evidence_f1, [4], [4, 5, 6], 0.5, id="f1 of 1 and 1/3"),
        pytest.param(evidence_f1, [1], [2], 0.0, id="f1 of 0 and 0"),
        pytest.param(evidence_f1, [], [], 0.0, id="f1 of nothing"),
        pytest.param(all_hit, [4, 14, 28], [14, 4], 1.0, id="all hit"),
        pytest.param(all_hit, [4, 28], [4, 14], 0.0, id="one missing"),
        pytest.param(all_hit, [], [], 1.0, id="all of none"),
    ],
)
def test_value_by_hand(metric, returned, expected, value):
    assert metric(returned, expected) == value


def test_the_window_is_a_choice():
    assert fuzzy_recall([9], [4], window=5) == 1.0
    assert fuzzy_recall([5], [4], window=0) == 0.0
    with pytest.raises(ValueError, match="not -1"):
        fuzzy_recall([5], [4], window=-1)


@given(IDS, IDS, st.integers(0, 6))
def test_fuzzy_recall_is_a_search_of_every_pair(returned, expected, window):
    hits = {e for e in expected if any(abs(e - r) <= window for r in returned)}

    assert fuzzy_recall(returned, expected, window=window) == (
        len(hits) / len(set(expected)) if expected else 1.0
    )


@given(IDS, IDS)
def test_a_window_of_nothing_is_exact_recall(returned, expected):
    assert fuzzy_recall(returned, expected, window=0) == evidence_recall(returned, expected)


@given(IDS, IDS, st.randoms())
def test_order_and_duplicates_are_irrelevant_and_values_lie_in_0_to_1(returned, expected, random):
    shuffled = [*returned, *returned]
    random.shuffle(shuffled)

    for metric in (evidence_recall, evidence_precision, evidence_f1, fuzzy_recall, all_hit):
        value = metric(returned, expected)
        assert 0.0 <= value <= 1.0
        assert isinstance(value, float)
        assert metric(shuffled, iter(expected[::-1])) == value


@given(IDS, IDS)
def test_f1_is_the_harmonic_mean(returned, expected):
    p, r = evidence_precision(returned, expected), evidence_recall(returned, expected)

    assert evidence_f1(returned, expected) == pytest.approx(2 * p * r / (p + r) if p + r else 0.0)
