"""The two seams, the steps that cross them, and what a mode is given.

``Retriever.search(plan, k)`` finds messages; ``Reasoner.think(step, given)`` decides. The graph
and the chain know nothing else, so a language model, the extractive reasoner and a test double
are the same to them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from sayso.core.models import (
    Candidate,
    Chat,
    Draft,
    Graded,
    Plan,
    Question,
    Trail,
    Usage,
    Verdict,
)

G = TypeVar("G")
R = TypeVar("R")


@dataclass(frozen=True)
class Planning:
    """Given to the planner and to Q1."""

    question: Question
    chat: Chat


@dataclass(frozen=True)
class Grading:
    """Given to the grader: the pool so far, merged and best first, and how often it was asked."""

    question: Question
    chat: Chat
    plan: Plan
    pool: tuple[Candidate, ...]
    round: int


@dataclass(frozen=True)
class Narrating:
    """Given to the generator and to Q4: candidates with relevance, best first."""

    question: Question
    chat: Chat
    plan: Plan
    graded: tuple[Graded, ...]


@dataclass(frozen=True)
class Step(Generic[G, R]):
    """One place where a Reasoner is asked: its name is also its prompt's path."""

    name: str
    given: type[G]
    reply: type[R]


PLANNER = Step("agent/planner", Planning, Plan)
GRADER = Step("agent/grader", Grading, Verdict)
GENERATOR = Step("agent/generator", Narrating, Draft)
Q1 = Step("oneshot/q1", Planning, Plan)
Q3 = Step("oneshot/q3", Grading, Verdict)
Q4 = Step("oneshot/q4", Narrating, Draft)


@dataclass(frozen=True)
class Reply(Generic[R]):
    """What a Reasoner decided and what that cost."""

    value: R
    usage: Usage = field(default_factory=Usage)
    prompt_digest: str | None = None
    note: str = ""


class Retriever(Protocol):
    """Finds messages of one chat."""

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        """At most ``k`` messages, best first; only those that ``plan.limits`` admit."""


class Reasoner(Protocol):
    """Decides at a step."""

    def think(self, step: Step[G, R], given: G) -> Reply[R]:
        """The reply for the step; raises ReasoningError where none can be had."""


@dataclass(frozen=True)
class Budget:
    """How much one question may use. ``pool`` is how many candidates a search brings."""

    rounds: int = 3
    seconds: float = 120.0
    model_calls: int = 40
    tokens: int = 400_000
    pool: int = 50


@dataclass(frozen=True)
class Deps:
    """What a mode works with; built in ``sayso.assembly``. ``notes`` say what it lacks."""

    chat: Chat
    retriever: Retriever
    reasoner: Reasoner
    budget: Budget = field(default_factory=Budget)
    notes: tuple[str, ...] = ()


Mode = Callable[[Question, Deps], Trail]
