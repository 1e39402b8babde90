"""Reading all of a chat: nothing is searched, nothing graded, and nobody stands in for the model."""

from dataclasses import dataclass, replace
from typing import cast

from sayso.core.models import Graded, Plan, Verdict
from sayso.core.seams import Q3, G, Grading, R, Reasoner, Reply, Step
from sayso.reasoning.grading import citable
from sayso.reasoning.whole_marks import UNKNOWN, marked


@dataclass(frozen=True)
class ReadingAll:
    """The reasoner within, to whom every message that can be cited is handed as it stands."""

    within: Reasoner

    def think(self, step: Step[G, R], given: G) -> Reply[R]:
        """See :class:`sayso.core.seams.Reasoner`."""
        if step.name == Q3.name and isinstance(given, Grading):
            return Reply(cast(R, _ungraded(given)))
        reply = self.within.think(step, given)
        if isinstance(reply.value, Plan):  # one search brings everything
            plan = reply.value.model_copy(update={"aspects": ()})
            return replace(reply, value=cast(R, plan))
        return reply


def _ungraded(given: Grading) -> Verdict:
    found = [c for c in given.pool if citable(given.chat.by_id[c.local_id])]
    found.sort(key=lambda c: given.chat.position[c.local_id])
    graded = tuple(Graded(candidate=marked(c), relevance=UNKNOWN) for c in found)
    return Verdict(graded=graded, why="all of the chat is read")
