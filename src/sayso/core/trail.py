"""What led to an answer: the rounds, the steps with their cost, and why it ended."""

from typing import Literal

from sayso.core.models import Answer, Candidate, Graded, Plan, Question
from sayso.core.value import Value

ModeName = Literal["agent", "oneshot"]
StopReason = Literal[
    "enough evidence", "no new evidence", "round budget", "time budget", "token budget",
    "call budget", "nothing found", "single pass",
]  # fmt: skip


class Usage(Value):
    """What a step or an answer cost.

    ``model_calls`` were answered by a model, ``cache_hits`` from the cache and cost nothing;
    ``retries`` are calls that had to be made again. Tokens are the server's own count, of which
    ``cached_tokens`` were prompt tokens at its cheaper rate. ``seconds`` is time spent waiting
    for the model. ``cost`` is in the currency of the configured prices, None without prices.
    ``saved_tokens`` and ``saved_cost`` are what the replies from the cache had taken when they
    were made; they are in none of the others.
    """

    model_calls: int = 0
    cache_hits: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None
    saved_tokens: int = 0
    saved_cost: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            model_calls=self.model_calls + other.model_calls,
            cache_hits=self.cache_hits + other.cache_hits,
            retries=self.retries + other.retries,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            seconds=self.seconds + other.seconds,
            cost=_sum(self.cost, other.cost),
            saved_tokens=self.saved_tokens + other.saved_tokens,
            saved_cost=_sum(self.saved_cost, other.saved_cost),
        )


def _sum(*costs: float | None) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


class StepRecord(Value):
    """One step of a trail: its name, prompt, cost, and in words what it changed.

    ``raw`` holds replies of a model that could not be used, as they came.
    """

    name: str
    changed: str
    milliseconds: float
    prompt_digest: str | None = None
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    fell_back: bool = False


class Round(Value):
    """One visit to the retriever: the plan it searched with and what it found, best first."""

    plan: Plan
    candidates: tuple[Candidate, ...]


class Trail(Value):
    """What either mode returns: everything that led to the answer.

    ``ranking`` is the merged ranking before grading, best first, at most 50; ``graded`` is
    ordered by relevance.
    """

    question: Question
    mode: str
    plan: Plan
    ranking: tuple[Candidate, ...]
    rounds: tuple[Round, ...]
    graded: tuple[Graded, ...]
    answer: Answer
    steps: tuple[StepRecord, ...]
    stop_reason: StopReason
    model: str | None = None

    @property
    def usage(self) -> Usage:
        """The steps' usage added up."""
        return sum((s.usage for s in self.steps), Usage())
