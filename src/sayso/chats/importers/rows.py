"""Comma-separated text as rows of values, each with the line it begins in.

Python's own reader refuses values over 128 KB unless a limit of the whole process is raised, and a
message may be longer. A quote that is never closed is a quote.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

DELIMITERS = (",", ";", "\t")


class Row(NamedTuple):
    """The values of a row and the line (1-based) it begins in."""

    line: int
    values: list[str]


def rows(text: str, delimiter: str = ",") -> Iterator[Row]:
    r"""The rows that are not blank. Quoted values keep their line ends, ``\r\n`` as ``\n``."""
    pattern = _value(delimiter)
    at, line, first, values = 0, 1, 1, list[str]()
    while at < len(text):
        found = pattern.match(text, at)
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


def header_row(text: str, limit: int = 65536) -> tuple[str, list[str]]:
    """The delimiter that parts the first row into most values, and those, stripped."""
    head = text[:limit]
    best: tuple[str, list[str]] = (",", [])
    for delimiter in DELIMITERS:
        row = next(rows(head, delimiter), None)
        if row is not None and len(row.values) > len(best[1]):
            best = (delimiter, [value.strip(" \ufeff") for value in row.values])
    return best


@cache
def _value(delimiter: str) -> re.Pattern[str]:
    end = rf"({re.escape(delimiter)}|\r?\n|\Z)"
    return re.compile(
        rf'(?:"([^"]*+(?:""[^"]*+)*+)"(?={end[1:-1]})|((?:(?!\r?\n)[^{re.escape(delimiter)}])*+)){end}'
    )
