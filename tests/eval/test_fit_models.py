import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from eval.fit_models import SHARED, fit_listwise, fit_logistic, fit_logistic_over


def lists(seed: int = 3, n: int = 60, scale: tuple[float, ...] = (1.0, 1.0, 1.0)):
    """Questions of eight rows: feature 0 is high where the gold is, 1 is low there, 2 is noise."""
    drawn = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        gold = np.zeros(8)
        gold[drawn.choice(8, size=drawn.integers(1, 3), replace=False)] = 1
        rows = drawn.normal(size=(8, 3))
        rows[:, 0] += 1.5 * gold
        rows[:, 1] -= 1.5 * gold
        made.append((rows * np.asarray(scale), gold))
    return made


def test_a_feature_that_tells_the_gold_has_weight_and_noise_has_little():
    for_gold, against, noise = fit_listwise(lists(n=300), l2=0.001)

    assert for_gold > 0.5
    assert against < -0.5
    assert abs(noise) < 0.3


def test_weights_are_for_the_features_as_they_were_given():
    plain = fit_listwise(lists(), l2=0.001)
    scaled = fit_listwise(lists(scale=(10.0, 0.1, 1.0)), l2=0.001)

    assert scaled == pytest.approx(plain / np.asarray([10.0, 0.1, 1.0]), rel=1e-2, abs=1e-3)


def test_a_feature_that_never_varies_has_no_say():
    made = [(np.column_stack([rows, np.full(8, 5.0)]), gold) for rows, gold in lists()]

    weights = fit_listwise(made, l2=0.001)

    assert weights[3] == pytest.approx(0.0, abs=1e-6)


def test_more_regularisation_means_smaller_weights():
    free, tight = (np.linalg.norm(fit_listwise(lists(), l2=l2)) for l2 in (0.0001, 1.0))

    assert tight < free / 2


def test_one_list_of_two_rows_has_the_weight_that_the_loss_gives():
    # Standardised the rows are +1 and -1: the loss is log(1 + e^(-2w)) + l2 w², whose slope
    # is 0 where l2 = 1 / (w (1 + e^(2w))); w = 1 there. As given the rows lie 3 from their mean.
    l2 = 1 / (1 + math.exp(2))

    (weight,) = fit_listwise([(np.asarray([[10.0], [4.0]]), np.asarray([1.0, 0.0]))], l2=l2)

    assert weight == pytest.approx(1 / 3, abs=1e-3)


def test_several_golds_of_one_list_share_its_say_evenly():
    both = [(np.asarray([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.asarray([1.0, 1.0, 0.0]))]

    first, second = fit_listwise(both, l2=0.01)

    assert first == pytest.approx(second, abs=1e-3)
    assert first > 0


def test_the_weights_are_the_minimum_of_the_loss_as_it_is_defined():
    made = lists(n=12)
    rows = np.concatenate([r for r, _ in made])
    scale = rows.std(axis=0)

    def loss(weights: np.ndarray) -> float:
        total = shares = 0.0
        for features, gold in made:
            scores = (features - rows.mean(axis=0)) / scale @ weights
            rest = np.exp(scores[gold == 0]).sum()
            n = gold.sum()
            for score in scores[gold == 1]:
                total -= n ** (SHARED - 1) * (score - math.log(math.exp(score) + rest))
                shares += n ** (SHARED - 1)
        return total / shares + 0.01 * float(weights @ weights)

    found = fit_listwise(made, l2=0.01)

    assert found * scale == pytest.approx(minimize(loss, np.zeros(3)).x, abs=1e-3)


def test_gold_does_not_push_other_gold_down():
    # The second feature tells one gold message from the rest. Were both to get an even share, it
    # would have to say nothing, since it tells them apart, too.
    rows = np.asarray([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])

    both, one_only = fit_listwise([(rows, np.asarray([1.0, 1.0, 0.0, 0.0]))] * 5, l2=0.01)

    assert one_only > 0.3
    assert both > one_only


def test_gold_however_far_behind_other_gold_has_its_say():
    rows = np.zeros((100_000, 1))
    rows[0] = 1.0  # hundreds of standard deviations above all the rest, the other gold too
    gold = np.zeros(len(rows))
    gold[:2] = 1

    (weight,) = fit_listwise([(rows, gold)], l2=1e-4)

    assert weight > 1.0


def test_a_list_of_nothing_but_gold_teaches_nothing():
    every = (np.asarray([[1.0, 0.0], [0.0, 1.0]]), np.asarray([1.0, 1.0]))

    assert fit_listwise([every], l2=0.01) == pytest.approx([0.0, 0.0], abs=1e-6)


def test_the_same_lists_give_the_same_weights():
    first, again = (fit_listwise(lists(), l2=0.01).tobytes() for _ in range(2))

    assert first == again


def test_without_a_telling_feature_the_probability_is_the_share_of_the_gold():
    rows, gold = np.zeros((40, 2)), np.asarray([1.0] * 10 + [0.0] * 30)

    *weights, bias = fit_logistic(rows, gold, l2=0.01)

    assert weights == pytest.approx([0.0, 0.0], abs=1e-6)
    assert bias == pytest.approx(math.log(10 / 30), abs=1e-3)


def test_probabilities_of_two_groups_are_their_shares():
    # 1 of 5 where the feature is 2, 3 of 4 where it is 6.
    rows = np.asarray([[2.0]] * 5 + [[6.0]] * 4)
    gold = np.asarray([1.0, 0, 0, 0, 0, 1, 1, 1, 0])

    weight, bias = fit_logistic(rows, gold, l2=0.0)

    assert 1 / (1 + math.exp(-(2 * weight + bias))) == pytest.approx(0.2, abs=1e-3)
    assert 1 / (1 + math.exp(-(6 * weight + bias))) == pytest.approx(0.75, abs=1e-3)


def test_rows_that_can_be_told_apart_keep_finite_weights():
    rows = np.asarray([[0.0], [1.0], [10.0], [11.0]])

    weight, bias = fit_logistic(rows, np.asarray([0.0, 0, 1, 1]), l2=0.01)

    assert np.isfinite([weight, bias]).all()
    assert weight > 0


@settings(max_examples=20)
@given(scale=st.floats(0.01, 100), shift=st.floats(-50, 50))
def test_the_units_of_a_feature_change_no_probability(scale, shift):
    drawn = np.random.default_rng(5)
    rows = drawn.normal(size=(50, 1))
    gold = (rows[:, 0] + drawn.normal(size=50) > 0).astype(float)

    weight, bias = fit_logistic(rows, gold, l2=0.01)
    other_weight, other_bias = fit_logistic(rows * scale + shift, gold, l2=0.01)

    odds = rows[:, 0] * weight + bias
    assert (rows[:, 0] * scale + shift) * other_weight + other_bias == pytest.approx(odds, abs=0.02)


def test_a_start_near_the_minimum_leads_to_the_same_weights():
    plain = fit_listwise(lists(), l2=0.001)

    assert fit_listwise(lists(), l2=0.001, near=plain * 1.5) == pytest.approx(plain, abs=1e-3)


def test_a_feature_can_be_held_back_more_than_the_others():
    alike, held = (fit_listwise(lists(n=300), l2=l2) for l2 in (0.001, (0.001, 1.0, 0.001)))

    assert fit_listwise(lists(n=300), l2=(0.001,) * 3) == pytest.approx(alike)
    assert abs(held[1]) < 0.3 * abs(alike[1])
    assert abs(held[0]) > 0.5 * abs(alike[0])


def test_a_feature_of_a_probability_can_be_held_back_more_than_the_others():
    # Two features that tell the same, so that only what holds them back parts them.
    gold = np.asarray([0.0, 1.0] * 50)
    rows = np.column_stack([gold + np.linspace(0, 1, 100)] * 2)

    one, other, _ = fit_logistic(rows, gold, l2=(0.001, 0.01))

    assert one > 5 * other > 0
    alike = fit_logistic(rows, gold, l2=0.01)
    assert fit_logistic(rows, gold, l2=(0.01, 0.01)) == pytest.approx(alike)


def test_weights_add_to_the_scores_that_they_are_fitted_over():
    made = lists(n=200)
    known = np.asarray([0.6, -0.2, 0.0])

    whole = fit_listwise(made, l2=1e-7)
    rest = fit_listwise(made, l2=1e-7, over=[rows @ known for rows, _ in made])

    assert rest + known == pytest.approx(whole, abs=0.01)
    assert np.abs(rest - whole).max() > 0.1


def test_weights_over_log_odds_add_what_these_do_not_say():
    drawn = np.random.default_rng(8)
    rows = drawn.normal(size=(4000, 2)) * (1.0, 5.0)
    truth = (
        drawn.random(4000) < 1 / (1 + np.exp(-(1.5 * rows[:, 0] - 0.3 * rows[:, 1] + 0.4)))
    ) * 1.0

    more = fit_logistic_over(rows, truth, rows[:, 0] + 0.4, l2=1e-6)
    held = fit_logistic_over(rows, truth, rows[:, 0] + 0.4, l2=1.0)

    assert more == pytest.approx([0.5, -0.3], abs=0.1)
    assert np.abs(held).max() < 0.2
