"""The cases of a run, found and placed beside their chats before the first one starts."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from eval.case_files import CaseSet, read_cases
from eval.cases import CaseKind, FiledCase, ReadyCase, Split
from eval.chats import with_chats
from eval.code import code_record
from eval.config import config_record
from eval.edited import edit_notes
from eval.engine import Engine
from eval.folder import RunFolder
from eval.gold import truth_of
from eval.groups import groups_of
from eval.oracles import Oracle
from eval.overlay import read_overlay, under
from eval.scoring import Row
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
    repeats: int = 1
    case_seconds: float | None = None
    oracle: Oracle | None = None
    overlay: Path | None = None
    out: Path = Path("runs")
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class Resumed:
    """The folder to go on with, the rows of it that stay, and how long its file was in bytes."""

    folder: RunFolder
    rows: tuple[Row, ...]
    size: int


@dataclass(frozen=True)
class Prepared:
    """Everything found before the first case runs; ``notes`` are for the person, in words.

    ``repaired`` are the cases whose labels a signed overlay changes.
    """

    request: Request
    cases: tuple[ReadyCase, ...]
    modes: tuple[str, ...]
    config: Mapping[str, Any]
    notes: tuple[str, ...]
    repaired: frozenset[str] = frozenset()
    resumed: Resumed | None = None

    @property
    def total(self) -> int:
        """How many runs there are in all, those included that an earlier session has made."""
        return len(self.cases) * len(self.modes) * self.request.repeats


def prepare(request: Request, engine: Engine) -> Prepared:
    """The run, ready to start; raises InputError or ConfigurationError for what is not there."""
    modes = request.modes or tuple(engine.modes)
    unknown = [mode for mode in modes if mode not in engine.modes]
    if unknown:
        raise ConfigurationError(
            f"no mode {unknown[0]!r}; known modes: {', '.join(engine.modes)}; MODULE:FUNCTION names "
            "one of your own"
        )
    paths = request.cases or (arc_data_dir() / "cases" / request.kind,)
    for path in paths:
        if not path.exists():
            raise CaseError(f"{path}: no such file or folder of cases")
    found = read_cases(paths, request.kind)
    chosen = choose(found.cases, split=request.split, limit=request.limit, seed=request.seed)
    if not chosen:
        raise CaseError(_no_case(request, paths, found))
    placed = with_chats(chosen, folders=request.chats, load=engine.load)
    options = {k: v for k, v in asdict(request).items() if k != "command"}
    groups = groups_of({id(ready.chat): ready.chat for ready in placed.cases}.values())
    cases = tuple(replace(ready, group=groups[ready.chat.chat_id]) for ready in placed.cases)
    repaired: frozenset[str] = frozenset()
    overlay_notes: tuple[str, ...] = ()
    if request.overlay is not None:
        signed = under(cases, read_overlay(request.overlay))
        cases, repaired = signed.cases, signed.changed
        told = f"{len(repaired)} of {len(cases)} cases under the labels signed there"
        overlay_notes = (f"{request.overlay}: {told}", *signed.notes)
    config = config_record(
        command=request.command,
        settings=engine.settings,
        options={k: plain(v) for k, v in options.items()} | {"modes": list(modes)},
        case_files=[filed.file for filed in found.cases],  # which --seed drew from
        chat_files=placed.files.values(),
        chats=list({id(ready.chat): ready.chat for ready in placed.cases}.values()),
        code=code_record(modes),
        overlay=request.overlay,
    )
    notes = (
        *engine.notes,
        *found.left_out,
        *_gold_notes(cases),
        *edit_notes(cases),
        *overlay_notes,
    )
    return Prepared(request, cases, modes, config, notes, repaired)


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


def _no_case(request: Request, paths: Sequence[Path], found: CaseSet) -> str:
    where = ", ".join(map(str, paths))
    if not found.cases:
        flag = "leave out" if request.kind == "arc" else "add"
        more = f" ({'; '.join(found.left_out)}); {flag} --arc-cases?" if found.left_out else ""
        return f"{where}: no {request.kind.upper()} case there{more}"
    return (
        f"{where}: none of the {len(found.cases)} {request.kind.upper()} cases is of split "
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


def plain(value: Any) -> Any:  # a field of Request
    """The value made fit for JSON."""
    match value:
        case Path():
            return str(value)
        case tuple():
            return [plain(part) for part in value]
    return value
