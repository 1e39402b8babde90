"""Every metric of a run again, from its rows and its cases, with no model and no search."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from eval.engine import Engine
from eval.folder import RunFolder, open_folder
from eval.overlay import Repair, under
from eval.preparing import Prepared, prepare
from eval.replay import Run
from eval.results import results_record
from eval.resuming import request_of
from eval.scoring import Row, score


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
        )


def rescore(path: Path, engine: Engine, *, overlay: Sequence[Repair] = ()) -> Rescored:
    """The run of that folder under the metrics of today, and the labels that an overlay signs.

    The cases and chats are read again from where they were. Raises InputError where folder, cases
    or chats are gone or are no longer what the rows speak of.
    """
    folder, record = open_folder(path)
    request = replace(request_of(record), modes=())
    prepared = replace(prepare(request, engine), modes=tuple(record["request"]["modes"]))
    cases = {ready.case.case_id: ready for ready in prepared.cases}
    notes: list[str] = []
    if overlay:
        signed = under(prepared.cases, overlay)
        cases = {ready.case.case_id: ready for ready in signed.cases}
        notes += signed.notes
    kept = folder.kept()
    rows, changed = [], 0
    for row in kept.rows:
        ready = cases.get(row.case_id)
        if ready is None:
            notes.append(f"{row.case_id}: its case is no longer in the case files; left out")
            continue
        again = score(Run(ready, row.mode, row.trail, row.error, row.seconds, row.repeat))
        changed += again.metrics != row.metrics
        rows.append(again)
    return Rescored(tuple(rows), changed, tuple(notes), folder, prepared, record)
