"""The bilinear form: how a query's vector and a message's go together, over what is weighed already.

It is fitted on top of the ranking's scores: with no form the ranking stays as it is, and every number
of it is paid for. So it learns only what cosines and words do not tell.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from eval.fit_models import Floats
from sayso.weights import Form

# Over the sum of the losses, so that few questions teach little. Measured at 0.13 to 1.3: recall@10 of
# groups not fitted on was within half a point of this from 0.25 on, and fell below.
_HELD_BACK = 0.63
# Rounds of search. The loss moves by less than its fourth digit afterwards.
_ROUNDS = 60
# Measured: 8 to 384 came within half a point of each other.
_RANK = 64

Vectors = NDArray[np.float32]


class Taught(NamedTuple):
    """A question's vector (dimensions,), and of its candidates the vectors, the scores that they have
    without the form, and which are gold, at least one of them.
    """

    query: Vectors
    messages: Vectors
    scores: Floats
    gold: NDArray[np.bool_]


def fit_form(lists: Sequence[Taught], near: Floats | None = None) -> tuple[Form, Floats]:
    """The form, of a low rank, and the matrix that it is of; ``near`` is one to start from.

    Gold does not compete, as in :func:`eval.fit_models.fit_listwise`; every list weighs the same.
    """
    queries = np.stack([one.query for one in lists])
    size = queries.shape[1]
    held_back = _HELD_BACK / len(lists)

    def loss(numbers: Floats) -> tuple[float, Floats]:
        turned = queries @ numbers.reshape(size, size).astype(np.float32)
        pulled = np.empty_like(queries)
        total = 0.0
        for i, one in enumerate(lists):
            lost, slope = _of_one(one, one.scores + one.messages @ turned[i])
            total += lost
            pulled[i] = slope.astype(np.float32) @ one.messages
        slope = (queries.T @ pulled).astype(np.float64).ravel() / len(lists)
        return (
            total / len(lists) + held_back / 2 * float(numbers @ numbers),
            slope + held_back * numbers,
        )

    start = np.zeros(size * size) if near is None else near.ravel()
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}).x
    matrix = np.asarray(found.reshape(size, size))
    left, weights, right = np.linalg.svd(matrix)
    halves = np.sqrt(weights[:_RANK])
    return Form.of(left[:, :_RANK] * halves, right[:_RANK].T * halves), matrix


def _of_one(one: Taught, scores: Floats) -> tuple[float, Floats]:
    """The loss of a list, and its slope by the scores."""
    best = scores.max()
    shares = np.exp(scores - best)
    gold = shares[one.gold]
    beside = shares[~one.gold].sum() + gold
    lost = float((np.log(beside) + best - scores[one.gold]).mean())
    slope = shares * (1 / beside).mean()
    slope[one.gold] = (gold / beside - 1) / len(gold)
    return lost, slope
