"""One section a data set: the modes side by side, the plots, and what can be said of differences."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.etree.ElementTree import Element

from eval.compare import FLIPS_BY
from eval.compare_view import verdict
from eval.report.drawing import figure, legend
from eval.report.figures import Changes, Estimate, Figures
from eval.report.markup import h, percent
from eval.report.plots import curve, funnel, intervals, seconds
from eval.scoring import RANKED
from eval.significance import FEW_GROUPS, Difference, Interval
from eval.table import CATEGORY_METRICS
from sayso.core.trail import Usage

_FEW = "descriptive"

Group = tuple[str, Sequence[str]]


def head(figures: Figures) -> list[Element]:
    """How many cases, what failed, and the main difference in a sentence."""
    first: Mapping[str, Any] = figures.record[figures.modes[0]]
    gold = ", ".join(f"{n} {status}" for status, n in first["gold"].items() if n)
    told = (
        f"{first['cases']} {figures.kind.upper()} cases a mode (gold: {gold}) "
        f"from {figures.groups} conversation{'s' if figures.groups != 1 else ''} without shared people."
    )
    parts = [h("p", told)]
    if figures.groups < FEW_GROUPS:
        parts.append(
            h(
                "p",
                f"Under {FEW_GROUPS} of them, intervals are {_FEW}: they speak of these "
                "conversations and promise nothing of others.",
                class_="note",
            )
        )
    for mode in figures.modes:
        failed = figures.record[mode]["failed"]
        if failed:
            of = figures.record[mode]["cases"]
            parts.append(
                h(
                    "p",
                    h("bdi", mode),
                    f": {failed} of {of} failed; they are in no mean",
                    class_="bad",
                )
            )
    metric = FLIPS_BY[figures.kind]
    parts += [_sentence(one, metric) for one in figures.changes]
    return parts


def plots(figures: Figures) -> Element:
    """All plots of the section, the legend above them."""
    modes = figures.modes
    found = [
        figure(
            f"{title}, in %",
            intervals(title, modes, {n: {m: figures.overall[m][n] for m in modes} for n in names}),
        )
        for title, names in _groups(figures)
    ]
    if figures.categories:
        found += [
            figure(
                f"{metric} by category, in %",
                intervals(f"{metric} by category", modes, _of_category(figures, metric)),
            )
            for metric in list(CATEGORY_METRICS[figures.kind])[:2]
        ]
    held = {mode: figures.record[mode]["funnel"]["all"] for mode in modes}
    if any(of["expected"] for of in held.values()):
        found.append(
            figure(
                "Where evidence is lost: expected messages that each stage still holds",
                funnel("Where evidence is lost", modes, held),
                _funnel_table(figures),
            )
        )
    if any(figures.curves.values()):
        found.append(
            figure("Recall in the first k, in %", curve("Recall at k", modes, figures.curves))
        )
    if figures.times:
        found.append(
            figure(
                "Seconds a case: half of the cases in the box, nine tenths on the line",
                seconds("Seconds a case", modes, figures.times),
            )
        )
    told = "Marks are means, lines 95 % intervals over conversations (dashed: descriptive)."
    return h("div", legend(modes), h("p", told, class_="note"), h("div", found, class_="plots"))


def metrics_table(figures: Figures) -> Element:
    """Every metric: each mode's mean, interval and n, and the difference with its test."""
    names = list(next(iter(figures.overall.values()), {}))
    # A comparison takes five more columns; of a third mode they stand in a table of their own.
    beside = figures.changes[0] if len(figures.changes) == 1 else None
    columns = [*figures.modes, *(_difference_columns(beside) if beside else ())]
    lines = []
    for name in names:
        cells = [h("td", _estimate(figures.overall[m][name]), data_label=m) for m in figures.modes]
        if beside:
            cells += _difference_cells(beside, name)
        lines.append(h("tr", h("th", name, scope="row"), cells))
    return _table(
        "The modes side by side: mean in %, 95 % interval over conversations, cases with a value",
        ["metric", *columns],
        lines,
    )


def change_tables(figures: Figures) -> list[Element]:
    """With three modes and more: each against the first, in a table of its own."""
    if len(figures.changes) < 2:
        return []
    return [
        _table(
            f"{one.second} minus {one.first}, paired by case",
            ["metric", *_difference_columns(one)],
            [h("tr", h("th", n, scope="row"), _difference_cells(one, n)) for n in one.metrics],
        )
        for one in figures.changes
    ]


def cost_table(figures: Figures) -> Element:
    """Time, calls, tokens and cost of each mode over all cases that did not fail."""
    lines = [_cost_line(mode, figures) for mode in figures.modes]
    heads = (
        "mode", "mean s", "median s", "model calls", "from cache", "retries", "prompt tokens",
        "of these cached", "completion tokens", "cost",
    )  # fmt: skip
    return _table("Time and cost of all cases that did not fail", heads, lines)


def abstention_table(figures: Figures) -> Element:
    """Whether modes abstain where there is nothing to find, and only there."""
    lines = []
    for mode in figures.modes:
        of = figures.record[mode]["abstention"]
        shares = [h("td", percent(of[n]), data_label=n) for n in ("precision", "recall", "f1")]
        right = f"{of['tp']} of {of['tp'] + of['fn']}"
        lines.append(
            h(
                "tr",
                h("th", h("bdi", mode), scope="row"),
                shares,
                h("td", right, data_label="with nothing to find"),
                h("td", str(of["fp"]), data_label="with an answer"),
            )
        )
    heads = ("mode", "precision", "recall", "f1", "with nothing to find", "with an answer")
    return _table("Abstention, in %, and the cases on which it was", heads, lines)


def _sentence(one: Changes, metric: str) -> Element:
    found = one.metrics[metric]
    lead: list[Element | str] = [
        h("bdi", one.second),
        " minus ",
        h("bdi", one.first),
        f" in {metric}: ",
    ]
    if found.mean is None or found.interval is None:
        return h("p", lead, "no case has it on both sides.", class_="lead")
    few = f", {_FEW}" if found.interval.descriptive else ""
    return h(
        "p",
        lead,
        h("b", f"{_signed(found.mean)} points"),
        f" (95 % interval {_ends(found.interval, sign=True)}{few}; p {_p(found.p_by_group)} by "
        f"conversation; {found.gained} cases up, {found.lost} down of {found.n}): ",
        h("b", verdict(found)),
        ".",
        class_="lead",
    )


def _groups(figures: Figures) -> list[Group]:
    """The metrics by what they measure, so that no plot is longer than a phone's page."""
    names = list(next(iter(figures.overall.values()), {}))
    texts = ("citation_validity", "groundedness")
    groups: list[Group] = [
        ("Ranking", [n for n in names if n in RANKED]),
        ("Characters", [n for n in names if n.startswith("span/")]),
        ("Words of the answer", [n for n in names if n.startswith("answer/")]),
        ("What is cited", [n for n in names if n in texts]),
    ]
    placed = {name for _, of in groups for name in of}
    merged = ("Words and citations", [*groups[2][1], *groups[3][1]])
    kept = [("Evidence", [n for n in names if n not in placed]), groups[1], merged, groups[0]]
    return [(title, of) for title, of in kept if of]


def _of_category(figures: Figures, metric: str) -> dict[str, dict[str, Estimate]]:
    lines = {
        category: {
            mode: figures.by_category[mode][category][metric]
            for mode in figures.modes
            if category in figures.by_category[mode]
        }
        for category in figures.categories
    }
    return {
        f"{category} (n = {max(one.n for one in of.values())})": of
        for category, of in lines.items()
        if any(one.mean is not None for one in of.values())
    }


def _funnel_table(figures: Figures) -> Element | None:
    if not figures.categories:
        return None
    stages = list(figures.record[figures.modes[0]]["funnel"]["all"])
    lines = []
    for category in figures.categories:
        for mode in figures.modes:
            of = figures.record[mode]["funnel"]["by_category"].get(category)
            if of and of["expected"]:
                cells = [h("td", str(of[stage]), data_label=stage) for stage in stages]
                name: list[Element | str] = [h("bdi", category), ", ", h("bdi", mode)]
                lines.append(h("tr", h("th", name, scope="row"), cells))
    table = _table("Expected messages held, by category", ["category, mode", *stages], lines)
    return h("details", h("summary", "By category"), table)


def _cost_line(mode: str, figures: Figures) -> Element:
    usage, times = figures.usage.get(mode, Usage()), figures.times.get(mode)
    values = {
        "mean s": "–" if times is None else f"{times.mean:.2f}",
        "median s": "–" if times is None else f"{times.quantiles[2]:.2f}",
        "model calls": str(usage.model_calls),
        "from cache": str(usage.cache_hits),
        "retries": str(usage.retries),
        "prompt tokens": str(usage.prompt_tokens),
        "of these cached": str(usage.cached_tokens),
        "completion tokens": str(usage.completion_tokens),
        "cost": "no prices set" if usage.cost is None else f"{usage.cost:.4f}",
    }
    cells = [h("td", value, data_label=name) for name, value in values.items()]
    return h("tr", h("th", h("bdi", mode), scope="row"), cells)


def _estimate(one: Estimate) -> list[Element]:
    if one.mean is None:
        return [h("span", "no value", class_="cost")]
    ends = "" if one.interval is None else f" {_ends(one.interval)}"
    return [
        h("b", percent(one.mean)),
        h("span", f"{ends}, n {one.n}", class_="cost"),
    ]


def _difference_columns(one: Changes) -> tuple[str, ...]:
    return (f"{one.second} minus {one.first}", "95 % interval", "p", "Holm", "so")


def _difference_cells(one: Changes, name: str) -> list[Element]:
    found: Difference = one.metrics[name]
    heads = _difference_columns(one)
    if found.mean is None or found.interval is None:
        values = ["–", "–", "–", "–", "not compared"]
    else:
        so = verdict(found) + (f", {_FEW}" if found.interval.descriptive else "")
        values = [
            _signed(found.mean),
            _ends(found.interval, sign=True),
            _p(found.p_by_group),
            _p(one.holm[name]),
            so,
        ]
    return [h("td", v, data_label=head) for v, head in zip(values, heads, strict=True)]


def _ends(found: Interval, *, sign: bool = False) -> str:
    if sign:
        return f"{_signed(found.low)} to {_signed(found.high)}"
    return f"{percent(found.low)} to {percent(found.high)}"


def _signed(fraction: float) -> str:
    """Points with their sign; what rounds to nothing has none."""
    told = f"{100 * fraction:+.1f}"
    return told if float(told) else "0.0"


def _p(value: float | None) -> str:
    return "–" if value is None else "<.001" if value < 0.001 else f"{value:.3f}"


def _table(caption: str, heads: Iterable[str], lines: Sequence[Element]) -> Element:
    return h(
        "table",
        h("caption", caption),
        h("thead", h("tr", [h("th", h("bdi", name), scope="col") for name in heads])),
        h("tbody", lines),
        class_="figures",
    )
