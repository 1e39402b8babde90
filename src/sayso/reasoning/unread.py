"""A plan that says so where meaning cannot help: the embedder does not read a language."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

from sayso.core.models import Plan
from sayso.core.seams import G, R, Reasoner, Reply, Step

UNREAD = (
    "the embedder does not read the language of the question, which is searched by its words "
    "alone; ask in the chat's language"
)
UNREAD_CHAT = (
    "the embedder does not read the language of the chat, which is searched by its words alone"
)


@dataclass(frozen=True)
class SayingWhatIsUnread:
    """The reasoner within, whose plans get a note where ``reads`` refuses one of their queries.

    ``chat_is_read`` is False where it refuses them all, because of the chat.
    """

    within: Reasoner
    reads: Callable[[str], bool]
    chat_is_read: bool = True

    def think(self, step: Step[G, R], given: G) -> Reply[R]:
        """See :class:`sayso.core.seams.Reasoner`."""
        reply = self.within.think(step, given)
        plan = reply.value
        if not isinstance(plan, Plan) or all(map(self._is_read, plan.queries)):
            return reply
        noted = plan.model_copy(
            update={"notes": (*plan.notes, UNREAD if self.chat_is_read else UNREAD_CHAT)}
        )
        return replace(reply, value=cast(R, noted))

    def _is_read(self, query: str) -> bool:
        # A year or a smiley is of no language.
        return not any(c.isalpha() for c in query) or self.reads(query)
