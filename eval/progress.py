"""How far a run is, on stderr: a bar with the time left, or a line now and then."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from eval.table import plain

_EVERY_SECONDS = 30.0


class Progressing(Protocol):
    """What is told how a run goes."""

    def enter(self, chat: str) -> None:
        """The cases of this chat are next; its index may have to be built first."""

    def advance(self) -> None:
        """One more run has ended."""


@contextmanager
def progress(total: int) -> Iterator[Progressing]:
    """Shows the progress of ``total`` runs."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(total)
        return
    columns = (
        TextColumn("{task.description}", markup=False),  # a chat's name is data
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        yield _Bar(bar, bar.add_task("replaying", total=total))


class _Bar:
    """Rich's bar, with the chat's name before it."""

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task = bar, task

    def enter(self, chat: str) -> None:
        self._bar.update(self._task, description=plain(chat))

    def advance(self) -> None:
        self._bar.advance(self._task)


class _Lines:
    """A line when enough time has passed since the last."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._total, self._clock = total, clock
        self._done = 0
        self._said = self._first = clock()

    def enter(self, chat: str) -> None:
        pass

    def advance(self) -> None:
        self._done += 1
        now = self._clock()
        if self._done == 1:
            self._first = now  # it waited for its index, and says nothing of the others
        if now - self._said < _EVERY_SECONDS:
            return
        self._said = now
        told = f"sayso: {self._done} of {self._total} runs"
        if self._done > 1:
            left = (now - self._first) / (self._done - 1) * (self._total - self._done)
            told += f", about {left:.0f} s left"
        sys.stderr.write(f"{told}\n")
