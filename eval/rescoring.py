"""Every metric of a run again, from its rows and its cases, with no model and no search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from eval.cases import ReadyCase
from eval.engine import Engine
from eval.folder import RunFolder, open_folder
from eval.overlay import Repair, under
from eval.preparing import Prepared, prepare
from eval.replay import Run, Task, tasks_of
from eval.results import results_record
from eval.resuming import OVERLAY, changed_data, request_of
from eval.scoring import Row, score
from sayso.errors import InputError


@dataclass(frozen=True)
class Rescored:
    """The rows as they score now; ``changed`` counts those with another figure than was written."""

    rows: tuple[Row, ...]
    changed: int
    notes: tuple[str, ...]
    folder: RunFolder
    prepared: Prepared
    record: dict[str, Any]

    @property
    def results(self) -> dict[str, Any]:
        """What ``results.json`` would hold now."""
        return results_record(
            self.rows,
            self.prepared.request.kind,
            modes=self.prepared.modes,
            at=datetime.fromisoformat(self.record["timestamp"]),
            config=self.record["config"],
            complete=len(self.rows) == self.prepared.total,
        )

    def write(self) -> None:
        """Write ``results.json`` and ``cases.csv`` of the run anew; a judge's verdicts stay."""
        results = self.results
        written = self.folder.results()
        if "judge" in written:
            results["judge"] = written["judge"]
        self.folder.finish(results, self.rows, self.prepared.request.kind)


def rescore(path: Path, engine: Engine, *, overlay: Sequence[Repair] | None = None) -> Rescored:
    """The run of that folder under the metrics of today, rows by case, then mode.

    Labels are those of the run, or with ``overlay`` the published ones with what it signs. The
    cases and chats are read again from where they were. Raises InputError where folder, cases or
    chats are gone, or where a chat lacks a message that a row cites.
    """
    folder, record = open_folder(path)
    request = replace(request_of(record), modes=())
    if overlay is not None:
        request = replace(request, overlay=None)
    prepared = replace(prepare(request, engine), modes=tuple(record["request"]["modes"]))
    notes = _changes(path, record["config"], prepared.config, overlaid=overlay is not None)
    if overlay:
        signed = under(prepared.cases, overlay)
        prepared = replace(prepared, cases=signed.cases)
        notes += signed.notes
    ready = {task.key: task.ready for task in _tasks(prepared)}
    kept = {(row.case_id, row.mode, row.repeat): row for row in folder.kept().rows}
    strays = [row.case_id for key, row in kept.items() if key not in ready]
    if strays:
        notes.append(f"{path}: {len(strays)} rows are of cases left out now, as {strays[0]}")
    rows, changed = [], 0
    for key in (key for key in ready if key in kept):
        row = kept[key]
        _each_is_there(row, ready[key], path)
        again = score(Run(ready[key], row.mode, row.trail, row.error, row.seconds, row.repeat))
        changed += again.metrics != row.metrics
        rows.append(again)
    if len(rows) < prepared.total:
        notes.append(
            f"{path}: {len(rows)} of {prepared.total} runs are there; the run is not whole"
        )
    return Rescored(tuple(rows), changed, tuple(notes), folder, prepared, record)


def _tasks(prepared: Prepared) -> Sequence[Task]:
    return tasks_of(prepared.cases, prepared.modes, prepared.request.repeats)


def _changes(
    path: Path, before: Mapping[str, Any], now: Mapping[str, Any], *, overlaid: bool
) -> list[str]:
    changed = [one for one in changed_data(before, now) if not (overlaid and one == OVERLAY)]
    return [f"{path}: changed since the run was made: {', '.join(changed)}"] if changed else []


def _each_is_there(row: Row, ready: ReadyCase, path: Path) -> None:
    """InputError for a row that cites what its chat does not hold."""
    if row.trail is None:
        return
    answer = row.trail.answer
    parts = (
        answer.evidence,
        *(c.evidence for c in answer.claims),
        *(p.evidence for p in answer.phases),
    )
    for one in (one for part in parts for one in part):
        if one.local_id not in ready.chat.by_id:
            raise InputError(
                f"{path}: {row.case_id}, {row.mode}: cites message {one.local_id}, which chat "
                f"{ready.chat.chat_id} does not hold; restore the chat of the run"
            )
