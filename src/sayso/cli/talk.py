"""What was asked before in this run: in memory, or kept in the archive as a named thread."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sayso.chats.threads import KeptTurn, ThreadStore, checked_chat
from sayso.core.models import Turn
from sayso.core.trail import Trail

LAST = 8  # turns that a question may lean on


@dataclass
class Talk:
    """One thread; without a name it ends with the process, and with a question to another chat.

    ``anew`` forgets the named thread once the first question is answered. Not ``kept``: nothing is.
    """

    home: Path
    name: str | None = None
    anew: bool = False
    kept: bool = True
    _turns: list[Turn] = field(default_factory=list, init=False)
    _chat_id: str | None = field(default=None, init=False)

    def history(self, chat_id: str) -> tuple[Turn, ...]:
        """The last turns, oldest first; raises InputError where the thread is about another chat."""
        if self.name is None:
            return tuple(self._turns[-LAST:]) if chat_id == self._chat_id else ()
        found = None if self.anew else ThreadStore(self.home).load(self.name)
        if found is None:
            return ()
        checked_chat(self.name, found.chat_id, chat_id)
        return found.history[-LAST:]

    def take(self, trail: Trail) -> None:
        """Keep what was asked and answered."""
        if not self.kept:
            return
        asked, answer = trail.question, trail.answer
        turn = Turn(question=asked.text, answer=answer.text, cited=answer.local_ids)
        if self.name is None:
            if asked.chat_id != self._chat_id:
                self._chat_id, self._turns = asked.chat_id, []
            self._turns.append(turn)
            return
        store = ThreadStore(self.home)
        if self.anew:
            store.remove(self.name)
            self.anew = False
        store.add(
            self.name, asked.chat_id, KeptTurn(turn=turn, mode=trail.mode, at=datetime.now(UTC))
        )
