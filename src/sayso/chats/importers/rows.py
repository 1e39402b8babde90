"""Comma-separated text as rows of values, each with the line it begins in.

Python's own reader refuses values over 128 KB unless a limit of the whole process is raised, and a
message may be longer. A quote that is never closed is a quote.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

DELIMITERS = (",", ";", "\t")
_LONGEST = 2**26
_OPEN = re.compile(r'"[^"]*+(?:""[^"]*+)*"?\Z')  # a quoted value whose end is still to come


class Row(NamedTuple):
    """The values of a row and the line (1-based) it begins in."""

    line: int
    values: list[str]


def rows(pieces: Iterable[str], delimiter: str = ",") -> Iterator[Row]:
    r"""The rows that are not blank, of a text that comes in pieces.

    Quoted values keep their line ends, ``\r\n`` as ``\n``. At most a piece is held at once and what
    a value reaches into; of a quote that is not closed that is 64 million characters.
    """
    pattern = _value(delimiter)
    coming = iter(pieces)
    text, at, whole = next(coming, ""), 0, False
    line, first, values = 1, 1, list[str]()
    while True:
        found = pattern.match(text, at)
        while not whole and _may_go_on(found, text, at):
            more = list(_as_much_as(coming, len(text) - at))
            whole = not more
            text, at = "".join((text[at:], *more)), 0
            found = pattern.match(text)
        if at >= len(text):
            break
        assert found is not None  # a value may be empty, so there always is one
        quoted, plain, end = found.groups()
        value = plain if quoted is None else quoted.replace('""', '"').replace("\r\n", "\n")
        values.append(value)
        line += text.count("\n", at, found.end())
        at = found.end()
        if end != delimiter:
            if any(values):
                yield Row(first, values)
            values, first = [], line
    if any(values):
        yield Row(first, values)


def _may_go_on(found: re.Match[str] | None, text: str, at: int) -> bool:
    """Whether what comes next may belong to the value, or to the line end behind it."""
    if found is None or found.end() >= len(text) - 1:
        return True
    quoted = found[1] is not None or not text.startswith('"', at)
    return not quoted and len(text) - at < _LONGEST and _OPEN.match(text, at) is not None


def _as_much_as(pieces: Iterator[str], length: int) -> Iterator[str]:
    """Pieces of that length together at least: what is looked at again doubles each time."""
    while length >= 0 and (piece := next(pieces, None)) is not None:
        yield piece
        length -= max(1, len(piece))


def header_row(text: str, limit: int = 65536) -> tuple[str, list[str]]:
    """The delimiter that parts the first row into most values, and those, stripped."""
    head = text[:limit]
    best: tuple[str, list[str]] = (",", [])
    for delimiter in DELIMITERS:
        row = next(rows([head], delimiter), None)
        if row is not None and len(row.values) > len(best[1]):
            best = (delimiter, [value.strip(" \ufeff") for value in row.values])
    return best


@cache
def _value(delimiter: str) -> re.Pattern[str]:
    # Nothing here is given back, though the groups may: before a quote that is doubled, and behind a
    # value, stands no other end. Groups that never do ("*+") match wrongly in Python 3.11.2.
    end = rf"({re.escape(delimiter)}|\r?\n|\Z)"
    plain = rf"[^\r\n{re.escape(delimiter)}]*+"
    return re.compile(
        rf'(?:"([^"]*+(?:""[^"]*+)*)"(?={end[1:-1]})|({plain}(?:\r(?!\n){plain})*)){end}'
    )
