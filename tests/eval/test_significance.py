import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.significance import (
    Pair,
    cases_needed,
    difference,
    false_alarms,
    holm,
    interval,
    sign_flip,
)


def pairs(*changes: float, groups: str | None = None) -> list[Pair]:
    names = groups or "abcdefghijklmnopqrstuvwxyz"
    return [Pair(names[i % len(names)], 0.0, change) for i, change in enumerate(changes)]


def test_a_difference_counts_its_cases_and_which_way_they_went():
    found = difference(pairs(0.5, -0.25, 0.0, 0.25))

    assert (found.n, found.groups, found.gained, found.lost) == (4, 4, 2, 1)
    assert found.mean == pytest.approx(0.125)


def test_no_pairs_give_no_figures():
    found = difference([])

    assert (found.n, found.mean, found.interval, found.p_by_group) == (0, None, None, None)


@pytest.mark.parametrize(
    ("changes", "p"),
    [
        pytest.param([1.0, 1.0, 1.0], 0.25, id="2 of 8 patterns are as far out"),
        pytest.param([1.0, 1.0, 1.0, 1.0, 1.0], 0.0625, id="2 of 32"),
        pytest.param([1.0, -1.0], 1.0, id="balanced"),
        pytest.param([0.0, 0.0], 1.0, id="nothing changed"),
        pytest.param([3.0, 1.0], 0.5, id="2 of 4"),
    ],
)
def test_few_changes_are_tested_exactly(changes, p):
    assert sign_flip(np.array(changes)) == pytest.approx(p)


def test_cases_of_one_conversation_are_flipped_together():
    found = difference([Pair("one", 0.0, 1.0)] * 10 + [Pair("two", 0.0, 1.0)] * 10)

    assert found.p_by_group == pytest.approx(0.5)  # 2 of the 4 patterns of two conversations
    assert found.p_by_case is not None
    assert found.p_by_case < 0.001
    assert found.exact


def test_the_interval_resamples_whole_conversations():
    values, groups = [0.0] * 10 + [1.0] * 10, ["one"] * 10 + ["two"] * 10

    found = interval(values, groups)

    assert found is not None
    assert (found.low, found.high) == (0.0, 1.0)  # either conversation may be drawn twice
    assert found.descriptive


def test_one_conversation_gives_an_interval_without_width():
    found = interval([0.0, 1.0], ["one", "one"])

    assert found is not None
    assert (found.low, found.high, found.groups) == (0.5, 0.5, 1)


def test_the_same_seed_gives_the_same_figures():
    many = pairs(*np.linspace(-0.2, 0.5, 26))

    assert difference(many, seed=3) == difference(many, seed=3)


def test_holm_multiplies_by_the_tests_still_standing_and_never_falls():
    given_p = {"a": 0.01, "b": 0.04, "c": 0.03, "d": None}

    adjusted = holm(given_p)

    assert adjusted["a"] == pytest.approx(0.03)  # 3 * 0.01
    assert adjusted["c"] == pytest.approx(0.06)  # 2 * 0.03
    assert adjusted["b"] == pytest.approx(0.06)  # 1 * 0.04, but not below the one before
    assert adjusted["d"] is None


def test_two_like_things_are_called_different_in_at_most_one_of_twenty():
    rng = np.random.default_rng(1)
    null = [Pair(f"chat {i % 20}", 0.0, float(rng.normal())) for i in range(200)]

    assert false_alarms(null, trials=200, seed=5) <= 0.05 + 2 * (0.05 * 0.95 / 200) ** 0.5


def test_a_smaller_difference_takes_more_cases():
    rng = np.random.default_rng(2)
    found = [Pair(f"chat {i % 12}", 0.0, float(rng.normal(0, 0.3))) for i in range(120)]

    small, large = cases_needed(found, 0.03), cases_needed(found, 0.1)

    assert small is not None
    assert large is not None
    assert large < small


def test_the_cases_needed_agree_with_the_textbook_for_independent_cases():
    # sd 1 exactly (n - 1), delta 0.5, 5 % two-sided, power 80 %: 34 pairs (Cohen 1988, table 2.4.1).
    alternating = [1.0, -1.0] * 50
    scale = (sum(c * c for c in alternating) / 99) ** 0.5
    independent = [Pair(f"case {i}", 0.0, c / scale) for i, c in enumerate(alternating)]

    assert cases_needed(independent, 0.5) == 34


def test_pairs_that_do_not_vary_need_no_count():
    assert cases_needed(pairs(0.1, 0.1), 0.03) is None


@given(st.lists(st.floats(-1, 1, allow_nan=False), min_size=1, max_size=8))
@settings(max_examples=40, deadline=None)
def test_swapping_the_sides_turns_the_sign_and_nothing_else(changes):
    there = difference([Pair(str(i), 0.0, c) for i, c in enumerate(changes)])
    back = difference([Pair(str(i), c, 0.0) for i, c in enumerate(changes)])

    assert there.mean == pytest.approx(-back.mean)
    assert (there.gained, there.lost) == (back.lost, back.gained)
    assert there.p_by_group == pytest.approx(back.p_by_group)
