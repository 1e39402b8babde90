"""The fit of a close reading: on what it is fitted, and that the engine does what was fitted."""

from dataclasses import replace

import numpy as np
import pytest

from eval import fit_reading
from eval.fit_lists import listed_unseen, without_meaning
from eval.fit_phrase_data import Example
from eval.fit_ranking import Ranking, pool_of
from eval.fit_reading import Readings, cross_read, fit_read, fit_whole, judged_read, phrases_apart
from eval.fit_stages import cross_validate, fit_all, relevance_rows
from sayso.core.models import Candidate
from sayso.reasoning.choosing import MOST, best_size
from sayso.reasoning.phrases import best_phrase
from sayso.reasoning.reading_closely import read_closely
from sayso.reasoning.relevance import READ, RELEVANCE
from sayso.weights import shipped_weights
from tests.eval.test_fit_data import chat_of, ready
from tests.eval.test_fit_lists import rows_of

TEXTS = ("the kayak is red", "the kayak came on 3 May", "ok", "bread", "the kayak leaks")


@pytest.fixture
def lists():
    cases = [
        ready("mine", chat_of(name, *people, texts=TEXTS), case_id=f"{name} {word}",
              question=f"When did the {word} come?", evidence=evidence, **case)
        for name, people in (("a", ("Ana", "Bo")), ("b", ("Cleo", "Dan")))
        for word, evidence, case in (
            ("kayak", (20,), {}), ("red kayak", (20,), {}), ("leaks kayak", (), {"answerable": False})
        )
    ]  # fmt: skip
    return listed_unseen(rows_of(*cases))


def test_each_question_is_judged_by_a_reading_fitted_without_its_group(lists, monkeypatch):
    cross, seen = cross_validate(lists), []
    fit_read = fit_reading.fit_read

    def recorded(inside, *rest):
        seen.append({one.asked.group for one in inside})
        return fit_read(inside, *rest)

    monkeypatch.setattr(fit_reading, "fit_read", recorded)
    judged, fits = cross_read(lists, cross, Readings())

    assert sorted(map(sorted, seen)) == [["mine/a"], ["mine/b"]]
    assert [j.asked.case_id for j in judged] == [one.asked.case_id for one in lists]
    assert all(set(fit.cuts) == {"abstain", "recall_relevance"} for fit in fits)


class Told(Readings):
    """A reading that finds an answer in the gold alone."""

    def of(self, one, pool):
        gold = set(one.asked.gold.tolist())
        return [{**dict.fromkeys(READ, 0.0), "phrase": float(c.local_id in gold)} for c in pool]


def test_reading_puts_the_message_that_answers_first_where_nothing_else_does(lists, monkeypatch):
    def untold(one, pool):
        return np.column_stack([np.zeros((len(pool), len(RELEVANCE))), np.ones(len(pool))])

    monkeypatch.setattr(fit_reading, "relevance_rows", untold)
    fit = fit_all(lists, cross_validate(lists))
    upside_down = replace(fit, ranking=Ranking(-fit.ranking.weights))

    read = fit_read(lists, [upside_down.ranking] * len(lists), upside_down, Told())

    for one in (one for one in lists if len(one.asked.gold)):
        _, gold = pool_of(one, upside_down.ranking)
        assert gold[0] == 0.0
        assert judged_read(one, upside_down, read, Told()).gold[0] == 1.0


def test_where_one_stands_out_in_each_question_a_reading_changes_nothing(lists, monkeypatch):
    for bar in ("_LIKELY", "_OF_THE_BEST"):
        monkeypatch.setattr(f"sayso.reasoning.reading_closely.{bar}", 2.0)
    cross, readings = cross_validate(lists), Readings()

    judged, fits = cross_read(lists, cross, readings)

    assert readings.known == {}
    for before, after in zip(cross.judged, judged, strict=True):
        assert after.relevances.tolist() == before.relevances.tolist()
    assert set(fits[0].cuts) == {"abstain", "recall_relevance"}
    read = fit_read(lists, cross.rankings, cross.fits[0], readings)
    before = dict(zip((*RELEVANCE, "bias"), cross.fits[0].relevance.tolist(), strict=True))
    told = read.groups()["relevance_read"]
    assert {n: told[n] for n in before} == pytest.approx(before, abs=1e-5)
    assert {told[n] for n in READ} == {0.0}


def test_a_reading_that_is_too_sure_cites_no_more_than_was_cited_before(lists, monkeypatch):
    monkeypatch.setattr("sayso.reasoning.reading_closely._LIKELY", 0.0)
    cross, readings = cross_validate(lists), Readings()
    fit = cross.fits[0]

    def too_sure(rows, gold, l2):
        *before, bias = fit.relevance
        return np.asarray([*before, *[0.0] * len(READ), bias + 9.0])

    def cited(read):
        judged = [judged_read(one, fit, read, readings) for one in lists if len(one.asked.gold)]
        return sum(best_size(one.relevances.tolist(), MOST) for one in judged)

    monkeypatch.setattr(fit_reading, "fit_logistic", too_sure)
    monkeypatch.setattr(fit_reading, "_MOST_LOWERED", 10.0)
    read = fit_read(lists, [fit.ranking] * len(lists), fit, readings)
    surest = replace(read, relevance=too_sure(None, None, None))
    as_before = replace(read, relevance=surest.relevance - np.eye(len(surest.relevance))[-1] * 9.0)

    assert cited(as_before) == cited(read) < cited(surest)


def test_a_message_is_read_once_for_a_question(lists, monkeypatch):
    asked_for: list[tuple[str, str]] = []

    def counted(question, text, **rest):
        asked_for.append((question, text))
        return best_phrase(question, text, **rest)

    monkeypatch.setattr("sayso.reasoning.reading_closely.best_phrase", counted)
    monkeypatch.setattr("sayso.reasoning.reading_closely._LIKELY", 0.0)
    readings, cross = Readings(), cross_validate(lists)
    cross_read(lists, cross, readings)
    fit_whole(lists, cross, readings)

    # Two chats hold the same texts.
    assert len(asked_for) == 2 * len(set(asked_for))


def test_where_words_have_no_vectors_nothing_is_read_with_the_question(lists):
    readings = Readings()
    pool = [Candidate(chat_id="a", local_id=n, score=0.0) for n in range(3)]

    for one in (without_meaning(lists[0]), replace(lists[0], formed=False)):
        told = readings.of(one, pool)
        assert {row["together_read"] for row in told} == {0.0}
    assert readings.together == {}
    told = readings.of(lists[0], pool)
    assert {row["together_read"] for row in told} == {1.0}


def test_the_engine_reads_as_it_was_fitted(lists, monkeypatch):
    monkeypatch.setattr("sayso.reasoning.reading_closely._LIKELY", 0.0)
    readings, cross = Readings(), cross_validate(lists)
    whole = fit_whole(lists, cross, readings)
    shipped = shipped_weights()
    groups = {**shipped.groups, **whole.groups(np.zeros(16))}
    weights = shipped.model_copy(update={"groups": groups})
    one = lists[0]
    rows, _ = pool_of(one, whole.fit.ranking)
    messages = one.asked.chat.messages
    pool = [
        Candidate(chat_id="a", local_id=messages[c.local_id].local_id, score=c.score, why=c.why)
        for c in rows
    ]
    before = 1 / (1 + np.exp(-(relevance_rows(one, rows) @ whole.fit.relevance)))

    asked = one.asked
    _, after = read_closely(
        asked.question, asked.plan, asked.chat, pool, before.tolist(), weights, readings.reader
    )

    assert readings.together

    expected = judged_read(one, whole.fit, whole.read, readings).relevances
    # The file holds five decimals of a weight.
    assert sorted(after, reverse=True) == pytest.approx(expected.tolist(), abs=2e-3)


def test_the_weights_have_names_and_cuts_of_their_own(lists):
    whole = fit_whole(lists, cross_validate(lists), Readings())

    groups = whole.groups(np.zeros(16), "_lexical")
    assert {"relevance_lexical", "relevance_lexical_read"} <= set(groups)
    names = set(groups["relevance_lexical_read"])
    assert {*RELEVANCE, *READ, "bias"} == names
    assert set(whole.cuts("_lexical")) == {
        "abstain_lexical", "recall_relevance_lexical",
        "recall_relevance_lexical_read",
    }  # fmt: skip


def test_a_chat_that_taught_the_phrases_is_read_by_phrases_fitted_without_it(monkeypatch):
    def taught(group: str) -> Example:
        return Example("verbatim", group, [{group: 1.0}], np.ones(1))

    monkeypatch.setattr(fit_reading, "fitted", lambda examples: {e.group: 1.0 for e in examples})
    examples = [taught(group) for group in ("mine/a", "mine/b", "yours/c", "latin0")]

    by_group = phrases_apart(examples)
    by_dataset = phrases_apart(examples, by_dataset=True)

    assert {name: set(w.groups["phrases"]) for name, w in by_group.items()} == {
        "mine/a": {"mine/b", "yours/c", "latin0"},
        "mine/b": {"mine/a", "yours/c", "latin0"},
        "yours/c": {"mine/a", "mine/b", "latin0"},
    }
    assert set(by_dataset["mine"].groups["phrases"]) == {"yours/c", "latin0"}
    assert by_group["mine/a"].groups["relevance"] == shipped_weights().groups["relevance"]


def test_each_question_is_read_by_the_weights_of_its_group(lists, monkeypatch):
    seen: list[tuple[str, float]] = []

    def recorded(question, text, *, people, weights):
        seen.append((question, weights.groups["phrases"]["whole"]))
        return best_phrase(question, text, people=people, weights=weights)

    monkeypatch.setattr("sayso.reasoning.reading_closely.best_phrase", recorded)
    shipped = shipped_weights()
    marked = {**shipped.groups["phrases"], "whole": 77.0}
    other = shipped.model_copy(update={"groups": {**shipped.groups, "phrases": marked}})
    readings = Readings({"mine/a": other})
    for one in lists:
        readings.of(one, [Candidate(chat_id="a", local_id=0, score=0.0)])

    usual = shipped.groups["phrases"]["whole"]
    assert [worth for _, worth in seen] == [77.0] * 3 + [usual] * 3
