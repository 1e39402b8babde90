"""A whole run: choose the cases, find their chats, replay, score, write.

From Python, also in a notebook::

    from eval.benchmark import Request, benchmark, prepare
    from eval.engine import installed_engine

    engine = installed_engine()
    prepared = prepare(Request(kind="qa", cases=(Path("my_cases.jsonl"),)), engine)
    finished = benchmark(prepared, engine)
    finished.results["modes"]["agent"]["metrics"]["evidence_f1"]["mean"]
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from eval.case_files import read_cases
from eval.cases import CaseKind, FiledCase, ReadyCase, Split
from eval.chats import with_chats
from eval.config import config_record
from eval.engine import Engine
from eval.gold import truth_of
from eval.replay import Run, replay
from eval.results import RunFolder, new_folder, results_record
from eval.scoring import Row, score
from sayso.core.chat import Chat
from sayso.core.seams import Deps
from sayso.errors import CaseError, ConfigurationError
from sayso.paths import arc_data_dir

_LOST_SHOWN = 3


@dataclass(frozen=True)
class Request:
    """What is to be run. No ``cases`` = the shipped ones; no ``modes`` = all of the engine's."""

    kind: CaseKind = "qa"
    cases: tuple[Path, ...] = ()
    chats: tuple[Path, ...] = ()
    modes: tuple[str, ...] = ()
    split: Split | Literal["all"] = "all"
    limit: int | None = None
    seed: int | None = None
    jobs: int = 1
    out: Path = Path("runs")
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """Everything found before the first case runs; ``notes`` are for the person, in words."""

    request: Request
    cases: tuple[ReadyCase, ...]
    modes: tuple[str, ...]
    config: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def total(self) -> int:
        """How many runs there will be."""
        return len(self.cases) * len(self.modes)


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


def prepare(request: Request, engine: Engine) -> Prepared:
    """The run, ready to start; raises InputError or ConfigurationError for what is not there."""
    modes = request.modes or tuple(engine.modes)
    unknown = [mode for mode in modes if mode not in engine.modes]
    if unknown:
        raise ConfigurationError(f"no mode {unknown[0]!r}; known modes: {', '.join(engine.modes)}")
    paths = request.cases or (arc_data_dir() / "cases" / request.kind,)
    for path in paths:
        if not path.exists():
            raise CaseError(f"{path}: no such file or folder of cases")
    found = read_cases(paths, request.kind)
    chosen = choose(found.cases, split=request.split, limit=request.limit, seed=request.seed)
    if not chosen:
        raise CaseError(_no_case(request, paths, found.cases))
    placed = with_chats(chosen, folders=request.chats, load=engine.load)
    options = {k: v for k, v in asdict(request).items() if k != "command"}
    config = config_record(
        command=request.command,
        settings=engine.settings,
        options={k: _plain(v) for k, v in options.items()} | {"modes": list(modes)},
        case_files=[filed.file for filed in chosen],
        chat_files=placed.files.values(),
        chats=list({id(ready.chat): ready.chat for ready in placed.cases}.values()),
    )
    notes = (*engine.notes, *found.left_out, *_gold_notes(placed.cases))
    return Prepared(request, placed.cases, modes, config, notes)


def choose(
    cases: Sequence[FiledCase],
    *,
    split: str = "all",
    limit: int | None = None,
    seed: int | None = None,
) -> tuple[FiledCase, ...]:
    """The cases of the split, in file order or the seed's, at most ``limit``.

    A larger limit with the same seed takes the same cases and more.
    """
    chosen = [filed for filed in cases if split in ("all", filed.case.split)]
    if seed is not None:
        random.Random(seed).shuffle(chosen)
    return tuple(chosen[:limit])


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
    folder = new_folder(request.out, request.kind, at)
    rows: list[Row] = []
    said: set[str] = set()

    def ended(run: Run) -> None:
        row = score(run)
        folder.append(row)
        rows.append(row)
        on_row(row)

    def opened(chat: Chat) -> Deps:
        on_chat(chat)
        deps = engine.deps_for(chat)
        for note in deps.notes:
            if note not in said:
                said.add(note)
                on_note(note)
        return deps

    complete = True
    try:
        replay(
            prepared.cases,
            {mode: engine.modes[mode] for mode in prepared.modes},
            deps_for=opened,
            jobs=request.jobs,
            on_run=ended,
        )
    except KeyboardInterrupt:
        complete = False
    return _written(prepared, folder, rows, at=at, complete=complete)


def _written(
    prepared: Prepared, folder: RunFolder, rows: Sequence[Row], *, at: datetime, complete: bool
) -> Finished:
    kind = prepared.request.kind
    places = {ready.case.case_id: n for n, ready in enumerate(prepared.cases)}
    modes = prepared.modes
    ordered = sorted(rows, key=lambda row: (places[row.case_id], modes.index(row.mode)))
    results = results_record(
        ordered, kind, modes=modes, at=at, config=prepared.config, complete=complete
    )
    folder.finish(results, ordered, kind)
    return Finished(results, tuple(ordered), folder.path, complete)


def _no_case(request: Request, paths: Sequence[Path], found: Sequence[FiledCase]) -> str:
    where = ", ".join(map(str, paths))
    if not found:
        return f"{where}: no {request.kind.upper()} case there"
    return (
        f"{where}: none of the {len(found)} {request.kind.upper()} cases is of split "
        f"{request.split!r}; use --split all"
    )


def _gold_notes(cases: Sequence[ReadyCase]) -> tuple[str, ...]:
    truths = [truth_of(ready.case, ready.chat) for ready in cases]
    repaired = sum(len(truth.expected.repaired) for truth in truths)
    lost = [
        f"{json.dumps(given, ensure_ascii=False)} of {ready.case.case_id}"
        for ready, truth in zip(cases, truths, strict=True)
        for given in truth.expected.unreachable
    ]
    without = sum(truth.gold == "unreachable" for truth in truths)
    unnamed = sum(t.gold == "unreachable" and not t.expected.unreachable for t in truths)
    notes = []
    if repaired:
        notes.append(f"{repaired} expected id{_s(repaired)} repaired")
    if lost:
        more = f" and {len(lost) - _LOST_SHOWN} more" if len(lost) > _LOST_SHOWN else ""
        notes.append(
            f"{len(lost)} expected id{_s(len(lost))} left out, for want of such a message: "
            f"{', '.join(lost[:_LOST_SHOWN])}{more}"
        )
    if without:
        notes.append(f"{without} of {len(cases)} cases without evidence that can be found")
    if unnamed:
        notes.append(
            f'{unnamed} of these name none: write "answerable": false where the chat has no answer'
        )
    return tuple(notes)


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _plain(value: Any) -> Any:  # a field of Request, made fit for JSON
    match value:
        case Path():
            return str(value)
        case tuple():
            return [_plain(part) for part in value]
    return value
