"""A run on the terminal: the modes side by side, by category, and case by case.

Percentages for people; files keep fractions. Whatever comes from a chat, a case or a reply is
shown as inert text: neither markup nor terminal control.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from eval.cases import CaseKind
from eval.scoring import Row
from eval.usage import usage_line
from sayso.core.chat import Chat

# The three that a category's line has room for, and what they are called there.
CATEGORY_METRICS: dict[CaseKind, dict[str, str]] = {
    "qa": {"evidence_recall": "recall", "evidence_f1": "f1", "recall@10": "rec@10"},
    "arc": {"global_recall": "recall", "phase_coverage": "phases", "recall@10": "rec@10"},
}
_EXCERPT = 96
_METRICS_WIDTH = 76
_LEGEND = "med: median; n: {0} with a value; none: {0} without, as where nothing is to be found"
_FILE_WIDTH = 160

Record = Mapping[str, Any]  # a part of results.json


def summary(results: Record) -> RenderableType:
    """All tables of a run: one set for each dataset, never pooled into one mean."""
    kind: CaseKind = results["kind"]
    parts = results.get("datasets")
    if not parts:
        names = {case["dataset"] for case in results["cases"]}
        parts = {next(iter(names), ""): {"modes": results["modes"]}}
    return Group(*(_of_dataset(name, part["modes"], kind) for name, part in parts.items()))


def _of_dataset(name: str, modes: Record, kind: CaseKind) -> RenderableType:
    first: Record = next(iter(modes.values()))
    times = first["repeats"]["n"] if first["repeats"] else 1
    what = "cases" if times == 1 else "runs"
    # Counts in the record are of runs; a case that was asked five times is still one. Of an
    # interrupted run some were asked less often, and the counts stay what they are.
    each = times if first["cases"] % times == 0 else 1
    gold = ", ".join(f"{n // each} {status}" for status, n in first["gold"].items() if n)
    asked = first["cases"] // each
    cases = f"{asked} {kind.upper()} case{'s' if asked != 1 else ''}"
    if times > 1:
        cases = f"{cases}, each asked {times} times" if each > 1 else f"{asked} {kind.upper()} runs"
    title = Text(plain(name) or "cases", style="bold")
    title.append(f"  {cases}" + (f" (gold: {gold})" if gold else ""), style="not bold")
    title.append(", scores in %", style="not bold")
    parts: list[RenderableType] = [
        title,
        _metrics(modes),
        Text(_LEGEND.format(what), style="dim"),
        Text(),
    ]
    if any(mode["by_category"] for mode in modes.values()):
        parts += [_categories(modes, kind), Text()]
    parts.extend(_abstention(mode, record["abstention"], what) for mode, record in modes.items())
    parts.extend(_funnel(mode, record["funnel"]["all"], kind) for mode, record in modes.items())
    parts.extend(
        _repeats(mode, record["repeats"]) for mode, record in modes.items() if record["repeats"]
    )
    parts.extend(
        Text(f"{mode}: {usage_line(used)}")
        for mode, record in modes.items()
        if (used := record.get("usage"))
    )
    parts.extend(
        Text(f"{mode}: {record['failed']} of {record['cases']} {what} failed", style="red")
        for mode, record in modes.items()
        if record["failed"]
    )
    return Group(*parts, Text())


def _metrics(modes: Record) -> Table:
    table = _table("metric")
    for mode in modes:
        for at, heading in enumerate(("mean", "med", "std", "n", "none")):
            table.add_column(_under(mode if at == 0 else "", heading), justify="right")
    for name in next(iter(modes.values()))["metrics"]:
        cells = [Text(name)]
        for mode in modes.values():
            of = mode["metrics"][name]
            cells += [_number(of[key]) for key in ("mean", "median", "std")]
            cells += [Text(str(of["n"])), Text(str(of["undefined"]), style="dim")]
        table.add_row(*cells)
    return table


def _categories(modes: Record, kind: CaseKind) -> Table:
    table = _table("category")
    for mode in modes:
        for at, name in enumerate(CATEGORY_METRICS[kind].values()):
            table.add_column(_under(mode if at == 0 else "", name), justify="right")
        table.add_column(_under("", "n"), justify="right")
    for category in sorted({c for mode in modes.values() for c in mode["by_category"]}):
        cells = [Text(plain(category))]
        for mode in modes.values():
            of = mode["by_category"].get(category, {})
            shown = [of.get(name, {}) for name in CATEGORY_METRICS[kind]]
            cells += [_number(metric.get("mean")) for metric in shown]
            cells.append(Text(str(shown[0].get("n", 0))))
        table.add_row(*cells)
    return table


def _abstention(mode: str, of: Record, what: str) -> Text:
    shares = ", ".join(f"{name} {_percent(of[name])}" for name in ("precision", "recall", "f1"))
    right, all_such = of["tp"], of["tp"] + of["fn"]
    return Text(
        f"{mode}: abstention {shares}\n"
        f"  on {right} of {all_such} {what} with nothing to find, and on {of['fp']} with an answer"
    )


def _funnel(mode: str, held: Record, kind: CaseKind) -> Text:
    # An arc expects messages, not characters: that stage would hold nothing whatever was cited.
    shown = {name: n for name, n in held.items() if kind != "arc" or name != "span exact"}
    stages = "  ".join(f"{name} {n}" for name, n in shown.items())
    return Text(f"{mode}: of the expected messages, how many each stage still holds\n  {stages}")


def _repeats(mode: str, of: Record) -> Text:
    told = []
    for name, spread in of["metrics"].items():
        runs, cases = spread["over_runs"]["std"], spread["over_cases"]["std"]
        if name in ("evidence_f1", "global_recall") and runs is not None and cases is not None:
            told.append(f"{name} ±{100 * runs:.1f} over runs, ±{100 * cases:.1f} over cases")
    spread = "; ".join(told) or "n/a"
    return Text(f"{mode}: {of['n']} repeats, standard deviations\n  {spread}")


def case_view(row: Row, chat: Chat) -> RenderableType:
    """One case: question, expected and returned evidence with their words, and its metrics."""
    lines = [
        Text(f"{plain(row.case_id)}  {row.mode}  gold: {row.gold}", style="bold"),
        Text(f"  {plain(row.question)}"),
    ]
    if row.error is not None:
        lines.append(Text(f"  failed: {plain(row.error)}", style="red"))
    if row.unreachable:
        lines.append(Text(f"  unreachable: {plain(', '.join(map(str, row.unreachable)))}"))
    lines += _messages("expected", row.expected_ids, row.returned_ids, chat)
    lines += _messages("returned", row.returned_ids, row.expected_ids, chat)
    if row.trail:
        said = "abstained: " if row.abstained else "answer: "
        lines.append(Text(f"  {said}{_short(row.trail.answer.text)}"))
    lines += _phases(row)
    values = [f"{name} {_percent(v)}" for name, v in row.metrics.items() if v is not None]
    lines += [Text(f"  {line}", style="dim") for line in _filled(values)]
    return Group(*lines, Text())


def _filled(values: Sequence[str]) -> list[str]:
    """The values on lines, none of them broken over two."""
    lines: list[str] = []
    for value in values:
        if lines and len(lines[-1]) + 2 + len(value) <= _METRICS_WIDTH:
            lines[-1] += f"  {value}"
        else:
            lines.append(value)
    return lines


def _messages(title: str, ids: Sequence[int], others: Sequence[int], chat: Chat) -> list[Text]:
    if not ids:
        return [Text(f"  {title}: none")]
    lines = [Text(f"  {title}: {', '.join(map(str, ids))}")]
    for local_id in ids:
        message = chat.by_id[local_id]
        mark = "✓" if local_id in others else " "
        words = message.text or message.caption or f"[{message.kind}]"
        lines.append(
            Text(f"  {mark} #{local_id} {plain(message.sender)}: {_short(words)}", style="dim")
        )
    return lines


def _phases(row: Row) -> list[Text]:
    if not row.phase_recalls:
        return []
    return [Text(f"  recall of each phase: {', '.join(map(_percent, row.phase_recalls))}")]


def console(*, stderr: bool = False) -> Console:
    """Where a run is printed; wide enough for any line of ours where it is a file or a pipe."""
    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal:
        made.width = max(made.width, _FILE_WIDTH)
    return made


def plain(text: str) -> str:
    """The text on one line, what a terminal would obey replaced by U+FFFD."""
    # U+200D joins emoji; it is not printable by itself, yet harmless.
    joined = " ".join(text.split())
    return "".join(c if c.isprintable() or c == "\u200d" else "\ufffd" for c in joined)


def _short(text: str) -> str:
    line = plain(text)
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"


def _table(first: str) -> Table:
    # Without lines between columns both modes fit into 80 cells.
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(_under("", first), no_wrap=True)
    return table


def _under(mode: str, heading: str) -> Text:
    return Text(f"{mode}\n{heading}")


def _number(fraction: float | None) -> Text:
    """A percentage without its sign, for columns that say so above."""
    return Text("n/a" if fraction is None else f"{100 * fraction:.1f}")


def _percent(fraction: float | None) -> str:
    return "n/a" if fraction is None else f"{100 * fraction:.1f}%"
