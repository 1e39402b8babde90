"""The retriever that leaves nothing out: every message, in order, for a reader of whole chats."""

from sayso.core.chat import Chat
from sayso.core.models import Candidate, Plan

_STEP = 1e-3  # between the scores of neighbours


class WholeChat:
    """Finds every message that the limits admit, whatever is asked; the first has the best score."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        """See :class:`sayso.core.seams.Retriever`."""
        admitted = [m for m in self._chat.messages if plan.limits.admits(m)]
        return tuple(
            Candidate(chat_id=self._chat.chat_id, local_id=m.local_id, score=-n * _STEP)
            for n, m in enumerate(admitted[:k])
        )
