import numpy as np
import pytest

from eval.fit_cuts import abstain_f1, scores, wide_size


def test_f1_of_abstaining_counts_what_had_nothing_to_find():
    told = [(True, True), (True, False), (False, True), (False, False)]

    assert abstain_f1(told) == 0.5
    assert abstain_f1([(False, True)]) is None


def test_a_returned_set_is_scored_against_all_the_gold():
    f1, recall, precision, size = scores(np.asarray([1.0, 0.0]), 4)

    assert (recall, precision, size) == (0.25, 0.5, 2.0)
    assert f1 == pytest.approx(1 / 3)
    assert scores(np.zeros(0), 3) == (0.0, 0.0, 0.0, 0.0)


def test_a_wide_set_reaches_the_bar_and_has_at_least_two_and_at_most_seven():
    assert wide_size(np.asarray([0.9, 0.5, 0.2]), 0.3) == 2
    assert wide_size(np.asarray([0.9, 0.1]), 0.5) == 2
    assert wide_size(np.full(20, 0.9), 0.5) == 7
