"""What a question tells while it is being answered: a live line, notices, or JSON lines."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from rich.console import Console, Group
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from sayso.cli.rendering import note, say_json
from sayso.cli.visible import inline, line_ranges, one_line
from sayso.core.events import Event, Listener, Notice, StepStarted, Words, unheard

Form = Literal["text", "json", "jsonl"]
"""How answers are written: for people, as a document each, or as JSON lines with the events."""

_DOING = {
    "planner": "planning",
    "q1": "planning",
    "retriever": "searching",
    "q2": "searching",
    "grader": "grading",
    "q3": "looking around",
    "generator": "answering",
    "q4": "answering",
    "q5": "checking the citations",
}


@contextmanager
def watching(form: Form) -> Iterator[Listener]:
    """A listener for one question; the live line is gone when the block ends.

    For people: notices on stderr and, where that is a terminal, what is being done and the words
    of the answer as they come. As JSON lines: every event. As a document: nothing.
    """
    if form == "json":
        yield unheard
    elif form == "jsonl":
        yield _told_as_json
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        with Live(console=Console(stderr=True), transient=True, refresh_per_second=12) as live:
            yield Watch(live)
    else:
        yield _noticed


def _told_as_json(event: Event) -> None:
    say_json(event.model_dump(mode="json", by_alias=True), indent=None)


def _noticed(event: Event) -> None:
    if isinstance(event, Notice):
        note(event.text)


class Watch:
    """The live line: what is being done, and below it the words so far, or the last that fit."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._doing = Spinner("dots", style="dim")
        self._words = ""

    def __call__(self, event: Event) -> None:
        """Take in an event and show what it changes."""
        if isinstance(event, Notice):
            # A string of ours would be read as markup.
            self._live.console.print(Text(f"sayso: {one_line(event.text)}"), soft_wrap=True)
        elif isinstance(event, Words):
            self._words += event.text
            self._show()
        elif isinstance(event, StepStarted):
            name = event.step.rsplit("/", 1)[-1]
            self._doing.update(text=Text(_DOING.get(name, name), style="dim"))
            self._show(at_once=True)

    def _show(self, *, at_once: bool = False) -> None:
        lines = Text("\n").join(
            Text(inline(self._words[start:end])) for start, end in line_ranges(self._words)
        )
        console = self._live.console
        # What is higher than the terminal could not be cleared away again.
        room = max(1, console.height - 4)
        shown = lines.wrap(console, max(1, console.width - 1))[-room:]
        shape = Group(self._doing, *shown) if self._words else self._doing
        self._live.update(shape, refresh=at_once)
