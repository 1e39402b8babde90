"""The numbers that the page shows, of one data set: made once, shown in tables and plots alike.

Means, counts and the funnel are taken from what ``results.json`` holds; intervals, differences,
curves and times are made of the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from eval.cases import CaseKind
from eval.compare import pairs_of
from eval.metrics import recall_at_k
from eval.scoring import FOUND, METRICS, Row
from eval.significance import Difference, Interval, difference, holm, interval
from sayso.core.trail import Usage

CURVE = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50)
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)

Record = Mapping[str, Any]  # a part of results.json


@dataclass(frozen=True)
class Estimate:
    """A mean over ``n`` cases with its interval; both None where no case has a value."""

    mean: float | None
    n: int
    interval: Interval | None


@dataclass(frozen=True)
class Times:
    """Seconds a case: quantiles at SHARES, the mean, and the slowest."""

    quantiles: tuple[float, ...]
    mean: float
    slowest: float


@dataclass(frozen=True)
class Changes:
    """What ``second`` adds to ``first``, metric by metric; ``holm`` over all of them."""

    first: str
    second: str
    metrics: Mapping[str, Difference]
    holm: Mapping[str, float | None]


@dataclass(frozen=True)
class Figures:
    """All numbers of one data set; mappings are by mode, then by metric or category."""

    name: str
    kind: CaseKind
    modes: tuple[str, ...]
    rows: tuple[Row, ...]
    record: Record
    overall: Mapping[str, Mapping[str, Estimate]]
    by_category: Mapping[str, Mapping[str, Mapping[str, Estimate]]]
    curves: Mapping[str, Mapping[int, float]]
    times: Mapping[str, Times]
    usage: Mapping[str, Usage]
    changes: tuple[Changes, ...]

    @property
    def groups(self) -> int:
        """How many conversations (or groups that share people) there are."""
        return len({row.group for row in self.rows})

    def held(self, funnel: Mapping[str, int]) -> dict[str, int]:
        """The stages of a funnel that can hold anything: without spans, messages are expected."""
        spans = any(row.span_truth == "given" for row in self.rows)
        return {n: of for n, of in funnel.items() if n != "span exact" or spans}

    @property
    def categories(self) -> tuple[str, ...]:
        """The categories that have a score, in order of their names."""
        return tuple(sorted({c for mode in self.by_category.values() for c in mode}))


def figures_of(results: Record, rows: Sequence[Row], *, seed: int = 0) -> tuple[Figures, ...]:
    """One for each data set, in the order of ``results``; data sets are never pooled."""
    sets = results.get("datasets")
    if sets is None:
        name = rows[0].dataset if rows else ""
        sets = {name: {"modes": results["modes"]}}
    return tuple(
        _of_dataset(name, part["modes"], [r for r in rows if r.dataset == name], seed)
        for name, part in sets.items()
    )


def in_order(modes: Sequence[str]) -> tuple[str, ...]:
    """The modes with the simpler of ours first, so that differences read "agent adds"."""
    ours = [mode for mode in ("oneshot", "agent") if mode in modes]
    return (*ours, *(mode for mode in modes if mode not in ours))


def estimates_record(figures: Figures) -> dict[str, Any]:
    """The means and intervals as JSON, by mode and metric, as the page's tables show them."""
    return {
        "modes": {
            mode: {name: asdict(one) for name, one in of.items()}
            for mode, of in figures.overall.items()
        },
        "differences": [
            {"first": one.first, "second": one.second}
            | {"metrics": {m: asdict(d) | {"holm": one.holm[m]} for m, d in one.metrics.items()}}
            for one in figures.changes
        ],
    }


def _of_dataset(name: str, record: Record, rows: Sequence[Row], seed: int) -> Figures:
    modes = in_order(list(record))
    kind = rows[0].kind if rows else "qa"
    of_mode = {mode: [r for r in rows if r.mode == mode and r.error is None] for mode in modes}
    return Figures(
        name=name,
        kind=kind,
        modes=modes,
        rows=tuple(rows),
        record=record,
        overall={m: _estimates(record[m]["metrics"], of_mode[m], seed) for m in modes},
        by_category={
            m: {
                category: _estimates(of, [r for r in of_mode[m] if r.category == category], seed)
                for category, of in record[m]["by_category"].items()
            }
            for m in modes
        },
        curves={m: _curve(of) for m, of in of_mode.items()},
        times={m: _times([r.seconds for r in of]) for m, of in of_mode.items() if of},
        usage={
            m: sum((r.trail.usage for r in of if r.trail), Usage()) for m, of in of_mode.items()
        },
        changes=tuple(_changes(of_mode, modes[0], other, kind, seed) for other in modes[1:]),
    )


def _estimates(metrics: Record, rows: Sequence[Row], seed: int) -> dict[str, Estimate]:
    found = {}
    for name, of in metrics.items():
        scored = [(r.metrics[name], r.group) for r in rows if r.metrics[name] is not None]
        values = [value for value, _ in scored if value is not None]
        over = interval(values, [group for _, group in scored], seed=seed)
        found[name] = Estimate(of["mean"], of["n"], over)
    return found


def _changes(
    of_mode: Mapping[str, Sequence[Row]], first: str, second: str, kind: CaseKind, seed: int
) -> Changes:
    """As :func:`eval.compare.compare` has it, without the tests by category, which none reads."""
    metrics = {
        name: difference(pairs_of(of_mode[first], of_mode[second], name), seed=seed)
        for name in METRICS[kind]
    }
    return Changes(first, second, metrics, holm({m: d.p_by_group for m, d in metrics.items()}))


def _curve(rows: Sequence[Row]) -> dict[int, float]:
    """Mean recall at each k of CURVE, over the cases with something to find; {} for none."""
    found = [
        ([c.local_id for c in row.trail.ranking], row.expected_ids)
        for row in rows
        if row.trail and row.gold in FOUND
    ]
    if not found:
        return {}
    return {k: sum(recall_at_k(r, e, k) for r, e in found) / len(found) for k in CURVE}


def _times(seconds: Sequence[float]) -> Times:
    ordered = sorted(seconds)
    last = len(ordered) - 1
    return Times(
        quantiles=tuple(ordered[round(share * last)] for share in SHARES),
        mean=sum(ordered) / len(ordered),
        slowest=ordered[-1],
    )
