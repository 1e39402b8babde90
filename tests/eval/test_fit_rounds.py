import pytest

from eval.fit_rounds import GROUP, allowing, f1, least
from sayso.weights import shipped_weights


def test_a_kind_of_search_is_worth_what_it_gains_where_it_gains_least():
    # (4 * 0.5) / (4 + 20) and (5 * -0.1) / (5 + 20)
    assert least([[0.5] * 4]) == pytest.approx(0.0833)
    assert least([[0.5] * 4, [-0.1] * 5]) == pytest.approx(-0.02)


def test_a_kind_that_was_never_seen_gains_nothing():
    assert least([]) == 0.0


def test_one_kind_alone_is_allowed_and_all_other_weights_stay():
    shipped = shipped_weights()

    alone = allowing(shipped, "by_order")

    assert alone.groups[GROUP] == {"by_order": 1.0}
    assert {**alone.groups, GROUP: 0} == {**shipped.groups, GROUP: 0}


def test_f1_counts_each_message_once_and_is_nought_without_a_hit():
    assert f1([1, 2, 2], {2, 3}) == 0.5
    assert f1([2, 3], {2, 3}) == 1.0
    assert f1([], {2}) == 0.0
    assert f1([1], {2}) == 0.0
