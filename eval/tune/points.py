"""What a case is worth when prompts are compared, and whether two prompts differ at all.

A case with evidence is worth its metric, one without is worth 1 where the answer abstains; a case
that failed is worth 0. So a prompt cannot win by never abstaining, or by failing where it is hard.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from eval.scoring import FOUND, Row
from eval.significance import Difference, Pair, difference, holm, interval
from sayso.core.trail import StepRecord

Verdict = Literal["higher", "lower", "no difference"]
LEVEL = 0.05
# What a step's record says where a model's reply came to nothing: see sayso.reasoning.asking_model.
_FAILED = re.compile(r"the model failed \((.*?)\)")
# Failures of the server or the way to it, which no prompt can help.
PASSING = ("http ", "timeout", "connection", "content type", "other")


def points(row: Row, metric: str) -> float | None:
    """In [0, 1]; None for a case whose evidence cannot be found, which says nothing of a prompt."""
    if row.gold == "unreachable":
        return None
    if row.error is not None:
        return 0.0
    if row.gold not in FOUND:
        return float(bool(row.abstained))
    return row.metrics.get(metric) or 0.0


def unread(row: Row, step: str) -> bool:
    """Whether a reply of the step did not fit its schema, or the case failed altogether."""
    steps = [one for one in row.trail.steps if one.name == step] if row.trail else []
    kinds = [kind for one in steps for kind in _failures(one)]
    return row.error is not None or any(not kind.startswith(PASSING) for kind in kinds)


def passing(row: Row) -> str | None:
    """What went wrong with the row that may go well another time, in words; None for nothing."""
    if row.error is not None:
        return row.error
    for note in (note for one in (row.trail.steps if row.trail else ()) for note in one.notes):
        failed = _FAILED.match(note)
        if failed and failed.group(1).startswith(PASSING):
            return note
    return None


def _failures(step: StepRecord) -> list[str]:
    """The kinds of the calls of a step that failed for good."""
    told = (_FAILED.match(note) for note in step.notes)
    return [found.group(1) for found in told if found]


@dataclass(frozen=True)
class Gain:
    """Points of a candidate above those of the current prompt, over one data set.

    ``low`` and ``high`` bound the wider of two 95 % intervals: over conversations, and over cases
    where the conversations are too few to vary. ``p`` is the sign-flip test by cases, adjusted
    over the candidates that were tried together.
    """

    dataset: str
    before: float
    after: float
    difference: Difference
    low: float
    high: float
    p: float

    @property
    def verdict(self) -> Verdict:
        """A gain whose interval holds 0, or that so few changed cases give by chance, is none."""
        if self.low <= 0 <= self.high or self.p > LEVEL:
            return "no difference"
        return "higher" if self.low > 0 else "lower"


def gains(
    current: Sequence[Row], candidates: Mapping[str, Sequence[Row]], metric: str, *, seed: int = 0
) -> dict[str, tuple[Gain, ...]]:
    """For each candidate one gain a data set; data sets are never pooled."""
    sets = dict.fromkeys(row.dataset for row in current)
    found: dict[str, list[Gain]] = {name: [] for name in candidates}
    for dataset in sets:
        ours = _worth(current, dataset, metric)
        pairs = {
            name: [
                (case, Pair(group, before, theirs[case][1]))
                for theirs in [_worth(rows, dataset, metric)]
                for case, (group, before) in ours.items()
                if case in theirs
            ]
            for name, rows in candidates.items()
        }
        pairs = {name: one for name, one in pairs.items() if one}
        told = {name: difference([p for _, p in one], seed=seed) for name, one in pairs.items()}
        adjusted = holm({name: d.p_by_case for name, d in told.items()})
        for name, one in pairs.items():
            found[name].append(gain_of(dataset, one, told[name], p=adjusted[name], seed=seed))
    return {name: tuple(one) for name, one in found.items()}


def overall(found: Sequence[Gain]) -> Verdict:
    """Higher where some data set gains and none loses; lower where one loses."""
    words = {gain.verdict for gain in found}
    if "lower" in words:
        return "lower"
    return "higher" if "higher" in words else "no difference"


def chosen_among(found: Sequence[Gain], many: int) -> tuple[Gain, ...]:
    """The gains of the best of so many candidates: each had its chance to be best by luck."""
    return tuple(replace(gain, p=min(1.0, gain.p * max(1, many))) for gain in found)


def fewest(candidates: int) -> int:
    """How many cases it takes before a test of so many candidates can say anything at all."""
    # All n cases change the same way: one of 2**n patterns of signs, and its mirror image.
    return math.ceil(math.log2(2 * max(1, candidates) / LEVEL))


def mean_gain(found: Sequence[Gain]) -> float:
    """The mean over data sets of their mean gains; 0 for none."""
    means = [gain.after - gain.before for gain in found]
    return sum(means) / len(means) if means else 0.0


def gain_of(
    dataset: str,
    pairs: Sequence[tuple[str, Pair]],
    told: Difference,
    *,
    p: float | None,
    seed: int = 0,
) -> Gain:
    """The gain of (case, pair) of one data set, at least one; ``p`` None counts as 1."""
    changes = [pair.second - pair.first for _, pair in pairs]
    by_case = interval(changes, [case for case, _ in pairs], seed=seed)
    both = [one for one in (told.interval, by_case) if one is not None]
    n = len(pairs)
    return Gain(
        dataset=dataset,
        before=sum(pair.first for _, pair in pairs) / n,
        after=sum(pair.second for _, pair in pairs) / n,
        difference=told,
        low=min(one.low for one in both),
        high=max(one.high for one in both),
        p=1.0 if p is None else p,
    )


def _worth(rows: Sequence[Row], dataset: str, metric: str) -> dict[str, tuple[str, float]]:
    return {
        row.case_id: (row.group, worth)
        for row in rows
        if row.dataset == dataset and (worth := points(row, metric)) is not None
    }
