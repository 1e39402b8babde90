"""One section a data set: the modes side by side, the plots, and what can be said of differences."""

from collections import Counter
from collections.abc import Callable, Sequence
from xml.etree.ElementTree import Element

from eval.compare import FLIPS_BY
from eval.compare_view import verdict
from eval.gold import Gold
from eval.report.drawing import figure, legend
from eval.report.figures import Changes, Estimate, Figures
from eval.report.markup import h
from eval.report.plots import bars, curve, funnel, intervals, seconds
from eval.report.tables import FEW, ends, funnel_table, p, signed
from eval.scoring import RANKED
from eval.significance import FEW_GROUPS
from eval.table import CATEGORY_METRICS
from sayso.core.trail import Usage

Group = tuple[str, Sequence[str]]

# What can be found of what the cases expect, in words.
_GOLD: dict[Gold, str] = {
    "full": "whose expected messages are in the chat",
    "partial": "of whose expected messages some are not in the chat",
    "unreachable": "whose expected messages are not in the chat (in no mean)",
    "none": "with nothing to find, where to abstain is right",
}


def head(figures: Figures) -> list[Element]:
    """How many cases, what failed, and the main difference in a sentence."""
    gold = Counter({row.case_id: row.gold for row in figures.rows}.values())
    repeats = len({row.repeat for row in figures.rows})
    told = (
        f"{gold.total()} {figures.kind.upper()} cases"
        + (f", each asked {repeats} times a mode," if repeats > 1 else "")
        + f" from {_of_groups(figures.groups)} of conversations that share no people: "
        + ", ".join(f"{gold[status]} {words}" for status, words in _GOLD.items() if gold[status])
        + "."
    )
    parts = [h("p", told)]
    if figures.groups < FEW_GROUPS:
        parts.append(
            h(
                "p",
                f"Under {FEW_GROUPS} groups, intervals are {FEW}: they speak of these "
                "conversations and promise nothing of others. “Higher here” and “lower here” say so.",
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
    held = {mode: figures.held(figures.record[mode]["funnel"]["all"]) for mode in modes}
    if any(of["expected"] for of in held.values()):
        found.append(
            figure(
                "Where evidence is lost: expected messages that each stage still holds",
                funnel("Where evidence is lost", modes, held),
                _exactly(figures) if any("span exact" in of for of in held.values()) else None,
                funnel_table(figures),
            )
        )
    if any(figures.curves.values()):
        found.append(
            figure(
                "Recall in the first k of the ranking, in % (k on a logarithmic scale)",
                curve("Recall at k", modes, figures.curves),
            )
        )
    if figures.times:
        found.append(
            figure(
                "Seconds a case (logarithmic scale): half of the cases in the box, nine tenths on "
                "the line, the slowest a mark",
                seconds("Seconds a case", modes, figures.times),
            )
        )
    told = "Marks are means, lines 95 % intervals over conversations (dashed: descriptive)."
    if spent := _spent(figures):
        found.append(figure("What a case costs, on average", bars("Cost a case", modes, spent)))
    return h("div", legend(modes), h("p", told, class_="note"), h("div", found, class_="plots"))


def _exactly(figures: Figures) -> Element:
    """What the last stage means, where not all cases give the characters that they expect."""
    truths = {row.case_id: row.span_truth for row in figures.rows}
    whole = sum(truth == "whole messages" for truth in truths.values())
    told = "Span exact: cited with exactly the expected characters"
    if whole:
        told += f"; {whole} cases give none and expect their messages whole"
    return h("p", f"{told}.", class_="note")


def _of_groups(count: int) -> str:
    return f"{count} group{'s' if count != 1 else ''}"


def _spent(figures: Figures) -> dict[str, dict[str, float]]:
    """What models were asked and what that cost, a case; {} where none was asked."""
    told: dict[str, Callable[[Usage], float]] = {
        "model calls": lambda u: u.model_calls,
        "prompt tokens": lambda u: u.prompt_tokens,
        "completion tokens": lambda u: u.completion_tokens,
        "cost": lambda u: u.cost or 0.0,
    }
    lines = {}
    for name, amount in told.items():
        of_mode = {}
        for mode in figures.modes:
            ended = figures.record[mode]["cases"] - figures.record[mode]["failed"]
            of_mode[mode] = amount(figures.usage[mode]) / ended if ended else 0.0
        if any(of_mode.values()):
            lines[name] = of_mode
    return lines


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
    few = f", {FEW}" if found.interval.descriptive else ""
    return h(
        "p",
        lead,
        h("b", f"{signed(found.mean)} points"),
        f" (95 % interval {ends(found.interval, sign=True)}{few}; p {p(found.p_by_group)} by "
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
