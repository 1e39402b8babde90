"""The tables of a data set: every metric by mode, differences with their tests, time and cost."""

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from eval.compare_view import verdict
from eval.report.figures import Changes, Estimate, Figures
from eval.report.markup import h, percent
from eval.significance import Difference, Interval
from sayso.core.trail import Usage

FEW = "descriptive"


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
    return table(
        "The modes side by side: mean in %, 95 % interval over conversations, cases with a value",
        ["metric", *columns],
        lines,
    )


def change_tables(figures: Figures) -> list[Element]:
    """With three modes and more: each against the first, in a table of its own."""
    if len(figures.changes) < 2:
        return []
    return [
        table(
            f"{one.second} minus {one.first}, paired by case",
            ["metric", *_difference_columns(one)],
            [h("tr", h("th", n, scope="row"), _difference_cells(one, n)) for n in one.metrics],
        )
        for one in figures.changes
    ]


def repeats_table(figures: Figures) -> Element | None:
    """With repeats: how much a mean varies from run to run, and how much cases vary."""
    spread = {m: of for m in figures.modes if (of := figures.record[m].get("repeats"))}
    if not spread:
        return None
    columns = [(m, over) for m in spread for over in ("over_runs", "over_cases")]
    heads = [f"{m}, {over.replace('_', ' ')}" for m, over in columns]
    lines = []
    for name in next(iter(spread.values()))["metrics"]:
        found = [spread[m]["metrics"][name][over] for m, over in columns]
        cells = [
            h("td", percent(one["std"]), data_label=head)
            for one, head in zip(found, heads, strict=True)
        ]
        lines.append(h("tr", h("th", name, scope="row"), cells))
    repeats = next(iter(spread.values()))["n"]
    return table(f"Spread of {repeats} repeats: deviation in points", ["metric", *heads], lines)


def cost_table(figures: Figures) -> Element:
    """Time, calls, tokens and cost of each mode over all cases that did not fail."""
    lines = [_cost_line(mode, figures) for mode in figures.modes]
    heads = (
        "mode", "mean s", "median s", "model calls", "from cache", "retries", "prompt tokens",
        "of these cached", "completion tokens", "cost",
    )  # fmt: skip
    return table("Time and cost of all cases that did not fail", heads, lines)


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
    return table("Abstention, in %, and the cases on which it was", heads, lines)


def funnel_table(figures: Figures) -> Element | None:
    """The expected messages that each stage still holds, by category and mode; None for none."""
    if not figures.categories:
        return None
    stages = list(figures.held(figures.record[figures.modes[0]]["funnel"]["all"]))
    lines = []
    for category in figures.categories:
        for mode in figures.modes:
            of = figures.record[mode]["funnel"]["by_category"].get(category)
            if of and of["expected"]:
                cells = [h("td", str(of[stage]), data_label=stage) for stage in stages]
                name: list[Element | str] = [h("bdi", category), ", ", h("bdi", mode)]
                lines.append(h("tr", h("th", name, scope="row"), cells))
    held = table("Expected messages held, by category", ["category, mode", *stages], lines)
    return h("details", h("summary", "By category"), held)


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
    told = "" if one.interval is None else f" {ends(one.interval)}"
    return [
        h("b", percent(one.mean)),
        h("span", f"{told}, n {one.n}", class_="cost"),
    ]


def _difference_columns(one: Changes) -> tuple[str, ...]:
    return (f"{one.second} minus {one.first}", "its 95 % interval", "p", "p (Holm)", "verdict")


def _difference_cells(one: Changes, name: str) -> list[Element]:
    found: Difference = one.metrics[name]
    heads = _difference_columns(one)
    if found.mean is None or found.interval is None:
        values = ["–", "–", "–", "–", "not compared"]
    else:
        values = [
            signed(found.mean),
            ends(found.interval, sign=True),
            p(found.p_by_group),
            p(one.holm[name]),
            verdict(found),
        ]
    return [h("td", v, data_label=head) for v, head in zip(values, heads, strict=True)]


def ends(found: Interval, *, sign: bool = False) -> str:
    """``16.7 to 37.7``, in points with ``sign``."""
    if sign:
        return f"{signed(found.low)} to {signed(found.high)}"
    return f"{percent(found.low)} to {percent(found.high)}"


def signed(fraction: float) -> str:
    """Points with their sign; what rounds to nothing has none."""
    told = f"{100 * fraction:+.1f}"
    return told if float(told) else "0.0"


def p(value: float | None) -> str:
    """A p-value for people; a dash for no test."""
    return "–" if value is None else "<.001" if value < 0.001 else f"{value:.3f}"


def table(caption: str, heads: Iterable[str], lines: Sequence[Element]) -> Element:
    """A table of figures; on a phone each line becomes a block."""
    return h(
        "table",
        h("caption", caption),
        h("thead", h("tr", [h("th", h("bdi", name), scope="col") for name in heads])),
        h("tbody", lines),
        class_="figures",
    )
