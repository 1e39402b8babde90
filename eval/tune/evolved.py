"""What a search is asked for, and what it found."""

from collections.abc import Sequence
from dataclasses import dataclass

from eval.cases import ReadyCase
from sayso.core.trail import Usage
from sayso.errors import ConfigurationError
from sayso.reasoning.prompts import Prompt

BATCH = 3
INTERRUPTED = "interrupted"  # why a run ended that a person broke off


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
