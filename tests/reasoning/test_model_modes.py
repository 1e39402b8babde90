"""Both modes with a model's reasoner, from the question to the checked answer."""

from pathlib import Path
from typing import Any

import pytest

from sayso.core.metering import Budget
from sayso.core.models import Candidate, Plan, Question
from sayso.core.seams import Deps
from sayso.modes import MODES
from sayso.reasoning.extractive import ExtractiveReasoner
from sayso.reasoning.prompts import load_prompts
from sayso.reasoning.thinking import ModelReasoner
from sayso.weights import shipped_weights

PROMPTS = load_prompts(Path(__file__).parents[2] / "prompts")
QUESTION = Question(text="Did Bo buy the kayak?", chat_id="c")


class Finding:
    """Finds the message about the kayak, and with "paddle" the one about the paddle."""

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        ids = {"paddle": (8,)}.get(plan.queries[0], (2,))
        return tuple(Candidate(chat_id="c", local_id=i, score=-1.0) for i in ids)


@pytest.fixture
def deps(make_chat, scripted):
    chat = make_chat(
        ("Ana", "hm"), ("Ana", "did you buy the kayak?"), ("Bo", "yes!"), ("Ana", "good"),
        ("Bo", "so"), ("Ana", "well"), ("Bo", "hm"), ("Ana", "and a paddle"),
    )  # fmt: skip

    def made(says: dict[str, Any], budget: Budget | None = None) -> tuple[Deps, Any]:
        caller = scripted(lambda request: says[request.step.rsplit("/", 1)[-1]])
        reasoner = ModelReasoner(caller, PROMPTS, ExtractiveReasoner(shipped_weights()))
        return Deps(chat, Finding(), reasoner, budget or Budget(), model="scripted"), caller

    return made


SAYS = {
    "planner": {"intent": "fact", "queries": ["bought a kayak"]},
    "q1": {"intent": "fact", "queries": ["bought a kayak"]},
    "grader": {"grades": [{"n": 2, "relevance": 2}, {"n": 3, "relevance": 3}], "missing": None},
    "generator": {"answer": "Yes.", "claims": [{"text": "Bo did", "cite": [2, 3]}]},
    "q4": {"answer": "Yes.", "claims": [{"text": "Bo did", "cite": [2, 3]}]},
}


@pytest.mark.parametrize("mode", ["agent", "oneshot"])
def test_a_reply_beside_what_was_found_can_be_cited(mode, deps):
    given, _ = deps(SAYS)

    trail = MODES[mode](QUESTION, given)

    assert trail.answer.local_ids == (2, 3)
    assert trail.answer.unsupported == ()
    assert not any(step.fell_back for step in trail.steps)
    assert trail.usage.model_calls == {"agent": 3, "oneshot": 2}[mode]


def test_the_agent_searches_for_what_the_model_misses_until_nothing_is_new(deps):
    missing = {"grades": [], "missing": "the paddle", "queries": ["paddle"]}
    given, caller = deps({**SAYS, "grader": missing})

    trail = MODES["agent"](QUESTION, given)

    assert [r.plan.queries[0] for r in trail.rounds] == ["Did buy the kayak?", "paddle", "paddle"]
    assert trail.stop_reason == "no new evidence"
    graders = [r for r in caller.requests if r.step == "agent/grader"]
    assert len(graders) == 2
    assert "Round: 2" in graders[1].user
    assert "- paddle" in graders[1].user


def test_the_grader_is_told_the_question_as_asked_and_not_as_it_was_searched(deps):
    given, caller = deps(SAYS)

    trail = MODES["agent"](QUESTION, given)

    (grader,) = (r for r in caller.requests if r.step == "agent/grader")
    assert trail.rounds[0].plan.queries == ("Did buy the kayak?",)
    assert f"- {QUESTION.text}" in grader.user
    assert "Did buy the kayak?" not in grader.user


def test_the_prompts_digests_are_in_the_trail(deps):
    given, _ = deps(SAYS)

    steps = MODES["agent"](QUESTION, given).steps

    assert {s.name: s.prompt_digest for s in steps if s.prompt_digest} == {
        step: PROMPTS[step].digest for step in ("agent/planner", "agent/grader", "agent/generator")
    }
