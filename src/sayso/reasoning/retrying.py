"""When a failed call is made again, and waiting that knows a deadline and can be interrupted."""

import queue
import random
import threading
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from time import monotonic, sleep
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_FIRST = 1.0  # seconds
_LONGEST = 30.0
# Locks cannot be interrupted everywhere: a wait is cut into pieces of this many seconds.
_PIECE = 0.25


@dataclass(frozen=True)
class Waits:
    """How time is passed; replaced in tests. ``chance`` is in [0, 1)."""

    sleep: Callable[[float], None] = sleep
    chance: Callable[[], float] = field(default_factory=lambda: random.Random().random)
    now: Callable[[], datetime] = field(default_factory=lambda: lambda: datetime.now(UTC))


def pause_before(attempt: int, after: str | None, waits: Waits) -> float:
    """Seconds until the call is made again; ``attempt`` counts the failures from 1.

    Doubles from a second to half a minute, each time with up to as much again by chance, halved:
    many clients that failed together do not come back together. A server's Retry-After (seconds
    or an HTTP date) is waited for in full.
    """
    asked = retry_after(after, waits.now())
    backoff = min(_LONGEST, _FIRST * 2.0 ** (attempt - 1)) * (0.5 + 0.5 * waits.chance())
    return backoff if asked is None else max(asked, 0.0) + 0.1 * waits.chance()


def retry_after(value: str | None, now: datetime) -> float | None:
    """The seconds of a Retry-After header (RFC 9110, 10.2.3); None without a readable one."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        pass
    else:
        return seconds if 0 <= seconds < float("inf") else None
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds())


class Abandoned(Exception):
    """The deadline came before the call had ended."""


@dataclass
class Line(Generic[T]):
    """The way back from a call that runs in a thread of its own: pieces, then an end."""

    abandoned: threading.Event = field(default_factory=threading.Event)
    _items: "queue.SimpleQueue[tuple[str, Any]]" = field(default_factory=queue.SimpleQueue)

    def piece(self, text: str) -> None:
        """Hand on a piece; raises Abandoned in a call that nobody waits for any more."""
        if self.abandoned.is_set():
            raise Abandoned
        self._items.put(("piece", text))

    def await_end(self, seconds: float, heard: Callable[[str], None]) -> T:
        """The call's result; ``heard`` gets each piece in the waiting thread."""
        deadline = monotonic() + seconds
        while True:
            left = deadline - monotonic()
            if left <= 0:
                raise Abandoned
            try:
                what, value = self._items.get(timeout=min(left, _PIECE))
            except queue.Empty:
                continue
            if what == "piece":
                heard(value)
            elif what == "error":
                raise value
            else:
                return value  # type: ignore[no-any-return]  # put there by `within`

    def end(self, what: str, value: Any) -> None:  # Any: as `what` says
        """Tell the "result", or the "error" that came instead."""
        self._items.put((what, value))


def within(
    seconds: float, call: Callable[[Line[T]], T], heard: Callable[[str], None] = lambda _: None
) -> T:
    """The call's result, or Abandoned after ``seconds``; an interruption returns at once.

    The call runs in a daemon thread: nothing that a server does, such as sending a byte a minute,
    can hold the caller or the end of the process. It keeps the caller's context variables.
    """
    line: Line[T] = Line()

    def run() -> None:
        try:
            line.end("result", call(line))
        except BaseException as error:  # raised again where it is waited for
            line.end("error", error)

    context = copy_context()
    threading.Thread(target=lambda: context.run(run), name="model call", daemon=True).start()
    try:
        return line.await_end(seconds, heard)
    finally:
        line.abandoned.set()
