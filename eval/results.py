"""What ``results.json`` and ``cases.csv`` hold, made of rows alone. Files hold fractions."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from eval.cases import CaseKind
from eval.funnel import total
from eval.rows import row_record
from eval.scoring import METRICS, Row
from eval.statistics import Outcome, Summary, abstention, summarise
from eval.usage import usage_record

# What a spreadsheet would take for the start of a formula; full-width forms are such, too.
_FORMULA = ("=", "+", "-", "@")

CSV_HEAD = (
    "case_id",
    "mode",
    "chat",
    "category",
    "question",
    "gold",
    "expected_ids",
    "returned_ids",
)

Record = dict[str, Any]  # a JSON object, written and never read here


def results_record(
    rows: Sequence[Row],
    kind: CaseKind,
    *,
    modes: Sequence[str],
    at: datetime,
    config: Mapping[str, Any],
    complete: bool = True,
) -> Record:
    """What ``results.json`` holds: ``modes``, or one of these for each of several ``datasets``.

    Data sets are never pooled into one mean. ``complete`` is false for an interrupted run: the rows are then those that had ended.
    """
    names = tuple(dict.fromkeys(row.dataset for row in rows))
    record: Record = {
        "timestamp": at.astimezone(UTC).isoformat(timespec="seconds"),
        "kind": kind,
        "complete": complete,
        "config": dict(config),
    }
    if len(names) > 1:
        record["datasets"] = {
            name: {"modes": modes_record([r for r in rows if r.dataset == name], kind, modes)}
            for name in names
        }
    else:
        record["modes"] = modes_record(rows, kind, modes)
    return record | {"cases": [row_record(row) for row in rows]}


def modes_record(rows: Sequence[Row], kind: CaseKind, modes: Sequence[str]) -> Record:
    """Per mode: metrics, the same by category, abstention, usage, and how many cases ran and failed.

    Failed cases stand in ``failed`` and nowhere else: not in ``n``, not in ``undefined``.
    """
    return {mode: _mode_record([r for r in rows if r.mode == mode], kind) for mode in modes}


def _mode_record(rows: Sequence[Row], kind: CaseKind) -> Record:
    scored = [row for row in rows if row.error is None]
    categories = sorted({row.category for row in scored if row.category is not None})
    outcomes = (Outcome(not row.answerable, bool(row.abstained)) for row in scored)
    return {
        "cases": len(rows),
        "failed": len(rows) - len(scored),
        "metrics": _summaries(scored, kind),
        "by_category": {
            name: _summaries([r for r in scored if r.category == name], kind) for name in categories
        },
        "abstention": asdict(abstention(outcomes)),
        "funnel": _funnels(scored, categories),
        "repeats": _repeats(scored, kind),
        "usage": usage_record(rows),
        "gold": {
            gold: sum(row.gold == gold for row in rows)
            for gold in ("full", "partial", "unreachable", "none")
        },
    }


def _funnels(rows: Sequence[Row], categories: Sequence[str]) -> Record:
    """Expected messages that each stage still holds, over all cases and by category."""

    def of(kept: Sequence[Row]) -> Record:
        return total(row.passage for row in kept if row.passage is not None)

    by_category = {name: of([r for r in rows if r.category == name]) for name in categories}
    return {"all": of(rows), "by_category": by_category}


def _repeats(rows: Sequence[Row], kind: CaseKind) -> Record | None:
    """How much a metric's mean varies from repeat to repeat, and from case to case; None for one.

    ``over_runs`` summarises the means of the repeats, ``over_cases`` the cases' own means.
    """
    repeats = sorted({row.repeat for row in rows})
    if len(repeats) < 2:
        return None
    spread: Record = {}
    for name in METRICS[kind]:
        of_runs = [
            summarise([r.metrics[name] for r in rows if r.repeat == n]).mean for n in repeats
        ]
        by_case: dict[str, list[float | None]] = {}
        for row in rows:
            by_case.setdefault(row.case_id, []).append(row.metrics[name])
        of_cases = [summarise(scores).mean for scores in by_case.values()]
        spread[name] = {
            "over_runs": asdict(summarise(of_runs)),
            "over_cases": asdict(summarise(of_cases)),
        }
    return {"n": len(repeats), "metrics": spread}


def summary_of(rows: Sequence[Row], metric: str) -> Summary:
    """One metric over the rows that did not fail."""
    return summarise([row.metrics[metric] for row in rows if row.error is None])


def _summaries(rows: Sequence[Row], kind: CaseKind) -> Record:
    return {name: asdict(summarise([r.metrics[name] for r in rows])) for name in METRICS[kind]}


def csv_rows(rows: Sequence[Row], kind: CaseKind) -> list[list[str]]:
    """The header and a line per row; a metric without a value is an empty cell.

    A run of several repeats has their number, from 0, in a last column.
    """
    names = METRICS[kind]
    repeated = any(row.repeat for row in rows)
    table = [[*CSV_HEAD, *names, "error", "seconds", *(["repeat"] if repeated else [])]]
    for row in rows:
        texts = (row.case_id, row.mode, row.chat, row.category or "", row.question, row.gold)
        ids = (json.dumps(list(row.expected_ids)), json.dumps(list(row.returned_ids)))
        values = (row.metrics[name] for name in names)
        table.append(
            [
                *map(_inert, texts),
                *ids,
                *("" if value is None else repr(float(value)) for value in values),
                _inert(row.error or ""),
                f"{row.seconds:.3f}",
                *([str(row.repeat)] if repeated else []),
            ]
        )
    return table


def _inert(cell: str) -> str:
    """The cell, such that a spreadsheet shows it and does not compute it."""
    return f"'{cell}" if _seen(cell).startswith(_FORMULA) else cell


def _seen(cell: str) -> str:
    """The first character that shows: some spreadsheets skip white space and what is invisible."""
    first = next((c for c in cell if c.isprintable() and not c.isspace()), "")
    return unicodedata.normalize("NFKC", first)
