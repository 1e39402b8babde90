from dataclasses import replace

import pytest

from eval.cases import QaCase
from eval.replay import Run
from eval.scoring import score
from eval.tune.feedback import STEPS, as_text, feedback
from sayso.core.models import Answer, Candidate, Evidence, Graded, Plan, Question, Unsupported
from sayso.core.trail import Round, StepRecord, Trail


@pytest.fixture
def told(cases):
    """What a step hears of a trail: 1 and 2 are gold; 3 and more are not."""
    ready = cases[0]
    chat = ready.chat

    def found(ids):
        return tuple(Candidate(chat_id=chat.chat_id, local_id=i, score=-float(i)) for i in ids)

    def evidence(i):
        text = chat.by_id[i].text
        message = chat.by_id[i]
        return Evidence(local_id=i, sender=message.sender, sent_at=message.sent_at,
                        doc_id=f"{chat.chat_id}#{i}", start=0, end=len(text), quote=text)  # fmt: skip

    def tell(step, *, reached=(), graded=None, cited=(), abstained=False, unsupported=(),
             gold=(1, 2), people=(), steps=()):  # fmt: skip
        case = QaCase(case_id="x", chat=chat.chat_id, question="What?", evidence=gold,
                      answerable=bool(gold))  # fmt: skip
        plan = Plan(intent="fact", queries=("a search",), people=people)
        trail = Trail(
            question=Question(text="What?", chat_id=chat.chat_id), mode="agent", plan=plan,
            ranking=found(reached), rounds=(Round(plan=plan, candidates=found(reached)),),
            graded=tuple(Graded(candidate=found([i])[0], relevance=r)
                         for i, r in (graded or {}).items()),
            answer=Answer(text="Yes.", evidence=tuple(map(evidence, cited)), abstained=abstained,
                          unsupported=unsupported),
            steps=steps, stop_reason="single pass",
        )  # fmt: skip
        at = replace(ready, case=case)
        return feedback(step, at, score(Run(at, "agent", trail, None, 0.1)), "evidence_f1")

    return tell


@pytest.mark.parametrize("step", ["agent/planner", "oneshot/q1"])
def test_the_planner_hears_which_gold_messages_no_search_reached(told, step):
    one = told(step, reached=(1, 5), cited=(5,))

    assert len([w for w in one.wrong if w.startswith("None of its searches reached")]) == 1
    assert "2024-03-01 Ada: yes please" in one.wrong[0]
    assert "Search: a search" in one.did
    assert not any("cite" in w for w in one.wrong)


def test_the_planner_hears_that_it_named_the_wrong_people(told):
    one = told("agent/planner", reached=(1, 2), people=("Ada",))

    # Message 1 is Bram's.
    assert one.wrong == (
        "It named people who did not write this message: "
        "2024-03-01 Bram: shall we take the train0 along then",
    )


def test_the_grader_hears_what_it_dropped_and_what_it_let_through(told):
    one = told("agent/grader", reached=(1, 2, 5), graded={1: 0.95, 2: 0.2, 5: 0.6}, cited=(1,))

    assert [w.split(",")[0] for w in one.wrong] == [
        "It dropped this message", "It let this message through",
    ]  # fmt: skip
    assert "Ada: yes please" in one.wrong[0]
    assert "train2" in one.wrong[1]


def test_the_grader_hears_that_it_should_have_asked_for_more(told):
    one = told("agent/grader", reached=(1,), graded={1: 0.95})

    assert one.wrong[0].startswith("It asked for no further search, though 1 messages")


@pytest.mark.parametrize("step", ["agent/generator", "oneshot/q4"])
def test_the_generator_hears_what_it_held_and_did_not_cite_or_cited_without_support(told, step):
    one = told(step, reached=(1, 2, 5), graded={1: 0.9, 2: 0.5, 5: 0.3}, cited=(1, 5))

    assert one.wrong[0].startswith("It held this message, which answers, and did not cite it")
    assert one.wrong[1].startswith("It cited without support; this message does not answer")
    assert one.points == pytest.approx(0.5)


def test_the_generator_is_not_blamed_for_what_it_never_held(told):
    one = told("agent/generator", reached=(1,), graded={1: 0.9}, cited=(1,))

    assert one.wrong == ()
    assert one.record["Feedback"] == "Nothing to better in this case."


def test_the_generator_hears_of_broken_citations_and_of_wrong_abstentions(told):
    broken = Unsupported(local_id=1, quote="no", reason="not in the message")

    assert told("agent/generator", cited=(1, 2), unsupported=(broken,)).wrong == (
        "A citation does not hold: not in the message",
    )
    assert (
        "It said that nothing was found"
        in told("agent/generator", graded={1: 0.9}, abstained=True).wrong[-1]
    )
    assert told("agent/generator", gold=(), cited=(3,)).wrong[-1].startswith("Nothing in the chat")


def test_no_two_kinds_of_step_hear_the_same(told):
    heard = {
        step: told(step, reached=(1, 2, 5), graded={1: 0.95, 2: 0.2, 5: 0.6}, cited=(5,)).record
        for step in STEPS
    }

    assert heard["agent/planner"] != heard["agent/grader"] != heard["agent/generator"]
    assert heard["agent/planner"]["Feedback"] != heard["agent/generator"]["Feedback"]


def test_a_reply_that_was_thrown_away_is_told_first(told):
    record = StepRecord(
        name="agent/grader", changed="", milliseconds=1.0, raw=("I think that",),
        notes=("the model failed (not JSON): x",), fell_back=True,
    )  # fmt: skip

    one = told("agent/grader", reached=(1, 2), graded={1: 0.9, 2: 0.9}, steps=(record,))

    assert one.wrong[0].endswith("thrown away: I think that")


def test_what_a_chat_says_takes_one_line_whatever_it_holds(told, cases):
    text = as_text([told("agent/planner").record])

    assert text.startswith("Case 1\nInputs:\n  Question: What?")
    assert all(line.startswith((" ", "Case", "Inputs", "Generated", "Feedback", "Points"))
               for line in text.split("\n"))  # fmt: skip
