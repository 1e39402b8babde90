import pytest

from sayso.core.metering import Meter
from sayso.core.models import Question
from sayso.core.seams import PLANNER, Planning
from sayso.paths import prompts_dir
from sayso.reasoning.calling import Request
from sayso.reasoning.prompts import load_prompts
from sayso.reasoning.replies_wire import PlanReply
from sayso.reasoning.reply_cache import key_of
from sayso.reasoning.salting import Salted
from sayso.reasoning.thinking import ModelReasoner

PLAN = {"intent": "fact", "queries": ["kayak"]}


@pytest.fixture
def salts(scripted, stand_in, make_chat):
    """The salts under which a question is planned, repeat after repeat."""
    caller = scripted(PLAN)
    reasoner = ModelReasoner(caller, load_prompts(prompts_dir()), stand_in())
    chat = make_chat(("Ana", "a kayak"))

    def asked(*repeats: int) -> list[str]:
        for n in repeats:
            reasoner.think(PLANNER, Planning(Question(text="?", chat_id="c", repeat=n), chat))
        return [request.salt for request in caller.requests]

    return asked


def test_each_repeat_of_a_question_has_a_salt_of_its_own_and_the_first_has_none(salts):
    assert salts(0, 1, 2) == ["", "repeat 1 ", "repeat 2 "]


def test_a_salt_makes_another_key_and_keeps_votes_apart(scripted):
    caller = scripted(PLAN)
    vote = Request("agent/planner", "S", "U", PlanReply, "D", salt="vote 1")

    for salt in ("repeat 1", "repeat 2"):
        Salted(caller, salt).ask(vote, Meter())

    keys = {key_of(request, "e", {}) for request in (vote, *caller.requests)}
    assert len(keys) == 3


def test_a_salted_caller_is_the_caller_otherwise(scripted):
    salted = Salted(scripted(PLAN, window=4096), "repeat 1")

    assert (salted.name, salted.window, salted.completion) == ("scripted", 4096, 1024)
