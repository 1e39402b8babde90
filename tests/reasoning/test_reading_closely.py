"""A close reading: which candidates are read, what it tells of them, and what that changes."""

import math

import pytest

from sayso.agent.graph import run_agent
from sayso.core.models import Candidate, Graded, Plan, Question
from sayso.core.seams import GRADER, Q3, Deps, Grading, Narrating
from sayso.reasoning.choosing import chance_of_answer, chosen
from sayso.reasoning.extractive import ExtractiveReasoner
from sayso.reasoning.grade_memory import Held
from sayso.reasoning.grading import grade
from sayso.reasoning.model_grading import _verdict
from sayso.reasoning.phrases import Found
from sayso.reasoning.reading_closely import (
    _LIKELY,
    _OF_THE_BEST,
    MOST_READ,
    MOST_TOGETHER,
    marked,
    read_closely,
    read_features,
    read_first,
    read_with_question,
)
from sayso.reasoning.relevance import READ, RELEVANCE, arc_group, group_read
from sayso.weights import TOGETHER, shipped_weights

WEIGHTS = shipped_weights()
ASKED = Question(text="When does the ferry leave?", chat_id="c")
PLAN = Plan(intent="when", queries=("When does the ferry leave?",))


class Finding:
    """A retriever that finds one list after the other."""

    def __init__(self, *found: list[Candidate]) -> None:
        self.found = list(found)

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        return tuple(self.found.pop(0))


def candidates(n: int, **why: float) -> list[Candidate]:
    return [
        Candidate(
            chat_id="c", local_id=i, score=-float(i), why={"cosine": 0.0, "words": 0.0, **why}
        )
        for i in range(1, n + 1)
    ]


def weighing(**by: float):
    """The shipped weights, whose reading goes by these features alone."""
    flat = {**dict.fromkeys((*RELEVANCE, "bias"), 0.0), **by}
    return WEIGHTS.model_copy(update={"groups": {**WEIGHTS.groups, "relevance_read": flat}})


def shifted(name: str, by: float):
    """The shipped weights, whose relevance goes by this feature alone."""
    flat = {**dict.fromkeys((*RELEVANCE, "bias"), 0.0), name: by}
    return WEIGHTS.model_copy(update={"groups": {**WEIGHTS.groups, "relevance": flat}})


@pytest.fixture
def ferry(make_chat):
    return make_chat(
        ("Ana", "does the ferry leave from the old pier?"),
        ("Bo", "the ferry is blue"),
        ("Ana", "the ferry leaves at 7 pm"),
        ("Bo", ""),
    )


def test_what_is_told_of_a_phrase_is_told_beside_those_of_the_others():
    found = [Found(3.0, 2.0, 1), None, Found(0.0, 0.0, 4)]

    first, nothing, last = read_features(found)

    # The mean of 3, -6 and 0 is -1; their distances from it 4, -5 and 1.
    spread = math.sqrt(42 / 3)
    assert first == {
        "phrase": 3.0, "phrase_standard": pytest.approx(4 / spread, abs=1e-5),
        "phrase_behind": 0.0, "phrase_margin": 1.0, "phrase_choices": pytest.approx(math.log(2)),
        **dict.fromkeys(TOGETHER, 0.0),
    }  # fmt: skip
    assert [nothing[name] for name in READ] == [
        -6.0, pytest.approx(-5 / spread, abs=1e-5), -6.0, 0.0, 0.0, *[0.0] * len(TOGETHER)
    ]  # fmt: skip
    assert last["phrase_behind"] == -3.0
    assert read_features([]) == []


def test_what_is_read_with_the_question_is_told_beside_the_others_that_are():
    rows = read_features([None] * 3, [5.0, 3.0])

    total = math.log(math.exp(5) + math.exp(3))
    told = [tuple(row[name] for name in TOGETHER) for row in rows]
    assert told[0] == pytest.approx((5.0, 0.0, 5 - total, 1.0))
    assert told[1] == pytest.approx((3.0, -2.0, 3 - total, 1.0))
    assert told[2] == (0.0, 0.0, 0.0, 0.0)


def test_the_most_relevant_are_read_with_the_question_unless_one_is_alone():
    assert read_with_question([0.3, 0.2, 0.4]) == [2, 0, 1]
    assert read_with_question([0.5] * 20) == list(range(MOST_TOGETHER))
    assert read_with_question([0.7]) == []
    assert read_with_question([]) == []


def test_what_is_neither_likely_nor_near_the_best_is_not_read_with_the_question():
    assert read_with_question([0.8, _LIKELY, _LIKELY - 0.01, 0.6]) == [0, 3, 1]
    assert read_with_question([_LIKELY - 0.01, 0.8]) == []
    little = 0.15 * _OF_THE_BEST
    assert read_with_question([0.15, little - 0.01, little]) == [0, 2]
    assert read_with_question([little - 0.01, 0.15]) == []


class Reading:
    """A reader to whom a text is worth the number of its words; it remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def read(self, question, texts):
        self.asked.append((question, tuple(texts)))
        return [float(len(text.split())) for text in texts]


def test_the_message_that_reads_as_the_answer_becomes_the_most_relevant(ferry):
    reader, before = Reading(), (0.4, 0.35, 0.3, 0.25)

    pool, relevances = read_closely(
        ASKED.text, PLAN, ferry, candidates(4), before, weighing(together_share=1.0), reader
    )

    said = tuple(m.text for m in ferry.messages)
    assert reader.asked == [(PLAN.queries[0], said)]
    assert [c.why["together_read"] for c in pool] == [1.0, 1.0, 1.0, 1.0]
    assert [c.why["together"] for c in pool] == [8.0, 4.0, 6.0, 0.0]
    assert relevances[0] > relevances[2] > relevances[1]


def test_one_message_alone_is_not_read_with_the_question(ferry):
    reader, (one,) = Reading(), candidates(1)

    read = read_closely(ASKED.text, PLAN, ferry, [one], (0.4,), WEIGHTS, reader)

    assert reader.asked == []
    assert read == ([one], (0.4,))


def test_where_one_alone_is_likely_to_answer_nothing_is_read(ferry):
    reader, before = Reading(), (0.9, 0.07, 0.05, 0.01)

    read = read_closely(ASKED.text, PLAN, ferry, candidates(4), before, WEIGHTS, reader)

    assert reader.asked == []
    assert read == (candidates(4), before)


def test_the_verdict_says_why_nothing_was_read(ferry):
    grader = ExtractiveReasoner(shifted("share", 3.0), Reading())
    far, near = candidates(2)
    pool = (far, near.model_copy(update={"score": -30.0}))

    closely = grader.think(GRADER, Grading(ASKED, ferry, PLAN, pool, 0)).value

    assert closely.why.startswith("no other comes near the first, so none was read closely; ")


def test_what_is_not_read_with_the_question_keeps_its_relevance_and_its_marks(ferry):
    reader, before = Reading(), (0.9, 0.05, 0.8, 0.01)

    pool, relevances = read_closely(ASKED.text, PLAN, ferry, candidates(4), before, WEIGHTS, reader)

    said = [m.text for m in ferry.messages]
    assert reader.asked == [(PLAN.queries[0], (said[0], said[2]))]
    assert ["together" in c.why for c in pool] == [True, False, True, False]
    assert (relevances[1], relevances[3]) == (before[1], before[3])


@pytest.mark.parametrize("why", [{"cosine": 0.0}, {"own": 0.0}])
def test_nothing_is_read_with_the_question_where_words_have_no_vectors(ferry, why):
    reader = Reading()
    pool = [Candidate(chat_id="c", local_id=i, score=-float(i), why=why) for i in range(1, 5)]

    read_closely(ASKED.text, PLAN, ferry, pool, (0.4, 0.3, 0.2, 0.1), WEIGHTS, reader)

    assert reader.asked == []


def test_the_caption_of_a_picture_is_read_with_its_text(make_chat):
    chat = make_chat(("Ana", "look"), ("Bo", "nice"))
    first, second = chat.messages
    captioned = first.model_copy(update={"caption": "a ferry at its pier"})
    chat = chat.model_copy(update={"messages": (captioned, second)})
    reader = Reading()

    read_closely(ASKED.text, PLAN, chat, candidates(2), (0.4, 0.3), WEIGHTS, reader)

    assert reader.asked[0][1] == ("look a ferry at its pier", "nice")


def test_the_agent_reads_with_the_question_and_oneshot_does_not(ferry):
    reader = Reading()
    pool = tuple(c.model_copy(update={"score": -1.0}) for c in candidates(4))  # near each other
    reasoner = ExtractiveReasoner(WEIGHTS, reader)
    reasoner.think(Q3, Grading(ASKED, ferry, PLAN, pool, 0))
    assert reader.asked == []
    closely = reasoner.think(GRADER, Grading(ASKED, ferry, PLAN, pool, 0)).value

    assert len(reader.asked) == 1
    assert closely.why.startswith("3 read for words that answer, 3 together with the question; ")
    (best,) = [g for g in closely.graded if g.local_id == 1]
    assert "reads as the answer" in best.why


def test_the_most_relevant_are_read_in_order_of_relevance():
    assert read_first([0.1, 0.3, 0.2, 0.3]) == [1, 3, 2, 0]
    assert len(read_first([0.5] * (MOST_READ + 5))) == MOST_READ


def test_the_message_with_a_phrase_that_answers_becomes_the_most_relevant(ferry):
    pool, relevances = read_closely(
        ASKED.text, PLAN, ferry, candidates(4), (0.4, 0.3, 0.2, 0.1), weighing(phrase=1.0)
    )

    assert max(range(4), key=lambda i: relevances[i]) == 2
    assert pool[2].why["phrase"] == max(c.why["phrase"] for c in pool)
    assert pool[3].why["phrase"] == -6.0


def test_what_is_not_read_keeps_its_relevance_and_its_marks(make_chat):
    chat = make_chat(*(("Ana", f"the ferry leaves at {i} pm") for i in range(1, MOST_READ + 2)))
    before = tuple(0.9 - i / 100 for i in range(MOST_READ + 1))

    pool, relevances = read_closely(
        ASKED.text, PLAN, chat, candidates(MOST_READ + 1), before, weighing()
    )

    assert relevances == (*[0.5] * MOST_READ, before[-1])
    assert [all(name in c.why for name in READ) for c in pool] == [*[True] * MOST_READ, False]


@pytest.mark.parametrize(
    ("part", "named"), [("groups", "relevance_read"), ("cuts", "recall_relevance_read")]
)
def test_weights_that_do_not_know_all_of_a_reading_change_nothing(ferry, part, named):
    held = {name: value for name, value in getattr(WEIGHTS, part).items() if name != named}
    pool, before = candidates(4), (0.4, 0.3, 0.2, 0.1)

    after = read_closely(
        ASKED.text, PLAN, ferry, pool, before, WEIGHTS.model_copy(update={part: held})
    )

    assert len(held) < len(getattr(WEIGHTS, part))
    assert after == (pool, before)


def test_a_pool_that_was_read_has_a_cut_of_its_own():
    read = [Candidate(chat_id="c", local_id=1, score=0.0, why={"relevance_before": 0.4})]

    assert group_read("cut", candidates(2)) == "cut"
    assert group_read("cut", [*candidates(2), *read]) == "cut_read"
    unworded = [Candidate(chat_id="c", local_id=2, score=0.0, why={"cosine": 0.0}), *read]
    assert group_read("cut", unworded[:1]) == "cut_vectors"
    assert group_read("cut", unworded) == "cut_vectors_read"
    assert group_read("cut", read) == "cut_lexical_read"
    assert group_read("cut", []) == "cut"


def test_a_development_by_vectors_alone_has_weights_of_its_own_where_there_are_some():
    unworded = [Candidate(chat_id="c", local_id=2, score=0.0, why={"cosine": 0.0})]
    wordless = [Candidate(chat_id="c", local_id=2, score=0.0, why={"own": 0.0})]

    assert arc_group("arc", unworded, {"arc", "arc_vectors"}) == "arc_vectors"
    assert arc_group("arc", unworded, {"arc"}) == "arc"
    assert arc_group("arc", candidates(2), {"arc", "arc_vectors"}) == "arc"
    assert arc_group("arc", wordless, {"arc", "arc_lexical"}) == "arc_lexical"
    assert arc_group("arc", wordless, {"arc", "arc_vectors"}) == "arc"


def test_a_pool_is_read_again_as_if_it_never_was(ferry):
    pool, before = candidates(4), (0.4, 0.3, 0.2, 0.1)

    once, relevances = read_closely(ASKED.text, PLAN, ferry, pool, before, WEIGHTS)
    again = read_closely(ASKED.text, PLAN, ferry, once, before, WEIGHTS)

    assert again == (once, relevances)


@pytest.mark.parametrize("kind", ["", "_vectors", "_lexical"])
def test_the_shipped_weights_know_of_a_reading(kind):
    assert f"relevance{kind}_read" in WEIGHTS.groups
    assert f"recall_relevance{kind}_read" in WEIGHTS.cuts


@pytest.mark.parametrize("intent", ["fact", "when", "list"])
def test_both_modes_take_a_question_for_answerable_alike(ferry, intent):
    plan = PLAN.model_copy(update={"intent": intent})
    grading = Grading(ASKED, ferry, plan, tuple(candidates(4)), 0)

    chances = [
        chance_of_answer(
            Narrating(ASKED, ferry, plan, grade(grading, WEIGHTS, closely=closely).graded), WEIGHTS
        )
        for closely in (False, True)
    ]

    assert chances[1] == pytest.approx(chances[0], abs=1e-4)


@pytest.mark.parametrize("people", [1, 2, 3])
def test_only_between_two_people_who_wrote_tells_whether_there_is_an_answer(ferry, people):
    chat = ferry.model_copy(update={"participants": (*"abc",)[:people]})
    plan = PLAN.model_copy(update={"people": ("a",)})

    by_one, by_none = (
        grade(Grading(ASKED, chat, plan, tuple(candidates(4, by_person=by)), 0), WEIGHTS)
        for by in (1.0, 0.0)
    )

    same_relevance = by_one.model_copy(
        update={
            "graded": tuple(
                one.model_copy(update={"relevance": other.relevance})
                for one, other in zip(by_one.graded, by_none.graded, strict=True)
            )
        }
    )
    chances = {
        round(chance_of_answer(Narrating(ASKED, chat, plan, one.graded), WEIGHTS), 6)
        for one in (same_relevance, by_none)
    }
    assert len(chances) == (2 if people == 2 else 1)


def test_the_grader_of_the_agent_reads_closely_and_the_one_of_oneshot_does_not(ferry):
    reasoner, pool = ExtractiveReasoner(WEIGHTS), tuple(candidates(4))

    closely = reasoner.think(GRADER, Grading(ASKED, ferry, PLAN, pool, 0)).value
    quickly = reasoner.think(Q3, Grading(ASKED, ferry, PLAN, pool, 0)).value

    assert any("phrase" in one.candidate.why for one in closely.graded)
    assert not any("phrase" in one.candidate.why for one in quickly.graded)


def test_what_a_model_grades_is_graded_by_the_model_alone(ferry):
    """Also where its answer fails and one without a model stands in."""
    grading = Grading(ASKED, ferry, PLAN, tuple(candidates(4)), 0)
    base = grade(grading, WEIGHTS, closely=True)
    held = Held(relevance={g.local_id: 1.0 for g in base.graded[:2]})

    verdict = _verdict(grading, base, held, stood_in={base.graded[2].local_id})

    by_model = {g.local_id: g for g in verdict.graded if g.local_id in held.relevance}
    assert len(by_model) == 2
    assert not any("relevance_before" in g.candidate.why for g in by_model.values())
    assert not any(name in g.candidate.why for g in by_model.values() for name in READ)
    # What no call could read keeps what was told of it without a model.
    (other,) = [g for g in verdict.graded if g.local_id == base.graded[2].local_id]
    assert other.candidate == base.graded[2].candidate


def test_the_trail_says_how_many_were_read_and_what_that_told(ferry):
    found = grade(Grading(ASKED, ferry, PLAN, tuple(candidates(4)), 0), WEIGHTS, closely=True)
    quickly = grade(Grading(ASKED, ferry, PLAN, tuple(candidates(4)), 0), WEIGHTS)

    reasons = {g.local_id: g.why for g in found.graded}
    assert found.why == f"3 read for words that answer; {quickly.why}"
    assert "has words that would answer" in reasons[3]
    assert "has hardly any words that would answer" in reasons[2]
    assert "words that would answer" not in "".join(g.why for g in quickly.graded)


def test_a_second_search_is_graded_as_if_nothing_had_been_read_before(ferry):
    retriever = Finding(candidates(1), candidates(3))
    searching = {**WEIGHTS.groups, "second_round": {"missing_person": 1.0}}
    reasoner = ExtractiveReasoner(WEIGHTS.model_copy(update={"groups": searching}))
    question = ASKED.model_copy(update={"text": "When do Ana and Bo take the ferry?"})

    trail = run_agent(question, Deps(ferry, retriever, reasoner))

    assert [len(one.candidates) for one in trail.rounds] == [1, 3]
    assert not any(name in c.why for one in trail.rounds for c in one.candidates for name in READ)
    pool = tuple(candidates(3))
    afresh = grade(Grading(question, ferry, trail.plan, pool, 1), WEIGHTS, closely=True)
    assert {g.local_id: g.relevance for g in trail.graded} == {
        g.local_id: g.relevance for g in afresh.graded
    }


def test_a_pool_that_was_read_is_cut_by_the_bar_for_such(ferry):
    graded = tuple(
        Graded(candidate=c, relevance=p)
        for c, p in zip(candidates(4), (0.9, 0.5, 0.2, 0.1), strict=True)
    )
    read = tuple(
        g.model_copy(update={"candidate": marked(g.candidate, dict.fromkeys(READ, 0.0), 0.9)})
        for g in graded
    )
    cuts = {**WEIGHTS.cuts, "abstain": 0.0, "recall_relevance": 0.4, "recall_relevance_read": 0.15}
    weights = WEIGHTS.model_copy(update={"cuts": cuts})
    asked = ASKED.model_copy(update={"recall": True})

    assert len(chosen(Narrating(asked, ferry, PLAN, graded), weights)) == 2
    assert len(chosen(Narrating(asked, ferry, PLAN, read), weights)) == 3


def test_a_development_is_not_read_for_a_phrase(ferry):
    plan = PLAN.model_copy(update={"intent": "arc"})

    found = grade(Grading(ASKED, ferry, plan, tuple(candidates(4)), 0), WEIGHTS, closely=True)

    assert not any("phrase" in one.candidate.why for one in found.graded)


def test_a_picture_is_read_by_its_caption(make_chat):
    chat = make_chat(("Ana", "look"), ("Bo", ""))
    seen = chat.messages[1].model_copy(update={"caption": "a ferry that leaves at 7 pm"})
    chat = chat.model_copy(update={"messages": (chat.messages[0], seen)})

    pool, _ = read_closely(ASKED.text, PLAN, chat, candidates(2), (0.5, 0.4), weighing())

    assert pool[1].why["phrase"] > pool[0].why["phrase"]
