"""GEPA over one step's prompt: our adapter between its search and our replays, budget and rules.

GEPA keeps no state of its own here. A run that is resumed begins again with the same seed, and what
was run or said before is read from what was kept: so it goes exactly the way of an unbroken one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.cases import ReadyCase
from eval.scoring import Row
from eval.tune.feedback import feedback
from eval.tune.points import points, unread
from eval.tune.reflecting import Reflector
from eval.tune.tries import Trials
from eval.tune.versions import in_set, with_system, write_candidate
from sayso.core.trail import Usage
from sayso.errors import ConfigurationError, StoreError
from sayso.reasoning.prompts import Prompt, Prompts

EXTRA = "sayso tune evolve needs the package gepa: pip install 'sayso[tune]'"
BATCH = 3
CANDIDATES = "candidates"

Batch = Any  # gepa.core.adapter.EvaluationBatch, a heavy import that the command pays when it runs


@dataclass(frozen=True)
class Plan:
    """What a run evolves and how much it may take; ``budget`` is in runs of a case.

    ``cost`` is for runs and reflection together, in the currency of the configured prices.
    """

    step: str
    metric: str
    budget: int
    batch: int = BATCH
    seed: int = 0
    cost: float | None = None


@dataclass(frozen=True)
class Candidate:
    """A prompt that was scored on all of valid: its mean points, in [0, 1], and when."""

    prompt: Prompt
    mean: float
    parents: tuple[int, ...]
    after: int


@dataclass(frozen=True)
class Evolved:
    """How a run ended; the first candidate is the seed. ``why`` says what ended it, in words."""

    candidates: tuple[Candidate, ...]
    runs: int
    iterations: int
    reflections: int
    reflection: Usage
    refused: int
    why: str
    complete: bool

    @property
    def best(self) -> Candidate:
        """The first of those with the highest mean on valid."""
        return max(self.candidates, key=lambda one: one.mean)


def check_budget(plan: Plan, train: Sequence[ReadyCase], valid: Sequence[ReadyCase]) -> None:
    """Raises ConfigurationError, before anything is run, for a run that could accept nothing."""
    if not train or not valid:
        raise ConfigurationError(
            f"{len(train)} train and {len(valid)} valid cases: evolving proposes on one group of "
            "people and chooses on another; add cases of chats between other people"
        )
    least = 2 * len(valid) + 2 * plan.batch
    if plan.budget < least:
        raise ConfigurationError(
            f"--budget {plan.budget} is too small: the {len(valid)} validation cases take "
            f"{len(valid)} runs for the current prompt and as many for one candidate, and a "
            f"proposal {2 * plan.batch}: at least {least}, better {4 * least}"
        )


def evolve(
    plan: Plan,
    base: Prompts,
    trials: Trials,
    reflector: Reflector,
    train: Sequence[ReadyCase],
    valid: Sequence[ReadyCase],
    *,
    folder: Path,
    on_scored: Callable[[Candidate, Candidate, int], None] = lambda one, best, runs: None,
) -> Evolved:
    """Search until the budget of runs or of reflection ends.

    ``on_scored`` hears of each candidate that was scored on valid, of the best so far, and of the
    runs that were counted. Candidates are written to the folder as they come. KeyboardInterrupt
    gives what was found by then, not ``complete``.
    """
    optimize = _gepa()
    check_budget(plan, train, valid)
    adapter = Adapter(plan, base, trials, reflector)
    watch = _Watch(plan, adapter, len(valid), folder, on_scored)
    complete = True
    try:
        optimize(
            seed_candidate={plan.step: base[plan.step].system},
            trainset=list(train),
            valset=list(valid),
            adapter=adapter,
            reflection_minibatch_size=plan.batch,
            stop_callbacks=watch.stops,
            callbacks=[watch],
            logger=_Silent(),
            track_best_outputs=False,
            seed=plan.seed,
        )
    except KeyboardInterrupt:
        complete, watch.why = False, "interrupted"
    if adapter.broken is not None:
        raise adapter.broken
    return Evolved(
        candidates=tuple(watch.found),
        runs=watch.runs,
        iterations=watch.iterations,
        reflections=reflector.asked,
        reflection=reflector.spent,
        refused=adapter.refused,
        why=watch.why,
        complete=complete and reflector.failed is None,
    )


class Adapter:
    """What GEPA asks of a system: run a candidate on cases, tell what was wrong, propose another."""

    def __init__(self, plan: Plan, base: Prompts, trials: Trials, reflector: Reflector) -> None:
        self._plan, self._base, self._trials, self._reflector = plan, base, trials, reflector
        self._proposals = 0
        self.refused = 0
        self.broken: Exception | None = None

    def prompt_of(self, candidate: Mapping[str, str]) -> Prompt:
        """The prompt with the candidate's system part."""
        seed, system = self._base[self._plan.step], candidate[self._plan.step]
        return seed if system == seed.system else with_system(seed, system)

    def evaluate(
        self, batch: list[ReadyCase], candidate: dict[str, str], capture_traces: bool = False
    ) -> Batch:
        """A case's points; 0 where the step's reply no longer fits its schema."""
        from gepa.core.adapter import EvaluationBatch

        prompt = self.prompt_of(candidate)
        rows = self._trials.run(in_set(self._base, prompt), batch)
        traces = list(zip(batch, rows, strict=True)) if capture_traces else None
        return EvaluationBatch(
            outputs=[row.case_id for row in rows],
            scores=[self._score(row) for row in rows],
            trajectories=traces,
        )

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: Batch, components_to_update: list[str]
    ) -> dict[str, list[dict[str, str]]]:
        """What each step needs to hear of its own faults; the worst case first."""
        pairs: list[tuple[ReadyCase, Row]] = eval_batch.trajectories or []
        told = {
            step: [feedback(step, ready, row, self._plan.metric) for ready, row in pairs]
            for step in components_to_update
        }
        return {
            step: [one.record for one in sorted(tales, key=lambda one: one.points)]
            for step, tales in told.items()
        }

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """The step's new system part; empty where none came that may be tried."""
        # GEPA swallows what is raised in here, and asks again.
        if self.broken is not None:
            return {}
        self._proposals += 1
        step = self._plan.step
        try:
            child = self._reflector.propose(
                self.prompt_of(candidate), self._base[step], reflective_dataset[step],
                str(self._proposals),
            )  # fmt: skip
        except Exception as error:
            self.broken = error
            return {}
        if child is None:
            self.refused += 1
            return {}
        return {step: child.system}

    def ended(self) -> str | None:
        """Why no further proposal may be made, in words."""
        if self.broken is not None:
            return "a fault"
        cost = (self._trials.usage.cost or 0.0) + (self._reflector.spent.cost or 0.0)
        if self._plan.cost is not None and cost >= self._plan.cost:
            return f"the run cost {cost:.2f}"
        return self._reflector.ended()

    def _score(self, row: Row) -> float:
        return 0.0 if unread(row, self._plan.step) else points(row, self._plan.metric) or 0.0


@dataclass
class _Watch:
    """Hears GEPA's events: keeps what was found, counts runs, and stops before a limit is passed."""

    plan: Plan
    adapter: Adapter
    valid: int
    folder: Path
    on_scored: Callable[[Candidate, Candidate, int], None]
    found: list[Candidate] = field(default_factory=list)
    runs: int = 0
    iterations: int = 0
    why: str = ""

    def stops(self, state: Any) -> bool:
        """Whether the next iteration could pass the budget; GEPA asks before each."""
        self.runs, self.iterations = state.total_num_evals, max(0, state.i + 1)
        ended = self.adapter.ended()
        if ended is not None:
            self.why = ended
        elif self.runs + 2 * self.plan.batch + self.valid > self.plan.budget:
            self.why = f"{self.runs} of {self.plan.budget} runs are used, too few are left"
        elif self.iterations >= self.plan.budget:
            self.why = "no proposal came any more"
        return bool(self.why)

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        """A candidate was scored on valid."""
        one = Candidate(
            prompt=self.adapter.prompt_of(event["candidate"]),
            mean=float(event["average_score"]),
            parents=tuple(event["parent_ids"]),
            after=self.runs,
        )
        self.found.append(one)
        name = f"{len(self.found) - 1:02d}"
        scores = {
            "metric": self.plan.metric,
            "valid": {"mean": round(one.mean, 4), "n": self.valid},
        }
        try:
            write_candidate(self.folder / CANDIDATES, name, one.prompt, {"scores": scores})
        except StoreError as error:  # GEPA swallows what is raised in here
            self.adapter.broken = error
        self.on_scored(one, max(self.found, key=lambda c: c.mean), self.runs)

    def on_budget_updated(self, event: Mapping[str, Any]) -> None:
        """More runs were counted."""
        self.runs = int(event["metric_calls_used"])


class _Silent:
    """GEPA's own log is of its innards; the person hears from us."""

    def log(self, message: str) -> None:
        pass


def _gepa() -> Callable[..., Any]:
    try:
        from gepa.api import optimize
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "gepa":
            raise
        raise ConfigurationError(EXTRA) from error
    return optimize
