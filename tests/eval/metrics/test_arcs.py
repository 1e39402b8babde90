import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import global_recall, phase_coverage, phase_recall, phase_recalls

PHASES = [[1, 2, 3, 4], [5, 6, 7], [8], [9, 10]]
RETURNED = [1, 2, 3, 4, 5, 6, 8, 99]  # 4 of 4, 2 of 3, 1 of 1, 0 of 2: 7 of 10


def test_seven_of_ten_ids_over_all_phases_are_a_global_recall_of_70_percent():
    assert global_recall(RETURNED, PHASES) == 0.7


def test_three_of_four_phases_hit_are_a_phase_coverage_of_75_percent():
    assert phase_coverage(RETURNED, PHASES) == 0.75


def test_each_phase_has_its_recall_in_order():
    assert phase_recalls(RETURNED, PHASES) == (1.0, 2 / 3, 1.0, 0.0)


def test_every_phase_weighs_the_same_in_the_mean():
    assert phase_recall([1, 2, 3, 4], [[1, 2, 3, 4], [9]]) == 0.5


def test_an_id_of_two_phases_counts_once_over_all_and_in_each():
    assert global_recall([2], [[1, 2], [2, 3]]) == 1 / 3
    assert phase_recalls([2], [[1, 2], [2, 3]]) == (0.5, 0.5)


def test_a_phase_without_ids_stays_out_of_the_denominator():
    assert phase_recalls([1], [[1], [], [3]]) == (1.0, None, 0.0)
    assert phase_coverage([1], [[1], [], [3]]) == 0.5
    assert phase_recall([1], [[1], [], [3]]) == 0.5


@pytest.mark.parametrize("phases", [[], [[]], [[], []]], ids=["none", "one empty", "two empty"])
def test_without_expected_ids_all_is_recalled(phases):
    assert global_recall([1], phases) == 1.0
    assert phase_coverage([1], phases) == 1.0
    assert phase_recall([1], phases) == 1.0


def test_nothing_returned_covers_nothing():
    assert global_recall([], PHASES) == 0.0
    assert phase_coverage([], PHASES) == 0.0
    assert phase_recall([], PHASES) == 0.0


@given(st.lists(st.integers(1, 12)), st.lists(st.sets(st.integers(1, 12)), max_size=5))
def test_values_lie_in_0_to_1_and_returning_everything_is_perfect(returned, phases):
    for metric in (global_recall, phase_coverage, phase_recall):
        assert 0.0 <= metric(returned, phases) <= 1.0
        assert metric(iter(range(1, 13)), phases) == 1.0
