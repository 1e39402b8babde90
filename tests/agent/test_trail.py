from concurrent.futures import ThreadPoolExecutor

import pytest

from sayso.agent.graph import agent_graph, run_agent
from sayso.core.metering import Budget
from sayso.core.models import Citation
from sayso.core.seams import Deps
from sayso.core.trail import Trail, Usage
from sayso.errors import ReasoningError


def timeless(trail: Trail) -> Trail:
    """The trail without what the clock says."""
    steps = tuple(s.model_copy(update={"milliseconds": 0.0}) for s in trail.steps)
    return trail.model_copy(update={"steps": steps})


def test_citations_of_what_was_not_retrieved_or_not_said_are_unsupported(
    chat, question, finds, thinks
):
    cites = (
        Citation(local_id=1, quote="number 1"),
        Citation(local_id=30),
        Citation(local_id=999),
        Citation(local_id=2, quote="number 1"),
        Citation(local_id=2, quote="number 2 message number 1"),
    )

    answer = run_agent(question, Deps(chat, finds((1, 2)), thinks(None, cites=cites))).answer

    assert answer.local_ids == (1,)
    assert not answer.abstained
    assert [(u.local_id, u.reason) for u in answer.unsupported] == [
        (30, "was not retrieved"),
        (999, "no such message in this chat"),
        (2, "the quote is not in that message"),
        (2, "the quote is not in that message"),
    ]


def test_an_answer_none_of_whose_citations_hold_is_an_abstention(chat, question, finds, thinks):
    trail = run_agent(question, Deps(chat, finds((1,)), thinks(None, cites=[Citation(local_id=9)])))

    assert trail.answer.abstained
    assert [u.local_id for u in trail.answer.unsupported] == [9]


def test_what_an_earlier_round_found_may_be_cited(chat, question, gap, finds, thinks):
    reasoner = thinks(gap, None, cites=[Citation(local_id=1), Citation(local_id=5)])

    answer = run_agent(question, Deps(chat, finds((1,), (5,)), reasoner)).answer

    assert answer.local_ids == (1, 5)
    assert answer.unsupported == ()


def test_the_ranking_is_the_merged_pool_before_grading_at_most_fifty(
    chat, question, gap, finds, thinks
):
    trail = run_agent(question, Deps(chat, finds((9, 4), (4, 6)), thinks(gap, None)))

    assert [c.local_id for c in trail.ranking] == [4, 6, 9]


def test_a_search_brings_as_many_candidates_as_the_budget_says(chat, question, finds, thinks):
    trail = run_agent(question, Deps(chat, finds(range(1, 40)), thinks(None), Budget(pool=5)))

    assert len(trail.ranking) == 5


def test_every_step_records_what_it_changed_its_prompt_and_its_cost(
    chat, question, gap, finds, thinks
):
    usage = Usage(model_calls=1, prompt_tokens=7)
    trail = run_agent(question, Deps(chat, finds((1,), (2,)), thinks(gap, None, usage=usage)))

    assert all(s.changed and s.milliseconds >= 0 for s in trail.steps)
    assert {s.name: s.prompt_digest for s in trail.steps} == {
        "agent/planner": "digest of agent/planner",
        "agent/retriever": None,
        "agent/grader": "digest of agent/grader",
        "agent/generator": "digest of agent/generator",
    }
    assert trail.usage == Usage(model_calls=4, prompt_tokens=28)
    assert trail.mode == "agent"
    assert trail.question == question


def test_a_whole_trail_survives_json(chat, question, gap, finds, thinks):
    cites = (Citation(local_id=1, quote="number 1"), Citation(local_id=30))
    trail = run_agent(question, Deps(chat, finds((1,), (2,)), thinks(gap, None, cites=cites)))

    assert Trail.model_validate_json(trail.model_dump_json(by_alias=True)) == trail
    assert Trail.model_validate_json(trail.model_dump_json(by_alias=False)) == trail


def test_one_deps_in_eight_threads_gives_equal_trails(question, shared_deps):
    with ThreadPoolExecutor(8) as pool:
        trails = list(pool.map(lambda _: run_agent(question, shared_deps), range(32)))

    assert len(trails[0].rounds) == 2
    assert all(timeless(t) == timeless(trails[0]) for t in trails)


@pytest.mark.parametrize("step", ["agent/planner", "agent/grader", "agent/generator"])
def test_a_step_that_cannot_be_thought_is_an_error_of_ours(step, chat, question, finds, thinks):
    with pytest.raises(ReasoningError, match=step):
        run_agent(question, Deps(chat, finds((1,)), thinks(None, fails_at=step)))


def test_the_graph_is_compiled_once_and_holds_no_chat():
    assert agent_graph() is agent_graph()
    assert agent_graph().context_schema is Deps
    assert set(agent_graph().get_graph().nodes) == {
        "__start__", "planner", "retriever", "grader", "generator", "__end__"
    }  # fmt: skip
