"""The table of cases: sortable, filterable, each with its details below its line."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from eval.cases import Case
from eval.compare import FLIPS_BY
from eval.report.case_view import CaseRows
from eval.report.markup import h, percent
from eval.scoring import FOUND, Row
from sayso.core.chat import Chat

# What a case can be filtered by, and the words for it.
TAGS = {
    "differs": "modes differ",
    "missed": "something missed",
    "nothing": "nothing found",
    "should-abstain": "nothing to find",
    "wrong-answer": "answered, though nothing is there",
    "wrong-abstain": "abstained, though there is an answer",
    "unreachable": "gold not or partly reachable",
    "failed": "failed",
}


@dataclass(frozen=True)
class Line:
    """A case of the table; ``key`` is its id in the page."""

    key: str
    of: CaseRows


def cases_of(
    rows: Sequence[Row],
    modes: Sequence[str],
    chats: Mapping[str, Chat],
    cases: Mapping[str, Case],
) -> tuple[CaseRows, ...]:
    """The rows by case, in order of first appearance."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.case_id, []).append(row)
    return tuple(
        CaseRows(tuple(of), tuple(modes), chats.get(of[0].chat), cases.get(case_id))
        for case_id, of in found.items()
    )


def case_table(
    lines: Sequence[Line], details: Mapping[str, Element], *, section: str
) -> list[Element]:
    """Filters, then the table; a case without an entry in ``details`` gets an empty place."""
    if not lines:
        return []
    first = lines[0].of
    metric, modes = FLIPS_BY[first.any.kind], first.modes
    tags = {line.key: _tags(line.of, metric) for line in lines}
    columns = [("case", "text"), ("category", "text")]
    columns += [(f"{mode} {metric}", "number") for mode in modes]
    if len(modes) == 2:
        columns.append(("change", "number"))
    columns += [(f"{mode} seconds", "number") for mode in modes]
    body = [_tbody(line, metric, tags[line.key], columns, details.get(line.key)) for line in lines]
    return [
        _filters(lines, tags, columns, section),
        h(
            "table",
            h("caption", f"Scores are {metric} in %; a line opens to answers, messages and trail."),
            h("thead", h("tr", [_heading(n, *column) for n, column in enumerate(columns)])),
            body,
            class_="cases",
            id=f"{section}-cases",
        ),
    ]


def _filters(
    lines: Sequence[Line],
    tags: Mapping[str, Sequence[str]],
    columns: Sequence[tuple[str, str]],
    section: str,
) -> Element:
    categories = sorted({line.of.any.category for line in lines if line.of.any.category})
    counts = {tag: sum(tag in of for of in tags.values()) for tag in TAGS}
    which = [h("option", f"all {len(lines)} cases", value="")]
    which += [
        h("option", f"{words} ({counts[tag]})", value=tag)
        for tag, words in TAGS.items()
        if counts[tag]
    ]
    return h(
        "form",
        _field("Search", h("input", type="search", name="text", autocomplete="off")),
        _field(
            "Category",
            h(
                "select",
                h("option", "all", value=""),
                [h("option", category, value=category) for category in categories],
                name="category",
            ),
        )
        if categories
        else None,
        _field("Show", h("select", which, name="tag")),
        _field(
            "Sort by",
            h(
                "select",
                h("option", "order of the file", value=""),
                [
                    h("option", f"{name}, {word}", value=f"{n} {order}")
                    for n, (name, _) in enumerate(columns)
                    for order, word in (("ascending", "up"), ("descending", "down"))
                ],
                name="sort",
            ),
        ),
        h("output", name="count", aria_live="polite"),
        class_="filters",
        data_table=f"{section}-cases",
        hidden=True,  # of no use without the script, which shows it
    )


def _field(name: str, control: Element) -> Element:
    return h("label", h("span", name), control)


def _heading(at: int, name: str, kind: str) -> Element:
    return h(
        "th",
        h("button", h("bdi", name), type="button", data_column=at),
        scope="col",
        aria_sort="none",
        class_=kind,
    )


def _tbody(
    line: Line,
    metric: str,
    tags: Sequence[str],
    columns: Sequence[tuple[str, str]],
    details: Element | None,
) -> Element:
    of, row = line.of, line.of.any
    scores = {mode: of.mean(mode, metric) for mode in of.modes}
    cells = [
        (h("bdi", row.case_id), row.case_id),
        (h("bdi", row.category or "–"), row.category or ""),
    ]
    for mode, score in scores.items():
        cells.append((_score(of, mode, score), "" if score is None else f"{score:.6f}"))
    if len(of.modes) == 2:
        before, after = scores.values()
        change = None if before is None or after is None else after - before
        told = "–" if change is None else f"{100 * change:+.1f}" if change else "0"
        cells.append((h("span", told), "" if change is None else f"{change:.6f}"))
    for mode in of.modes:
        seconds = [r.seconds for r in of.of_mode(mode)]
        mean = sum(seconds) / len(seconds) if seconds else None
        cells.append(
            (
                h("span", "–" if mean is None else f"{mean:.2f}"),
                "" if mean is None else f"{mean:.4f}",
            )
        )
    return h(
        "tbody",
        h(
            "tr",
            [
                h("td", cell, data_v=value, data_label=_short(name, metric), class_=kind)
                for (cell, value), (name, kind) in zip(cells, columns, strict=True)
            ],
            class_="line",
        ),
        h(
            "tr",
            h(
                "td",
                h(
                    "details",
                    h("summary", h("bdi", row.question)),
                    details if details is not None else h("div", class_="later"),
                ),
                colspan=len(columns),
            ),
            class_="more",
        ),
        id=line.key,
        data_tags=" ".join(tags),
        data_category=row.category or "",
    )


def _short(name: str, metric: str) -> str:
    """A column's name on a phone, where the caption says which score is shown."""
    return name.removesuffix(f" {metric}").replace(" seconds", " s")


def _score(of: CaseRows, mode: str, score: float | None) -> Element:
    rows = of.of_mode(mode)
    failed = sum(row.error is not None for row in rows)
    if rows and failed == len(rows):
        return h("span", "failed", class_="bad")
    if score is not None:
        return h("span", percent(score))
    if of.any.gold == "none" and rows:
        right = all(row.abstained for row in rows if row.error is None)
        return h("span", "abstained ✓" if right else "answered ✗", class_=None if right else "bad")
    return h("span", "–")


def _tags(of: CaseRows, metric: str) -> list[str]:
    scored = [row for row in of.rows if row.error is None]
    scores = [of.mean(mode, metric) for mode in of.modes]
    found = of.any.gold in FOUND
    abstained = {bool(row.abstained) for row in scored}
    tags = {
        "differs": len({s for s in scores if s is not None}) > 1
        or (not of.any.answerable and len(abstained) > 1),
        "missed": found and any(set(r.expected_ids) - set(r.returned_ids) for r in scored),
        "nothing": found and any(not set(r.expected_ids) & set(r.returned_ids) for r in scored),
        "should-abstain": not of.any.answerable,
        "wrong-answer": not of.any.answerable and False in abstained,
        "wrong-abstain": of.any.answerable and True in abstained,
        "unreachable": of.any.gold in ("partial", "unreachable"),
        "failed": any(row.error is not None for row in of.rows),
    }
    return [tag for tag, holds in tags.items() if holds]
