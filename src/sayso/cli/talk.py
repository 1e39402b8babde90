"""What was asked before in this run: in memory, or kept in the archive as a named thread."""

import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sayso.chats.threads import KeptTurn, ThreadStore, checked_chat
from sayso.core.models import Turn
from sayso.core.trail import Trail
from sayso.errors import InputError

LAST = 8  # turns that a question may lean on
_LONGEST_NAME = 100
_NO_LETTERS = frozenset({"Cc", "Cs", "Zl", "Zp"})  # controls, halves of characters, line ends


def thread_name(given: str) -> str:
    """The name as it is kept; raises InputError for one that could not be shown or typed again."""
    name = given.strip()
    odd = any(unicodedata.category(char) in _NO_LETTERS for char in name)
    if odd or not 0 < len(name) <= _LONGEST_NAME:
        raise InputError(
            f"--thread {given!r:.60}: a name of 1 to {_LONGEST_NAME} letters, figures and marks on one "
            "line was expected"
        )
    return name


@dataclass
class Talk:
    """One thread; without a name it ends with the process, and with a question to another chat.

    InputError for a name that is none, see :func:`thread_name`.
    ``anew`` forgets the named thread once the first question is answered. Not ``kept``: nothing is.
    """

    home: Path
    name: str | None = None
    anew: bool = False
    kept: bool = True
    _turns: list[Turn] = field(default_factory=list, init=False)
    _chat_id: str | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.name is not None:
            self.name = thread_name(self.name)

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
