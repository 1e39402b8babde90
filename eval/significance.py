"""How sure a difference is: paired tests by conversation, intervals, and the cases that it takes.

Cases of one conversation are not independent, so conversations (groups) are what is flipped and
resampled; the test by single cases stands beside it for comparison. A pair in which either side
has no score is left out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import stats

RESAMPLES = 10_000
# The share of like pairs that a test may call different.
LEVEL = 0.05
# Under so few conversations an interval describes these and promises nothing of others.
FEW_GROUPS = 10
# Up to 2**14 sign patterns are counted out; beyond, patterns are drawn.
_EXACT = 14

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """One case under two conditions; ``group`` is its conversation, or several sharing people."""

    group: str
    first: float
    second: float


@dataclass(frozen=True)
class Interval:
    """A 95 % bootstrap interval over ``groups`` conversations; ``descriptive`` if they are few."""

    low: float
    high: float
    groups: int

    @property
    def descriptive(self) -> bool:
        """Whether the groups are too few for the interval to speak of other conversations."""
        return self.groups < FEW_GROUPS


@dataclass(frozen=True)
class Difference:
    """Second minus first over ``n`` pairs. ``gained`` and ``lost`` are cases that changed.

    ``p_by_group`` and ``p_by_case`` are two-sided sign-flip permutation tests; ``exact`` says
    whether the one by group counted every pattern. None for no pairs.
    """

    n: int
    groups: int
    mean: float | None
    gained: int
    lost: int
    interval: Interval | None
    p_by_group: float | None
    p_by_case: float | None
    exact: bool


def difference(pairs: Sequence[Pair], *, seed: int = 0) -> Difference:
    """The paired difference with its interval and tests; the same seed gives the same figures."""
    changes = np.array([p.second - p.first for p in pairs], dtype=np.float64)
    if not len(changes):
        return Difference(0, 0, None, 0, 0, None, None, None, exact=True)
    groups = [p.group for p in pairs]
    sums, _ = _by_group(changes, groups)
    return Difference(
        n=len(changes),
        groups=len(sums),
        mean=float(changes.mean()),
        gained=int((changes > 0).sum()),
        lost=int((changes < 0).sum()),
        interval=interval(changes.tolist(), groups, seed=seed),
        p_by_group=sign_flip(sums, seed=seed),
        p_by_case=sign_flip(changes, seed=seed),
        exact=int(np.count_nonzero(sums)) <= _EXACT,
    )


def interval(values: Sequence[float], groups: Sequence[str], *, seed: int = 0) -> Interval | None:
    """The 95 % percentile interval of the mean over cases, conversations resampled with all theirs.

    10,000 seeded resamples. One conversation gives an interval without width; none gives None.
    """
    if not values:
        return None
    sums, counts = _by_group(np.asarray(values, dtype=np.float64), groups)
    mean = float(sums.sum() / counts.sum())
    # What does not vary has no bootstrap distribution to read percentiles from.
    if len(sums) == 1 or np.ptp(sums / counts) == 0:
        return Interval(mean, mean, len(sums))
    drawn = stats.bootstrap(
        (sums, counts),
        lambda s, c, axis=-1: s.sum(axis=axis) / c.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return Interval(float(drawn.low), float(drawn.high), len(sums))


def sign_flip(changes: Floats, *, seed: int = 0) -> float:
    """The two-sided p-value of a sign-flip permutation test of mean 0.

    Exact up to 14 changes other than 0 (a 0 flips to itself), else by 10,000 seeded draws with
    the observed pattern counted in. 1.0 where nothing changed.
    """
    moved = changes[changes != 0]
    if len(moved) < 2:  # one change is as far out as its opposite
        return 1.0
    if len(moved) <= _EXACT:
        counted = stats.permutation_test(
            (moved, np.zeros_like(moved)),
            lambda x, y, axis=-1: (x - y).sum(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=inf,
        )
        return float(counted.pvalue)
    rng = np.random.default_rng(seed)
    drawn = stats.monte_carlo_test(
        moved,
        lambda size: moved * (2.0 * rng.integers(0, 2, size=size) - 1.0),
        lambda x, axis=-1: x.sum(axis=axis),
        vectorized=True,
        n_resamples=RESAMPLES - 1,
        batch=1000,
    )
    return float(drawn.pvalue)


def holm(p_values: Mapping[str, float | None]) -> dict[str, float | None]:
    """Holm's step-down adjustment over the p-values that exist (Holm 1979); None stays None."""
    tested = sorted((p, name) for name, p in p_values.items() if p is not None)
    adjusted: dict[str, float | None] = dict.fromkeys(p_values)
    highest = 0.0
    for rank, (p, name) in enumerate(tested):
        highest = max(highest, min(1.0, p * (len(tested) - rank)))
        adjusted[name] = highest
    return adjusted


def false_alarms(pairs: Sequence[Pair], *, trials: int = 1000, seed: int = 0) -> float:
    """How often the test by group calls two like things different at 5 %, in [0, 1].

    In each trial every conversation's two sides change places by a coin, so that there is nothing
    to find; a sound test finds something in at most one of twenty.
    """
    changes = np.array([p.second - p.first for p in pairs], dtype=np.float64)
    if not len(changes):
        return 0.0
    sums, _ = _by_group(changes, [p.group for p in pairs])
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(trials):
        signs = rng.choice((-1.0, 1.0), size=len(sums))
        found += sign_flip(sums * signs, seed=seed) <= LEVEL
    return found / trials


def cases_needed(
    pairs: Sequence[Pair], delta: float, *, power: float = 0.8, level: float = LEVEL
) -> int | None:
    """How many cases a paired test takes to see a difference of ``delta`` with that power.

    From the spread of the pairs' differences, enlarged by the design effect of conversations
    (1 + (m - 1) * icc for m cases a conversation), by the noncentral t distribution. None where
    the pairs do not vary, or are fewer than two.
    """
    changes = np.array([p.second - p.first for p in pairs], dtype=np.float64)
    if delta <= 0:
        raise ValueError(f"delta is above 0, not {delta}")
    if len(changes) < 2 or not changes.std():
        return None
    effect = delta / (changes.std(ddof=1) * sqrt(_design_effect(changes, pairs)))
    n = 2
    while _power(n, effect, level) < power:  # doubling, then halving: the power grows with n
        n *= 2
    low = n // 2
    while low + 1 < n:
        middle = (low + n) // 2
        low, n = (low, middle) if _power(middle, effect, level) >= power else (middle, n)
    return n


def _power(n: int, effect: float, level: float) -> float:
    if n < 2:
        return 0.0
    limit = stats.t.ppf(1 - level / 2, n - 1)
    off = effect * sqrt(n)
    return float(stats.nct.sf(limit, n - 1, off) + stats.nct.cdf(-limit, n - 1, off))


def _design_effect(changes: Floats, pairs: Sequence[Pair]) -> float:
    """1 where cases of one conversation are no more alike than others; never below 1."""
    groups: dict[str, list[float]] = {}
    for change, pair in zip(changes.tolist(), pairs, strict=True):
        groups.setdefault(pair.group, []).append(change)
    sizes = np.array([len(g) for g in groups.values()], dtype=np.float64)
    n, k = len(changes), len(groups)
    if k < 2 or n <= k:
        return 1.0
    within = sum(float(((np.array(g) - np.mean(g)) ** 2).sum()) for g in groups.values()) / (n - k)
    means = np.array([np.mean(g) for g in groups.values()])
    between = float((sizes * (means - changes.mean()) ** 2).sum()) / (k - 1)
    size = (n - float((sizes**2).sum()) / n) / (k - 1)  # the usual mean size of unequal groups
    total = between + (size - 1) * within
    icc = (between - within) / total if total > 0 else 0.0
    return max(1.0, 1 + (size - 1) * icc)


def _by_group(values: Floats, groups: Sequence[str]) -> tuple[Floats, Floats]:
    """Sum and count per group, in order of first appearance."""
    places = {group: at for at, group in enumerate(dict.fromkeys(groups))}
    at = np.array([places[group] for group in groups])
    return (
        np.bincount(at, weights=values, minlength=len(places)).astype(np.float64),
        np.bincount(at, minlength=len(places)).astype(np.float64),
    )
