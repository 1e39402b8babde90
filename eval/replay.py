"""Cases through modes: one run per case, mode and repeat, whatever happens to the others.

Sync, so that it works the same from a script, the command line and a notebook's running loop.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock

from eval.cases import ReadyCase
from eval.workers import Pace, spread
from sayso.core.chat import Chat
from sayso.core.metering import Budget, Meter
from sayso.core.models import Question
from sayso.core.seams import Deps, Mode
from sayso.core.trail import Trail, Usage
from sayso.errors import ConfigurationError, PromptError

# As clients word it: "http 429", "Error code: 429", "429 Too Many Requests", "RateLimitError".
_TOO_MANY = re.compile(r"(?:http|status|code)\W{0,3}429\b|too many requests|rate.?limit", re.I)


@dataclass(frozen=True)
class Task:
    """One case to be run through one mode, for the ``repeat``-th time from 0."""

    ready: ReadyCase
    mode: str
    repeat: int = 0

    @property
    def key(self) -> tuple[str, str, int]:
        """What tells it from every other task of a run."""
        return (self.ready.case.case_id, self.mode, self.repeat)


@dataclass(frozen=True)
class Run:
    """One case through one mode: its trail, or the error that ended it. ``seconds`` is wall time.

    ``spent`` is what a model had been used for when the error came, None with a trail, which tells.
    """

    ready: ReadyCase
    mode: str
    trail: Trail | None
    error: str | None
    seconds: float
    repeat: int = 0
    spent: Usage | None = None


def tasks_of(
    cases: Sequence[ReadyCase], modes: Sequence[str], repeats: int = 1
) -> tuple[Task, ...]:
    """Every task, by case, then mode, then repeat: the order of all results."""
    return tuple(
        Task(ready, mode, repeat) for ready in cases for mode in modes for repeat in range(repeats)
    )


def replay(
    tasks: Sequence[Task],
    modes: Mapping[str, Mode],
    *,
    deps_for: Callable[[Chat], Deps],
    jobs: int = 1,
    deadline: float | None = None,
    on_run: Callable[[Run], None] = lambda run: None,
    on_lull: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[Run, ...]:
    """The runs in the order of the tasks, however they end.

    Tasks of one chat run together, so that its Deps are built once and dropped after it; the next
    chat begins while the last cases of this one still run. ``on_run`` is called in this thread as
    each run ends, ``on_lull`` after one behind which no other waits. A case that raises is a run with its error, and so is one that has no answer
    ``deadline`` seconds after it began: it holds nobody up. ``jobs`` fall while runs had to call a
    server again (it says "too many requests") and rise as they need not. ConfigurationError and
    PromptError concern every case, so they end the replay, as does KeyboardInterrupt: what was
    handed to ``on_run`` by then is complete.
    """
    work = _Work(tasks, deps_for, modes, clock)
    order = _by_chat(tasks)
    done: dict[int, Run] = {}
    pace = Pace(jobs)
    runs = spread(
        [tasks[i] for i in order], work.run, work.late, pace,
        prepare=work.prepare, lull=on_lull, deadline=deadline,
    )  # fmt: skip
    for at, run in runs:
        done[order[at]] = run
        pace.learn(pressed=under_pressure(run))
        on_run(run)
    return tuple(done[at] for at in range(len(tasks)))


def _by_chat(tasks: Sequence[Task]) -> list[int]:
    """Positions of the tasks, those of one chat together, chats in order of appearance."""
    groups: dict[int, list[int]] = {}
    for at, task in enumerate(tasks):
        groups.setdefault(id(task.ready.chat), []).append(at)
    return [at for group in groups.values() for at in group]


def under_pressure(run: Run) -> bool:
    """Whether a server was asked more than it would take."""
    if run.trail is not None:
        return run.trail.usage.retries > 0
    return bool(_TOO_MANY.search(run.error or ""))


@dataclass
class _Open:
    """The Deps of one chat, or why there are none, and how many of its tasks are still to end."""

    left: int
    deps: Deps | None = None
    unbuilt: str | None = None


class _Work:
    """Runs tasks; a chat's Deps are built with its first task and dropped after its last."""

    def __init__(
        self,
        tasks: Sequence[Task],
        deps_for: Callable[[Chat], Deps],
        modes: Mapping[str, Mode],
        clock: Callable[[], float],
    ) -> None:
        self._deps_for, self._modes, self._clock = deps_for, modes, clock
        self._open: dict[int, _Open] = {}
        self._building: dict[int, Lock] = {}
        self._meters: dict[tuple[str, str, int], Meter] = {}
        for task in tasks:
            chat = id(task.ready.chat)
            self._open.setdefault(chat, _Open(0)).left += 1
            self._building.setdefault(chat, Lock())

    def prepare(self, task: Task) -> None:
        """Build the Deps of the task's chat, or wait until they are built."""
        opened = self._open[id(task.ready.chat)]
        with self._building[id(task.ready.chat)]:
            if opened.deps is None and opened.unbuilt is None:
                try:
                    opened.deps = self._deps_for(task.ready.chat)
                except (ConfigurationError, PromptError):
                    raise
                except Exception as error:  # data: every case of this chat carries it
                    opened.unbuilt = _told(error)

    def run(self, task: Task) -> Run:
        """The case through the mode."""
        opened = self._open[id(task.ready.chat)]
        began = self._clock()
        try:
            if opened.deps is None:
                return Run(task.ready, task.mode, None, opened.unbuilt, 0.0, task.repeat)
            case = task.ready.case
            question = Question(
                text=case.question, chat_id=task.ready.chat.chat_id, asked_at=case.asked_at,
                repeat=task.repeat,
            )  # fmt: skip
            deps = replace(opened.deps, new_meter=partial(self._meter_of, task))
            trail = self._modes[task.mode](question, deps)
        except (ConfigurationError, PromptError):
            raise
        # One failing case is data, also where a colleague's script ends by sys.exit.
        except (Exception, SystemExit) as error:
            seconds = self._clock() - began
            return Run(
                task.ready, task.mode, None, _told(error), seconds, task.repeat, self._spent(task)
            )
        finally:
            self._close(task.ready.chat)
        return Run(task.ready, task.mode, trail, None, self._clock() - began, task.repeat)

    def late(self, task: Task, seconds: float) -> Run:
        """The run of a case that was given up."""
        story = f"TimeoutError: no answer within {seconds:g} s"
        return Run(task.ready, task.mode, None, story, seconds, task.repeat, self._spent(task))

    def _meter_of(self, task: Task, budget: Budget) -> Meter:
        made = self._meters[task.key] = Meter(budget)
        return made

    def _spent(self, task: Task) -> Usage | None:
        """What the task has used so far; None where it asked no model."""
        meter = self._meters.get(task.key)
        return meter.used if meter is not None and meter.used != Usage() else None

    def _close(self, chat: Chat) -> None:
        with self._building[id(chat)]:
            opened = self._open[id(chat)]
            opened.left -= 1
            if opened.left == 0:
                opened.deps = None


def _told(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # an error whose text fails must not end the run
        return type(error).__name__
