"""The models that are fitted: a listwise ranker, and a probability that a candidate is evidence."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

Floats = NDArray[np.float64]

# Between 0 (every list weighs the same) and 1 (every gold row does). Measured: 0.5 ranks better on
# groups and on data sets not fitted on than 0 does, and than gold that competes.
SHARED = 0.5
_FAR = 1e6


def fit_listwise(
    lists: Sequence[tuple[Floats, Floats]],
    *,
    l2: float | Sequence[float],
    near: Floats | None = None,
    over: Sequence[Floats] | None = None,
) -> Floats:
    """Weights under which each list's gold comes before the rest of its list.

    ``lists`` holds (features, gold) a question, gold being 0 or 1 a row with at least one 1. Each
    gold row is told from the rows that are not gold by a softmax over these and itself, so that
    gold rows do not compete; the loss is the weighted mean of its cross entropies, where the gold
    of a list of n weighs n ** SHARED together, plus ``l2`` (one number, or one a feature) times the
    squared weights of the standardised features. The weights returned are for the features as
    given. ``near`` are weights to start from: the same minimum, sooner. ``over`` are scores of each list's
    rows that the weights add to.
    """
    rows = np.concatenate([f for f, _ in lists]).astype(np.float64)
    scale = rows.std(axis=0) + 1e-9
    rows = (rows - rows.mean(axis=0)) / scale
    sizes = np.asarray([len(f) for f, _ in lists])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    is_gold = np.concatenate([g for _, g in lists]) > 0
    gold = np.flatnonzero(is_gold)
    of = np.repeat(np.arange(len(lists)), sizes)[gold]
    weight = np.bincount(of, minlength=len(lists))[of] ** (SHARED - 1.0)
    weight /= weight.sum()
    held = np.broadcast_to(np.asarray(l2, dtype=np.float64), (rows.shape[1],))
    below = 0.0 if over is None else np.concatenate(over)

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = rows @ weights + below
        others = np.where(is_gold, -np.inf, scores)
        # Finite where a list is all gold; gold itself may lie any distance below it.
        top = np.maximum(np.maximum.reduceat(others, starts), -_FAR)
        rest = np.exp(others - np.repeat(top, sizes))
        with np.errstate(divide="ignore"):
            sums = top + np.log(np.add.reduceat(rest, starts))
        total = np.logaddexp(sums[of], scores[gold])
        value = float(weight @ (total - scores[gold]))
        among = np.bincount(of, weight * np.exp(sums[of] - total), len(lists))
        slope = np.exp(others - np.repeat(np.maximum(sums, -_FAR), sizes)) * np.repeat(among, sizes)
        slope[gold] = weight * (np.exp(scores[gold] - total) - 1.0)
        return value + float(held @ weights**2), slope @ rows + 2 * held * weights

    start = np.zeros(rows.shape[1]) if near is None else near * scale
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return np.asarray(found.x / scale)


def fit_logistic_over(rows: Floats, gold: Floats, over: Floats, *, l2: float) -> Floats:
    """Weights that add to the log-odds ``over`` of each row, without a bias. ``l2`` as in
    :func:`fit_listwise`.
    """
    scale = rows.std(axis=0) + 1e-9
    standard = rows / scale

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = standard @ weights + over
        value = float((np.logaddexp(0, odds) - gold * odds).mean() + l2 * weights @ weights)
        return value, standard.T @ (expit(odds) - gold) / len(rows) + 2 * l2 * weights

    start = np.zeros(rows.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x / scale)


def fit_logistic(rows: Floats, gold: Floats, *, l2: float | Sequence[float]) -> Floats:
    """Logistic regression; the last number returned is the bias. ``l2`` as in :func:`fit_listwise`."""
    centre, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    standard = np.column_stack([(rows - centre) / scale, np.ones(len(rows))])
    held = np.append(np.broadcast_to(np.asarray(l2, dtype=np.float64), (rows.shape[1],)), 0.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds = standard @ weights
        value = float((np.logaddexp(0, odds) - gold * odds).mean() + held @ weights**2)
        slope = standard.T @ (expit(odds) - gold) / len(rows) + 2 * held * weights
        return value, slope

    start = np.zeros(standard.shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    weights = found[:-1] / scale
    return np.append(weights, found[-1] - float(weights @ centre))
