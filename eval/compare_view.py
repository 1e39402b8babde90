"""A comparison on the terminal, as JSON, and as the bars that it may not fall below."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from eval.bars import metric_and_fraction
from eval.cases import CaseKind
from eval.compare import FLIPS_BY, Comparison, Flip
from eval.scoring import METRICS
from eval.significance import LEVEL, Difference
from eval.table import plain

_FLIPS_SHOWN = 5
_EXCERPT = 100
_FEW = "few conversations: the intervals describe these and promise nothing of others"

Record = dict[str, Any]  # a JSON object


@dataclass(frozen=True)
class Drop:
    """The most that the mean of a metric may fall, a fraction."""

    metric: str
    value: float


def parse_drop(text: str, kind: CaseKind) -> Drop:
    """``METRIC=VALUE``; ConfigurationError for no metric of the kind, or no fraction."""
    what = f"{kind.upper()} metric"
    return Drop(*metric_and_fraction("--max-drop", text, METRICS[kind], what))


def fallen(drops: Sequence[Drop], comparisons: Sequence[Comparison], name: str) -> tuple[str, ...]:
    """A line for each metric that fell further than it may; nothing to compare is a fall, too."""
    lines = []
    for drop in drops:
        for one in comparisons:
            found = one.metrics[drop.metric]
            where = f"{drop.metric} of {name} on {one.dataset or 'the cases'}"
            if found.mean is None:
                lines.append(f"{where} cannot be compared: no case has it on both sides")
            elif found.mean < -drop.value:
                lines.append(f"{where} fell by {-found.mean:.4f}, more than {drop.value:g}")
    return tuple(lines)


def comparison_record(one: Comparison) -> Record:
    """The comparison as JSON; flips carry both answers."""
    return {
        "dataset": one.dataset,
        "metrics": {m: _difference(d) | {"holm": one.holm[m]} for m, d in one.metrics.items()},
        "by_category": {
            c: {m: _difference(d) for m, d in metrics.items()}
            for c, metrics in one.by_category.items()
        },
        "flips": [_flip(flip) for flip in one.flips],
        "only_first": list(one.only_first),
        "only_second": list(one.only_second),
        "differing": list(one.differing),
        "failed": list(one.failed),
    }


def comparison_view(one: Comparison, first: str, second: str) -> RenderableType:
    """The comparison as a person reads it: second minus first, in points of a percent."""
    title = Text(plain(one.dataset) or "cases", style="bold")
    title.append(f"  {plain(second)} minus {plain(first)}, in points", style="not bold")
    parts: list[RenderableType] = [title, _metrics(one)]
    if any(d.interval and d.interval.descriptive for d in one.metrics.values()):
        parts.append(Text(_FEW, style="dim"))
    parts += [Text(), _categories(one), Text(), *_left_out(one), *_flips(one, first, second)]
    return Group(*parts)


def headline(one: Comparison, first: str, second: str) -> str:
    """The first metric of the kind in a line: difference, interval, tests, which way cases went."""
    name = next(m for m in FLIPS_BY.values() if m in one.metrics)
    found = one.metrics[name]
    where = f"{plain(second)} minus {plain(first)}" + (
        f" on {plain(one.dataset)}" if one.dataset else ""
    )
    if found.mean is None or found.interval is None:
        return f"{where}: {name} cannot be compared, {verdict(found)}"
    exact = " exact" if found.exact else ""
    few = "; few conversations" if found.interval.descriptive else ""
    return (
        f"{where}: {name} {100 * found.mean:+.1f} points (95 % {100 * found.interval.low:+.1f} to "
        f"{100 * found.interval.high:+.1f}; {found.gained} up, {found.lost} down of {found.n}; "
        f"p {_p(found.p_by_group)}{exact} by conversation, {_p(found.p_by_case)} by case{few}): "
        f"{verdict(found)}"
    )


def verdict(found: Difference) -> str:
    """In words: what the interval and the test by conversation do not both show is no difference.

    An interval that holds 0 shows none, nor does a p above 5 %: intervals alone would call one in
    ten pairs of identical runs different. Of few conversations the interval alone tells what is so
    "here", and nothing of others.
    """
    if found.mean is None or found.interval is None:
        return "no case has it on both sides"
    if found.interval.low <= 0 <= found.interval.high:
        return "no difference"
    word = "higher" if found.mean > 0 else "lower"
    if found.interval.descriptive:
        return f"{word} here"
    return word if found.p_by_group is not None and found.p_by_group <= LEVEL else "no difference"


def _metrics(one: Comparison) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in (
        "metric",
        "n",
        "change",
        "95 % interval",
        "up",
        "down",
        "p",
        "p cases",
        "Holm",
        "",
    ):
        table.add_column(heading, justify="left" if heading in ("metric", "") else "right")
    for name, found in one.metrics.items():
        if found.mean is None or found.interval is None:
            continue
        table.add_row(
            name,
            str(found.n),
            f"{100 * found.mean:+.1f}",
            f"{100 * found.interval.low:+.1f} to {100 * found.interval.high:+.1f}",
            str(found.gained),
            str(found.lost),
            _p(found.p_by_group),
            _p(found.p_by_case),
            _p(one.holm[name]),
            verdict(found),
        )
    return table


def _categories(one: Comparison) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    shown = [m for m in ("evidence_f1", "global_recall", "recall@10") if m in one.metrics]
    table.add_column("category")
    for name in shown:
        table.add_column(name, justify="right")
        table.add_column("n", justify="right")
    for category, metrics in one.by_category.items():
        cells = [plain(category)]
        for name in shown:
            found = metrics[name]
            cells += ["n/a" if found.mean is None else f"{100 * found.mean:+.1f}", str(found.n)]
        table.add_row(*cells)
    return table


def _left_out(one: Comparison) -> list[Text]:
    told = (
        (one.only_first, "only in the first"),
        (one.only_second, "only in the second"),
        (one.differing, "asking or expecting something else"),
        (one.failed, "failed on a side"),
    )
    return [
        Text(
            f"left out, {why}: {len(ids)} ({plain(', '.join(ids[:3]))}{' …' if len(ids) > 3 else ''})"
        )
        for ids, why in told
        if ids
    ]


def _flips(one: Comparison, first: str, second: str) -> list[Text]:
    lines: list[Text] = []
    lost = [flip for flip in one.flips if flip.change < 0][:_FLIPS_SHOWN]
    gained = [flip for flip in reversed(one.flips) if flip.change > 0][:_FLIPS_SHOWN]
    for heading, flips in (("lost most", lost), ("gained most", gained)):
        if flips:
            lines.append(Text(heading, style="bold"))
        for flip in flips:
            lines.append(
                Text(
                    f"  {100 * flip.change:+.0f}  {plain(flip.case_id)}  {_short(flip.first.question)}"
                    + ("" if flip.first.answerable else "  (to abstain is right)")
                )
            )
            for name, row in ((first, flip.first), (second, flip.second)):
                said = row.trail.answer.text if row.trail else ""
                ids = ", ".join(map(str, row.returned_ids)) or "none"
                lines.append(Text(f"      {plain(name)} [{ids}] {_short(said)}", style="dim"))
    return lines


def _difference(found: Difference) -> Record:
    record = asdict(found)
    if found.interval is not None:
        record["interval"]["descriptive"] = found.interval.descriptive
    return record | {"verdict": verdict(found)}


def _flip(flip: Flip) -> Record:
    def side(row: Any) -> Record:  # a Row
        return {
            "returned_ids": list(row.returned_ids),
            "answer": row.trail.answer.text if row.trail else None,
            "abstained": row.abstained,
        }

    record: Mapping[str, Any] = {
        "case_id": flip.case_id,
        "question": flip.first.question,
        "expected_ids": list(flip.first.expected_ids),
        "change": flip.change,
        "first": side(flip.first),
        "second": side(flip.second),
    }
    return dict(record)


def _p(value: float | None) -> str:
    return "" if value is None else "<.001" if value < 0.001 else f"{value:.3f}"


def _short(text: str) -> str:
    line = plain(text)
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"
