import pytest

from sayso.core.models import Aspect, Plan
from sayso.core.recording import planned, recording
from sayso.core.seams import Reply
from sayso.core.trail import Usage


def test_a_record_holds_the_name_the_change_and_the_cost_of_every_reply():
    with recording("agent/grader") as record:
        record.take(Reply(1, Usage(model_calls=1, prompt_tokens=10, completion_tokens=2), "abc"))
        record.take(Reply(2, Usage(model_calls=2, prompt_tokens=5)))
        record.changed = "two replies"

    (step,) = record.records
    assert (step.name, step.changed, step.prompt_digest) == ("agent/grader", "two replies", "abc")
    assert step.usage == Usage(model_calls=3, prompt_tokens=15, completion_tokens=2)
    assert step.milliseconds >= 0


def test_a_step_that_raises_leaves_no_record():
    with pytest.raises(KeyError), recording("agent/grader") as record:
        raise KeyError("gone")

    assert record.records == []


def test_a_plan_is_told_with_all_its_searches_and_people():
    searched = Aspect(kind="message", text="I moved")
    plan = Plan(intent="when", queries=("a", "b"), aspects=(searched,), people=("Ana", "Bo"))

    assert planned(plan) == "when; queries: 3; people: Ana, Bo"
    assert planned(Plan(intent="fact", queries=("a",))).endswith("people: none named")
