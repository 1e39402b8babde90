"""The third mode: all of a chat before the model, in order, or nothing of it."""

import re
from dataclasses import replace

import pytest

from sayso.core.models import Filter, Question
from sayso.core.seams import Deps
from sayso.errors import ConfigurationError, InputError, ReasoningError
from sayso.modes import EVERY_MODE, MODES, WHOLE
from sayso.paths import prompts_dir
from sayso.reasoning.calling import CallError
from sayso.reasoning.extractive import ExtractiveReasoner
from sayso.reasoning.prompts import load_prompts
from sayso.reasoning.thinking import ModelReasoner
from sayso.weights import shipped_weights

PLAN = {
    "intent": "fact",
    "queries": [{"kind": "aspect", "text": "a kayak"}, {"kind": "person", "text": "by Bo"}],
}
QUESTION = Question(text="What did Bo buy?", chat_id="c")


class NeverSearching:
    def search(self, plan, k):
        raise AssertionError("everything is read")


@pytest.fixture
def chat(make_chat):
    said = [("Ana", f"word number {n}") for n in range(1, 300)]
    return make_chat(*said, ("Bo", "I bought a kayak. " + "x" * 2000 + " the end"))


@pytest.fixture
def deps(chat, scripted):
    def made(answer, window=100_000, **reasoner):
        says = {"q1": PLAN, "q4": answer}
        caller = scripted(lambda r: says[r.step.rsplit("/", 1)[-1]], window=window)
        if isinstance(answer, Exception):
            caller = scripted(PLAN, answer, window=window)
        thinking = ModelReasoner(
            caller, load_prompts(prompts_dir()), ExtractiveReasoner(shipped_weights()), **reasoner
        )
        return Deps(chat, NeverSearching(), thinking, model="scripted"), caller

    return made


LAST = {"answer": "A kayak.", "claims": [{"text": "Bo did", "cite": [300]}]}


def test_every_message_is_shown_in_order_and_whole(deps):
    given, caller = deps(LAST)

    trail = EVERY_MODE[WHOLE](QUESTION, given)

    shown = caller.requests[-1].user
    numbers = [int(n) for n in re.findall(r"^\[(\d+)\]", shown, re.MULTILINE)]
    assert numbers == list(range(1, 301))
    assert "x the end" in shown
    assert trail.answer.local_ids == (300,)
    assert (trail.mode, trail.ranking) == (WHOLE, ())
    assert [s.name for s in trail.steps] == [f"oneshot/q{n}" for n in (1, 2, 3, 4, 5)]


def test_the_limits_of_a_question_hold(deps):
    given, caller = deps({"answer": "A kayak.", "claims": [{"text": "Bo did", "cite": [1]}]})
    limits = Filter(senders=("Bo",))

    trail = EVERY_MODE[WHOLE](QUESTION.model_copy(update={"limits": limits}), given)

    assert trail.answer.local_ids == (300,)
    assert "word number" not in caller.requests[-1].user


def test_a_chat_that_does_not_fit_is_an_error_that_says_how_much_it_takes(deps):
    given, caller = deps(LAST, window=8000)

    with pytest.raises(InputError, match=r"takes about 1\d,\d{3} tokens .* given 8,000; name a"):
        EVERY_MODE[WHOLE](QUESTION, given)

    assert caller.requests == []  # not even for a plan


def test_what_is_asked_of_a_part_that_fits_is_answered(deps):
    given, caller = deps({"answer": "A kayak.", "claims": [{"text": "Bo did", "cite": [1]}]}, 8000)
    limits = Filter(senders=("Bo",))

    trail = EVERY_MODE[WHOLE](QUESTION.model_copy(update={"limits": limits}), given)

    assert trail.answer.local_ids == (300,)
    assert len(caller.requests) == 2


def test_where_the_window_is_not_known_the_error_says_how_to_tell_it(deps, chat):
    given, _ = deps(LAST, window=None)
    longer = tuple(m.model_copy(update={"text": m.text + " and more" * 30}) for m in chat.messages)
    given = replace(given, chat=chat.model_copy(update={"messages": longer}))

    with pytest.raises(InputError, match="given 16,384; set how many it reads"):
        EVERY_MODE[WHOLE](QUESTION, given)


def test_nobody_stands_in_for_a_model_that_fails(deps):
    given, _ = deps(CallError("prose", "oneshot/q4: no JSON"))

    with pytest.raises(ReasoningError, match="no JSON"):
        EVERY_MODE[WHOLE](QUESTION, given)


def test_without_a_model_it_is_refused(deps):
    given, _ = deps(LAST)

    with pytest.raises(ConfigurationError, match="--model"):
        EVERY_MODE[WHOLE](QUESTION, replace(given, model=None))


def test_an_empty_chat_is_an_abstention(deps, chat):
    given, _ = deps(LAST)

    empty = replace(given, chat=chat.model_copy(update={"messages": ()}))

    assert EVERY_MODE[WHOLE](QUESTION, empty).answer.abstained


def test_it_is_no_mode_that_runs_unless_it_is_named():
    assert tuple(MODES) == ("agent", "oneshot")
