"""Prompts tried on cases: every trial once, the candidate's beside the current prompt's."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock

from eval.cases import ReadyCase, kind_of
from eval.compare import FLIPS_BY, Comparison, compare
from eval.engine import Engine
from eval.replay import Run, Task, replay
from eval.scoring import Row, score
from eval.tune.keeping import Kept, trial_key
from eval.tune.leakage import Known, Leak
from eval.tune.points import Gain, gains, lasts, mean_gain, overall, unread
from eval.tune.versions import faults, in_set, says, size
from sayso.core.chat import Chat
from sayso.core.seams import Deps
from sayso.core.trail import Usage
from sayso.errors import ConfigurationError
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


@dataclass
class Trials:
    """Runs cases with a set of prompts; what was run before comes from ``kept``.

    ``on_row`` hears once of each row that was asked for, and whether it had to be run. ``usage`` is what
    all rows that were asked for took, whenever they were run; ``fresh`` what they took now.
    """

    engine: Engine
    mode: str
    kept: Kept
    jobs: int = 1
    case_seconds: float | None = None
    on_row: Callable[[Row, bool], None] = lambda row, ran: None
    usage: Usage = field(default_factory=Usage)
    fresh: Usage = field(default_factory=Usage)
    _seen: set[str] = field(default_factory=set)
    _deps: dict[int, tuple[Chat, Deps]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def run(self, prompts: Prompts, cases: Sequence[ReadyCase]) -> tuple[Row, ...]:
        """A row a case, in order; a case that stands twice is run once.

        A row that failed, or in which a step went without its model for another reason than a
        reply that cannot be read, is not kept: it will be run again another time.
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

        def ended(run: Run) -> None:
            key, row = tasks[id(run.ready)], score(run)
            self.fresh += row.trail.usage if row.trail else Usage()
            found[key] = self.kept.keep(key, row) if lasts(row) else row
            self.on_row(found[key], True)

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

    def _key(self, prompts: Prompts, ready: ReadyCase) -> str:
        setting = {k: v for k, v in self.engine.settings.items() if k not in _NO_PART}
        told = {s: says(p) for s, p in _of_mode(prompts, self.mode).items()}
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


@dataclass(frozen=True)
class Tried:
    """One candidate beside the current prompts.

    ``unread`` are cases whose reply does not fit the schema any more; ``leaks`` what the candidate
    says of the cases; ``faults`` why it was not tried at all, and then it has no rows.
    """

    name: str
    prompts: Prompts
    rows: tuple[Row, ...]
    gains: tuple[Gain, ...]
    comparisons: tuple[Comparison, ...]
    unread: tuple[str, ...]
    leaks: tuple[Leak, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """In words; only ``higher`` speaks for the candidate."""
        if self.faults:
            return "not tried"
        if self.unread:
            return "breaks the reply's schema"
        return "leaks" if self.leaks else overall(self.gains)

    @property
    def gain(self) -> float:
        """Mean points above the current prompts, for choosing; faults are worth nothing."""
        return mean_gain(self.gains)

    @property
    def usage(self) -> Usage:
        """What its trials took when they were run."""
        return used(self.rows)


def candidates_of(base: Prompts, files: Mapping[str, Prompt]) -> dict[str, Prompts]:
    """Each prompt of a file as a set: the current one with that prompt in its place."""
    return {name: in_set(base, prompt) for name, prompt in files.items()}


def changed_steps(base: Prompts, other: Prompts) -> tuple[str, ...]:
    """The steps whose prompts say something else."""
    return tuple(s for s, p in base.by_step.items() if says(p) != says(other[s]))


def modes_of(steps: Sequence[str]) -> tuple[str, ...]:
    """The modes that ask these steps, each once."""
    return tuple(dict.fromkeys(step.partition("/")[0] for step in steps))


def try_all(
    trials: Trials,
    base: Prompts,
    candidates: Mapping[str, Prompts],
    cases: Sequence[ReadyCase],
    *,
    metric: str,
    known: Known,
    seed: int = 0,
) -> tuple[tuple[Row, ...], tuple[Tried, ...]]:
    """The current prompts' rows, and every candidate beside them, paired by case."""
    current = trials.run(base, cases)
    wrong = {name: _faults(base, prompts) for name, prompts in candidates.items()}
    rows = {n: trials.run(p, cases) for n, p in candidates.items() if not wrong[n]}
    found = gains(current, rows, metric, seed=seed)
    tried = []
    for name, prompts in candidates.items():
        ours = rows.get(name, ())
        tried.append(
            Tried(
                name=name,
                prompts=prompts,
                rows=ours,
                gains=found.get(name, ()),
                comparisons=compare(current, ours, seed=seed) if ours else (),
                unread=newly_unread(current, ours, changed_steps(base, prompts)),
                leaks=_leaks(known, base, prompts),
                faults=wrong[name],
            )
        )
    return current, tuple(tried)


def newly_unread(
    current: Sequence[Row], candidate: Sequence[Row], steps: Sequence[str]
) -> tuple[str, ...]:
    """Cases in which a step's reply could be read under the current prompts and no longer can."""
    before = {row.case_id: row for row in current}
    return tuple(
        row.case_id
        for row in candidate
        if any(unread(row, s) and not unread(before[row.case_id], s) for s in steps)
    )


def used(rows: Sequence[Row]) -> Usage:
    """What the rows took, added up."""
    return sum((row.trail.usage for row in rows if row.trail), Usage())


def prompt_size(prompts: Prompts, mode: str) -> int:
    """Tokens of the mode's prompts, estimated, before anything is filled in."""
    return sum(size(prompt) for prompt in _of_mode(prompts, mode).values())


def default_metric(cases: Sequence[ReadyCase]) -> str:
    """What cases of this kind are scored by unless another metric is named."""
    return FLIPS_BY[kind_of(cases[0].case)]


def _faults(base: Prompts, prompts: Prompts) -> tuple[str, ...]:
    return tuple(
        f"{step}: {fault}"
        for step in changed_steps(base, prompts)
        if prompts[step].model and base[step].model
        for fault in faults(prompts[step], base[step])
    )


def _leaks(known: Known, base: Prompts, prompts: Prompts) -> tuple[Leak, ...]:
    found: dict[tuple[str, str], Leak] = {}
    for step in changed_steps(base, prompts):
        ours, theirs = prompts[step], base[step]
        for leak in known.leaks(f"{ours.system}\n{ours.user}", f"{theirs.system}\n{theirs.user}"):
            found[leak.kind, leak.words.casefold()] = leak
    return tuple(found.values())


def _of_mode(prompts: Prompts, mode: str) -> dict[str, Prompt]:
    return {s: p for s, p in prompts.by_step.items() if p.model and s.startswith(f"{mode}/")}
