"""The models that are fitted: a listwise ranker, and a probability that a candidate is evidence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

Floats = NDArray[np.float64]


def fit_listwise(
    lists: Sequence[tuple[Floats, Floats]], *, l2: float, near: Floats | None = None
) -> Floats:
    """Weights that make the softmax over each list's rows agree with its gold.

    ``lists`` holds (features, gold) a question, gold being 0 or 1 a row with at least one 1. The
    loss is the mean cross entropy with the gold shared evenly, plus ``l2`` times the squared
    weights of the standardised features. The weights returned are for the features as given.
    ``near`` are weights to start from: the same minimum, sooner.
    """
    rows = np.concatenate([f for f, _ in lists]).astype(np.float64)
    scale = rows.std(axis=0) + 1e-9
    rows = (rows - rows.mean(axis=0)) / scale
    sizes = np.asarray([len(f) for f, _ in lists])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    target = np.concatenate([g / g.sum() for _, g in lists])

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = rows @ weights
        top = np.maximum.reduceat(scores, starts)
        grown = np.exp(scores - np.repeat(top, sizes))
        total = np.add.reduceat(grown, starts)
        value = (-(target @ scores) + (top + np.log(total)).sum()) / len(lists)
        slope = ((grown / np.repeat(total, sizes) - target) @ rows) / len(lists)
        return value + l2 * float(weights @ weights), slope + 2 * l2 * weights

    start = np.zeros(rows.shape[1]) if near is None else near * scale
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.asarray(found.x / scale)


def fit_logistic(rows: Floats, gold: Floats, *, l2: float) -> Floats:
    """Logistic regression; the last number returned is the bias. ``l2`` as in :func:`fit_listwise`."""
    centre, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    standard = np.column_stack([(rows - centre) / scale, np.ones(len(rows))])
    counted = np.ones(standard.shape[1])
    counted[-1] = 0.0

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = standard @ weights
        value = float(
            (np.logaddexp(0, odds) - gold * odds).mean() + l2 * (counted * weights**2).sum()
        )
        slope = standard.T @ (expit(odds) - gold) / len(rows) + 2 * l2 * counted * weights
        return value, slope

    start = np.zeros(standard.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    weights = found[:-1] / scale
    return np.append(weights, found[-1] - float(weights @ centre))
