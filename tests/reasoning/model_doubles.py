"""Doubles around the model's reasoner: a model that says what its script has, and a stand-in."""

from collections.abc import Callable, Sequence
from typing import Any

from sayso.core.events import unheard
from sayso.core.models import Candidate, Citation, Draft, DraftClaim, Gap, Graded, Plan, Verdict
from sayso.core.seams import Reply
from sayso.core.trail import Usage
from sayso.reasoning.calling import BudgetEnded, CallError, Request, Told

COST = Usage(model_calls=1, prompt_tokens=100, completion_tokens=10)


class ScriptedCaller:
    """Says its script, call after call, the last line for ever; an exception is raised."""

    def __init__(self, *script: Any, window: int | None = None) -> None:
        self.name, self.window, self.script = "scripted", window, script
        self.completion = min(4096, window // 4) if window else 4096
        self.requests: list[Request[Any]] = []

    def ask(self, request: Request[Any], meter: Any, listen: Callable[..., None] = unheard) -> Any:
        said = self.script[min(len(self.requests), len(self.script) - 1)]
        self.requests.append(request)
        if isinstance(said, CallError | BudgetEnded):
            raise said
        if callable(said):
            said = said(request)
        meter.take(COST)
        if request.written is not None:
            for word in str(said.get("answer", "")).split(" "):
                request.written(word)
        return Told(request.schema.model_validate(said), COST, notes=("told",), raw=("raw",))


class StandIn:
    """Plans the question itself, grades by 1 / position, cites the best."""

    def __init__(self, gap: Gap | None = None) -> None:
        self.gap = gap
        self.asked: list[tuple[str, Any]] = []

    def think(self, step: Any, given: Any) -> Reply[Any]:
        self.asked.append((step.name, given))
        name = step.name.rsplit("/", 1)[-1]
        if name in ("planner", "q1"):
            return Reply(Plan(intent="fact", queries=(given.question.text,)), notes=("by rules",))
        if name in ("grader", "q3"):
            graded = tuple(
                Graded(candidate=c, relevance=1 / (1 + n)) for n, c in enumerate(given.pool, 1)
            )
            return Reply(Verdict(graded=graded, gap=self.gap, why="measured"))
        cites = (Citation(local_id=given.graded[0].local_id),)
        return Reply(Draft(answer="by quoting", claims=(DraftClaim(text="q", citations=cites),)))


def candidates(ids: Sequence[int]) -> tuple[Candidate, ...]:
    """Found in this order."""
    return tuple(
        Candidate(chat_id="c", local_id=i, score=-float(n), why={"own": 1.0})
        for n, i in enumerate(ids)
    )
