"""What a question needs around it: the chat, its Deps, the mode, the limits."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

import click

from sayso.assembly import NO_MODEL, deps_for, load_chat
from sayso.cli.limits import Limits
from sayso.cli.rendering import note, progress
from sayso.cli.talk import Talk
from sayso.cli.watching import Form, watching
from sayso.core.chat import Chat
from sayso.core.models import Question
from sayso.core.seams import Deps
from sayso.core.trail import Trail
from sayso.errors import StoreError
from sayso.modes import EVERY_MODE
from sayso.reasoning.tracing import traces_go_to
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
    mode: str  # of EVERY_MODE
    limits: Limits = field(default_factory=Limits)
    recall: bool = False
    form: Form = "text"
    chat_name: str | None = None
    talk: Talk | None = None  # what was asked before
    _told: bool = field(default=False, init=False)
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
            text=text, chat_id=chat.chat_id, limits=self.limits.within(chat), recall=self.recall,
            history=self.talk.history(chat.chat_id) if self.talk else (),
        )  # fmt: skip
        self._tell_who_reads()
        with watching(self.form) as listen:
            trail = EVERY_MODE[self.mode](question, replace(self.deps, listen=listen))
        self._keep(trail)
        return trail

    def _keep(self, trail: Trail) -> None:
        try:
            if self.talk:
                self.talk.take(trail)
        except StoreError as error:  # an answer that was paid for is told all the same
            note(f"this turn is not kept: {error}")

    def _tell_who_reads(self) -> None:
        if self._told:
            return
        self._told = True
        if self.deps.model is None:
            if self.form == "text":  # a program that reads JSON sees it there
                note(NO_MODEL)
            return
        note(f"the question, and the messages found for it, go to {self.deps.model}")
        if self.deps.tracing:
            note(f"traces of it, with their texts, go to {traces_go_to()}")

    def _load(self, chat_name: str | None) -> Deps:
        chat = load_chat(chat_name, home=self.home)
        deps = deps_for(chat, self.settings, home=self.home, progress=progress())
        for text in deps.notes:
            note(text)
        return deps
