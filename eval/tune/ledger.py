"""The ledger of cases: which were scored for which pair of prompts, which were learned from, and when.

A test set that was looked at before is no longer one: whoever tries often enough finds a winner,
and whoever has learned from a case knows its answer.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError

from eval.cases import ReadyCase
from eval.gold import truth_of
from eval.tune.keeping import digest_of
from sayso.errors import StoreError

FILE = "tested.jsonl"


@dataclass(frozen=True)
class Use:
    """One use: the marks of the cases, the digests of both prompts, and where its result is.

    Cases that proposed or chose prompts were ``learned`` from, whichever prompts: both digests are
    empty then.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    at: str
    step: str
    cases: tuple[str, ...]
    seed: str
    winner: str
    where: str
    was: Literal["test", "learned"] = "test"

    @property
    def of(self) -> tuple[str, ...]:
        """What makes two uses the same, whenever they were made."""
        return (self.was, self.seed, self.winner, *self.cases)


class Ledger:
    """The uses that a data folder knows of."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def uses(self, cases: Sequence[ReadyCase]) -> tuple[Use, ...]:
        """Earlier uses of any of the cases as test, oldest first."""
        return tuple(use for use in self._of(cases) if use.was == "test")

    def learned(self, cases: Sequence[ReadyCase]) -> tuple[Use, ...]:
        """Earlier uses of any of the cases to propose or to choose, oldest first."""
        return tuple(use for use in self._of(cases) if use.was == "learned")

    def others(self, cases: Sequence[ReadyCase], seed: str, winner: str) -> tuple[Use, ...]:
        """Earlier uses for another pair; the same pair scored again tells nothing new."""
        return tuple(u for u in self.uses(cases) if (u.seed, u.winner) != (seed, winner))

    def note(self, use: Use) -> tuple[Use, ...]:
        """Write the use down, before its scores are known; the same use stands there once.

        Gives the uses for another pair that stand above it: where two runs note theirs at the same
        moment, only one of them is the first.
        """
        if use.of not in [other.of for other in self._read()]:
            self._append(json.dumps(asdict(use)))
        told = self._read()
        above = told[: [other.of for other in told].index(use.of)]
        return tuple(
            other
            for other in above
            if other.was == use.was == "test"
            and set(other.cases) & set(use.cases)
            and (other.seed, other.winner) != (use.seed, use.winner)
        )

    def _of(self, cases: Sequence[ReadyCase]) -> list[Use]:
        wanted = {mark_of(ready) for ready in cases}
        return [use for use in self._read() if wanted & set(use.cases)]

    def _append(self, line: str) -> None:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._path.open("ab+") as file:
                # An editor may have left the last line without its break.
                file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
                broken = file.read(1) not in (b"", b"\n")
                file.write(b"\n" * broken + line.encode("ascii") + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(
                f"{self._path}: a use of the test set cannot be noted: {error.strerror}"
            ) from error

    def _read(self) -> list[Use]:
        try:
            lines = self._path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreError(f"{self._path}: cannot be read: {error.strerror}") from error
        found = []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found.append(_USE.validate_json(line, strict=True))
            except ValidationError as error:
                fault = error.errors()[0]
                where = ".".join(map(str, fault["loc"]))
                raise StoreError(
                    f"{self._path}:{number}: no use of a test set ({where or 'line'}: "
                    f"{fault['msg']}); take the line out"
                ) from error
        return found


_USE = TypeAdapter(Use)


def mark_of(ready: ReadyCase) -> str:
    """What a case is known by: its question, what answers it, and who talks.

    Another name, category or split makes it no other case, and neither does a chat that grew.
    """
    gold = [ready.chat.by_id[i].text for i in truth_of(ready.case, ready.chat).expected.local_ids]
    people = sorted(name.casefold() for name in ready.chat.names)
    return digest_of([" ".join(ready.case.question.casefold().split()), sorted(gold), people])
