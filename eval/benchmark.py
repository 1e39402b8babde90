"""A whole run: choose the cases, find their chats, replay, score, write.

From Python, also in a notebook::

    from eval.benchmark import benchmark
    from eval.engine import installed_engine
    from eval.preparing import Request, prepare

    engine = installed_engine()
    prepared = prepare(Request(kind="qa", cases=(Path("my_cases.jsonl"),)), engine)
    finished = benchmark(prepared, engine)
    finished.results["modes"]["agent"]["metrics"]["evidence_f1"]["mean"]
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.engine import Engine
from eval.folder import RunFolder, new_folder
from eval.oracles import gold_of, with_oracle
from eval.preparing import Prepared
from eval.replay import Run, replay, tasks_of
from eval.results import results_record
from eval.resuming import config_key, run_record
from eval.scoring import Row, score
from sayso.core.chat import Chat
from sayso.core.seams import Deps, Mode


@dataclass(frozen=True)
class Finished:
    """A run with its folder; ``rows`` by case, then mode. Not ``complete`` = interrupted."""

    results: Mapping[str, Any]
    rows: tuple[Row, ...]
    folder: Path
    complete: bool

    @property
    def failed(self) -> int:
        """How many rows are errors."""
        return sum(row.error is not None for row in self.rows)


def benchmark(
    prepared: Prepared,
    engine: Engine,
    *,
    on_row: Callable[[Row], None] = lambda row: None,
    on_chat: Callable[[Chat], None] = lambda chat: None,
    on_note: Callable[[str], None] = lambda note: None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Finished:
    """Replay and score; a row is on the disk before ``on_row`` hears of it.

    ``on_chat`` hears of a chat before its index is opened or built, and ``on_note`` once of each
    thing that its Deps lack. KeyboardInterrupt ends the replay early: what is done is written and
    returned.
    """
    request, at = prepared.request, now()
    before = prepared.resumed
    folder = before.folder if before else new_folder(request.out, request.kind, at)
    rows: list[Row] = list(before.rows) if before else []
    held = folder.hold(before.size if before else None)
    folder.begin(run_record(prepared, at))
    key = config_key(prepared.config)
    said: set[str] = set()
    fresh: list[Row] = []  # at most as many as there are jobs

    def ended(run: Run) -> None:
        row = _scored(run)
        folder.append(row, key, sync=False)
        fresh.append(row)
        if len(fresh) >= request.jobs:
            settled()

    def settled() -> None:
        # One wait for the disk serves all rows that end together, as those of 64 jobs may.
        if fresh:
            folder.sync()
        while fresh:
            rows.append(fresh.pop(0))
            on_row(rows[-1])

    def opened(chat: Chat) -> Deps:
        on_chat(chat)
        deps = engine.deps_for(chat)
        for note in deps.notes:
            if note not in said:
                said.add(note)
                on_note(note)
        return deps

    done = {(row.case_id, row.mode, row.repeat) for row in rows}
    tasks = tasks_of(prepared.cases, prepared.modes, request.repeats)
    complete = True
    try:
        replay(
            [task for task in tasks if task.key not in done],
            _modes(prepared, engine),
            deps_for=opened,
            jobs=request.jobs,
            deadline=request.case_seconds,
            on_run=ended,
            on_lull=settled,
        )
    except KeyboardInterrupt:
        complete = False
    finally:
        held.let_go()
    rows += fresh
    return _written(prepared, folder, rows, at=at, complete=complete)


def _scored(run: Run) -> Row:
    """The row of the run; where a mode left what cannot be scored, that is its error."""
    try:
        return score(run)
    except Exception as error:  # one case must not end the run
        story = f"cannot be scored: {type(error).__name__}: {error}"
        return score(replace(run, trail=None, error=story))


def _modes(prepared: Prepared, engine: Engine) -> dict[str, Mode]:
    modes = {mode: engine.modes[mode] for mode in prepared.modes}
    oracle = prepared.request.oracle
    if oracle is None:
        return modes
    gold = gold_of(prepared.cases)
    return {name: with_oracle(mode, oracle, gold) for name, mode in modes.items()}


def _written(
    prepared: Prepared, folder: RunFolder, rows: Sequence[Row], *, at: datetime, complete: bool
) -> Finished:
    kind, modes = prepared.request.kind, prepared.modes
    tasks = tasks_of(prepared.cases, modes, prepared.request.repeats)
    places = {task.key: at for at, task in enumerate(tasks)}
    ordered = sorted(rows, key=lambda row: places[row.case_id, row.mode, row.repeat])
    results = results_record(
        ordered, kind, modes=modes, at=at, config=prepared.config, complete=complete
    )
    folder.finish(results, ordered, kind)
    return Finished(results, tuple(ordered), folder.path, complete)
