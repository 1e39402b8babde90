"""One step's prompt as GEPA sees it: our ``GEPAAdapter`` between its search and our replays."""

from collections.abc import Mapping, Sequence
from typing import Any

from eval.cases import ReadyCase
from eval.scoring import Row
from eval.tune.evolved import Plan
from eval.tune.feedback import feedback
from eval.tune.points import points, unread
from eval.tune.reflecting import Reflector
from eval.tune.spending import cost
from eval.tune.trials import Trials
from eval.tune.versions import in_set, with_system
from sayso.reasoning.prompts import Prompt, Prompts

Batch = Any  # gepa.core.adapter.EvaluationBatch, a heavy import that the command pays when it runs


class Adapter:
    """What GEPA asks of a system: run a candidate on cases, tell what was wrong, propose another."""

    def __init__(self, plan: Plan, base: Prompts, trials: Trials, reflector: Reflector) -> None:
        self._plan, self._base, self._trials, self._reflector = plan, base, trials, reflector
        self._proposals = 0
        self._readable: set[str] = set()  # cases in which some prompt's reply fitted its schema
        self.refused = 0
        self.broken: Exception | None = None

    def prompt_of(self, candidate: Mapping[str, str]) -> Prompt:
        """The prompt with the candidate's system part."""
        seed, system = self._base[self._plan.step], candidate[self._plan.step]
        return seed if system == seed.system else with_system(seed, system)

    def evaluate(
        self, batch: list[ReadyCase], candidate: dict[str, str], capture_traces: bool = False
    ) -> Batch:
        """A case's points; all 0 where a reply of the step no longer fits its schema.

        A candidate must keep the form of the reply in every case, so one that gains elsewhere is
        not worth its breaking one.
        """
        from gepa.core.adapter import EvaluationBatch

        prompt = self.prompt_of(candidate)
        rows = self._trials.run(in_set(self._base, prompt), batch)
        traces = list(zip(batch, rows, strict=True)) if capture_traces else None
        return EvaluationBatch(
            outputs=[row.case_id for row in rows],
            scores=self._scores(rows),
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
        taken = (cost(self._trials.usage) or 0.0) + (cost(self._reflector.spent) or 0.0)
        if self._plan.cost is not None and taken >= self._plan.cost:
            return f"the run cost {taken:.2f}"
        return self._reflector.ended()

    def _scores(self, rows: Sequence[Row]) -> list[float]:
        broken = {r.case_id for r in rows if unread(r, self._plan.step)}
        # A case that failed altogether may pass another time, and says nothing of the reply's form.
        lost = {r.case_id for r in rows if r.error is None} & broken & self._readable
        self._readable |= {r.case_id for r in rows} - broken
        return [
            0.0 if lost or row.case_id in broken else points(row, self._plan.metric) or 0.0
            for row in rows
        ]
