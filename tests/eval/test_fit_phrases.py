import numpy as np
import pytest
from click.testing import CliRunner

from eval import fit_phrases
from eval.cases import QaCase
from eval.fit_phrase_data import EXAMPLES, Example, _parts, _shared_with, invented
from eval.fit_phrases import chosen_f1, fitted, groups_by_sort
from sayso.paths import arc_data_dir
from sayso.weights import read_weights, shipped_weights


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


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ("cooking, skiing and hiking", (["cook"], ["ski"], ["hike"], ["cook", "ski", "hike"])),
        ("a red kayak", (["red", "kayak"], ["red", "kayak"])),
        ("$1,500 or more", (["1", "500"], ["more"], ["1", "500", "more"])),
        ("May 7, 2023", (["may", "7", "2023"], ["may", "7", "2023"])),
        ("苹果、梨", (["苹", "果"], ["梨"], ["苹", "果", "梨"])),
        ("bread/jam", (["bread"], ["jam"], ["bread", "jam"])),
        pytest.param("Yes", (), id="says nothing of how far a phrase reaches"),
        pytest.param("2", (), id="a bare number says nothing either"),
        pytest.param(0, (), id="nor one that is no text"),
        pytest.param(True, (), id="nor one that is a truth"),
        pytest.param(None, (), id="no answer"),
        pytest.param("the kayak", (), id="what the question says itself"),
        pytest.param(", ".join(f"thing{n}" for n in range(13)), (), id="too much for a phrase"),
    ],
)
def test_an_answer_is_the_things_it_lists_and_all_of_them(answer, parts):
    case = QaCase(
        case_id="q", chat="c", question="Where is the kayak?", answer=answer, evidence=(1,)
    )

    assert _parts(case) == parts


def test_a_phrase_is_rated_by_the_part_that_it_shares_most_with():
    text = "we went skiing in the Alps and cooked"
    rate = _shared_with(text, (["cook"], ["ski", "alp"], ["cook", "ski", "alp"]))

    # 2·1/(1 + 1), 2·1/(1 + 2), 2·2/(2 + 2), of seven words without "in" and "the" three of three.
    assert rate((31, 37)) == 1.0
    assert rate((8, 14)) == pytest.approx(2 / 3)
    assert rate((8, 26)) == 1.0
    assert rate((0, 37)) == pytest.approx(2 * 3 / (5 + 3))
    assert rate((0, 7)) == 0.0


def test_the_groups_are_written_with_what_they_were_fitted_on(monkeypatch, tmp_path):
    monkeypatch.setattr(fit_phrases, "fitted", lambda examples: {"length": 0.123})
    out, cases = tmp_path / "fresh.json", arc_data_dir() / "cases" / "qa" / "lena_and_jonah.jsonl"

    ran = CliRunner().invoke(fit_phrases.main, [str(cases), "--out", str(out)])

    assert ran.exit_code == 0, ran.output
    made, shipped = read_weights(out), shipped_weights()
    assert made.groups["phrases"] == {"length": 0.12}
    assert made.version == shipped.version + 1
    # 15 of its 18 cases have an answer.
    assert {f.data: f.cases for f in made.fitted_on if "phrases" in f.groups} == {
        "arc_data": 15, "invented examples": 90,
    }  # fmt: skip
