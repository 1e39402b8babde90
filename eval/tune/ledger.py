"""The ledger of test sets: which cases have been scored for which pair of prompts, and when.

A test set that was looked at before is no longer one: whoever tries often enough finds a winner.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from eval.cases import ReadyCase
from eval.tune.keeping import case_digest
from sayso.errors import StoreError

FILE = "tested.jsonl"


@dataclass(frozen=True)
class Use:
    """One use: the digests of the cases and of both prompts, and where its result was written."""

    at: str
    step: str
    cases: tuple[str, ...]
    seed: str
    winner: str
    where: str


class Ledger:
    """The uses that a data folder knows of."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def uses(self, cases: Sequence[ReadyCase]) -> tuple[Use, ...]:
        """Earlier uses of any of the cases, oldest first."""
        wanted = {case_digest(ready) for ready in cases}
        return tuple(use for use in self._read() if wanted & set(use.cases))

    def others(self, cases: Sequence[ReadyCase], seed: str, winner: str) -> tuple[Use, ...]:
        """Earlier uses for another pair; the same pair scored again tells nothing new."""
        return tuple(u for u in self.uses(cases) if (u.seed, u.winner) != (seed, winner))

    def note(self, use: Use) -> None:
        """Write the use down, before its scores are known; the same pair stands there once."""
        if any(
            (u.seed, u.winner, u.cases) == (use.seed, use.winner, use.cases) for u in self._read()
        ):
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(use)) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(
                f"{self._path}: a use of the test set cannot be noted: {error.strerror}"
            ) from error

    def _read(self) -> Iterable[Use]:
        if not self._path.exists():
            return []
        found = []
        for number, line in enumerate(self._path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                record = json.loads(line)
                found.append(Use(**{**record, "cases": tuple(record["cases"])}))
            except (ValueError, TypeError, KeyError) as error:
                raise StoreError(
                    f"{self._path}:{number}: no use of a test set ({error}); take the line out"
                ) from error
        return found
