import json
import re
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from eval.engine import installed_engine
from eval.fit import load
from eval.fit_lists import listed_unseen
from eval.fit_reading import Readings
from eval.fit_stages import Cross, Fit, cross_validate
from eval.tune import fitting
from eval.tune.command import tune_command
from eval.tune.fitting import _whole, fit, present, reading_pays, unread, worth
from sayso.errors import CaseError, ConfigurationError
from sayso.weights import SHIPPED, read_weights, shipped_weights

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared" / "data" / "realtalk"
QA = ROOT / "arc_data" / "cases" / "qa"


@pytest.fixture(autouse=True, scope="module")
def home(tmp_path_factory):
    """One data folder for all: what takes longest is to index a chat."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SAYSO_HOME", str(folder))
        yield folder


def beginning(path, folder, messages):
    """A copy of the public chat's first sessions, with the questions whose evidence lies in them."""
    told = json.loads(path.read_text("utf-8"))
    names = sorted((n for n in told if re.fullmatch(r"session_\d+", n)), key=lambda n: int(n[8:]))
    sizes = accumulate(len(told[name]) for name in names)
    held = {n[8:] for n, size in zip(names, sizes, strict=True) if size <= messages}
    short = {
        k: v for k, v in told.items() if not k.startswith("session_") or k.split("_")[1] in held
    }
    short["qa"] = [q for q in told["qa"] if q["evidence"] and set(
        re.findall(r"D(\d+):\d+", " ".join(q["evidence"]))) <= held]  # fmt: skip
    copy = folder / path.name
    copy.write_text(json.dumps(short), "utf-8")
    return copy


class Asked:
    def __init__(self, answerable, gold, dataset="mine"):
        self.answerable, self.gold, self.dataset = answerable, np.asarray(gold), dataset


class Judged:
    def __init__(self, answerable, gold, chance, relevances, hits):
        self.asked, self.answerable = Asked(answerable, gold), chance
        self.relevances, self.gold = np.asarray(relevances), np.asarray(hits, dtype=float)


FIT = Fit(ranking=np.zeros(0), cuts={"abstain": 0.3})


class Worth(float):
    """A question that is worth a number."""

    asked = Asked(True, [1])


def test_points_are_f1_or_rightly_abstaining():
    sure = [0.9, 0.01, 0.01]

    assert worth(Judged(True, [1, 2], 0.9, sure, [1, 0, 0]), FIT) == pytest.approx(2 / 3)
    assert worth(Judged(True, [1], 0.2, sure, [1, 0, 0]), FIT) == 0.0
    assert worth(Judged(False, [], 0.2, sure, [0, 0, 0]), FIT) == 1.0
    assert worth(Judged(False, [], 0.9, sure, [0, 0, 0]), FIT) == 0.0


def test_a_reading_pays_where_no_data_set_loses_by_it(monkeypatch):
    def answered(dataset, *hits):
        judged = Judged(True, [1], 0.9, [0.9, 0.01], hits)
        judged.asked.dataset = dataset
        return judged

    right, wrong, theirs = (answered(*a) for a in (("a", 1, 0), ("a", 0, 1), ("b", 1, 0)))
    untaught = Judged(True, [], 0.9, [0.9], [0])  # its evidence cannot be found: it counts nowhere

    def pays(before, after):
        monkeypatch.setattr(fitting, "cross_read", lambda *given: (after, [FIT] * len(after)))
        return reading_pays([], Cross(before, [FIT] * len(before), []), None)

    assert pays([wrong, theirs, untaught], [right, theirs, untaught])
    assert pays([right, theirs], [right, theirs])
    assert not pays([wrong, theirs], [right, answered("b", 0, 1)])
    # What comes out even but for rounding is no loss: 0.3 - 0.1 - 0.2 is below 0.
    monkeypatch.setattr(fitting, "worth", lambda one, fit: one)
    gains = [(0.3, 0.0), (0.0, 0.1), (0.0, 0.2)]
    even = [[Worth(pair[side]) for pair in gains] for side in (1, 0)]
    assert pays(*even)


@pytest.mark.parametrize("pays", [True, False])
def test_a_reading_that_does_not_pay_is_left_out_of_what_is_written(monkeypatch, pays):
    monkeypatch.setattr(fitting.Fitted, "improved", True)
    monkeypatch.setattr(fitting, "reading_pays", lambda *given: pays)
    said: list[str] = []

    done = fit([QA / "lena_and_jonah.jsonl", QA / "lantern_crew.jsonl"], [], say=said.append)

    assert ("relevance_read" in done.weights["groups"]) == pays
    assert ("recall_relevance_read" in done.weights["cuts"]) == pays
    assert any("by a close reading a data set would lose" in line for line in said) != pays


def test_weights_that_do_not_read_have_lost_what_a_reading_goes_by_and_nothing_else():
    whole = json.loads(SHIPPED.read_text("utf-8"))

    left = unread(whole)

    assert set(whole["groups"]) - set(left["groups"]) == {
        "relevance_read", "relevance_lexical_read"
    }  # fmt: skip
    assert set(whole["cuts"]) - set(left["cuts"]) == {
        "recall_relevance_read", "recall_relevance_lexical_read"
    }  # fmt: skip
    assert left["version"] == whole["version"]


def test_the_present_numbers_are_those_that_ship():
    now, weights = present(shipped_weights()), shipped_weights()

    assert now.cuts == weights.cuts
    assert now.relevance[-1] == weights.groups["relevance"]["bias"]


def test_one_group_of_people_cannot_judge_itself():
    with pytest.raises(CaseError, match="of one group of people"):
        fit([QA / "lena_and_jonah.jsonl"], [])


def test_the_shipped_cases_keep_or_improve_and_say_which(tmp_path):
    out = tmp_path / "weights.json"

    result = CliRunner().invoke(tune_command, ["fit", "--out", str(out)])

    assert result.exit_code == 0, result.output
    assert "arc_data: " in result.stdout
    assert "in-sample" not in result.output, "what is fitted on arc_data is no number of these"
    improved = "improved: the fitted numbers are better" in result.stdout
    assert improved != ("kept: no gain of fitted numbers is shown" in result.stdout)
    assert out.exists() == improved
    if improved:
        assert read_weights(out).version == shipped_weights().version + 1


def test_where_nothing_can_be_written_is_told_before_the_fit(monkeypatch, tmp_path):
    monkeypatch.setattr(fitting, "load", lambda *_: pytest.fail("looked at the cases"))

    result = CliRunner().invoke(tune_command, ["fit", "--out", str(tmp_path / "no" / "x.json")])

    assert isinstance(result.exception, ConfigurationError)
    assert "there is no folder" in str(result.exception)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data sets are not here")
def test_a_public_data_set_keeps_or_improves_and_says_whether_it_was_learned_from(tmp_path):
    # Two groups of people: 3 and 4 share some, 5 does not.
    chats = [
        beginning(next(SHARED.glob(f"Chat_{n}_*")), tmp_path, size)
        for n, size in ((3, 120), (4, 120), (5, 400))
    ]

    done = fit(chats, [], write=False)

    (gain,) = done.gains
    assert done.groups == 2
    assert done.in_sample == ("realtalk",)
    assert done.improved == (gain.verdict == "higher")
    assert 0 < gain.after < 1


def test_a_weights_file_of_ones_own_is_used_and_named_in_the_results(tmp_path, monkeypatch):
    told = json.loads(SHIPPED.read_text("utf-8"))
    told["version"] = 99
    own = tmp_path / "weights.json"
    own.write_text(json.dumps(told), "utf-8")
    monkeypatch.setenv("SAYSO_WEIGHTS", str(own))

    assert installed_engine().settings["weights_version"] == 99


def test_what_is_fitted_is_a_weights_file(tmp_path):
    rows = load([QA / "lena_and_jonah.jsonl", QA / "lantern_crew.jsonl"], [])
    lists = listed_unseen(rows)
    path = tmp_path / "weights.json"

    path.write_text(json.dumps(_whole(rows, lists, cross_validate(lists), Readings())), "utf-8")

    assert read_weights(path).version == shipped_weights().version + 1
    assert read_weights(path).fitted_on[0].cases > 30
