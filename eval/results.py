"""A run's folder: ``rows.jsonl`` as cases end, then ``results.json`` and ``cases.csv``.

Every folder is new and nothing in one is written over. Files hold fractions. ``rows.jsonl``
alone is enough to recompute the other two.
"""

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, cast

from eval.cases import CaseKind
from eval.scoring import METRICS, Row
from eval.statistics import Outcome, abstention, summarise
from eval.trails import trail_record
from sayso.errors import StoreError

# What a spreadsheet would take for the start of a formula.
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


@dataclass(frozen=True)
class RunFolder:
    """Where one run is written."""

    path: Path

    def append(self, row: Row) -> None:
        """Add the row with its trail to ``rows.jsonl``; it is on the disk when this returns."""
        trail = trail_record(row.trail) if row.trail else None
        line = json.dumps(row_record(row) | {"trail": trail}, ensure_ascii=False)
        with self._open("rows.jsonl", "a", "utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def finish(self, results: Record, rows: Sequence[Row], kind: CaseKind) -> None:
        """Write ``results.json`` and ``cases.csv``."""
        text = json.dumps(results, ensure_ascii=False, indent=2)
        with self._open("results.json", "x", "utf-8") as file:
            file.write(text + "\n")
        # utf-8-sig: spreadsheets read UTF-8 as such only after a byte order mark.
        with self._open("cases.csv", "x", "utf-8-sig") as file:
            csv.writer(file).writerows(csv_rows(rows, kind))

    @contextmanager
    def _open(self, name: str, mode: str, encoding: str) -> Iterator[TextIO]:
        """The file for writing; StoreError for whatever the disk refuses."""
        path = self.path / name
        try:
            # A lone surrogate of a model's reply has no UTF-8: "replace".
            with path.open(mode, encoding=encoding, errors="replace", newline="") as file:
                yield cast(TextIO, file)
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from error


def new_folder(out: Path, kind: CaseKind, at: datetime) -> RunFolder:
    """A new folder ``<UTC time>-<kind>-<n>`` in ``out``; StoreError if it cannot be made."""
    stamp = at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    number = 1
    try:
        out.mkdir(parents=True, exist_ok=True)
        while True:
            path = out / f"{stamp}-{kind}-{number}"
            try:
                path.mkdir()
            except FileExistsError:
                number += 1
            else:
                return RunFolder(path)
    except OSError as error:
        raise StoreError(
            f"{out}: cannot hold a run's folder: {error.strerror}; name another with --out"
        ) from error


def results_record(
    rows: Sequence[Row],
    kind: CaseKind,
    *,
    modes: Sequence[str],
    at: datetime,
    config: Mapping[str, Any],
    complete: bool = True,
) -> Record:
    """What ``results.json`` holds; ``datasets`` only where the run has more than one.

    ``complete`` is false for an interrupted run: the rows are then those that had ended.
    """
    names = tuple(dict.fromkeys(row.dataset for row in rows))
    record: Record = {
        "timestamp": at.astimezone(UTC).isoformat(timespec="seconds"),
        "kind": kind,
        "complete": complete,
        "config": dict(config),
        "modes": modes_record(rows, kind, modes),
    }
    if len(names) > 1:
        record["datasets"] = {
            name: {"modes": modes_record([r for r in rows if r.dataset == name], kind, modes)}
            for name in names
        }
    return record | {"cases": [row_record(row) for row in rows]}


def modes_record(rows: Sequence[Row], kind: CaseKind, modes: Sequence[str]) -> Record:
    """Per mode: metrics, the same by category, abstention, and how many cases ran and failed.

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
        "gold": {
            gold: sum(row.gold == gold for row in rows)
            for gold in ("full", "partial", "unreachable", "none")
        },
    }


def _summaries(rows: Sequence[Row], kind: CaseKind) -> Record:
    return {name: asdict(summarise([r.metrics[name] for r in rows])) for name in METRICS[kind]}


def row_record(row: Row) -> Record:
    """The row as JSON holds it, without its trail."""
    answer = row.trail.answer if row.trail else None
    return {
        "case_id": row.case_id,
        "mode": row.mode,
        "dataset": row.dataset,
        "kind": row.kind,
        "chat": row.chat,
        "category": row.category,
        "question": row.question,
        "answerable": row.answerable,
        "gold": row.gold,
        "expected_ids": list(row.expected_ids),
        "returned_ids": list(row.returned_ids),
        "repaired": [asdict(repair) for repair in row.repaired],
        "unreachable": list(row.unreachable),
        "span_truth": row.span_truth,
        "metrics": dict(row.metrics),
        "phase_recalls": list(row.phase_recalls),
        "answer": answer.text if answer else None,
        "abstained": row.abstained,
        "stop_reason": row.trail.stop_reason if row.trail else None,
        "usage": row.trail.usage.model_dump() if row.trail else None,
        "error": row.error,
        "seconds": row.seconds,
    }


def csv_rows(rows: Sequence[Row], kind: CaseKind) -> list[list[str]]:
    """The header and a line per row; a metric without a value is an empty cell."""
    names = METRICS[kind]
    table = [[*CSV_HEAD, *names, "error", "seconds"]]
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
            ]
        )
    return table


def _inert(cell: str) -> str:
    """The cell, such that a spreadsheet shows it and does not compute it."""
    # A tab or a line break before the sign is skipped by some spreadsheets.
    return f"'{cell}" if cell.lstrip().startswith(_FORMULA) else cell
