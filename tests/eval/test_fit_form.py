"""The bilinear form learns what goes together beyond the scores, and only where there is enough to learn from."""

import numpy as np
import pytest

from eval import fit_form as module
from eval.fit_form import Taught, _of_one, fit_form

SIZE = 12
DRAWN = np.random.default_rng(3)
SWAPPED = np.linalg.qr(DRAWN.normal(size=(SIZE, SIZE)))[0].astype(np.float32)


def unit(*shape: int) -> np.ndarray:
    drawn = DRAWN.normal(size=(*shape, SIZE))
    return (drawn / np.linalg.norm(drawn, axis=-1, keepdims=True)).astype(np.float32)


def asked(scores: np.ndarray | None = None) -> Taught:
    """A question whose answer is its vector turned, among nineteen others."""
    query, messages = unit(), unit(20)
    messages[0] = query @ SWAPPED
    gold = np.arange(20) == 0
    return Taught(query, messages, np.zeros(20) if scores is None else scores, gold)


def firsts(form, lists) -> float:
    """In how many lists the form puts the answer first."""
    values = [one.messages @ form.turned(one.query) + one.scores for one in lists]
    return float(np.mean([v.argmax() == 0 for v in values]))


def test_what_goes_together_is_found_for_questions_that_did_not_teach():
    form, _ = fit_form([asked() for _ in range(400)])

    assert firsts(form, [asked() for _ in range(100)]) > 0.9


def test_few_questions_teach_little():
    few, _ = fit_form([asked() for _ in range(3)])
    many, _ = fit_form([asked() for _ in range(300)])
    query, messages = unit(), unit(50)

    assert np.abs(messages @ few.turned(query)).max() < 0.5
    assert np.abs(messages @ many.turned(query)).max() > 1.0


def test_what_the_scores_tell_already_is_not_learned_again():
    # The answer stands far ahead of the others as it is.
    ahead = [asked(np.where(np.arange(20) == 0, 12.0, 0.0)) for _ in range(300)]

    _, matrix = fit_form(ahead)

    assert np.abs(matrix).max() < 0.01


def test_a_start_leads_to_the_same_form():
    lists = [asked() for _ in range(60)]
    _, once = fit_form(lists)

    _, again = fit_form(lists, near=once)

    assert again == pytest.approx(once, abs=0.05)


def test_the_slope_is_that_of_the_loss_and_gold_does_not_compete():
    scores = DRAWN.normal(size=8)
    one = Taught(unit(), unit(8), scores, np.arange(8) < 2)

    _, slope = _of_one(one, scores)

    for i in range(8):
        step = np.eye(8)[i] * 1e-5
        apart = _of_one(one, scores + step)[0] - _of_one(one, scores - step)[0]
        assert slope[i] == pytest.approx(apart / 2e-5, abs=1e-6)
    raised = scores + np.where(np.arange(8) == 0, 50.0, 0.0)
    other = (np.logaddexp.reduce([*scores[2:], scores[1]]) - scores[1]) / 2
    assert _of_one(one, raised)[0] == pytest.approx(other, abs=1e-9)


def test_the_form_has_the_rank_that_was_measured(monkeypatch):
    monkeypatch.setattr(module, "_RANK", 2)

    form, matrix = fit_form([asked() for _ in range(100)])

    assert (form.dimensions, form.rank) == (SIZE, 2)
    left, weights, right = np.linalg.svd(matrix)
    best = (left[:, :2] * weights[:2]) @ right[:2]
    assert np.stack([form.turned(row) for row in np.eye(SIZE, dtype=np.float32)]) == pytest.approx(
        best, abs=0.02 * weights[0]
    )
