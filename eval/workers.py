"""Tasks over threads: results as they end, a deadline for each, and a number that adapts."""

import time
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Condition, Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

# Successes in a row, for each task at once, before one more is tried again.
_CALM = 2


class Pace:
    """How many tasks may run at once: halved under pressure, back up one by one, within 1..jobs."""

    def __init__(self, jobs: int) -> None:
        if jobs < 1:
            raise ValueError(f"jobs is 1 or more, not {jobs}")
        self.jobs = jobs
        self._limit = jobs
        self._calm = 0
        self._running = 0
        self._free = Condition()

    @property
    def limit(self) -> int:
        """How many may run now."""
        return self._limit

    def learn(self, *, pressed: bool) -> None:
        """Hear of a task that has ended, and whether it met with too many requests."""
        with self._free:
            self._calm = 0 if pressed else self._calm + 1
            if pressed:
                self._limit = max(1, self._limit // 2)
            elif self._calm >= _CALM * self._limit and self._limit < self.jobs:
                self._limit, self._calm = self._limit + 1, 0
            self._free.notify_all()

    def enter(self, stop: Event) -> bool:
        """Wait for a place; False when all is to stop."""
        with self._free:
            self._free.wait_for(lambda: stop.is_set() or self._running < self._limit)
            if stop.is_set():
                return False
            self._running += 1
            return True

    def leave(self) -> None:
        """Give the place back."""
        with self._free:
            self._running -= 1
            self._free.notify_all()

    def wake(self) -> None:
        """Have those who wait look again."""
        with self._free:
            self._free.notify_all()


def spread(
    tasks: Sequence[T],
    work: Callable[[T], R],
    late: Callable[[T, float], R],
    pace: Pace,
    *,
    prepare: Callable[[T], None] = lambda task: None,
    lull: Callable[[], None] = lambda: None,
    deadline: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[tuple[int, R]]:
    """The results as they end, each with the position of its task; begun in order.

    ``prepare`` runs before ``work`` and outside the deadline: what several tasks need and the first
    has to wait for. One that is not back ``deadline`` seconds after it began is given up: ``late`` makes its
    result, its thread is left behind, and another takes its place. ``lull`` is called after a result
    behind which no other waits. Whatever ``work`` raises is raised here. With one job and no deadline
    nothing leaves this thread.
    """
    if pace.jobs == 1 and deadline is None:
        for at, task in enumerate(tasks):
            prepare(task)
            yield at, work(task)
            lull()
        return
    crew = _Crew(tasks, prepare, work, pace, clock)
    try:
        for _ in range(min(pace.jobs, len(tasks))):
            crew.hire()
        left = len(tasks)
        while left:
            ended = crew.next(deadline)
            if ended is not None:
                at, outcome = ended
                if isinstance(outcome, BaseException):
                    raise outcome
                left -= 1
                yield at, outcome
                if crew.quiet:
                    lull()
                continue
            for at in crew.give_up(deadline):
                left -= 1
                crew.hire()
                yield at, late(tasks[at], deadline or 0.0)
            lull()
    finally:
        crew.dismiss()


class _Crew(Generic[T, R]):
    """Threads that take the next task each. Daemons: one that hangs must not hold the program."""

    def __init__(
        self,
        tasks: Sequence[T],
        prepare: Callable[[T], None],
        work: Callable[[T], R],
        pace: Pace,
        clock: Callable[[], float],
    ) -> None:
        self._tasks, self._prepare, self._work = tasks, prepare, work
        self._pace, self._clock = pace, clock
        self._waiting: SimpleQueue[int] = SimpleQueue()
        self._ended: SimpleQueue[tuple[int, R | BaseException]] = SimpleQueue()
        # Whoever pops a task from here settles it: the thread that did it, or who gives it up.
        self._began: dict[int, float] = {}
        self._stop = Event()
        for at in range(len(tasks)):
            self._waiting.put(at)

    def hire(self) -> None:
        """One more thread."""
        Thread(target=self._run, daemon=True).start()

    @property
    def quiet(self) -> bool:
        """Whether nothing has ended that was not handed over."""
        return self._ended.empty()

    def next(self, deadline: float | None) -> tuple[int, R | BaseException] | None:
        """The next that ended; None when it is time to look for overdue ones."""
        if deadline is None:
            return self._ended.get()
        oldest = min(list(self._began.values()), default=self._clock())
        try:
            return self._ended.get(timeout=max(0.0, oldest + deadline - self._clock()))
        except Empty:
            return None

    def give_up(self, deadline: float | None) -> list[int]:
        """The tasks that began too long ago, in order; their places are free again."""
        now = self._clock()
        late = [at for at, began in list(self._began.items()) if now - began >= (deadline or 0.0)]
        settled = sorted(at for at in late if self._began.pop(at, None) is not None)
        for _ in settled:
            self._pace.leave()
        return settled

    def dismiss(self) -> None:
        """No task is begun from now on."""
        self._stop.set()
        self._pace.wake()

    def _run(self) -> None:
        while self._pace.enter(self._stop):
            try:
                at = self._waiting.get_nowait()
            except Empty:
                self._pace.leave()
                return
            try:
                self._prepare(self._tasks[at])
                self._began[at] = self._clock()
                outcome: R | BaseException = self._work(self._tasks[at])
            except BaseException as error:  # handed to the thread that waits for it
                self._began.setdefault(at, self._clock())
                outcome = error
            if self._began.pop(at, None) is None:
                return  # given up meanwhile, and replaced
            self._pace.leave()
            self._ended.put((at, outcome))
