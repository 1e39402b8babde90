"""One case opened: the answers side by side, the messages in their context, and the trails."""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from eval.cases import ArcCase, Case, QaCase
from eval.gold import Truth, truth_of
from eval.report.answer_view import answer_view, ids_of
from eval.report.drawing import mode_class
from eval.report.excerpts import Marked, Span, excerpts
from eval.report.markup import clipped, h, percent
from eval.report.timeline import lanes_of, timeline
from eval.report.trail_view import trail_view
from eval.scoring import Row
from sayso.core.chat import Chat

_LOST = {
    "in the chat": "not in the chat",
    "retrieved": "not retrieved",
    "kept by the grader": "graded as no evidence",
    "cited": "kept, yet not cited",
    "span exact": "cited, though not exactly the expected characters",
}


@dataclass(frozen=True)
class CaseRows:
    """A case with its rows of all modes and repeats; ``case`` is None where only rows are left."""

    rows: tuple[Row, ...]
    modes: tuple[str, ...]
    chat: Chat | None
    case: Case | None = None

    @property
    def any(self) -> Row:
        """A row, for what all rows of a case share."""
        return self.rows[0]

    def of_mode(self, mode: str) -> tuple[Row, ...]:
        """The rows of a mode by repeat."""
        return tuple(row for row in self.rows if row.mode == mode)

    def shown(self, mode: str) -> Row | None:
        """The row whose answer is shown: the first that did not fail."""
        rows = self.of_mode(mode)
        return next((row for row in rows if row.error is None), rows[0] if rows else None)

    def mean(self, mode: str, metric: str) -> float | None:
        """The mean over repeats that have a value."""
        values = [v for r in self.of_mode(mode) if (v := r.metrics.get(metric)) is not None]
        return sum(values) / len(values) if values else None


def case_view(of: CaseRows, *, neighbours: int) -> Element:
    """All of the case; what is not known (its chat, its gold answer) is left out or said."""
    rows = [(at, row) for at, mode in enumerate(of.modes) if (row := of.shown(mode)) is not None]
    truth = truth_of(of.case, of.chat) if of.case is not None and of.chat is not None else None
    return h(
        "div",
        _expected(of, truth),
        h("div", [_answer(at, row, of) for at, row in rows], class_="answers"),
        _arc(of, rows, truth),
        _messages(of, rows, truth, neighbours),
        _ways(of, rows),
        [trail_view(row.trail) for _, row in rows if row.trail],
        class_="case",
    )


def arc_lines(of: CaseRows) -> Element | None:
    """The time line of an arc case; None for a question, or where nothing was to be told."""
    rows = [(at, row) for at, mode in enumerate(of.modes) if (row := of.shown(mode)) is not None]
    truth = truth_of(of.case, of.chat) if of.case is not None and of.chat is not None else None
    return _arc(of, rows, truth)


def _expected(of: CaseRows, truth: Truth | None) -> Element:
    row = of.any
    lines: list[Element] = []
    if isinstance(of.case, QaCase) and of.case.answer is not None and row.answerable:
        lines.append(h("p", "Expected answer: ", h("bdi", str(of.case.answer), class_="goldtext")))
    if not row.answerable:
        lines.append(h("p", "The chat holds no answer: to abstain is right."))
    elif row.gold != "full":
        lines.append(h("p", f"Gold: {row.gold}.", class_="note"))
    if row.unreachable:
        ids = ", ".join(map(str, row.unreachable))
        lines.append(h("p", "Expected ids that name no message: ", h("bdi", ids), class_="note"))
    for repair in row.repaired:
        lines.append(
            h(
                "p",
                "Id ",
                h("bdi", repair.given),
                f" read as {ids_of(repair.local_ids)}",
                class_="note",
            )
        )
    return h("div", lines)


def _answer(at: int, row: Row, of: CaseRows) -> Element:
    head = h("h4", h("bdi", row.mode), class_=mode_class(at))
    repeats = len(of.of_mode(row.mode))
    told = f"{row.seconds:.2f} s"
    if repeats > 1:
        told += f" · repeat {row.repeat + 1} of {repeats}; the scores above are means"
    if row.error is not None:
        body = [h("p", "failed: ", h("bdi", clipped(row.error, 600)), class_="bad")]
    elif row.trail is None:
        body = [h("p", f"no trail kept; returned {ids_of(row.returned_ids)}")]
    else:
        body = answer_view(row.trail.answer)
    scores = [
        h("span", f"{name} ", h("b", percent(value)), " ")
        for name, value in row.metrics.items()
        if value is not None
    ]
    return h(
        "article",
        head,
        body,
        h("p", told, class_="cost"),
        h("details", h("summary", "Scores in %"), h("p", scores, class_="scores"))
        if scores
        else None,
        class_=f"answer {mode_class(at)}",
    )


def _arc(of: CaseRows, rows: Sequence[tuple[int, Row]], truth: Truth | None) -> Element | None:
    if of.any.kind != "arc" or of.chat is None:
        return None
    expected: list[tuple[str, Sequence[int]]] = []
    if isinstance(of.case, ArcCase) and truth is not None:
        titles = [phase.title for phase in of.case.phases]
        expected = list(zip(titles, truth.phases, strict=True)) if truth.phases else []
    elif of.any.expected_ids:
        expected = [("expected messages", of.any.expected_ids)]
    return timeline(f"Phases: {of.any.question}", lanes_of(of.chat, rows, expected), of.chat.zone)


def _messages(
    of: CaseRows, rows: Sequence[tuple[int, Row]], truth: Truth | None, neighbours: int
) -> Element:
    if of.chat is None:
        return h("p", "The chat is not at hand: its messages are left out.", class_="note")
    marked: dict[int, Marked] = {i: Marked(expected=True) for i in of.any.expected_ids}
    if truth is not None and truth.span_truth == "given":
        for gold in truth.spans:
            local_id = int(gold.doc_id.rsplit("#", 1)[1])
            marked.setdefault(local_id, Marked()).spans.append(Span(gold.start, gold.end, None))
    for at, row in rows:
        for local_id in row.returned_ids:
            marked.setdefault(local_id, Marked()).by.append(at)
        for evidence in row.trail.answer.evidence if row.trail else ():
            span = Span(evidence.start, evidence.end, at)
            marked.setdefault(evidence.local_id, Marked()).spans.append(span)
    if not marked:
        return h("p", "Nothing is expected and nothing was cited.", class_="note")
    return h(
        "div",
        h("h4", "Messages"),
        h("p", _how_marked(truth), class_="note"),
        excerpts(of.chat, marked, of.modes, neighbours=neighbours),
    )


def _how_marked(truth: Truth | None) -> str:
    told = "Coloured: the characters that are cited."
    if truth is not None and truth.span_truth == "given":
        told += " Dotted below: those that are expected."
    return told


def _ways(of: CaseRows, rows: Sequence[tuple[int, Row]]) -> Element | None:
    """How far each expected message came in each mode."""
    if not of.any.expected_ids:
        return None
    lines = []
    for local_id in of.any.expected_ids:
        cells = [h("td", _way(local_id, row), data_label=row.mode) for _, row in rows]
        lines.append(h("tr", h("th", f"#{local_id}", scope="row"), cells))
    head = [h("th", h("bdi", row.mode), scope="col") for _, row in rows]
    return h(
        "table",
        h("caption", "How far each expected message came"),
        h("thead", h("tr", h("th", "message", scope="col"), head)),
        h("tbody", lines),
        class_="ways",
    )


def _way(local_id: int, row: Row) -> str:
    if row.trail is None:
        return "cited" if local_id in row.returned_ids else "–"
    ranking = [c.local_id for c in row.trail.ranking]
    told = [f"rank {ranking.index(local_id) + 1}" if local_id in ranking else "not in the ranking"]
    grade = next((g.relevance for g in row.trail.graded if g.local_id == local_id), None)
    if grade is not None:
        told.append(f"relevance {grade:.2f}")
    lost = (
        next((one.at for one in row.passage.lost if one.id == local_id), None)
        if row.passage
        else None
    )
    if lost in (None, "span exact") and row.span_truth != "given":  # messages were expected
        told.append("cited")
    else:
        told.append(_LOST[lost] if lost else "cited, exactly the expected characters")
    return ", ".join(told)
