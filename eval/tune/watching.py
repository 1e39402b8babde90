"""What a search hears of GEPA's course: candidates that were scored, runs that were counted, the end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eval.tune.adapter import Adapter
from eval.tune.evolved import Candidate, Plan
from eval.tune.versions import write_candidate
from sayso.errors import StoreError

CANDIDATES = "candidates"


@dataclass
class Watch:
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
