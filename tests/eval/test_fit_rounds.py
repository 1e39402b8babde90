from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from eval import fit_rounds
from eval.fit_rounds import GROUP, allowing, f1, gained, least
from eval.standing_alone import run
from sayso.core.metering import Budget
from sayso.weights import read_weights, shipped_weights
from tests.eval.test_fit_data import chat_of, ready


def test_a_kind_of_search_is_worth_what_it_gains_where_it_gains_least():
    # (20 * 0.5) / (20 + 20) and (5 * -0.1) / (5 + 20)
    assert least([[0.5] * 20]) == pytest.approx(0.25)
    assert least([[0.5] * 20, [-0.1] * 5]) == pytest.approx(-0.02)


def test_a_gain_on_few_questions_is_none_yet():
    assert least([[0.5] * 19]) == 0.0
    assert least([[0.5] * 20, [0.5] * 19]) == 0.0


def test_a_kind_that_was_never_seen_gains_nothing():
    assert least([]) == 0.0


def test_one_kind_alone_is_allowed_and_all_other_weights_stay():
    shipped = shipped_weights()

    alone = allowing(shipped, "by_order")

    assert alone.groups[GROUP] == {"by_order": 1.0}
    assert {**alone.groups, GROUP: 0} == {**shipped.groups, GROUP: 0}


def test_f1_counts_each_message_once_and_is_nought_without_a_hit():
    assert f1([1, 2, 2], {2, 3}) == 0.5
    assert f1([2, 3], {2, 3}) == 1.0
    assert f1([], {2}) == 0.0
    assert f1([1], {2}) == 0.0


@dataclass(frozen=True)
class Given:
    budget: Budget


@pytest.mark.parametrize(("searches", "gain"), [(1, None), (2, 0.5)])
def test_a_second_search_is_held_against_the_first_of_the_same_mode(monkeypatch, searches, gain):
    """Whatever the mode does besides searching counts for neither side."""

    def agent(question, deps):
        rounds = min(searches, deps.budget.rounds)
        cited = (10, 20) if rounds == 2 else (10, 40)
        return SimpleNamespace(rounds=[0] * rounds, answer=SimpleNamespace(local_ids=cited))

    monkeypatch.setattr(fit_rounds, "MODES", {"agent": agent})
    case = ready("mine", chat_of("a", "Ana", "Bo", texts=("a kayak", "ok")), evidence=(10, 20))

    assert gained(case, Given(Budget())) == gain


def test_the_group_is_written_with_how_many_questions_it_was_measured_on(monkeypatch, tmp_path):
    told = [("mine", {"by_order": 0.5})] * 20 + [("mine", {})] * 5
    monkeypatch.setattr(fit_rounds, "measured", lambda cases, chats: iter(told))
    out = tmp_path / "fresh.json"

    ran = CliRunner().invoke(
        fit_rounds.main, [str(tmp_path), "--out", str(out), "--data", "mine=my own"]
    )

    assert ran.exit_code == 0, ran.output
    made, shipped = read_weights(out), shipped_weights()
    assert made.groups[GROUP] == {"missing_person": 0.0, "by_order": 0.25, "without_window": 0.0}
    assert made.version == shipped.version + 1
    (entry,) = [f for f in made.fitted_on if GROUP in f.groups]
    assert (entry.data, entry.licence, entry.cases) == ("mine", "my own", 25)


def test_without_a_question_that_was_measured_nothing_is_written(monkeypatch, tmp_path):
    monkeypatch.setattr(fit_rounds, "measured", lambda cases, chats: iter(()))
    out = tmp_path / "fresh.json"

    assert run(fit_rounds.main, [str(tmp_path), "--out", str(out)]) == 2
    assert not out.exists()
