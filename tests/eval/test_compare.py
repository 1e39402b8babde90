import random
from dataclasses import replace

import pytest

from eval.cases import QaCase, ReadyCase
from eval.compare import compare, pairs_of
from eval.compare_view import comparison_view, verdict
from eval.replay import Run
from eval.scoring import score
from eval.significance import Difference, Interval, Pair, difference
from eval.table import console
from sayso.core.models import Question


@pytest.fixture
def row(chat, deps_for, scripted, script):
    """A scored row of a mode that cited these ids for a case that expects message 1."""

    def made(case_id, cited, *, mode="oneshot", group="g", category=None, repeat=0, **case):
        asked = QaCase(
            case_id=case_id, chat="trip", question="q?", category=category,
            **{"evidence": (1,), **case},
        )  # fmt: skip
        said = {"q?": script(cited=dict.fromkeys(cited, (0, 1)), abstained=not cited)}
        trail = scripted(said, mode)(Question(text="q?", chat_id="trip"), deps_for(chat))
        ready = ReadyCase(asked, chat, "set", group)
        return score(Run(ready, mode, trail, None, 0.1, repeat))

    return made


def test_cases_are_paired_and_the_difference_is_second_minus_first(row):
    first = [row("a", [1], group="x"), row("b", [2], group="y"), row("c", [2], group="z")]
    second = [row("a", [1], group="x"), row("b", [1], group="y"), row("c", [2], group="z")]

    (found,) = compare(first, second)

    recall = found.metrics["evidence_recall"]
    assert (recall.n, recall.gained, recall.lost) == (3, 1, 0)
    assert recall.mean == pytest.approx(1 / 3)
    assert [(flip.case_id, flip.change) for flip in found.flips] == [("b", 1.0)]


def test_what_is_not_the_same_case_on_both_sides_is_named_and_not_compared(row):
    first = [row("a", [1]), row("b", [1]), row("c", [1]), row("d", [1])]
    second = [
        row("b", [1], evidence=(2,)), replace(row("c", [1]), error="TimeoutError"), row("d", [1]),
        row("e", [1]),
    ]  # fmt: skip

    (found,) = compare(first, second)

    assert (found.only_first, found.only_second) == (("a",), ("e",))
    assert (found.differing, found.failed) == (("b",), ("c",))
    assert found.metrics["evidence_recall"].n == 1


def test_repeats_of_a_case_are_one_pair(row):
    first = [row("a", [1], repeat=0), row("a", [2], repeat=1)]
    second = [row("a", [1], repeat=0), row("a", [1], repeat=1)]

    assert pairs_of(first, second, "evidence_recall") == [Pair("g", 0.5, 1.0)]


def test_a_case_without_an_answer_flips_when_one_side_abstains(row):
    nothing = {"answerable": False, "evidence": ()}

    (found,) = compare([row("a", [1], **nothing)], [row("a", [], **nothing)])

    assert [(flip.case_id, flip.change) for flip in found.flips] == [("a", 1.0)]
    assert found.metrics["evidence_recall"].n == 0


def test_a_flip_of_a_case_without_an_answer_says_that_abstaining_is_right(row, capsys):
    nothing = {"answerable": False, "evidence": ()}
    first = [row("a", [1], **nothing), row("b", [2])]
    second = [row("a", [], **nothing), row("b", [1])]

    (found,) = compare(first, second)
    console().print(comparison_view(found, "oneshot", "agent"))

    lines = capsys.readouterr().out.splitlines()
    assert "  +100  a  q?  (to abstain is right)" in lines
    assert "  +100  b  q?" in lines


def test_categories_stand_apart(row):
    first = [row("a", [2], category="list"), row("b", [1], category="when")]
    second = [row("a", [1], category="list"), row("b", [1], category="when")]

    (found,) = compare(first, second)

    means = {c: d["evidence_recall"].mean for c, d in found.by_category.items()}
    assert means == {"list": 1.0, "when": 0.0}


def test_one_side_with_two_modes_is_refused(row):
    with pytest.raises(ValueError, match="stands twice"):
        compare([row("a", [1]), row("a", [1], mode="agent")], [row("a", [1])])


@pytest.mark.parametrize(
    ("low", "groups", "p", "said"),
    [
        (0.01, 12, 0.04, "higher"),
        (0.01, 12, 0.06, "no difference"),  # the interval alone is too sure of itself
        (-0.01, 12, 0.04, "no difference"),
        (0.01, 9, 0.25, "higher here"),
        (-0.01, 9, 0.25, "no difference"),
    ],
)
def test_a_difference_takes_the_interval_and_the_test_both(low, groups, p, said):
    found = Difference(
        n=40, groups=groups, mean=0.1, gained=9, lost=3, interval=Interval(low, 0.2, groups),
        p_by_group=p, p_by_case=p, exact=True,
    )  # fmt: skip

    assert verdict(found) == said


def test_like_pairs_are_called_different_in_at_most_one_of_twenty():
    draws = random.Random(3)
    called = 0
    for trial in range(60):
        pairs = [
            Pair(str(group), draws.choice((0, 0.5, 1)), draws.choice((0, 0.5, 1)))
            for group in range(12)
            for _ in range(5)
        ]
        called += verdict(difference(pairs, seed=trial)) != "no difference"

    assert called <= 6  # of 60: 3 are expected, more than 6 in one of thirty such tests
