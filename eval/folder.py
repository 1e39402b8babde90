"""A run's folder: ``run.json`` first, ``rows.jsonl`` as cases end, then the results.

Rows are only ever appended, under a key of case, mode, repeat and configuration; of two rows of
one key the later counts. So a run that was killed goes on where it stopped, with nothing lost and
nothing twice, and ``rows.jsonl`` alone is enough to write the rest again.
"""

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, cast

from pydantic import ValidationError

from eval.cases import CaseKind
from eval.holding import Hold, hold
from eval.results import csv_rows
from eval.rows import full_record, row_of
from eval.scoring import Row
from sayso.errors import InputError, StoreError

RUN, ROWS, RESULTS, CASES = "run.json", "rows.jsonl", "results.json", "cases.csv"

Record = dict[str, Any]  # a JSON object

_STAMP = len("20260102T030405Z")
# What reading a line as a row can raise, whatever it holds.
_NO_ROW = (ValueError, KeyError, TypeError, RecursionError)
# What a run.json holds beside its mark.
_PARTS: Mapping[str, type] = {"timestamp": str, "request": dict, "config": dict}


@dataclass(frozen=True)
class Kept:
    """The rows of a folder: each key once, in the order in which keys first ended."""

    rows: tuple[Row, ...]
    configs: tuple[str, ...]
    repaired: bool = False


@dataclass(frozen=True)
class RunFolder:
    """Where one run is written."""

    path: Path

    def begin(self, record: Mapping[str, Any]) -> None:
        """Write what the run is of, before its first case."""
        with self._replaced(RUN, "utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False, indent=2) + "\n")

    def hold(self, size: int | None = None) -> Hold:
        """Have the run's rows for this process alone; InputError while another writes them.

        With ``size``, that of the file when it was read, also where it has changed since.
        """
        held = hold(self.path / ROWS)
        if size is not None and size != self.size():
            held.let_go()
            raise InputError(f"{self.path}: another process wrote to this run; resume it again")
        return held

    def size(self) -> int:
        """How many bytes its rows take; 0 for none."""
        path = self.path / ROWS
        return path.stat().st_size if path.exists() else 0

    def append(self, row: Row, config: str = "", *, sync: bool = True) -> None:
        """Add the row with its trail to ``rows.jsonl``; it is on the disk when this returns.

        Without ``sync`` it is with the system, which a kill does not hurt, and :meth:`sync` brings
        it to the disk.
        """
        line = json.dumps({"config": config} | full_record(row), ensure_ascii=False)
        with self._open(ROWS, "a", "utf-8") as file:
            file.write(line + "\n")
            file.flush()
            if sync:
                os.fsync(file.fileno())

    def sync(self) -> None:
        """Have every row that was added on the disk."""
        with self._open(ROWS, "a", "utf-8") as file:
            os.fsync(file.fileno())

    def finish(self, results: Mapping[str, Any], rows: Sequence[Row], kind: CaseKind) -> None:
        """Write ``results.json`` and ``cases.csv``; each is whole or as it was before."""
        with self._replaced(RESULTS, "utf-8") as file:
            file.write(json.dumps(results, ensure_ascii=False, indent=2) + "\n")
        # utf-8-sig: spreadsheets read UTF-8 as such only after a byte order mark.
        with self._replaced(CASES, "utf-8-sig") as file:
            csv.writer(file).writerows(csv_rows(rows, kind))

    def results(self) -> Record:
        """What ``results.json`` holds; empty where the run has not written it, or not as JSON."""
        path = self.path / RESULTS
        try:
            record = json.loads(_bytes(path).decode("utf-8")) if path.is_file() else {}
        except (ValueError, RecursionError):
            return {}
        return record if isinstance(record, dict) else {}

    def mend(self) -> bool:
        """Cut off half a last line, as a kill leaves it; whether there was one."""
        path = self.path / ROWS
        try:
            if not path.exists():
                return False
            with path.open("r+b") as file:
                whole = file.read()
                end = whole.rfind(b"\n") + 1
                last = whole[end:]
                if not last:
                    return False
                if _is_row(last):  # whole but for its line break, as editors may leave it
                    file.write(b"\n")
                    return False
                file.truncate(end)
        except OSError as error:
            raise StoreError(f"{path}: cannot be repaired: {error.strerror}") from error
        return True

    def kept(self) -> Kept:
        """The rows that were written; InputError with the line for one that is no row.

        Half a last line, as a kill leaves it, is no row and no error: its case has not ended.
        """
        path = self.path / ROWS
        found: dict[tuple[str, str, int], Row] = {}
        configs: dict[str, None] = {}
        # Bytes, since a kill may cut a character in two.
        lines = _bytes(path).split(b"\n") if path.exists() else []
        half = bool(lines and lines[-1]) and not _is_row(lines[-1])
        for number, line in enumerate(lines[:-1] if half else lines, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line.decode("utf-8"))
                row = row_of(record)
                if any(row.kind != other.kind for other in found.values()):
                    raise ValueError(f"{row.kind} beside rows of another kind")
            except _NO_ROW as error:
                raise InputError(
                    f"{path}:{number}: no row of a run ({_told(error)}); was the file edited, or "
                    "written by another version? Without that line, --resume runs its case again"
                ) from error
            configs[str(record.get("config", ""))] = None
            found[row.case_id, row.mode, row.repeat] = row
        return Kept(tuple(found.values()), tuple(configs), repaired=half)

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

    @contextmanager
    def _replaced(self, name: str, encoding: str) -> Iterator[TextIO]:
        scratch = f".{name}.new"
        try:
            with self._open(scratch, "w", encoding) as file:
                yield file
        except StoreError:  # on a full disk, what was written of it is in the way
            with suppress(OSError):
                (self.path / scratch).unlink()
            raise
        try:
            (self.path / scratch).replace(self.path / name)
        except OSError as error:
            raise StoreError(f"{self.path / name}: cannot be written: {error.strerror}") from error


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


def last_run(out: Path) -> Path:
    """The folder of the run that began last in ``out``; InputError where there is none."""
    # The names begin with the time; of one second, the higher number is the later.
    runs = [path.parent for path in out.glob(f"*/{RUN}")]
    if not runs:
        raise InputError(f"{out}: holds no run; name the folder of one that eval wrote")
    return max(runs, key=lambda path: (path.name[:_STAMP], len(path.name), path.name))


def open_folder(path: Path) -> tuple[RunFolder, Record]:
    """An earlier run's folder and its ``run.json``; InputError where there is none."""
    described = path / RUN
    if not described.is_file():
        raise InputError(f"{path}: no folder of a run (it has no {RUN}); name one that eval wrote")
    try:
        record = json.loads(_bytes(described).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{described}: no JSON object: {_told(error)}") from error
    if not isinstance(record, dict) or record.get("sayso") != "run":
        raise InputError(f"{described}: not written by sayso eval")
    for name, of in _PARTS.items():
        if not isinstance(record.get(name), of):
            raise InputError(f"{described}: has no {name!r}; was it edited? Start a new run")
    return RunFolder(path), record


def _is_row(line: bytes) -> bool:
    try:
        row_of(json.loads(line.decode("utf-8")))
    except _NO_ROW:
        return False
    return True


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _told(error: Exception) -> str:
    """What is wrong with a line, short: of a row that does not fit, its first fault."""
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
    return f"{type(error).__name__}: {error}"
