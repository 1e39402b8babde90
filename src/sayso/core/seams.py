"""The two seams, the steps that cross them, and what a mode is given.

``Retriever.search(plan, k)`` finds messages; ``Reasoner.think(step, given)`` decides. The graph
and the chain know nothing else, so a language model, the extractive reasoner and a test double
are the same to them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from sayso.core.chat import Chat
from sayso.core.events import Listener, unheard
from sayso.core.metering import Budget, Meter
from sayso.core.models import Candidate, Draft, Graded, Plan, Question, Verdict
from sayso.core.trail import StopReason, Trail, Usage

G = TypeVar("G")
R = TypeVar("R")


@dataclass(frozen=True)
class Planning:
    """Given to the planner and to Q1."""

    question: Question
    chat: Chat
    meter: Meter = field(default_factory=Meter)
    listen: Listener = unheard


@dataclass(frozen=True)
class Grading:
    """Given to the grader: the pool so far, merged and best first, and how often it was asked."""

    question: Question
    chat: Chat
    plan: Plan
    pool: tuple[Candidate, ...]
    round: int
    meter: Meter = field(default_factory=Meter)
    listen: Listener = unheard


@dataclass(frozen=True)
class Narrating:
    """Given to the generator and to Q4: candidates with relevance, best first."""

    question: Question
    chat: Chat
    plan: Plan
    graded: tuple[Graded, ...]
    meter: Meter = field(default_factory=Meter)
    listen: Listener = unheard


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
    """What a Reasoner decided and what that cost.

    ``notes`` say what a reader of the trail should know of how it came; ``raw`` has the texts of
    a model that could not be used. ``fell_back``: another reasoner stood in for the model.
    ``ended``: the budget that kept a model from being asked, or asked in full.
    """

    value: R
    usage: Usage = field(default_factory=Usage)
    prompt_digest: str | None = None
    notes: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    fell_back: bool = False
    ended: StopReason | None = None


class Retriever(Protocol):
    """Finds messages of one chat."""

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        """At most ``k`` messages, best first; only those that ``plan.limits`` admit."""


class Reader(Protocol):
    """Reads a question and a message as one text."""

    def read(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """For each text how far it answers the question, the more the better; none changes another."""


class Reasoner(Protocol):
    """Decides at a step."""

    def think(self, step: Step[G, R], given: G) -> Reply[R]:
        """The reply for the step; raises ReasoningError where none can be had."""


@dataclass(frozen=True)
class Deps:
    """What a mode works with; built in ``sayso.assembly``. ``notes`` say what it lacks.

    ``model`` names the language model behind the reasoner, None without one. ``meter`` and
    ``listen`` are of one question: a mode starts with :meth:`for_one_question`, which has its meter
    from ``new_meter``. ``tracing``: the environment may have the question posted to a tracing
    service.
    """

    chat: Chat
    retriever: Retriever
    reasoner: Reasoner
    budget: Budget = field(default_factory=Budget)
    notes: tuple[str, ...] = ()
    model: str | None = None
    tracing: bool = False
    meter: Meter = field(default_factory=Meter)
    listen: Listener = unheard
    new_meter: Callable[[Budget], Meter] = Meter

    def for_one_question(self) -> "Deps":
        """The same, with a meter that starts now."""
        return replace(self, meter=self.new_meter(self.budget))


Mode = Callable[[Question, Deps], Trail]
