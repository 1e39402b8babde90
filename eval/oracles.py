"""What each part could reach: the gold handed to the grader, or to the generator.

The difference to the plain run is what retrieval, or retrieval and grading, still cost. Only
these two know what a case expects, and their runs say so in their configuration.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast

from eval.cases import ReadyCase
from eval.gold import truth_of
from sayso.core.chat import Chat
from sayso.core.models import Candidate, Graded, Plan, Question, Verdict
from sayso.core.seams import (
    GRADER,
    Q3,
    Deps,
    G,
    Grading,
    Mode,
    R,
    Reasoner,
    Reply,
    Retriever,
    Step,
)
from sayso.core.trail import Trail

Oracle = Literal["retrieval", "evidence"]

Gold = Mapping[tuple[str, str], frozenset[int]]


def gold_of(cases: Sequence[ReadyCase]) -> Gold:
    """The reachable expected ids by (chatId, question); of one question asked twice, both's."""
    found: dict[tuple[str, str], frozenset[int]] = {}
    for ready in cases:
        key = (ready.chat.chat_id, ready.case.question)
        ids = frozenset(truth_of(ready.case, ready.chat).expected.local_ids)
        found[key] = found.get(key, frozenset()) | ids
    return found


def with_oracle(mode: Mode, oracle: Oracle, gold: Gold) -> Mode:
    """The mode, whose retriever brings all gold, and for "evidence" whose grader keeps only gold."""

    def knowing(question: Question, deps: Deps) -> Trail:
        ids = gold.get((question.chat_id, question.text), frozenset())
        retriever = _Finding(deps.retriever, deps.chat, ids)
        reasoner: Reasoner = deps.reasoner
        if oracle == "evidence":
            reasoner = _Keeping(deps.reasoner, ids)
        return mode(question, replace(deps, retriever=retriever, reasoner=reasoner))

    return knowing


class _Finding:
    """A retriever that never misses the gold: what the search left out stands behind its finds."""

    def __init__(self, inner: Retriever, chat: Chat, gold: frozenset[int]) -> None:
        self._inner, self._chat, self._gold = inner, chat, gold

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        """See :class:`sayso.core.seams.Retriever`; more than ``k`` where gold had to be added."""
        found = self._inner.search(plan, k)
        missing = self._gold - {c.local_id for c in found}
        if not missing:
            return found
        # A search as wide as the chat, so that each has the marks that graders read.
        wide = self._inner.search(plan, len(self._chat.messages))
        added = tuple(c for c in wide if c.local_id in missing)
        unmarked = missing - {c.local_id for c in added}
        worst = min((c.score for c in (*found, *added)), default=0.0)
        bare = tuple(
            Candidate(chat_id=self._chat.chat_id, local_id=i, score=worst - 1)
            for i in sorted(unmarked, key=self._chat.position.__getitem__)
        )
        return (*found, *added, *bare)


class _Keeping:
    """A reasoner that grades as the gold does; all else is thought by the other."""

    def __init__(self, inner: Reasoner, gold: frozenset[int]) -> None:
        self._inner, self._gold = inner, gold

    def think(self, step: Step[G, R], given: G) -> Reply[R]:
        """See :class:`sayso.core.seams.Reasoner`."""
        if step.name not in (GRADER.name, Q3.name) or not isinstance(given, Grading):
            return self._inner.think(step, given)
        kept = tuple(
            Graded(candidate=candidate, relevance=1.0, why="expected by the case")
            for candidate in given.pool
            if candidate.local_id in self._gold
        )
        return Reply(cast("R", Verdict(graded=kept, why="the gold of the case")))
