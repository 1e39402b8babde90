"""The scores of runs that another system made, in a folder like any other run's."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.folder import new_folder
from eval.preparing import Prepared
from eval.replay import Run
from eval.results import results_record
from eval.resuming import config_key, run_record
from eval.scoring import score


def write_scores(
    runs: Sequence[Run], prepared: Prepared, name: str, out: Path
) -> tuple[dict[str, Any], Path]:
    """What ``results.json`` holds, and the new folder with its rows, results and table."""
    at = datetime.now(UTC)
    described = replace(
        prepared,
        modes=(name,),
        config={**prepared.config, "settings": {"system": name}},
    )
    kind = prepared.request.kind
    folder = new_folder(out, kind, at)
    folder.begin(run_record(described, at))
    rows = [score(run) for run in runs]
    for row in rows:
        folder.append(row, config_key(described.config))
    results = results_record(rows, kind, modes=[name], at=at, config=described.config)
    folder.finish(results, rows, kind)
    return results, folder.path
