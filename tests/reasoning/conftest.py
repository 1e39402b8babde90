from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sayso.core.chat import Chat, Message
from sayso.core.models import Candidate, Graded, Plan, Question
from sayso.core.seams import Narrating
from sayso.reasoning.narrating import narrate
from sayso.reasoning.prompts import Prompts, load_prompts
from sayso.weights import shipped_weights
from tests.reasoning.model_doubles import ScriptedCaller, StandIn, candidates


@pytest.fixture(scope="session")
def make_chat() -> Callable[..., Chat]:
    """A chat of (sender, text) or (sender, text, time), a minute apart where no time is given."""

    def made(*said: tuple, timezone: str = "UTC", people: tuple[str, ...] = ()) -> Chat:
        start = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
        messages = []
        for i, (sender, text, *at) in enumerate(said, 1):
            sent_at = at[0] if at else start + timedelta(minutes=i)
            messages.append(Message(local_id=i, sender=sender, sent_at=sent_at, text=text))
        return Chat(
            chat_id="c", title="c", platform="invented", timezone=timezone,
            participants=people or tuple(dict.fromkeys(m.sender for m in messages)),
            messages=tuple(messages),
        )  # fmt: skip

    return made


@pytest.fixture(scope="session")
def graded() -> Callable[..., tuple[Graded, ...]]:
    """(localId, relevance) pairs as graded candidates, in the order given."""

    def made(*pairs: tuple[int, float]) -> tuple[Graded, ...]:
        return tuple(
            Graded(candidate=Candidate(chat_id="c", local_id=i, score=0.0), relevance=p)
            for i, p in pairs
        )

    return made


@pytest.fixture(scope="session")
def told(graded) -> Callable:
    """What the generator drafts for a question, an intent and graded messages."""

    def made(chat: Chat, question: str, intent: str, *pairs: tuple[int, float]):
        plan = Plan.model_validate({"intent": intent, "queries": [question]})
        asked = Question(text=question, chat_id=chat.chat_id)
        return narrate(Narrating(asked, chat, plan, graded(*pairs)), shipped_weights())

    return made


@pytest.fixture(scope="session")
def scripted() -> type:
    """The class of a model that says what its script has."""
    return ScriptedCaller


@pytest.fixture(scope="session")
def stand_in() -> type:
    """The class of the reasoner that stands in for it."""
    return StandIn


@pytest.fixture(scope="session")
def found() -> Callable[..., tuple[Candidate, ...]]:
    """Candidates with these localIds, best first."""
    return candidates


@pytest.fixture
def prompts_without_model() -> Prompts:
    """The shipped set, each file with ``model: false``."""
    shipped = load_prompts(Path(__file__).parents[2] / "prompts")
    return Prompts(shipped.folder, {s: replace(p, model=False) for s, p in shipped.by_step.items()})
