"""A small world in which what a prompt is worth is known: three couples, and a model that obeys one rule.

Every question asks for a word; the evidence is the message with that word and the reply below it.
The model cites the first, and the reply as well where its prompt says RULE: two thirds of the
points without it, all of them with it. Nothing else in a prompt changes anything.
"""

import hashlib
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from eval.cases import QaCase, ReadyCase
from eval.engine import Engine
from eval.groups import groups_of
from eval.tune.keeping import Kept
from eval.tune.tools import Tools
from eval.tune.trials import Trials
from eval.tune.versions import with_system
from sayso.core.chat import Chat, Message, Participant
from sayso.core.events import unheard
from sayso.core.models import Candidate, Plan
from sayso.core.seams import Deps
from sayso.core.trail import Usage
from sayso.modes import MODES
from sayso.reasoning.calling import CallError, Request, Told
from sayso.reasoning.prompts import load_prompts
from tests.reasoning.model_doubles import StandIn

ROOT = Path(__file__).parents[3]
RULE = "A short reply is evidence together with what it answers: cite the reply, too."
COST = Usage(model_calls=1, prompt_tokens=100, completion_tokens=10)
COUPLES = {"train": ("Ada", "Bram"), "valid": ("Cleo", "Dov"), "test": ("Edda", "Finn")}
CASES = 8
_LINE = re.compile(r"^\[(\d+)\] \S+ \S+ [^:]*: (.*)$", re.MULTILINE)
_ASKED = re.compile(r"about the (\w+)\?")


class Finding:
    """Finds every message that is no reply, whatever is searched for."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        return tuple(
            Candidate(chat_id=self._chat.chat_id, local_id=m.local_id, score=-float(m.local_id))
            for m in self._chat.messages
        )


class Obeying:
    """The model of this world; see the module. ``heard`` are its requests.

    ``chance``: whether the reply is cited is a coin that the prompt's words and the question toss.
    ``unread``: a prompt that holds this gets replies that do not fit. ``stops``: KeyboardInterrupt
    at that request, counted from 1.
    """

    name, window, completion = "obeying", None, 4096

    def __init__(
        self, *, chance: bool = False, unread: str | None = None, stops: int | None = None
    ) -> None:
        self.chance, self.unread, self.stops = chance, unread, stops
        self.heard: list[Request[Any]] = []

    def ask(self, request: Request[Any], meter: Any, listen: Callable[..., None] = unheard) -> Any:
        self.heard.append(request)
        if len(self.heard) == self.stops:
            raise KeyboardInterrupt
        meter.take(COST)
        if self.unread is not None and self.unread in request.system:
            raise CallError("not JSON", "prose")
        return Told(request.schema.model_validate(self._says(request)), COST)

    def _says(self, request: Request[Any]) -> dict[str, Any]:
        if request.step.endswith(("planner", "q1")):
            return {"intent": "fact", "queries": ["anything"]}
        lines = [(int(n), text) for n, text in _LINE.findall(request.user)]
        word = _ASKED.findall(request.user)[-1]
        first = next(n for n, text in lines if word in text.split())
        cite = [first, first + 1] if self._cites_reply(request, word) else [first]
        if request.step.endswith("grader"):
            return {"grades": [{"n": n, "relevance": 3} for n in cite]}
        return {"answer": "Yes.", "claims": [{"text": "Yes.", "cite": cite}]}

    def _cites_reply(self, request: Request[Any], word: str) -> bool:
        if not self.chance:
            return RULE in request.system
        tossed = hashlib.sha256(f"{request.system} {word}".encode()).digest()
        return tossed[0] % 2 == 0


class Reflecting:
    """Writes the rule once it hears that a reply was held and not cited; ``first`` it says this."""

    name, window, completion = "reflecting", None, 4096

    def __init__(self, *first: str) -> None:
        self.first = list(first)
        self.heard: list[Request[Any]] = []

    def ask(self, request: Request[Any], meter: Any, listen: Callable[..., None] = unheard) -> Any:
        self.heard.append(request)
        meter.take(COST)
        present = re.search(r"present instructions:\n<<<DATA (\w+)\n(.*?)\n\1", request.user, re.S)
        assert present is not None
        more = self.first.pop(0) if self.first else ""
        if not more and "did not cite it" in request.user:
            more = RULE
        said = {"instructions": f"{present.group(2)}\n\n{more}", "why": "it was told to"}
        return Told(request.schema.model_validate(said), COST)


def _chat(name: str, people: tuple[str, str]) -> Chat:
    start = datetime(2024, 3, 1, 10, tzinfo=UTC)
    texts = []
    for n in range(CASES):
        texts += [f"shall we take the {name}{n} along then", f"yes please {'!' * n}"]
    return Chat(
        chat_id=name, title=name, platform="invented", timezone="UTC",
        participants=tuple(Participant(name=p) for p in people),
        messages=tuple(
            Message(local_id=at, sender=people[at % 2], sent_at=start + timedelta(hours=at),
                    text=text, kind="text")
            for at, text in enumerate(texts, 1)
        ),
    )  # fmt: skip


@pytest.fixture
def rule() -> str:
    return RULE


@pytest.fixture
def cases() -> tuple[ReadyCase, ...]:
    """Eight for each couple; every couple has a split of its own."""
    chats = {split: _chat(split, people) for split, people in COUPLES.items()}
    groups = groups_of(chats.values())
    return tuple(
        ReadyCase(
            QaCase(case_id=f"{split}-{n}", chat=split, question=f"What about the {split}{n}?",
                   evidence=(2 * n + 1, 2 * n + 2), split=split),
            chat, "toy", groups[split],
        )
        for split, chat in chats.items()
        for n in range(CASES)
    )  # fmt: skip


@pytest.fixture
def prompts():
    return load_prompts(ROOT / "prompts")


@pytest.fixture
def engine_with(prompts):
    """An engine whose model is this one."""

    def made(caller: Any) -> Engine:
        from sayso.reasoning.thinking import ModelReasoner

        def deps_for(chat: Chat) -> Deps:
            reasoner = ModelReasoner(caller, prompts, StandIn())
            return Deps(chat, Finding(chat), reasoner, model=caller.name)

        def load(name: str) -> Chat:
            return _chat(name, COUPLES[name])

        return Engine(MODES, load, deps_for, {"model": caller.name})

    return made


@pytest.fixture
def trials_with(engine_with):
    """Trials of the oneshot mode with this model, kept in memory or in that file."""

    def made(caller: Any, path: Path | None = None, mode: str = "oneshot") -> Trials:
        return Trials(engine_with(caller), mode, Kept(path))

    return made


@pytest.fixture
def tools_with(engine_with, prompts, tmp_path):
    def made(caller: Any, reflecting: Any = None) -> Tools:
        return Tools(
            engine_with(caller), prompts, tmp_path / "home",
            lambda name: reflecting or Reflecting(), model=caller.name,
        )  # fmt: skip

    return made


@pytest.fixture
def with_rule(prompts):
    """The step's current prompt with something more at its end, the rule unless named."""

    def made(step: str = "oneshot/q4", more: str = RULE):
        current = prompts[step]
        return with_system(current, f"{current.system}\n\n{more}")

    return made


@pytest.fixture
def obeying() -> type[Obeying]:
    return Obeying


@pytest.fixture
def reflecting() -> type[Reflecting]:
    return Reflecting
