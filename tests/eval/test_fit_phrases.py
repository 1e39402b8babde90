import numpy as np
import pytest

from eval.fit_phrases import EXAMPLES, Example, chosen_f1, fitted, groups_by_sort, invented


def test_an_invented_line_gives_candidates_among_which_the_answer_stands():
    (made,) = invented("Where are the keys? | found them!! they were in [[the freezer]]. again")

    assert made.source == "examples"
    assert made.f1.max() == pytest.approx(1.0)
    assert len(made.rows) == len(made.f1)


def test_every_shipped_example_can_be_read_and_its_answer_nearly_reached():
    best = [e.f1.max() for e in invented(EXAMPLES.read_text(encoding="utf-8"))]

    assert len(best) == 90
    assert np.mean(best) > 0.9


def test_what_tells_right_from_wrong_gets_the_weight_and_what_is_seldom_gets_none():
    rows = [{"good": 1.0}, {"bad": 1.0}]
    examples = [Example("spans", str(n), rows, np.asarray([1.0, 0.0])) for n in range(6)]
    examples.append(Example("spans", "7", [{"seldom": 1.0}, {"bad": 1.0}], np.asarray([1.0, 0.0])))

    weights = fitted(examples)

    assert weights["good"] > weights["bad"]
    assert "seldom" not in weights
    assert chosen_f1(examples[0], weights) == 1.0


def test_weights_of_a_sort_go_to_the_sorts_own_group():
    found = groups_by_sort({"length": 0.123, "time: length": -0.5})

    assert found == {"phrases": {"length": 0.12}, "phrases_time": {"length": -0.5}}
