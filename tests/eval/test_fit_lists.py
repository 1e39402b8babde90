"""Candidates for fitting: what the screen lets through, and the gold that it loses."""

from dataclasses import replace

import numpy as np
import pytest

from eval import fit_lists
from eval.cases import ReadyCase
from eval.fit_data import Asked, asked
from eval.fit_lists import listed, listed_unseen, screening_weights, without, without_meaning
from eval.fit_ranking import Ranking
from eval.fit_stages import Beside, Fit, cross_validate, fit_all, judged
from eval.lessons import Every, Lessons, lessons_of
from sayso.reasoning.relevance import ANSWERABLE, RELEVANCE
from sayso.retrieval.features import AMONG, DETAIL, NAMES, NOT_OF_ARCS, RANKING, SCREEN, detail
from sayso.retrieval.index import build_index
from sayso.weights import AMONG_MANY, OF_PEOPLE
from tests.eval.test_fit_data import chat_of, ready
from tests.retrieval.conftest import WordBags

TEXTS = ("a red kayak", "the kayak leaks", "ok", "bread", "tea")


def rows_of(*cases: ReadyCase) -> list[Asked]:
    bags = WordBags()
    return asked(cases, lambda chat: build_index(chat, bags), bags)


@pytest.fixture
def narrow(monkeypatch) -> None:
    """A screen that lets two messages through."""
    monkeypatch.setattr(fit_lists, "CANDIDATES", 2)


@pytest.mark.usefixtures("narrow")
def test_gold_that_the_screen_loses_teaches_and_is_no_candidate():
    # The fourth message, localId 40, says nothing of a kayak.
    (row,) = rows_of(ready("mine", chat_of("a", "Ana", "Bo", texts=TEXTS), evidence=(40,)))
    own_words = np.asarray([float(name == "own") for name in SCREEN])

    one = listed(row, own_words)

    assert one.rows.tolist() == [0, 1, 3]
    assert one.screened.tolist() == [True, True, False]
    assert one.gold.tolist() == [0.0, 0.0, 1.0]
    fit = Fit(
        Ranking(np.zeros(len(RANKING))),
        np.zeros(len(RELEVANCE) + 1),
        np.zeros(len(ANSWERABLE) + 1),
    )
    assert judged(one, fit).ranked.tolist() == [0.0, 0.0]


def test_a_question_is_screened_by_what_other_groups_taught():
    first = ready("mine", chat_of("a", "Ana", "Bo", texts=TEXTS), evidence=(10,))
    other = ready("mine", chat_of("b", "Cleo", "Dan", texts=TEXTS), evidence=(40,))
    rows = rows_of(first, other)

    unseen = listed_unseen(rows)

    for i, row in enumerate(rows):
        expected = listed(row, screening_weights([rows[1 - i]]))
        assert unseen[i].rows.tolist() == expected.rows.tolist()


def test_a_group_alone_is_screened_by_its_own():
    rows = rows_of(ready("mine", chat_of("a", "Ana", "Bo", texts=TEXTS), evidence=(10,)))

    assert len(listed_unseen(rows)) == 1


def test_what_is_left_out_weighs_nothing_and_a_development_goes_by_what_is_no_questions():
    cases = [
        ready("mine", chat_of(name, *people, texts=TEXTS), evidence=(10,))
        for name, people in (("a", ("Ana", "Bo")), ("b", ("Cleo", "Dan")))
    ]
    lists = listed_unseen(rows_of(*cases))
    named = {name: i for i, name in enumerate(RANKING)}

    cross = cross_validate(lists, left_out=["own"])
    whole = fit_all(lists, cross)

    assert all(fit.ranking.weights[named["own"]] == 0.0 for fit in cross.fits)
    assert whole.ranking.weights[named["own"]] != 0.0
    assert whole.developments[named["own"]] != 0.0
    assert all(whole.developments[named[name]] == 0.0 for name in NOT_OF_ARCS)
    assert set(whole.groups(np.zeros(len(SCREEN)))["ranking_arc"]) == set(RANKING) - NOT_OF_ARCS


def _two_groups_and_a_lesson():
    cases = [
        ready("mine", chat_of(name, *people, texts=TEXTS), evidence=(10,))
        for name, people in (("a", ("Ana", "Bo")), ("b", ("Cleo", "Dan")))
    ]
    taken = rows_of(ready("lessons", chat_of("c", "Eve", "Finn", texts=TEXTS), evidence=(40,)))
    return rows_of(*cases), taken


def test_lessons_teach_screen_and_ranking_and_are_not_judged():
    rows, taken = _two_groups_and_a_lesson()

    lists, alone = listed_unseen(rows, beside=taken), listed_unseen(rows)
    beside = Lessons(taken).listed(screening_weights([*rows, *taken]))
    cross, without_them = cross_validate(lists, beside=beside), cross_validate(alone)
    whole = fit_all(lists, cross, beside)

    assert [one.asked.group for one in cross.judged] == ["mine/a", "mine/b"]
    for one, other in zip(
        [*cross.fits, whole], [*without_them.fits, fit_all(alone, without_them)], strict=True
    ):
        assert not np.allclose(one.ranking.weights, other.ranking.weights)
    assert np.array_equal(whole.developments, fit_all(lists, cross).developments)
    screens = screening_weights(rows), screening_weights([*rows, *taken])
    assert not np.allclose(*screens)


def test_other_lessons_teach_relevance_and_abstaining_but_no_ranking_and_no_cut():
    rows, taken = _two_groups_and_a_lesson()
    absent = replace(taken[0], gold=taken[0].gold[:0], answerable=False, reworded=None)

    lists = listed_unseen(rows)
    beside = Lessons(relevance=[*taken, absent]).listed(screening_weights(rows))
    cross, without_them = cross_validate(lists, beside=beside), cross_validate(lists)
    whole, alone = fit_all(lists, cross, beside), fit_all(lists, without_them)

    assert [one.asked.group for one in cross.judged] == ["mine/a", "mine/b"]
    for one, other in zip([*cross.fits, whole], [*without_them.fits, alone], strict=True):
        assert np.array_equal(one.ranking.weights, other.ranking.weights)
        assert not np.allclose(one.relevance, other.relevance)
        assert not np.allclose(one.answerable, other.answerable)
        assert one.cuts["abstain"] == 0.0  # all that is judged has an answer


def test_no_question_of_the_lessons_teaches_both():
    _, taken = _two_groups_and_a_lesson()
    answered = [replace(taken[0], case_id=str(n)) for n in range(40)]
    absent = [replace(one, gold=one.gold[:0], answerable=False) for one in answered]

    ranking, relevance, _ = lessons_of([*answered, *absent])

    ranked, graded = (
        {one.case_id for one in part if len(one.gold)} for part in (ranking, relevance)
    )
    assert ranked
    assert graded
    assert not ranked & graded
    assert {one.answerable for one in ranking} == {True}
    assert {one.answerable for one in relevance} == {True, False}
    assert len(relevance) < len(answered)
    often, others, _ = lessons_of([*answered, *absent], Every(2, relevance=2, absent=2, among=2))
    assert len(ranking) < len(often) == 20
    assert not {one.case_id for one in often} & {one.case_id for one in others if len(one.gold)}


def test_where_more_than_two_write_their_lessons_teach_and_chats_of_two_are_ranked_as_before():
    rows, _ = _two_groups_and_a_lesson()
    people = ("Eve", "Finn", "Gus")
    taken = rows_of(ready("lessons", chat_of("c", *people, texts=TEXTS), evidence=(40,)))
    absent = replace(taken[0], gold=taken[0].gold[:0], answerable=False, reworded=None)
    lists = listed_unseen(rows)
    beside = Lessons(relevance=[*taken, absent], among=taken).listed(screening_weights(rows))
    untold = replace(beside, among=())
    of_many = [RANKING.index(name) for name in RANKING if name in (*AMONG, *OF_PEOPLE)]

    cross, without_them = cross_validate(lists, beside=beside), cross_validate(lists, beside=untold)
    whole, alone = fit_all(lists, cross, beside), fit_all(lists, without_them, untold)

    for one, other in zip([*cross.fits, whole], [*without_them.fits, alone], strict=True):
        for stage, names in (("relevance", RELEVANCE), ("answerable", ANSWERABLE)):
            for name, weight, before in zip(
                (*names, "bias"), getattr(one, stage), getattr(other, stage), strict=True
            ):
                assert weight == before or name.endswith(AMONG_MANY), name
        taught, untaught = one.ranking.weights.copy(), other.ranking.weights
        assert taught[of_many].any()
        assert not untaught[of_many].any()
        taught[of_many] = 0.0
        assert np.array_equal(taught, untaught)
    for one, other in zip(cross.judged, without_them.judged, strict=True):
        assert np.array_equal(one.ranked, other.ranked)
        assert np.array_equal(one.relevances, other.relevances)
        assert one.answerable == other.answerable
    assert not np.array_equal(whole.relevance, alone.relevance)
    assert not np.array_equal(whole.answerable, alone.answerable)
    assert not whole.developments[of_many].any()


def test_few_questions_among_many_teach_little():
    rows, _ = _two_groups_and_a_lesson()
    chat = chat_of("c", "Eve", "Finn", "Gus", texts=TEXTS)
    among = Lessons(among=rows_of(ready("lessons", chat, evidence=(40,))))
    lists, (one,) = listed_unseen(rows), among.listed(screening_weights(rows)).among
    cross = cross_validate(lists)
    of_many = [RANKING.index(name) for name in RANKING if name in (*AMONG, *OF_PEOPLE)]

    few, many = (
        fit_all(lists, cross, Beside(among=[one] * n)).ranking.weights[of_many] for n in (1, 300)
    )

    assert 0 < np.linalg.norm(few) < np.linalg.norm(many) / 20


def test_only_lessons_of_more_than_two_that_teach_nothing_else_teach_ranking_among_many():
    _, (two,) = _two_groups_and_a_lesson()
    chat = chat_of("c", "Eve", "Finn", "Gus", texts=TEXTS)
    (many,) = rows_of(ready("lessons", chat, evidence=(40,)))
    answered = [replace(one, case_id=f"{n}") for n, one in enumerate([two, many] * 100)]

    ranking, relevance, among = lessons_of(answered)

    ids = [{one.case_id for one in part} for part in (ranking, relevance, among)]
    assert among
    assert sum(map(len, ids)) == len(set().union(*ids))
    assert all(one.query.among_many for one in among)
    assert len(among) > len(ranking) > 0


def test_what_is_left_out_weighs_nothing_from_a_start_where_it_weighs():
    cases = [
        ready("mine", chat_of(name, *people, texts=TEXTS), evidence=(10,))
        for name, people in (("a", ("Ana", "Bo")), ("b", ("Cleo", "Dan")))
    ]
    lists = listed_unseen(rows_of(*cases))
    own = list(RANKING).index("own")
    afresh = cross_validate(lists, left_out=["own"])

    cross = cross_validate(lists, near=cross_validate(lists), left_out=["own"])

    for one, other in zip(cross.fits, afresh.fits, strict=True):
        assert one.ranking.weights[own] == 0.0
        assert one.ranking.weights == pytest.approx(other.ranking.weights, abs=0.01)


QUESTION = "Where does the red kayak leak, and which bread goes with tea at the lake?"


def test_a_question_with_gold_is_asked_a_second_time_in_words_that_the_chat_never_heard():
    case = ready("mine", chat_of("a", "Ana", "Bo", texts=TEXTS), evidence=(20,), question=QUESTION)
    first, again = rows_of(case), rows_of(case)

    (row,), other = first, first[0].reworded

    assert other is not None
    kept = [t for t in other.query.terms if t in row.query.terms]
    assert len(kept) < len(row.query.terms) / 2
    assert len(other.query.terms) == len(row.query.terms)
    assert (other.query.probe, other.query.length) == (row.query.probe, row.query.length)
    assert (other.gold, other.plan, other.reworded) == (row.gold, row.plan, None)
    assert other.cheap[:, SCREEN.index("cosine")] == pytest.approx(
        row.cheap[:, SCREEN.index("cosine")]
    )
    assert again[0].reworded is not None  # the same case in the same words
    assert again[0].reworded.query.terms == other.query.terms


def test_a_question_without_an_answer_is_asked_once():
    case = ready("mine", chat_of("a", "Ana", "Bo", texts=TEXTS), evidence=(), answerable=False)

    (row,) = rows_of(case)

    assert row.reworded is None
    assert listed(row, np.zeros(len(SCREEN))).reworded is None


def test_other_words_teach_the_screen_and_the_ranking_and_are_never_judged():
    cases = [
        ready("mine", chat_of(name, *people, texts=TEXTS), evidence=(20,), question=QUESTION)
        for name, people in (("a", ("Ana", "Bo")), ("b", ("Cleo", "Dan")))
    ]
    rows = rows_of(*cases)
    plain = [replace(row, reworded=None) for row in rows]
    own = SCREEN.index("own")

    assert screening_weights(rows)[own] < screening_weights(plain)[own]
    lists = listed_unseen(rows)
    taught, once = cross_validate(lists), cross_validate(listed_unseen(plain))
    assert len(taught.judged) == len(once.judged) == 2
    assert not np.allclose(taught.rankings[0].weights, once.rankings[0].weights)


def test_what_is_taken_from_a_question_is_taken_from_its_other_words_too():
    case = ready("mine", chat_of("a", "Ana", "Bo", texts=TEXTS), evidence=(20,), question=QUESTION)
    one = listed(rows_of(case)[0], np.zeros(len(SCREEN)))

    less = without(one, ["cosine"])

    assert less.reworded is not None
    assert less.asked.reworded is less.reworded.asked
    assert not less.reworded.features[:, NAMES.index("cosine")].any()
    assert not less.reworded.asked.cheap[:, SCREEN.index("cosine")].any()


def test_where_words_decide_alone_other_words_teach_nothing():
    case = ready("mine", chat_of("a", "Ana", "Bo", texts=TEXTS), evidence=(20,), question=QUESTION)
    one = without_meaning(listed(rows_of(case)[0], np.zeros(len(SCREEN))))

    assert one.reworded is None
    assert one.asked.reworded is None


def test_a_form_is_fitted_over_the_ranking_but_not_for_words_alone_nor_where_it_is_left_out():
    cases = [
        ready("mine", chat_of(name, *people, texts=TEXTS), evidence=(10,))
        for name, people in (("a", ("Ana", "Bo")), ("b", ("Cleo", "Dan")))
    ]
    lists = listed_unseen(rows_of(*cases))
    at = RANKING.index("bilinear")

    cross = cross_validate(lists)
    unformed = [
        cross_validate([without_meaning(one) for one in lists]),
        cross_validate([without(one, ["bilinear"]) for one in lists]),
        cross_validate(lists, left_out=["bilinear"]),
    ]

    assert all(r.form is not None and r.weights[at] == 1.0 for r in cross.rankings)
    values = cross.rankings[0].features(lists[0])[:, at]
    assert values.any()
    assert not lists[0].features[:, at].any()
    for other in unformed:
        assert all(r.form is None and r.weights[at] == 0.0 for r in other.rankings)
    blind = without_meaning(lists[0])
    assert not cross.rankings[0].features(blind)[:, at].any()


def test_the_engine_ranks_by_the_form_as_the_fit_does():
    case = ready("mine", chat_of("a", "Ana", "Bo", texts=TEXTS), evidence=(10,))
    other = ready("mine", chat_of("b", "Cleo", "Dan", texts=TEXTS), evidence=(40,))
    rows = rows_of(case, other)
    one = listed_unseen(rows)[0]
    ranking = cross_validate(listed_unseen(rows)).rankings[0]

    dear = detail(one.asked.index, one.asked.query, one.asked.met, one.rows, ranking.form)

    assert dear[:, DETAIL.index("bilinear")] == pytest.approx(
        ranking.features(one)[:, NAMES.index("bilinear")]
    )
