import pytest

from sayso.agent.graph import run_agent
from sayso.core.metering import Budget
from sayso.core.models import Filter, Gap, Plan
from sayso.core.seams import Deps
from sayso.core.trail import Usage

ONE_MORE_EACH = [(n, n + 1) for n in range(1, 39)]


def steps(trail) -> list[str]:
    return [s.name.removeprefix("agent/") for s in trail.steps]


def test_evidence_that_suffices_is_answered_after_one_search(chat, question, finds, thinks):
    retriever = finds((1, 2))
    trail = run_agent(question, Deps(chat, retriever, thinks(None)))

    assert trail.stop_reason == "enough evidence"
    assert steps(trail) == ["planner", "retriever", "grader", "generator"]
    assert len(retriever.searches) == 1
    assert trail.answer.local_ids == (1, 2)


def test_it_searches_again_while_there_is_a_gap_and_something_new(
    chat, question, gap, finds, thinks
):
    retriever = finds((1, 2), (2, 3), (4,))
    trail = run_agent(question, Deps(chat, retriever, thinks(gap, gap, None)))

    assert trail.stop_reason == "enough evidence"
    assert steps(trail) == ["planner", *["retriever", "grader"] * 3, "generator"]
    assert [[c.local_id for c in r.candidates] for r in trail.rounds] == [[1, 2], [2, 3], [4]]
    assert trail.answer.local_ids == (1, 2, 3, 4)


def test_a_gap_is_searched_for_with_its_own_queries_within_the_questions_limits(
    chat, question, finds, thinks
):
    limits = Filter(senders=("Ana", "Bo"), since=chat.messages[0].sent_at)
    planned = Plan(intent="list", queries=("kayak",), people=("Ana",), limits=limits)
    gap = Gap(
        missing="May", queries=("paddle", "oar"), people=("Bo",), until=chat.messages[9].sent_at
    )
    retriever = finds((1,), (2,))

    trail = run_agent(question, Deps(chat, retriever, thinks(gap, None, plan=planned)))

    first, second = retriever.searches
    assert first == planned
    assert (second.queries, second.people, second.since) == (("paddle", "oar"), ("Bo",), None)
    assert second.until == chat.messages[9].sent_at
    assert (second.intent, second.limits) == ("list", limits)
    assert "May" in second.notes
    assert trail.plan == planned
    assert [r.plan for r in trail.rounds] == [first, second]


def test_the_grader_sees_the_merged_pool_and_the_number_of_the_round(
    chat, question, gap, finds, thinks
):
    reasoner = thinks(gap, None)
    run_agent(question, Deps(chat, finds((3, 4), (1, 4)), reasoner))

    given = [g for name, g in reasoner.asked if name == "agent/grader"]
    assert [g.round for g in given] == [0, 1]
    assert [[c.local_id for c in g.pool] for g in given] == [[3, 4], [1, 3, 4]]


def test_a_round_without_new_evidence_ends_the_loop(chat, question, gap, finds, thinks):
    retriever = finds((1, 2), (2, 1))
    trail = run_agent(question, Deps(chat, retriever, thinks(gap), Budget(rounds=9)))

    assert trail.stop_reason == "no new evidence"
    assert len(retriever.searches) == 2
    assert trail.answer.local_ids == (1, 2)


def test_a_gap_that_nobody_has_a_search_for_ends_the_loop(chat, question, gap, finds, thinks):
    retriever = finds(*ONE_MORE_EACH)
    no_idea = gap.model_copy(update={"queries": ()})
    trail = run_agent(question, Deps(chat, retriever, thinks(gap, no_idea), Budget(rounds=9)))

    assert trail.stop_reason == "no new evidence"
    assert len(retriever.searches) == 2


def test_a_reasoner_that_asks_for_the_same_search_for_ever_is_stopped_and_answered(
    chat, question, gap, finds, thinks
):
    same = Plan(intent="fact", queries=gap.queries, people=gap.people)
    trail = run_agent(
        question, Deps(chat, finds((1, 2)), thinks(gap, plan=same), Budget(rounds=20))
    )

    assert trail.stop_reason == "no new evidence"
    assert not trail.answer.abstained
    assert trail.answer.local_ids == (1, 2)


@pytest.mark.parametrize("rounds", [1, 2, 3, 20])
def test_the_budget_of_rounds_ends_the_loop_and_never_raises(
    rounds, chat, question, gap, finds, thinks
):
    retriever = finds(*ONE_MORE_EACH)
    trail = run_agent(question, Deps(chat, retriever, thinks(gap), Budget(rounds=rounds)))

    assert trail.stop_reason == "round budget"
    assert len(trail.rounds) == len(retriever.searches) == rounds
    assert trail.answer.local_ids == tuple(range(1, rounds + 2))


def test_the_budget_of_calls_ends_the_loop(chat, question, gap, finds, thinks):
    # The planner and three gradings use the four calls; the answer is still written.
    reasoner = thinks(gap, usage=Usage(model_calls=1))
    budget = Budget(rounds=20, model_calls=4)

    trail = run_agent(question, Deps(chat, finds(*ONE_MORE_EACH), reasoner, budget))

    assert trail.stop_reason == "call budget"
    assert len(trail.rounds) == 3
    assert trail.usage.model_calls == 5
    assert not trail.answer.abstained


def test_the_budget_of_tokens_ends_the_loop(chat, question, gap, finds, thinks):
    reasoner = thinks(gap, usage=Usage(model_calls=1, prompt_tokens=60, completion_tokens=40))
    budget = Budget(rounds=20, tokens=250)

    trail = run_agent(question, Deps(chat, finds(*ONE_MORE_EACH), reasoner, budget))

    assert trail.stop_reason == "token budget"
    # 100 for the planner and 100 for each grading: the second goes beyond 250.
    assert len(trail.rounds) == 2
    assert not trail.answer.abstained


def test_the_budget_of_seconds_ends_the_loop(chat, question, gap, finds, thinks):
    budget = Budget(rounds=20, seconds=0)

    trail = run_agent(question, Deps(chat, finds(*ONE_MORE_EACH), thinks(gap), budget))

    assert trail.stop_reason == "time budget"
    assert len(trail.rounds) == 1
    assert trail.answer.local_ids == (1, 2)


@pytest.mark.parametrize("gaps", [(None,), ("gap",)], ids=["no gap", "a gap for ever"])
def test_finding_nothing_at_all_is_an_abstention(gaps, chat, question, gap, finds, thinks):
    reasoner = thinks(*(gap if g else None for g in gaps))
    trail = run_agent(question, Deps(chat, finds(()), reasoner))

    assert trail.stop_reason == "nothing found"
    assert trail.answer.abstained
    assert trail.answer.evidence == ()
    assert trail.ranking == ()


def test_an_abstention_is_not_said_to_end_with_enough_evidence(chat, question, finds, thinks):
    trail = run_agent(question, Deps(chat, finds((7,)), thinks(None, cites=[])))

    assert trail.answer.abstained
    assert trail.stop_reason == "nothing found"


def test_a_gap_after_an_empty_search_is_searched_for(chat, question, gap, finds, thinks):
    trail = run_agent(question, Deps(chat, finds((), (7,)), thinks(gap, None)))

    assert trail.stop_reason == "enough evidence"
    assert trail.answer.local_ids == (7,)


def test_nothing_found_by_the_only_search_there_may_be_is_told_as_that(
    chat, question, gap, finds, thinks
):
    deps = Deps(chat, finds(()), thinks(gap), Budget(rounds=1))

    assert run_agent(question, deps).stop_reason == "nothing found"
