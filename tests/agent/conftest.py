from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any

import pytest

from sayso.core.chat import Chat, Message
from sayso.core.metering import Budget
from sayso.core.models import (
    Candidate,
    Citation,
    Draft,
    DraftClaim,
    Gap,
    Graded,
    Plan,
    Question,
    Verdict,
)
from sayso.core.seams import GENERATOR, GRADER, PLANNER, Deps, Reply
from sayso.core.trail import Usage
from sayso.errors import ReasoningError

FREE = Usage()
PLAN = Plan(intent="fact", queries=("kayak",))
GAP = Gap(missing="the other half", queries=("paddle",), people=("Bo",))


class ScriptedRetriever:
    """Finds what its script says, search after search; the last line goes on for ever."""

    def __init__(self, *script: Sequence[int]) -> None:
        self.script = script
        self.searches: list[Plan] = []

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        self.searches.append(plan)
        ids = self.script[min(len(self.searches), len(self.script)) - 1]
        return tuple(Candidate(chat_id="c", local_id=i, score=-float(i)) for i in ids[:k])


class ByQuery:
    """Finds by the plan's query alone, so that any number of threads may share it."""

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        ids = {"kayak": (1, 2), "paddle": (3,)}[plan.queries[0]]
        return tuple(Candidate(chat_id="c", local_id=i, score=-float(i)) for i in ids[:k])


class ScriptedReasoner:
    """Names the gaps of its script, grading after grading; cites what it was told to."""

    def __init__(
        self,
        *gaps: Gap | None,
        cites: Sequence[Citation] | None = None,
        usage: Usage = FREE,
        plan: Plan = PLAN,
        fails_at: str | None = None,
    ) -> None:
        self.gaps, self.cites, self.usage, self.plan = gaps or (None,), cites, usage, plan
        self.fails_at = fails_at
        self.asked: list[tuple[str, Any]] = []
        self._lock = Lock()

    def think(self, step: Any, given: Any) -> Reply[Any]:
        with self._lock:
            self.asked.append((step.name, given))
        if step.name == self.fails_at:
            raise ReasoningError(f"{step.name}: no reply")
        given.meter.take(self.usage)  # as who calls a model does
        thinking: dict[str, Callable[[Any], Any]] = {
            PLANNER.name: lambda _: self.plan,
            GRADER.name: self._verdict,
            GENERATOR.name: self._draft,
        }
        return Reply(thinking[step.name](given), self.usage, prompt_digest=f"digest of {step.name}")

    def _verdict(self, given: Any) -> Verdict:
        graded = tuple(Graded(candidate=c, relevance=0.9) for c in given.pool)
        return Verdict(graded=graded, gap=self.gaps[min(given.round, len(self.gaps) - 1)], why="so")

    def _draft(self, given: Any) -> Draft:
        cites = (
            [Citation(local_id=g.local_id) for g in given.graded]
            if self.cites is None
            else self.cites
        )
        return Draft(answer="so it is", claims=(DraftClaim(text="so", citations=tuple(cites)),))


@pytest.fixture
def chat() -> Chat:
    """Forty messages by Ana and Bo, an hour apart."""
    start = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
    return Chat(
        chat_id="c", title="c", platform="invented", participants=("Ana", "Bo"),
        messages=tuple(
            Message(local_id=i, sender=("Ana", "Bo")[i % 2], text=f"message number {i}",
                    sent_at=start + timedelta(hours=i))
            for i in range(1, 41)
        ),
    )  # fmt: skip


@pytest.fixture
def question() -> Question:
    return Question(text="Where is the kayak?", chat_id="c")


@pytest.fixture
def gap() -> Gap:
    return GAP


@pytest.fixture
def finds() -> type[ScriptedRetriever]:
    return ScriptedRetriever


@pytest.fixture
def thinks() -> type[ScriptedReasoner]:
    return ScriptedReasoner


@pytest.fixture
def shared_deps(chat: Chat) -> Deps:
    """Doubles without a memory, with one gap to search for."""
    return Deps(chat, ByQuery(), ScriptedReasoner(GAP, None), Budget())
