import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.models import Candidate, Plan, Question
from sayso.core.seams import Grading
from sayso.reasoning.grading import grade
from sayso.reasoning.relevance import (
    ANSWERABLE,
    OF_ANSWER,
    OF_QUESTION,
    RELEVANCE,
    answerable,
    answerable_features,
    question_features,
    relevance,
)
from sayso.weights import AMONG_MANY, WHERE_COVERED, shipped_weights

WEIGHTS = shipped_weights()
PAYS = dict.fromkeys(("missing_person", "by_order", "without_window"), 0.1)
PLAN = Plan(intent="fact", queries=("kayak",))


def candidate(local_id: int, score: float, **why: float) -> Candidate:
    return Candidate(chat_id="c", local_id=local_id, score=score, why=why)


@pytest.fixture
def chat(make_chat):
    return make_chat(
        ("Ana", "the red kayak is in the garage"),
        ("Bo", "and the paddle"),
        ("Ana", "yes"),
        people=("Ana", "Bo"),
    )


def verdict(chat, *pool: Candidate, after: int = 0, gains: dict[str, float] = PAYS, **plan: object):
    full = {"intent": "fact", "queries": ["kayak"], **plan}
    asked = Question(text="Where is the kayak?", chat_id="c")
    groups = {**WEIGHTS.groups, "second_round": gains}
    weights = WEIGHTS.model_copy(update={"groups": groups})
    return grade(Grading(asked, chat, Plan.model_validate(full), pool, after), weights)


@given(
    st.lists(
        st.tuples(
            st.floats(-1e6, 0),
            st.dictionaries(
                st.sampled_from(sorted(WEIGHTS.groups["ranking"])), st.floats(-1e3, 1e3)
            ),
        ),
        max_size=8,
    )
)
def test_relevance_is_a_probability_strictly_between_nought_and_one(found):
    pool = [candidate(i, score, **why) for i, (score, why) in enumerate(found, 1)]

    held = WEIGHTS.groups["relevance"]
    grades = relevance("Where is the kayak?", PLAN, pool, held, pair=True)

    assert len(grades) == len(pool)
    assert all(0 < p < 1 for p in grades)


def test_a_message_that_takes_more_of_the_score_is_more_relevant():
    weights = WEIGHTS.groups["relevance"]
    sure, unsure = (
        relevance("Where is the kayak?", PLAN, [candidate(1, score)], weights, pair=True)[0]
        for score in (-0.1, -6.0)
    )

    assert sure > unsure


def odds(pool: list[Candidate], *, pair: bool = True, **weights: float) -> list[float]:
    """The log-odds of a pool under these weights alone."""
    flat = {**dict.fromkeys((*RELEVANCE, "bias"), 0.0), **weights}
    found = relevance("Where is the kayak?", PLAN, pool, flat, pair=pair)
    return [math.log(p / (1 - p)) for p in found]


def test_what_tells_evidence_weighs_once_more_by_what_nothing_found_covers():
    pool = [candidate(1, -0.5, words=0.8, window_covered=0.25), candidate(2, -1.0, words=0.4)]

    assert odds(pool, words_uncovered=2.0) == pytest.approx([0.75 * 1.6, 0.75 * 0.8])
    assert odds(pool, words=1.0, words_uncovered=2.0) == pytest.approx([2.5 * 0.8, 2.5 * 0.4])
    assert odds(pool, best_uncovered=2.0) == pytest.approx([0.75 * 2 * -0.5] * 2)


def test_what_tells_evidence_weighs_once_more_where_not_two_people_write():
    pool = [candidate(1, -0.5, words=0.8), candidate(2, -1.0, words=0.4)]

    assert odds(pool, words=1.0, words_among_many=2.0) == pytest.approx([0.8, 0.4])
    assert odds(pool, words=1.0, words_among_many=2.0, pair=False) == pytest.approx([2.4, 1.2])


@given(st.text(max_size=60))
def test_every_question_has_every_feature_of_a_question(question):
    assert set(question_features(question, PLAN)) == set(OF_QUESTION)


@given(
    st.lists(st.tuples(st.floats(-50, 0), st.floats(0.001, 0.999)), min_size=1, max_size=6),
)
def test_the_chance_of_an_answer_is_a_probability_from_all_its_features(found):
    pool = [candidate(i, score) for i, (score, _) in enumerate(found, 1)]

    features = answerable_features("Who?", PLAN, pool, [p for _, p in found], pair=True)

    assert set(features) == set(ANSWERABLE)
    assert 0 < answerable(features, WEIGHTS.groups["answerable"]) < 1


def test_what_tells_an_answer_weighs_by_what_is_covered_and_by_how_many_write():
    pool = [candidate(1, -0.5, words=0.8, window_covered=0.25), candidate(2, -1.0, words=0.4)]
    two, many = (answerable_features("Who?", PLAN, pool, [0.5, 0.4], pair=p) for p in (True, False))

    for name in OF_ANSWER:
        assert two[f"{name}_{WHERE_COVERED}"] == pytest.approx(0.25 * two[name])
        assert two[f"{name}_{AMONG_MANY}"] == 0.0
        assert many[f"{name}_{AMONG_MANY}"] == many[name]
    assert two["words"] == 0.8


def test_words_found_only_in_somebody_elses_messages_make_an_answer_less_likely():
    close = {"cosine": 3.0, "window_covered": 0.9}

    def chance(by_asked: float, by_other: float) -> float:
        pool = [
            candidate(1, -0.5, by_person=-1.0, words=by_other, **close, covered=by_other),
            candidate(2, -1.0, by_person=1.0, words=by_asked, **close, covered=by_asked),
        ]
        plan = Plan(intent="fact", queries=("kayak",), people=("Ana",))
        features = answerable_features("What did buy?", plan, pool, [0.5, 0.4], pair=True)
        return answerable(features, WEIGHTS.groups["answerable"])

    assert chance(by_asked=0.2, by_other=0.9) < chance(by_asked=0.9, by_other=0.2)


def test_in_a_group_others_may_tell_of_who_is_asked_about():
    plan = Plan(intent="fact", queries=("kayak",), people=("Ana",))
    said = {"words": 0.9, "cosine": 3.0, "covered": 0.8}
    theirs = [candidate(i, -float(i), by_person=1.0, **said) for i in (1, 2)]
    others = [candidate(i, -float(i), by_person=-1.0, **said) for i in (1, 2)]

    def chance(pool: list[Candidate], *, pair: bool) -> float:
        features = answerable_features("What did buy?", plan, pool, [0.5, 0.4], pair=pair)
        return answerable(features, WEIGHTS.groups["answerable"])

    assert chance(others, pair=False) == chance(theirs, pair=False) > chance(others, pair=True)


def test_the_verdict_grades_every_candidate_most_relevant_first(chat):
    found = verdict(chat, candidate(2, -0.5), candidate(1, -1.5), candidate(3, -4.0))

    assert [g.local_id for g in found.graded] == [2, 1, 3]
    assert [g.relevance for g in found.graded] == sorted(
        (g.relevance for g in found.graded), reverse=True
    )
    assert all(g.why for g in found.graded)


def test_a_reason_says_what_speaks_for_a_message_and_nothing_else(chat):
    pool = [
        candidate(1, -0.5, own=0.9, by_person=1.0, near_date=1.0),
        candidate(2, -1.0, near_date=0.95, by_person=-1.0),
        candidate(3, -9.0),
    ]

    reasons = {g.local_id: g.why for g in verdict(chat, *pool).graded}

    assert reasons[1] == (
        "shares the question's words, by the person asked about, in the time asked about"
    )
    assert reasons[2] == "by somebody else"
    assert reasons[3] == "little speaks for it"


def test_a_simple_question_with_evidence_misses_nothing(chat):
    found = verdict(chat, candidate(1, -0.1))

    assert found.gap is None
    assert found.why


def test_a_person_who_was_asked_about_and_not_heard_is_a_gap(chat):
    found = verdict(chat, candidate(1, -0.1), people=["Ana", "Bo"])

    assert found.gap is not None
    assert "Bo" in found.gap.missing
    assert found.gap.people == ("Bo",)
    assert found.why == found.gap.missing


def test_two_people_who_were_both_heard_leave_no_gap(chat):
    assert verdict(chat, candidate(1, -0.1), candidate(2, -2.0), people=["Ana", "Bo"]).gap is None


@pytest.mark.parametrize("intent", ["first", "last"])
def test_a_question_with_many_parts_searches_on_with_the_words_it_found(intent, chat):
    gap = verdict(chat, candidate(1, -0.1), intent=intent).gap

    assert gap is not None
    assert any("garage" in query for query in gap.queries)
    assert all(query.startswith("kayak ") for query in gap.queries)


def test_a_window_with_nothing_strong_in_it_is_given_up(chat):
    window = {"since": chat.messages[0].sent_at, "until": chat.messages[2].sent_at}

    gap = verdict(chat, candidate(1, -7.0), **window).gap

    assert gap is not None
    assert (gap.since, gap.until) == (None, None)


def test_each_round_asks_for_something_else_and_then_for_nothing(chat):
    window = {"since": chat.messages[0].sent_at, "until": chat.messages[2].sent_at}
    asked = [
        verdict(
            chat, candidate(1, -7.0), after=n, intent="last", people=["Ana", "Bo"], **window
        ).gap
        for n in range(4)
    ]

    missing = [gap.missing for gap in asked]
    assert len(set(missing)) == 4
    assert [bool(gap.queries) for gap in asked] == [True, True, True, False]
    assert missing[3] == "nothing yet from Bo, also after another search"


def test_another_search_for_a_person_stays_within_the_time_asked_about(chat):
    window = {"since": chat.messages[0].sent_at, "until": chat.messages[2].sent_at}

    gap = verdict(chat, candidate(1, -0.1), people=["Ana", "Bo"], **window).gap

    assert gap is not None
    assert (gap.since, gap.until) == (window["since"], window["until"])
    assert gap.people == ("Bo",)


def test_of_as_many_messages_as_people_are_named_each_may_be_of_one(make_chat):
    said = [("Ana", "bread"), ("Bo", "jam"), ("Cem", "tea"), ("Dora", "milk"), ("Eli", "salt")]
    chat = make_chat(*said)
    pool = [candidate(n, -float(n)) for n in range(1, 6)]

    four = verdict(chat, *pool, people=["Ana", "Bo", "Cem", "Dora"])
    five = verdict(chat, *pool[:4], people=["Ana", "Bo", "Cem", "Dora", "Eli"])

    assert four.gap is None
    assert five.gap is not None
    assert five.gap.missing == "nothing yet from Eli"


def test_once_everybody_is_heard_nothing_more_is_asked_for(chat):
    heard = verdict(chat, candidate(1, -0.1), candidate(2, -0.2), after=1, people=["Ana", "Bo"])

    assert heard.gap is None
    assert heard.why == "the evidence held suffices"


def test_a_search_of_a_kind_that_did_not_pay_is_not_run_and_the_verdict_says_so(chat):
    people = {"people": ["Ana", "Bo"]}

    found = verdict(chat, candidate(1, -0.1), gains={**PAYS, "missing_person": -0.1}, **people)

    assert found.gap is None
    assert "Bo" in found.why
    assert "not paid" in found.why
    assert verdict(chat, candidate(1, -0.1), gains={}, **people).gap is None


def test_a_kind_that_did_not_pay_leaves_its_turn_to_one_that_does(chat):
    gains = {**PAYS, "missing_person": 0.0}

    gap = verdict(chat, candidate(1, -0.1), gains=gains, intent="last", people=["Ana", "Bo"]).gap

    assert gap is not None
    assert any("garage" in query for query in gap.queries)


def test_an_empty_pool_is_graded_as_empty(chat):
    assert verdict(chat).graded == ()
    assert verdict(chat, intent="arc").gap is None
