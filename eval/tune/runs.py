"""The folder of a tuning run: what was asked for, so that it can go on, and what came of it."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from eval.tune.keeping import code_digest, data_digest, digest_of
from eval.tune.splits import Splits
from eval.tune.versions import said_digest
from sayso.errors import ConfigurationError, InputError, StoreError
from sayso.reasoning.prompts import Prompts

ASKED, RESULT = "tune.json", "result.json"


_NAME_IT = "name the folder that it wrote"


@dataclass(frozen=True)
class Asked:
    """What ``evolve`` was asked for; ``flags`` are the model's settings from the command line."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    step: str
    cases: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    arc_cases: bool = False
    metric: str | None = None
    budget: int = 300
    batch: int = 3
    seed: int = 0
    reflection_model: str | None = None
    reflection_calls: int = 50
    reflection_tokens: int | None = None
    max_cost: float | None = None
    demo: bool = False
    flags: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Record:
    sayso: Literal["tune"]
    version: Literal[1]
    asked: Asked
    made_of: dict[str, str]


_RECORD = TypeAdapter(_Record)


def new_run(out: Path, at: datetime) -> Path:
    """A new folder ``<UTC time>-tune-<n>`` in ``out``; StoreError if it cannot be made."""
    stamp = at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    try:
        out.mkdir(parents=True, exist_ok=True)
        for number in range(1, 10_000):
            path = out / f"{stamp}-tune-{number}"
            try:
                path.mkdir()
            except FileExistsError:
                continue
            return path
    except OSError as error:
        raise StoreError(
            f"{out}: cannot hold a run's folder: {error.strerror}; name another with --out"
        ) from error
    raise StoreError(f"{out}: ten thousand runs began in this second")


@contextmanager
def new_folder(out: Path, at: datetime) -> Iterator[Path]:
    """A new folder, made before anything is spent; an error that left nothing in it takes it away."""
    folder = new_run(out, at)
    try:
        yield folder
    except BaseException:
        with suppress(OSError):  # it holds something
            folder.rmdir()
        raise


def begin(folder: Path, asked: Asked, made_of: Mapping[str, str]) -> None:
    """Write what is run, before its first trial."""
    _write(
        folder / ASKED,
        {"sayso": "tune", "version": 1, "asked": asdict(asked), "made_of": dict(made_of)},
    )


def reopen(folder: Path) -> tuple[Asked, dict[str, str]]:
    """What an earlier run was asked for and made of; InputError where the folder is none."""
    path = folder / ASKED
    try:
        record = _RECORD.validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; {_NAME_IT}") from error
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"]))
        raise InputError(
            f"{path}: not of a run of sayso tune evolve ({where or 'file'}: {fault['msg']}); {_NAME_IT}"
        ) from error
    return record.asked, record.made_of


def made_of(prompts: Prompts, settings: Mapping[str, Any], parts: Splits) -> dict[str, str]:
    """The digests of all that a run's course depends on, by what they are of."""
    said = {s: said_digest(p) for s, p in prompts.by_step.items() if p.model}
    return {
        "prompts": digest_of(said),
        "settings": digest_of(settings),
        "train": data_digest(parts.train),
        "valid": data_digest(parts.valid),
        "test": data_digest(parts.test),
        "code": code_digest(),
    }


def check_same(folder: Path, before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """ConfigurationError that names what changed since the run began: it would be another run."""
    changed = [name for name in now if before.get(name) != now[name]]
    if changed:
        raise ConfigurationError(
            f"{folder}: cannot go on, since these changed: {', '.join(changed)}; restore them, or "
            "start a new run without --resume (trials that are the same are not run again)"
        )


def finish(folder: Path, result: Mapping[str, Any]) -> None:
    """Write what came of it."""
    _write(folder / RESULT, result)


def _write(path: Path, record: Mapping[str, Any]) -> None:
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_text(json.dumps(record, ensure_ascii=True, indent=2, default=str) + "\n", "utf-8")
        new.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from error
