"""What a question needs around it: the chat, its Deps, the mode, the limits."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import click

from sayso.assembly import NO_MODEL, deps_for, load_chat
from sayso.cli.limits import Limits
from sayso.cli.rendering import note, progress
from sayso.core.chat import Chat
from sayso.core.models import Question
from sayso.core.seams import Deps
from sayso.core.trail import ModeName, Trail
from sayso.modes import MODES
from sayso.settings import Settings


def question_text(words: tuple[str, ...]) -> str:
    """The question that was typed; a usage error when nothing was."""
    # A shell may hand over bytes that are no text; they arrive as lone surrogates.
    text = re.sub("[\ud800-\udfff]", "\ufffd", " ".join(words)).strip()
    if not text:
        raise click.UsageError("QUESTION is empty; ask something")
    return text


@dataclass
class Asking:
    """Questions to one chat at a time; the chat is loaded when it is first needed."""

    home: Path
    settings: Settings
    mode: ModeName
    limits: Limits = field(default_factory=Limits)
    recall: bool = False
    quiet: bool = False  # nobody wants to be told that there is no model
    chat_name: str | None = None
    _deps: Deps | None = field(default=None, init=False)

    @property
    def chat(self) -> Chat:
        """The chat that is asked; raises ChatNotFoundError."""
        return self.deps.chat

    @property
    def deps(self) -> Deps:
        """What the modes work with for this chat."""
        if self._deps is None:
            self._deps = self._load(self.chat_name)
        return self._deps

    def turn_to(self, chat_name: str) -> None:
        """Ask another chat from now on; raises ChatNotFoundError and then stays with this one."""
        self._deps = self._load(chat_name)
        self.chat_name = chat_name

    def ask(self, text: str) -> Trail:
        """Everything that led to the answer, and the answer."""
        chat = self.chat
        question = Question(
            text=text, chat_id=chat.chat_id, limits=self.limits.within(chat), recall=self.recall
        )
        if not self.quiet:
            self.quiet = True
            note(NO_MODEL)
        return MODES[self.mode](question, self.deps)

    def _load(self, chat_name: str | None) -> Deps:
        chat = load_chat(chat_name, home=self.home)
        deps = deps_for(chat, self.settings, home=self.home, progress=progress())
        for text in deps.notes:
            note(text)
        return deps
