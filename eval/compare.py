"""Two sets of scores of the same cases, paired: what changed, how surely, and for which cases.

Agent against oneshot within a run, a run against an earlier one, one prompt against another: all
the same. Data sets are compared one by one, never pooled.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from eval.scoring import METRICS, Row
from eval.significance import Difference, Pair, difference, holm

# A case flips when this metric of its kind changes; both answers are then worth reading.
FLIPS_BY = {"qa": "evidence_f1", "arc": "global_recall"}

Key = tuple[str, int]


@dataclass(frozen=True)
class Flip:
    """One case whose score changed: by how much, and both rows."""

    case_id: str
    first: Row
    second: Row
    change: float


@dataclass(frozen=True)
class Comparison:
    """One data set's rows compared. ``holm`` are the tests by conversation, adjusted over metrics.

    ``only_first`` and ``only_second`` are caseIds without a partner; ``differing`` asked or
    expected something else in the other; none of these is compared, nor are ``failed`` ones.
    """

    dataset: str
    metrics: dict[str, Difference]
    holm: dict[str, float | None]
    by_category: dict[str, dict[str, Difference]]
    flips: tuple[Flip, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    failed: tuple[str, ...] = field(default=())


def compare(
    first: Sequence[Row], second: Sequence[Row], *, seed: int = 0
) -> tuple[Comparison, ...]:
    """One comparison a data set, in order of first appearance; second minus first everywhere.

    Rows are paired by case and repeat; each side holds one mode only, so ValueError for two rows
    of one case and repeat.
    """
    sets = dict.fromkeys(row.dataset for row in (*first, *second))
    return tuple(
        _of_dataset(
            name,
            [r for r in first if r.dataset == name],
            [r for r in second if r.dataset == name],
            seed,
        )
        for name in sets
    )


def pairs_of(
    first: Iterable[Row], second: Iterable[Row], metric: str, keep: Callable[[Row], bool] = bool
) -> list[Pair]:
    """The metric of each case on both sides; repeats of one case are averaged before pairing.

    Cases are the unit that is tested: more repeats make a case's score steadier, not more cases.
    """
    ours, theirs = _means(filter(keep, first), metric), _means(filter(keep, second), metric)
    return [
        Pair(group, score, theirs[case][1])
        for case, (group, score) in ours.items()
        if case in theirs
    ]


def _of_dataset(name: str, first: Sequence[Row], second: Sequence[Row], seed: int) -> Comparison:
    ours, theirs = _by_key(first), _by_key(second)
    shared = [key for key in ours if key in theirs]
    differing = [key for key in shared if not _same_case(ours[key], theirs[key])]
    failed = [k for k in shared if ours[k].error is not None or theirs[k].error is not None]
    compared = [key for key in shared if key not in {*differing, *failed}]
    left, right = [ours[key] for key in compared], [theirs[key] for key in compared]
    kind = (first or second)[0].kind
    names = METRICS[kind]
    metrics = {m: difference(pairs_of(left, right, m), seed=seed) for m in names}
    categories = sorted({row.category for row in left if row.category is not None})
    return Comparison(
        dataset=name,
        metrics=metrics,
        holm=holm({m: d.p_by_group for m, d in metrics.items()}),
        by_category={
            c: {m: difference(pairs_of(left, right, m, _of_category(c)), seed=seed) for m in names}
            for c in categories
        },
        flips=_flips(left, right, FLIPS_BY[kind]),
        only_first=_names(key for key in ours if key not in theirs),
        only_second=_names(key for key in theirs if key not in ours),
        differing=_names(differing),
        failed=_names(failed),
    )


def _of_category(category: str) -> Callable[[Row], bool]:
    return lambda row: row.category == category


def _by_key(rows: Sequence[Row]) -> dict[Key, Row]:
    found: dict[Key, Row] = {}
    for row in rows:
        key = (row.case_id, row.repeat)
        if key in found:
            raise ValueError(f"{row.case_id!r} (repeat {row.repeat}) stands twice on one side")
        found[key] = row
    return found


def _same_case(ours: Row, theirs: Row) -> bool:
    return (ours.question, ours.chat, ours.expected_ids, ours.answerable) == (
        theirs.question, theirs.chat, theirs.expected_ids, theirs.answerable,
    )  # fmt: skip


def _means(rows: Iterable[Row], metric: str) -> dict[str, tuple[str, float]]:
    scores: dict[str, list[float]] = {}
    groups: dict[str, str] = {}
    for row in rows:
        value = row.metrics.get(metric)
        if value is not None:
            scores.setdefault(row.case_id, []).append(value)
            groups[row.case_id] = row.group
    return {case: (groups[case], sum(s) / len(s)) for case, s in scores.items()}


def _flips(first: Sequence[Row], second: Sequence[Row], metric: str) -> tuple[Flip, ...]:
    """Cases that changed, the greatest losses first, the greatest gains last."""
    found = []
    for ours, theirs in zip(first, second, strict=True):
        a, b = ours.metrics.get(metric), theirs.metrics.get(metric)
        changed = (b or 0.0) - (a or 0.0)
        # An unanswerable case has no score; it flips when one side abstains.
        if a is None and b is None:
            changed = float(bool(theirs.abstained)) - float(bool(ours.abstained))
        if changed:
            found.append(Flip(ours.case_id, ours, theirs, changed))
    return tuple(sorted(found, key=lambda flip: flip.change))


def _names(keys: Iterable[Key]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(case_id for case_id, _ in keys))
