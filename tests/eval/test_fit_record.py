"""What a refit writes: its groups, and for each group what it was fitted on."""

from types import SimpleNamespace

import numpy as np

from eval.fit import FITTED, FITTED_VECTORS, record
from sayso.weights import Form

OLD = {"data": "old", "licence": "lent", "cases": 9}
HELD = {
    "version": 4,
    "fittedOn": [
        {**OLD, "groups": FITTED},
        {**OLD, "groups": FITTED_VECTORS},
        {**OLD, "groups": ["arc"]},
    ],
    "groups": {"ranking": {"own": 1.0}, "ranking_vectors": {"own": 2.0}},
    "cuts": {"abstain": 0.5, "abstain_vectors": 0.4},
}
ROWS = [SimpleNamespace(dataset="mine")] * 3


def test_a_fit_names_its_data_for_its_own_groups_and_leaves_what_the_others_come_from():
    mine = {"data": "mine", "licence": "own", "cases": 3}

    plain = record({"ranking": {"own": 3.0}}, {"abstain": 0.6}, ROWS, {"mine": "own"}, held=HELD)
    both = record({"ranking_vectors": {"own": 5.0}}, {}, ROWS, {}, held=plain, names=FITTED_VECTORS)

    assert plain["fittedOn"] == [{**mine, "groups": FITTED}, *HELD["fittedOn"][1:]]
    assert plain["groups"] == {"ranking": {"own": 3.0}, "ranking_vectors": {"own": 2.0}}
    assert plain["cuts"] == {"abstain": 0.6, "abstain_vectors": 0.4}
    # A second fit goes on from the first.
    assert both["fittedOn"] == [
        {**mine, "groups": FITTED_VECTORS}, {**mine, "groups": FITTED}, HELD["fittedOn"][2]
    ]  # fmt: skip
    assert both["groups"] == {"ranking": {"own": 3.0}, "ranking_vectors": {"own": 5.0}}
    assert both["version"] == 6


def test_a_fit_keeps_the_forms_of_other_embedders():
    form = Form.of(np.ones((2, 1)), np.ones((2, 1)))

    first = record({}, {}, ROWS, {"mine": "own"}, held=HELD, forms={"one": form})
    again = record({}, {}, ROWS, {}, held=first, forms={"other": form})

    assert record({}, {}, ROWS, {"mine": "own"}, held=HELD)["forms"] == {}
    assert again["forms"] == dict.fromkeys(("one", "other"), form.model_dump(by_alias=True))
