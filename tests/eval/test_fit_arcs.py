from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from eval.fit_arc_data import ABSENCE, PARTS, Pool, parts_of
from eval.fit_arcs import (
    Judged,
    bar_of,
    check_lessons,
    cross_validated,
    figures,
    fit_absence,
    fit_parts,
    named,
    refitted,
    risk_in,
    teaching_parts,
)
from sayso.core.chat import Message
from sayso.errors import CaseError
from sayso.reasoning.arc_choice import Told
from sayso.weights import shipped_weights

AT = datetime(2024, 3, 1, tzinfo=UTC)


def message(n: int) -> Message:
    return Message(local_id=n, sender="Ana", sent_at=AT + timedelta(days=n), text=f"day {n}")


def pool(fold, gold=(1,), *, size=8, mark=0.0, mode="oneshot", dataset="set", arc=True) -> Pool:
    """The messages of the gold alone have the first part's feature."""
    first = PARTS[0]
    return Pool(
        dataset=dataset,
        fold=fold,
        arc=arc,
        mode=mode,
        gold=frozenset(gold),
        phases=tuple((n,) for n in gold),
        messages=tuple(message(n) for n in range(1, size + 1)),
        rows=tuple(
            dict.fromkeys((*PARTS, *parts_of(words=True)), 0.0) | {first: float(n in gold)}
            for n in range(1, size + 1)
        ),
        marks=np.array([mark, *[0.0] * (len(ABSENCE) - 1), 1.0]),
    )


def judged(gold, odds, *, mode="oneshot") -> Judged:
    of = pool("f", gold, mode=mode)
    found = [Told(m, 0.9 if m.local_id in gold else 0.01) for m in of.messages]
    found.sort(key=lambda told: -told.relevance)
    return Judged(of, found, odds)


def test_what_marks_the_parts_gets_the_weight():
    weights = fit_parts([pool("a", (1, 2)), pool("b", (3,))], words=False)

    assert len(weights) == len(PARTS) + 1  # the bias of arcs alone stays
    assert weights[0] > 0
    assert weights[1:-1] == pytest.approx([0.0] * (len(PARTS) - 1), abs=1e-6)


def test_what_marks_the_absent_gets_the_weight_and_each_arc_teaches_once():
    there, absent = pool("a", mark=-1.0), pool("a", (), mark=1.0)
    agent = pool("a", (), mark=-5.0, mode="agent")

    once = fit_absence([there, absent])

    assert once[0] > 0
    assert fit_absence([there, absent, agent]) == pytest.approx(once)


def test_a_fold_is_judged_by_what_the_others_taught():
    # In fold b the feature stands at message 3 and the gold at 8. Fitted on b too, 8 would not be
    # below all others; by what a teaches, 3 comes first.
    misleading = replace(pool("b", (3,)), gold=frozenset({8}), phases=((8,),))

    told = cross_validated([pool("a", (1, 2)), misleading], words=True)

    of_b = next(one for one in told if one.pool is misleading)
    assert of_b.found[0].message.local_id == 3
    assert {one.pool.fold for one in told} == {"a", "b"}


def test_lessons_teach_every_fold_and_are_not_judged():
    # What the other fold teaches of absence is the wrong way round; the lessons outnumber it.
    here = [pool("a", mark=-1.0), pool("a", (), mark=1.0)]
    wrong = [pool("b", mark=1.0), pool("b", (), mark=-1.0)]
    lessons = [pool(f"l{n}", mark=-1.0) for n in range(4)]
    lessons += [pool(f"l{n}", (), mark=1.0) for n in range(4)]

    def odds_of_fold_a(beside):
        told = cross_validated([*here, *wrong], beside, words=False)
        assert {one.pool.fold for one in told} == {"a", "b"}
        return [one.odds for one in told if one.pool.fold == "a"]

    there, absent = odds_of_fold_a(())
    assert there > absent
    there, absent = odds_of_fold_a(lessons)
    assert there < absent


def test_lessons_of_parts_are_some_of_the_lessons():
    lessons = [pool(f"l{n}", mode=mode) for n in range(7) for mode in ("agent", "oneshot")]

    some = teaching_parts(lessons)

    assert 0 < len(some) < len(lessons)
    assert set(map(id, some)) <= set(map(id, lessons))
    assert len({one.fold for one in some}) == len(some)  # no arc by both modes
    assert teaching_parts([]) == []


def test_a_fold_without_others_to_learn_from_is_not_judged():
    assert cross_validated([pool("a"), pool("a", (2,))], words=True) == []


def test_abstaining_counts_right_and_wrong_and_costs_recall():
    told = [judged((1,), -1.0), judged((2,), 1.0), judged((), 1.0), judged((), -1.0)]

    recall, coverage, _, f1, right, wrong = figures(told, 0.0)

    assert (recall, coverage) == (0.5, 0.5)  # one of the two that are there was refused
    assert (right, wrong) == (1, 1)
    assert f1 == pytest.approx(2 * 1 / (1 + 1 + 2))


def test_only_one_mode_of_an_arc_is_counted():
    told = [judged((1,), -1.0), judged((1,), 1.0, mode="agent")]

    assert figures(told, 0.0) == figures(told[:1], 0.0)


def test_the_bar_abstains_as_well_as_it_can_without_losing_recall():
    told = [judged((1,), 0.05), judged((), 0.25), judged((), 0.15)]

    # 0 would refuse the arc that is there; .1 takes both absent ones, .2 one.
    assert bar_of(told) == 0.1


def test_weights_are_named_with_the_bias_last():
    assert named(("a", "b"), np.array([1.00004, 2.0, -0.5])) == {"a": 1.0, "b": 2.0, "bias": -0.5}


def test_a_refit_takes_the_place_of_its_groups_and_says_on_what():
    phrases = {"data": "p", "licence": "own", "cases": 3, "groups": ["phrases"]}
    arcs = {"data": "old", "licence": "own", "cases": 3, "groups": ["arc"]}
    held = {
        "version": 4,
        "fittedOn": [arcs, phrases],
        "groups": {"arc_absence": {"bias": 1.0}, "phrases": {"bias": 2.0}},
        "cuts": {"arc_absent": 0.2},
    }

    made = refitted(held, {"arc_absence": {"bias": 5.0}}, {"new": 7, "mine": 2}, {"new": "open"})

    assert made["version"] == 5
    assert made["groups"] == {"arc_absence": {"bias": 5.0}, "phrases": {"bias": 2.0}}
    assert made["cuts"] == {"arc_absent": 0.2}
    assert made["fittedOn"] == [
        phrases,
        {"data": "mine", "licence": "not stated", "cases": 2, "groups": ["arc"]},
        {"data": "new", "licence": "open", "cases": 7, "groups": ["arc"]},
    ]


def test_risk_is_lower_where_an_absent_arc_is_the_least_sure_and_counts_one_mode():
    gold = tuple(range(1, 7))  # as many as are cited at least
    arcs = [judged(gold, -2.0), judged(gold, -1.0), judged((), 3.0)]

    told = risk_in([*arcs, judged((), -9.0, mode="agent")])

    # Both that are there are cited whole; of three, the absent one is lost.
    assert told.startswith("risk (lost F1) of the surest: 33.3 of 100 %, 33.3 of 90 %")
    assert told.endswith("0.0 of 60 %, 0.0 of 50 %")


def test_lessons_that_teach_nothing_or_are_judged_too_are_refused():
    judged_ones, lesson = [pool("a")], Path("lessons")

    check_lessons([pool("b")], judged_ones, [lesson])
    with pytest.raises(CaseError, match="--lessons lessons: no arc case there"):
        check_lessons([pool("b", arc=False)], judged_ones, [lesson])
    with pytest.raises(CaseError, match="arcs of a are among the cases, too"):
        check_lessons([pool("a"), pool("b")], judged_ones, [lesson])


def test_what_is_fitted_by_vectors_alone_brings_a_bar_where_there_is_none():
    held = {"version": 4, "fittedOn": [], "groups": {}, "cuts": {"arc_absent": 0.1}}
    own = {**held, "cuts": {"arc_absent": 0.1, "arc_absent_vectors": 0.7}}

    made = refitted(held, {}, {}, {}, "arc_vectors")

    assert made["cuts"]["arc_absent"] == 0.1
    assert made["cuts"]["arc_absent_vectors"] == shipped_weights().cuts["arc_absent_vectors"]
    assert refitted(own, {}, {}, {}, "arc_vectors")["cuts"]["arc_absent_vectors"] == 0.7
    assert "arc_absent_vectors" not in refitted(held, {}, {}, {})["cuts"]
