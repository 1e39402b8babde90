"""What the commands of eval say beside their result: notes on stderr, and JSON on stdout."""

import json
from contextlib import suppress
from typing import Any

import click

_LONGEST = 800


def plain(text: str) -> str:
    """The text on one line, inert on a terminal; see :func:`eval.table.plain`."""
    # Here, not above: rich is imported only when something is said.
    from eval.table import plain as inert

    return inert(text)


def note(text: str) -> None:
    """A note on stderr, where that can be written."""
    line = plain(text)
    with suppress(OSError):  # what stderr cannot take must not end a run
        click.echo(f"sayso: {line[:_LONGEST]}{'…' if len(line) > _LONGEST else ''}", err=True)


def say_json(value: Any) -> None:  # any value that json writes, or that has a text
    """The result as JSON on stdout, escaped so that every stdout can carry it."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=True, default=str))
