from concurrent.futures import ThreadPoolExecutor

import pytest

from sayso.core.models import Draft, Plan, Question, Verdict
from sayso.core.seams import (
    GENERATOR,
    GRADER,
    PLANNER,
    Q1,
    Q3,
    Q4,
    Grading,
    Narrating,
    Planning,
    Step,
)
from sayso.core.trail import Usage
from sayso.errors import ConfigurationError, ReasoningError
from sayso.reasoning.extractive import ExtractiveReasoner
from sayso.weights import shipped_weights


@pytest.fixture
def reasoner() -> ExtractiveReasoner:
    return ExtractiveReasoner(shipped_weights())


def test_every_step_is_answered_with_its_kind_of_reply_at_no_cost(reasoner, make_chat, graded):
    chat = make_chat(("Ana", "the kayak is red"))
    question = Question(text="What colour is the kayak?", chat_id="c")
    plan = Plan(intent="fact", queries=("kayak",))
    relevant = graded((1, 0.9))
    pool = tuple(g.candidate for g in relevant)
    given = {
        PLANNER: Planning(question, chat), Q1: Planning(question, chat),
        GRADER: Grading(question, chat, plan, pool, 0), Q3: Grading(question, chat, plan, pool, 0),
        GENERATOR: Narrating(question, chat, plan, relevant),
        Q4: Narrating(question, chat, plan, relevant),
    }  # fmt: skip

    replies = {step: reasoner.think(step, value) for step, value in given.items()}

    assert all(isinstance(reply.value, step.reply) for step, reply in replies.items())
    assert {type(r.value) for r in replies.values()} == {Plan, Verdict, Draft}
    assert all(reply.usage == Usage() for reply in replies.values())
    assert replies == {step: reasoner.think(step, value) for step, value in given.items()}


def test_both_modes_steps_think_alike(reasoner, make_chat):
    given = Planning(Question(text="When did Ana call?", chat_id="c"), make_chat(("Ana", "hi")))

    assert reasoner.think(PLANNER, given) == reasoner.think(Q1, given)


def test_an_unknown_step_is_an_error_that_names_the_known_ones(reasoner, make_chat):
    given = Planning(Question(text="x", chat_id="c"), make_chat())

    with pytest.raises(ReasoningError, match=r"'agent/poet'.*agent/planner"):
        reasoner.think(Step("agent/poet", Planning, Plan), given)


def test_an_empty_chat_is_answered_with_an_abstention(reasoner, make_chat):
    chat, question = make_chat(), Question(text="When did Ana call on 3 May?", chat_id="c")

    plan = reasoner.think(PLANNER, Planning(question, chat)).value
    verdict = reasoner.think(GRADER, Grading(question, chat, plan, (), 0)).value
    draft = reasoner.think(GENERATOR, Narrating(question, chat, plan, verdict.graded)).value

    assert plan.intent == "when"
    assert verdict.gap is None
    assert draft.abstained


def test_one_reasoner_asked_about_many_chats_at_once_never_mixes_their_people(reasoner, make_chat):
    chats = [make_chat((name, "hi")) for name in ("Marisol", "Theodor", "Augustin", "Wilhelmina")]

    def people(n: int) -> tuple[str, ...]:
        chat = chats[n % 4]
        asked = Question(text=f"What did {chat.names[0]} say?", chat_id="c")
        return reasoner.think(PLANNER, Planning(asked, chat)).value.people

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(people, range(400)))

    assert found == [chats[n % 4].names for n in range(400)]


def test_weights_of_a_reading_that_went_by_more_are_refused():
    shipped = shipped_weights()
    held = {**shipped.groups["relevance_read"], "phrase: fits": 0.4}
    weights = shipped.model_copy(update={"groups": {**shipped.groups, "relevance_read": held}})

    with pytest.raises(ConfigurationError, match="mean nothing here, as 'phrase: fits'; refit"):
        ExtractiveReasoner(weights)


@pytest.mark.parametrize(
    "group",
    ["relevance", "relevance_vectors", "relevance_lexical", "relevance_read"],
)
@pytest.mark.parametrize("name", ["bias", "share"])
def test_weights_that_lack_what_relevance_goes_by_are_refused_at_once(group, name):
    shipped = shipped_weights()
    held = {n: w for n, w in shipped.groups[group].items() if n != name}
    weights = shipped.model_copy(update={"groups": {**shipped.groups, group: held}})

    with pytest.raises(ConfigurationError, match=f"no {group} weight for {name}; refit"):
        ExtractiveReasoner(weights)
