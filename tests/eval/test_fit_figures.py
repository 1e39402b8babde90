from types import SimpleNamespace

import numpy as np
import pytest

from eval.fit_figures import by_category, category_table
from eval.fit_stages import Judged


def judged(category, relevances, gold, total, dataset="mine"):
    asked = SimpleNamespace(dataset=dataset, category=category, gold=np.arange(total))
    told = np.asarray(gold, dtype=np.float64)
    return Judged(asked, told, np.asarray(relevances), told, 0.0)


FOUND = [
    judged("multi-hop", [0.9, 0.9, 0.01], [1, 0, 0], 1),  # of two cited one: 2/3
    judged("multi-hop", [0.9, 0.01], [1, 0], 1),
    judged("temporal", [0.9], [0], 1),
    judged("temporal", [0.9], [0], 0),  # nothing to find
    judged("multi-hop", [0.9], [1], 1, dataset="yours"),
]


def test_f1_of_a_category_is_the_mean_over_what_can_be_found_of_its_set():
    told = by_category(FOUND)

    assert told == {
        ("mine", "multi-hop"): (2, pytest.approx(5 / 6)),
        ("mine", "temporal"): (1, 0.0),
        ("yours", "multi-hop"): (1, 1.0),
    }


def test_both_modes_stand_side_by_side():
    shown = category_table(by_category(FOUND), by_category(FOUND[1:]))

    columns = {column.header: list(column.cells) for column in shown.columns}
    assert columns["category"] == ["multi-hop", "temporal", "multi-hop"]
    assert (columns["oneshot"], columns["agent"]) == (
        ["83.3", "0.0", "100.0"],
        ["100.0", "0.0", "100.0"],
    )
