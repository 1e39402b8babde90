"""What a column of scores comes to, and how well a mode knows when to abstain.

A score of None is undefined: it is counted beside the mean and never enters it.
"""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """Mean, median and sample deviation (n − 1) of ``n`` scores; ``undefined`` more had none.

    ``mean`` and ``median`` are None for n = 0, ``std`` for n < 2. Never NaN.
    """

    mean: float | None
    median: float | None
    std: float | None
    n: int
    undefined: int


@dataclass(frozen=True)
class Outcome:
    """One case seen from abstention: is there nothing to find, and did the mode say so?"""

    nothing_to_find: bool
    abstained: bool


@dataclass(frozen=True)
class Abstention:
    """Abstention as a detector of cases with nothing to find (the positive class).

    ``tp`` abstained rightly, ``fp`` abstained although there was something, ``fn`` answered
    although there was nothing. ``precision`` is None when the mode never abstained, ``recall``
    when no case had nothing to find, ``f1`` when both hold.
    """

    precision: float | None
    recall: float | None
    f1: float | None
    tp: int
    fp: int
    fn: int


def summarise(values: Sequence[float | None]) -> Summary:
    """The summary of one metric over the cases, in any order.

    Raises ValueError for a NaN or infinite value: what has no score is None.
    """
    scores = [float(value) for value in values if value is not None]
    for score in scores:
        if not math.isfinite(score):
            raise ValueError(f"a score is a finite number or None, not {score}")
    return Summary(
        mean=statistics.mean(scores) if scores else None,
        median=statistics.median(scores) if scores else None,
        std=statistics.stdev(scores) if len(scores) > 1 else None,
        n=len(scores),
        undefined=len(values) - len(scores),
    )


def abstention(outcomes: Iterable[Outcome]) -> Abstention:
    """Precision, recall and F1 of abstaining over all cases, with the counts behind them."""
    outcomes = list(outcomes)
    tp = sum(o.abstained and o.nothing_to_find for o in outcomes)
    fp = sum(o.abstained and not o.nothing_to_find for o in outcomes)
    fn = sum(o.nothing_to_find and not o.abstained for o in outcomes)
    return Abstention(
        precision=_share(tp, tp + fp),
        recall=_share(tp, tp + fn),
        f1=_share(2 * tp, 2 * tp + fp + fn),
        tp=tp,
        fp=fp,
        fn=fn,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
