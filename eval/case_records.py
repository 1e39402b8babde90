"""A case file's JSON, and where in the file each record of it stands."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sayso.errors import CaseError

_BETWEEN = re.compile(r"[\s,]*(?:\[\s*)?")


@dataclass(frozen=True)
class Records:
    """The records of a file, in order, of any JSON shape.

    ``lines`` has the line of each where every record has a line of its own, else it is empty and
    ``text`` is one JSON value.
    """

    found: tuple[Any, ...]
    text: str
    lines: tuple[int, ...] = ()

    def place(self, at: int) -> str:
        """Where the record at that position (from 1) stands, in words: its line at least."""
        if self.lines:
            return f"line {self.lines[at - 1]}"
        return f"case {at} (line {_line_within(self.text, at)})"


def load_records(path: Path) -> Records:
    """The records of a JSON list, of JSON lines, or the one of a single JSON object.

    Raises CaseError for what is no JSON, with its line.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CaseError(f"{path}: is not UTF-8 text (byte {error.start}); expected JSON") from error
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from error
    if not text.strip():
        raise CaseError(f"{path}: is empty; expected case lines or a JSON list of cases")
    try:
        content = json.loads(text.rstrip())  # so that a fault at the end is on the last line
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise CaseError(
                f"{path}: line {error.lineno}: not valid JSON: {error.msg}; expected a JSON list of "
                "cases, or a case a line"
            ) from error
    except (ValueError, RecursionError) as error:  # thousands of digits, or of brackets
        raise CaseError(f"{path}: not usable JSON: {_reason(error)}") from error
    else:
        if isinstance(content, list):
            return Records(tuple(content), text)
        return Records((content,), text, (_line_within(text, 1),))
    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = tuple(_line(path, n, line) for n, line in lines)
    return Records(found, text, tuple(n for n, _ in lines))


def _line(path: Path, number: int, line: str) -> Any:  # JSON of any shape; the caller looks at it
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise CaseError(f"{path}: line {number}: not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise CaseError(f"{path}: line {number}: not usable JSON: {_reason(error)}") from error


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"


def _line_within(text: str, at: int) -> int:
    """The line on which the list's element at that position begins; read again, as it is rare."""
    decoder, place = json.JSONDecoder(), _after(text, 0)
    for _ in range(at - 1):
        place = _after(text, decoder.raw_decode(text, place)[1])
    return text.count("\n", 0, place) + 1


def _after(text: str, place: int) -> int:
    between = _BETWEEN.match(text, place)
    return between.end() if between else place
