"""A/A: are identical runs called different more often than one time in twenty?"""

from collections.abc import Sequence
from dataclasses import dataclass

from eval.compare import pairs_of
from eval.scoring import METRICS, Row
from eval.significance import LEVEL, difference, false_alarms

TRIALS = 400
# Four standard errors of a share of 5 % over the trials: more is no accident.
ALLOWED = LEVEL + 4 * (LEVEL * (1 - LEVEL) / TRIALS) ** 0.5


@dataclass(frozen=True)
class Like:
    """One mode on one data set, its repeats held against each other.

    ``called``: of so many ``metrics``, how many the test by conversation calls different between
    the first repeat and the second. ``alarms``: how often, over shuffles of which repeat a
    conversation's scores came from, it finds a difference in the metric where it does so most.
    """

    dataset: str
    mode: str
    metrics: int
    called: int
    alarms: float
    trials: int


def like_runs(rows: Sequence[Row]) -> tuple[Like, ...]:
    """For each data set and mode of rows with at least two repeats."""
    found = []
    for dataset, mode in dict.fromkeys((row.dataset, row.mode) for row in rows):
        own = [r for r in rows if (r.dataset, r.mode) == (dataset, mode) and r.error is None]
        sides = [[r for r in own if r.repeat == n] for n in (0, 1)]
        pairs = {m: pairs_of(sides[0], sides[1], m) for m in METRICS[own[0].kind]} if own else {}
        tested = {m: p for m, p in pairs.items() if p}
        p_values = [difference(p).p_by_group for p in tested.values()]
        called = sum(p is not None and p <= LEVEL for p in p_values)
        alarms = max((false_alarms(p, trials=TRIALS) for p in tested.values()), default=0.0)
        found.append(Like(dataset, mode, len(tested), called, alarms, TRIALS))
    return tuple(found)
