"""A plan that says so where meaning cannot help: a question in a language the embedder does not read."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

from sayso.core.models import Plan
from sayso.core.seams import G, R, Reasoner, Reply, Step

UNREAD = (
    "the embedder does not read the language of the question, which is searched by its words "
    "alone; ask in the chat's language"
)


@dataclass(frozen=True)
class SayingWhatIsUnread:
    """The reasoner within, whose plans get a note where ``reads`` refuses one of their queries."""

    within: Reasoner
    reads: Callable[[str], bool]

    def think(self, step: Step[G, R], given: G) -> Reply[R]:
        """See :class:`sayso.core.seams.Reasoner`."""
        reply = self.within.think(step, given)
        plan = reply.value
        if not isinstance(plan, Plan) or all(map(self._is_read, plan.queries)):
            return reply
        noted = plan.model_copy(update={"notes": (*plan.notes, UNREAD)})
        return replace(reply, value=cast(R, noted))

    def _is_read(self, query: str) -> bool:
        # A year or a smiley is of no language.
        return not any(c.isalpha() for c in query) or self.reads(query)
