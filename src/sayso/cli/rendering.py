"""Messages as people read them on a terminal: who, when, which one, and the words.

All text of a chat passes through ``visible`` first. Colour is ours alone and only where stdout
is a terminal that wants it; elsewhere a cited part stands between « and ».
"""

import json
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

import click
from rich.cells import cell_len, set_cell_size

from sayso.cli.visible import inert_json, inline, isolated, line_ranges, one_line, visible
from sayso.core.chat import Chat, Message

Role = Literal["dim", "name", "id", "match", "heading", "warning"]

_LOOKS: dict[Role, dict[str, Any]] = {  # click.style's own keywords
    "dim": {"dim": True},
    "name": {"bold": True},
    "id": {"fg": "cyan"},
    "match": {"fg": "yellow", "bold": True},
    "heading": {"bold": True, "underline": True},
    "warning": {"fg": "red"},
}
_LONG = 480  # characters of a message that an excerpt may show
_BESIDE = 160  # characters on each side of a cited part of a long message


@dataclass(frozen=True)
class Ink:
    """Colour, or none."""

    on: bool

    def __call__(self, text: str, role: Role) -> str:
        """The text in the look of its role."""
        return click.style(text, **_LOOKS[role]) if self.on and text else text

    def match(self, text: str) -> str:
        """Cited words."""
        return self(text, "match") if self.on else f"«{text}»"


def ink() -> Ink:
    """Colour if stdout is a terminal that wants it (``NO_COLOR``, ``TERM=dumb``)."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Ink(wanted and sys.stdout.isatty())


def say(lines: Iterable[str]) -> None:
    """The result, on stdout."""
    for line in lines:
        click.echo(line, color=True)  # whether there is colour was decided by ink()


def say_json(value: Any, *, indent: int | None = 2) -> None:  # any value that json writes
    """The result as JSON on stdout; escaped where stdout cannot carry every character."""
    click.echo(inert_json(json.dumps(value, ensure_ascii=is_narrow(), indent=indent)))


def is_narrow() -> bool:
    """Whether stdout cannot carry every character, so that JSON on it has to be escaped."""
    return not (sys.stdout.encoding or "utf-8").lower().startswith("utf")


def note(text: str) -> None:
    """Anything that is not the result, on stderr, where that can be written."""
    with suppress(OSError):
        click.echo(f"sayso: {one_line(text)}", err=True)


def status() -> Callable[[str], None] | None:
    """Shows a line on stderr in place of the one before; None where it is no terminal."""
    if not sys.stderr.isatty():
        return None

    def shown(text: str) -> None:
        click.echo(f"\r\x1b[K{text}", nl=False, err=True)

    return shown


def progress() -> Callable[[int, int], None] | None:
    """Tells how many messages are indexed, on stderr; None where it is no terminal."""
    shown = status()
    if shown is None:
        return None

    def told(done: int, total: int) -> None:
        shown(f"indexing {done}/{total}" if done < total else "")

    return told


def local_time(moment: datetime, zone: ZoneInfo) -> str:
    """Weekday, day and minute in the chat's zone."""
    return moment.astimezone(zone).strftime("%a %Y-%m-%d %H:%M")


def heading(message: Message, chat: Chat, ink: Ink) -> str:
    """Which message, who and when."""
    number = ink(f"#{message.local_id}", "id")
    when = ink(local_time(message.sent_at, chat.zone), "dim")
    who = inline(message.sender) or f"({message.kind})"  # nobody sends what the system says
    return f"{number}  {ink(who, 'name')}  {when}"


def body(
    message: Message, ink: Ink, *, cited: tuple[int, int] | None = None, whole: bool = False
) -> list[str]:
    """The words of the message, a line each: text, then what a photo shows.

    ``cited`` is highlighted. A long text is shortened around it unless ``whole``.
    """
    text = message.text
    shown = (0, len(text)) if whole else _window(len(text), cited or (0, 0))
    lines = [
        isolated(_marked(text, line, cited, ink), of=text[slice(*line)])
        for line in _within(line_ranges(text), shown)
    ]
    if shown[0] > 0:
        lines[0] = f"… {lines[0]}"
    if shown[1] < len(text):
        lines[-1] = f"{lines[-1]} … ({len(text) - shown[1]} more characters)"
    if not text:
        lines = []
    if message.caption or not text or message.kind in ("system", "deleted"):
        lines.append(ink(inline(_beside(message)), "dim"))
    return lines


def excerpt(message: Message) -> str:
    """The message on one line."""
    parts = [message.text] if message.text else []
    if message.caption or not parts:
        parts.append(_beside(message))
    return inline(" ".join(parts)[:_LONG])


def fitted(text: str, cells: int) -> str:
    """The text in at most so many terminal cells."""
    # An isolate that the cut leaves open would hold the lines after it.
    cut = text if cell_len(text) <= cells else set_cell_size(text, max(cells - 1, 0)) + "…"
    return cut + "\u2069" * (cut.count("\u2068") - cut.count("\u2069"))


def columns(rows: list[list[str]], *, right: frozenset[int] = frozenset()) -> list[str]:
    """Rows as aligned columns, in terminal cells; the last column is free."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]

    def placed(cell: str, at: int) -> str:
        space = " " * (widths[at] - cell_len(cell))
        return space + cell if at in right else cell + space

    return [
        "  ".join(placed(c, i) for i, c in enumerate(row[:-1])) + "  " + row[-1] for row in rows
    ]


def _beside(message: Message) -> str:
    """What a message is beside its words; a caption without a kind of its own is of a picture."""
    kind = "picture" if message.caption and message.kind == "text" else message.kind
    return f"[{kind}: {message.caption}]" if message.caption else f"[{kind}]"


def _window(length: int, cited: tuple[int, int]) -> tuple[int, int]:
    if length <= _LONG:
        return 0, length
    start = max(0, cited[0] - _BESIDE)
    end = min(length, max(cited[1] + _BESIDE, start + 2 * _BESIDE), start + _LONG)
    return start, end


def _within(lines: list[tuple[int, int]], shown: tuple[int, int]) -> list[tuple[int, int]]:
    cut = [(max(a, shown[0]), min(b, shown[1])) for a, b in lines]
    return [(a, b) for a, b in cut if a < b or (a == b and shown[0] <= a <= shown[1])]


def _marked(text: str, line: tuple[int, int], cited: tuple[int, int] | None, ink: Ink) -> str:
    start, end = line
    if cited is None or (not ink.on and cited == (0, len(text))):
        return visible(text[start:end])
    first, last = max(start, cited[0]), min(end, cited[1])
    if first >= last:
        return visible(text[start:end])
    match = ink.match(visible(text[first:last]))
    return visible(text[start:first]) + match + visible(text[last:end])
