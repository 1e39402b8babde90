"""Trials: cases run with a set of prompts, each once however often it is asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from eval.cases import ReadyCase
from eval.engine import Engine
from eval.replay import Run, Task, replay
from eval.scoring import Row, score
from eval.tune.keeping import Kept, trial_key
from eval.tune.points import passing
from eval.tune.spending import used
from eval.tune.versions import says
from sayso.core.chat import Chat
from sayso.core.seams import Deps
from sayso.core.trail import Usage
from sayso.errors import ConfigurationError, ReasoningError
from sayso.reasoning.prompts import Prompt, Prompts
from sayso.reasoning.thinking import ModelReasoner

# Settings that change no reply, or that stand for the prompts, which a trial's key has by itself.
_NO_PART = frozenset(
    (
        "prompts",
        "prompts_digests",
        "cache",
        "offline",
        "max_rpm",
        "retries",
        "call_seconds",
        "prices",
    )
)
NO_MODEL = (
    "no language model is configured, and without one no prompt is read; name one with --model, "
    "see how it goes with --demo, or tune the engine's numbers with sayso tune fit"
)
# So many runs that are lost before any goes well are no odd cases.
_SYSTEMIC = 3


@dataclass
class Trials:
    """Runs cases with a set of prompts; what was run before comes from ``kept``.

    ``on_row`` hears once of each row that was asked for, and whether it had to be run. ``usage`` is what
    all rows that were asked for took, whenever they were run; ``fresh`` what they took now. ``lost``
    are trials that failed or went without their model, by key, and why.
    """

    engine: Engine
    mode: str
    kept: Kept
    jobs: int = 1
    case_seconds: float | None = None
    on_row: Callable[[Row, bool], None] = lambda row, ran: None
    usage: Usage = field(default_factory=Usage)
    fresh: Usage = field(default_factory=Usage)
    lost: dict[str, str] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)
    _deps: dict[int, tuple[Chat, Deps]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def run(self, prompts: Prompts, cases: Sequence[ReadyCase]) -> tuple[Row, ...]:
        """A row a case, in order; a case that stands twice is run once.

        A row that failed, or in which a step went without its model for another reason than a
        reply that cannot be read, is not kept: it will be run again another time. One such row is
        data; ReasoningError where the first three to be run are.
        """
        keys = [self._key(prompts, ready) for ready in cases]
        found: dict[str, Row] = {}
        for key in dict.fromkeys(keys):
            row = self.kept.find(key)
            if row is not None:
                found[key] = row
                if key not in self._seen:
                    self.on_row(row, False)
        missing = {k: r for k, r in zip(keys, cases, strict=True) if k not in found}
        tasks = {id(ready): key for key, ready in missing.items()}
        lost: list[bool] = []

        def ended(run: Run) -> None:
            key, row = tasks[id(run.ready)], score(run)
            self.fresh += row.trail.usage if row.trail else Usage()
            why = passing(row)
            if why is None:
                self.lost.pop(key, None)
                found[key] = self.kept.keep(key, row)
            else:
                self.lost[key] = why
                found[key] = row
            self.on_row(found[key], True)
            lost.append(why is not None)
            if len(lost) >= _SYSTEMIC and all(lost):
                raise ReasoningError(
                    f"the first {len(lost)} runs failed or went without the model: {why}"
                )

        replay(
            [Task(ready, self.mode) for ready in missing.values()],
            {self.mode: self.engine.modes[self.mode]},
            deps_for=lambda chat: self._with(prompts, chat),
            jobs=self.jobs,
            deadline=self.case_seconds,
            on_run=ended,
        )
        self.usage += used([row for key, row in found.items() if key not in self._seen])
        self._seen |= set(found)
        return tuple(found[key] for key in keys)

    def lost_line(self) -> str | None:
        """How many trials were lost and why, in words; None where none was."""
        if not self.lost:
            return None
        why = next(iter(self.lost.values()))
        return (
            f"{len(self.lost)} runs failed or went without the model, the first: {why}; they count "
            "as they are and are not kept: the same command runs them again"
        )

    def _key(self, prompts: Prompts, ready: ReadyCase) -> str:
        setting = {k: v for k, v in self.engine.settings.items() if k not in _NO_PART}
        told = {s: says(p) for s, p in of_mode(prompts, self.mode).items()}
        return trial_key(setting, told, ready, self.mode)

    def _with(self, prompts: Prompts, chat: Chat) -> Deps:
        """The chat's Deps with these prompts; its index is opened once."""
        with self._lock:
            if id(chat) not in self._deps:
                self._deps[id(chat)] = (chat, self.engine.deps_for(chat))
        deps = self._deps[id(chat)][1]
        if not isinstance(deps.reasoner, ModelReasoner):
            raise ConfigurationError(NO_MODEL)
        return replace(deps, reasoner=deps.reasoner.with_prompts(prompts))


def of_mode(prompts: Prompts, mode: str) -> dict[str, Prompt]:
    """The prompts of a mode that a model reads, by step."""
    return {s: p for s, p in prompts.by_step.items() if p.model and s.startswith(f"{mode}/")}
