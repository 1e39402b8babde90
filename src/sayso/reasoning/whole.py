"""Reading all of a chat: nothing is searched, nothing graded, and nobody stands in for the model."""

from dataclasses import dataclass, replace
from typing import Protocol, cast, runtime_checkable

from sayso.core.chat import Chat
from sayso.core.models import Candidate, Filter, Graded, Plan, Verdict
from sayso.core.seams import Q3, G, Grading, Planning, R, Reasoner, Reply, Step
from sayso.reasoning.grading import citable
from sayso.reasoning.whole_marks import UNKNOWN, marked


@runtime_checkable
class Refusing(Protocol):
    """A reasoner that can tell beforehand what no call of its model could hold."""

    def refuse_too_long(self, given: Planning) -> None:
        """InputError where all that the question may be answered from does not fit into a call."""


@dataclass(frozen=True)
class ReadingAll:
    """The reasoner within, to whom every message that can be cited is handed as it stands."""

    within: Reasoner

    def think(self, step: Step[G, R], given: G) -> Reply[R]:
        """See :class:`sayso.core.seams.Reasoner`."""
        if isinstance(given, Planning) and isinstance(self.within, Refusing):
            self.within.refuse_too_long(given)  # before a plan is paid for
        if step.name == Q3.name and isinstance(given, Grading):
            return Reply(cast(R, _ungraded(given)))
        reply = self.within.think(step, given)
        if isinstance(reply.value, Plan):  # one search brings everything
            plan = reply.value.model_copy(update={"aspects": ()})
            return replace(reply, value=cast(R, plan))
        return reply


def all_of(chat: Chat, limits: Filter) -> tuple[Graded, ...]:
    """Every message that can be cited and that the limits admit, as it is handed over, in order."""
    found = [m for m in chat.messages if limits.admits(m) and citable(m)]
    candidates = (Candidate(chat_id=chat.chat_id, local_id=m.local_id, score=0.0) for m in found)
    return tuple(Graded(candidate=marked(c), relevance=UNKNOWN) for c in candidates)


def _ungraded(given: Grading) -> Verdict:
    found = [c for c in given.pool if citable(given.chat.by_id[c.local_id])]
    found.sort(key=lambda c: given.chat.position[c.local_id])
    graded = tuple(Graded(candidate=marked(c), relevance=UNKNOWN) for c in found)
    return Verdict(graded=graded, why="all of the chat is read")
