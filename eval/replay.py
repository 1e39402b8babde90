"""Cases through modes: one run per case and mode, whatever happens to the others.

Sync, so that it works the same from a script, the command line and a notebook's running loop.
"""

import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from eval.cases import ReadyCase
from sayso.core.chat import Chat
from sayso.core.models import Question
from sayso.core.seams import Deps, Mode
from sayso.core.trail import Trail
from sayso.errors import ConfigurationError, PromptError


@dataclass(frozen=True)
class Run:
    """One case through one mode: its trail, or the error that ended it. ``seconds`` is wall time."""

    ready: ReadyCase
    mode: str
    trail: Trail | None
    error: str | None
    seconds: float
    repeat: int = 0


def replay(
    cases: Sequence[ReadyCase],
    modes: Mapping[str, Mode],
    *,
    deps_for: Callable[[Chat], Deps],
    jobs: int = 1,
    on_run: Callable[[Run], None] = lambda run: None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[Run, ...]:
    """The runs in the order of the cases, for each case in the order of the modes.

    Cases of one chat run together, so that its Deps are built once and dropped after it.
    ``on_run`` is called in this thread as each run ends. A case that raises is a run with its
    error; ConfigurationError and PromptError concern every case, so they end the replay, as
    does KeyboardInterrupt: what was handed to ``on_run`` by then is complete.
    """
    done: dict[tuple[int, str], Run] = {}
    for group in _by_chat(cases):
        places = [(at, mode) for at in group for mode in modes]
        work = _Work(cases[group[0]].chat, deps_for, modes, clock)
        for at, run in _spread(work, [(cases[i], mode) for i, mode in places], jobs):
            done[places[at]] = run
            on_run(run)
    return tuple(done[at, mode] for at in range(len(cases)) for mode in modes)


def _by_chat(cases: Sequence[ReadyCase]) -> list[list[int]]:
    """Positions of the cases, those of one chat together, chats in order of appearance."""
    groups: dict[int, list[int]] = {}
    for at, ready in enumerate(cases):
        groups.setdefault(id(ready.chat), []).append(at)
    return list(groups.values())


class _Work:
    """Runs cases of one chat; its Deps are built at construction."""

    def __init__(
        self,
        chat: Chat,
        deps_for: Callable[[Chat], Deps],
        modes: Mapping[str, Mode],
        clock: Callable[[], float],
    ) -> None:
        self._modes, self._clock = modes, clock
        self._deps: Deps | None = None
        self._unbuilt = ""
        try:
            self._deps = deps_for(chat)
        except (ConfigurationError, PromptError):
            raise
        except Exception as error:  # data: every case of this chat carries it, other chats go on
            self._unbuilt = _told(error)

    def run(self, ready: ReadyCase, mode: str) -> Run:
        """The case through the mode."""
        if self._deps is None:
            return Run(ready, mode, None, self._unbuilt, 0.0)
        question = Question(text=ready.case.question, chat_id=ready.chat.chat_id)
        began = self._clock()
        try:
            trail = self._modes[mode](question, self._deps)
        except (ConfigurationError, PromptError):
            raise
        except Exception as error:  # one failing case is data
            return Run(ready, mode, None, _told(error), self._clock() - began)
        return Run(ready, mode, trail, None, self._clock() - began)


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _spread(
    work: _Work, tasks: Sequence[tuple[ReadyCase, str]], jobs: int
) -> Iterator[tuple[int, Run]]:
    """The runs as they end, each with the position of its task."""
    if jobs == 1:
        for at, (ready, mode) in enumerate(tasks):
            yield at, work.run(ready, mode)
        return
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    ended: queue.SimpleQueue[tuple[int, Run | BaseException]] = queue.SimpleQueue()
    for at in range(len(tasks)):
        waiting.put(at)
    stop = threading.Event()

    def worker() -> None:
        while not stop.is_set():
            try:
                at = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                ended.put((at, work.run(*tasks[at])))
            except BaseException as error:  # handed to the thread that waits for it
                ended.put((at, error))

    # Daemons, not an executor: its threads would hold an interrupted program until they end.
    for _ in range(min(jobs, len(tasks))):
        threading.Thread(target=worker, daemon=True).start()
    try:
        for _ in tasks:
            at, outcome = ended.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield at, outcome
    finally:
        stop.set()
