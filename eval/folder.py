"""A run's folder: ``run.json`` first, ``rows.jsonl`` as cases end, then the results.

Rows are only ever appended, under a key of case, mode, repeat and configuration; of two rows of
one key the later counts. So a run that was killed goes on where it stopped, with nothing lost and
nothing twice, and ``rows.jsonl`` alone is enough to write the rest again.
"""

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO, cast

from eval.cases import CaseKind
from eval.results import csv_rows
from eval.rows import full_record, row_of
from eval.scoring import Row
from sayso.errors import InputError, StoreError

RUN, ROWS, RESULTS, CASES = "run.json", "rows.jsonl", "results.json", "cases.csv"

Record = dict[str, Any]  # a JSON object


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

    def append(self, row: Row, config: str = "") -> None:
        """Add the row with its trail to ``rows.jsonl``; it is on the disk when this returns."""
        line = json.dumps({"config": config} | full_record(row), ensure_ascii=False)
        with self._open(ROWS, "a", "utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def finish(self, results: Mapping[str, Any], rows: Sequence[Row], kind: CaseKind) -> None:
        """Write ``results.json`` and ``cases.csv``; each is whole or as it was before."""
        with self._replaced(RESULTS, "utf-8") as file:
            file.write(json.dumps(results, ensure_ascii=False, indent=2) + "\n")
        # utf-8-sig: spreadsheets read UTF-8 as such only after a byte order mark.
        with self._replaced(CASES, "utf-8-sig") as file:
            csv.writer(file).writerows(csv_rows(rows, kind))

    def mend(self) -> bool:
        """Cut off half a last line, as a kill leaves it; whether there was one."""
        path = self.path / ROWS
        try:
            if not path.exists():
                return False
            with path.open("r+b") as file:
                whole = file.read()
                end = whole.rfind(b"\n") + 1
                if end == len(whole):
                    return False
                file.truncate(end)
        except OSError as error:
            raise StoreError(f"{path}: cannot be repaired: {error.strerror}") from error
        return True

    def kept(self) -> Kept:
        """The rows that were written; InputError with the line for one that is no row."""
        path = self.path / ROWS
        found: dict[tuple[str, str, int], Row] = {}
        configs: dict[str, None] = {}
        lines = _read(path).split("\n") if path.exists() else []
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                record = json.loads(line)
                row = row_of(record)
            except (ValueError, KeyError, TypeError) as error:
                if number == len(lines):  # half a line: the case will be run again
                    return Kept(tuple(found.values()), tuple(configs), repaired=True)
                raise InputError(
                    f"{path}:{number}: no row of a run ({type(error).__name__}: {error}); "
                    "was the file edited, or written by another version?"
                ) from error
            configs[record.get("config", "")] = None
            found[row.case_id, row.mode, row.repeat] = row
        return Kept(tuple(found.values()), tuple(configs))

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
        with self._open(scratch, "w", encoding) as file:
            yield file
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


def open_folder(path: Path) -> tuple[RunFolder, Record]:
    """An earlier run's folder and its ``run.json``; InputError where there is none."""
    described = path / RUN
    if not described.is_file():
        raise InputError(f"{path}: no folder of a run (it has no {RUN}); name one that eval wrote")
    try:
        record = json.loads(_read(described))
    except ValueError as error:
        raise InputError(f"{described}: no JSON object: {error}") from error
    if not isinstance(record, dict) or record.get("sayso") != "run":
        raise InputError(f"{described}: not written by sayso eval")
    return RunFolder(path), record


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
