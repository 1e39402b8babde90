"""What one question has used so far, held against its budget while steps are still running."""

from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from sayso.core.trail import StopReason, Usage


@dataclass(frozen=True)
class Budget:
    """How much one question may use. ``pool`` is how many candidates a search brings."""

    rounds: int = 3
    seconds: float = 120.0
    model_calls: int = 40
    tokens: int = 400_000
    pool: int = 50


@dataclass
class Meter:
    """Adds up a question's usage as calls end; safe to read and feed from several threads."""

    budget: Budget = field(default_factory=Budget)
    started: float = field(default_factory=monotonic)
    used: Usage = field(default_factory=Usage, init=False)
    uncounted: int = field(default=0, init=False)  # tokens that no server counted, by an estimate
    _lock: Lock = field(default_factory=Lock, init=False, repr=False)

    def take(self, usage: Usage, *, uncounted: int = 0) -> None:
        """Count what a call cost; called once a call, by whoever made it.

        ``uncounted`` estimates the tokens of a call whose server counts none.
        """
        with self._lock:
            self.used += usage
            self.uncounted += uncounted

    @property
    def seconds_left(self) -> float:
        """Until the deadline; never below 0."""
        return max(0.0, self.started + self.budget.seconds - monotonic())

    @property
    def tokens_left(self) -> int:
        """Prompt and completion together; never below 0."""
        taken = self.used.prompt_tokens + self.used.completion_tokens + self.uncounted
        return max(0, self.budget.tokens - taken)

    @property
    def ended(self) -> StopReason | None:
        """Which budget has ended, or None while another call may begin."""
        if self.seconds_left <= 0:
            return "time budget"
        if self.used.model_calls >= self.budget.model_calls:
            return "call budget"
        return "token budget" if self.tokens_left <= 0 else None
