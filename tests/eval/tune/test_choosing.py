from dataclasses import replace

import pytest
import yaml

from eval.tune.choosing import confirm
from eval.tune.keeping import code_digest, data_digest
from eval.tune.leakage import Known
from eval.tune.ledger import Ledger
from eval.tune.splits import Splits, split
from eval.tune.unseen import learn, told_before
from eval.tune.versions import in_set
from sayso.reasoning.prompts import load_prompts


@pytest.fixture
def decide(trials_with, obeying, prompts, cases, tmp_path):
    """Holds a prompt against the current one; the ledger is kept between decisions."""

    def made(prompt, *, caller=None, parts=None, again=False, among=1):
        caller = caller or obeying()
        return confirm(
            "mine", in_set(prompts, prompt), prompts, trials_with(caller),
            parts or split(cases), metric="evidence_f1", known=Known(cases),
            ledger=Ledger(tmp_path / "home" / "tested.jsonl"), folder=tmp_path / "run", again=again,
            among=among,
        )  # fmt: skip

    return made


def test_a_better_prompt_is_accepted_and_written_with_its_origin(
    decide, with_rule, prompts, cases, tmp_path
):
    outcome = decide(with_rule())

    assert outcome.accepted
    assert outcome.why == "higher on test"
    assert outcome.uses == 1
    assert "have now been used" in outcome.notes[0]
    front = yaml.safe_load(outcome.written.read_text("utf-8").split("---\n")[1])
    assert front["version"] == prompts["oneshot/q4"].version + 1
    assert front["parent"] == prompts["oneshot/q4"].digest
    assert front["data"] == data_digest(cases)
    assert front["code"] == code_digest()
    assert front["scores"]["valid"]["sets"]["toy"]["before"] == 0.6667
    assert front["scores"]["test"]["sets"]["toy"]["after"] == 1.0
    assert front["scores"]["test"]["uses"] == 1
    assert load_prompts(tmp_path / "run" / "prompts")["oneshot/q4"].system == with_rule().system


def test_a_prompt_no_better_on_valid_leaves_test_alone(decide, with_rule, obeying, tmp_path):
    caller = obeying()

    outcome = decide(with_rule(more="Be brief."), caller=caller)

    assert not outcome.accepted
    assert "test was left alone" in outcome.why
    assert not any("test0" in request.user for request in caller.heard)
    assert not (tmp_path / "home" / "tested.jsonl").exists()


def test_test_cases_that_were_used_confirm_no_other_prompt(decide, with_rule, rule, obeying):
    decide(with_rule())
    caller = obeying()

    second = decide(with_rule(more=f"{rule} Be brief."), caller=caller)

    assert not second.accepted
    assert "they are no test any more" in second.why
    assert not any("test0" in request.user for request in caller.heard)


def test_used_again_on_purpose_the_result_says_how_often(decide, with_rule, rule):
    decide(with_rule())

    second = decide(with_rule(more=f"{rule} Be brief."), again=True)

    assert second.accepted
    assert second.uses == 2
    assert "used 2 times: their figure is no longer a test" in second.notes[0]


def test_the_same_pair_scored_again_is_no_second_use(decide, with_rule, tmp_path):
    decide(with_rule())
    again = decide(with_rule())

    assert again.accepted
    assert again.uses == 1
    assert len((tmp_path / "home" / "tested.jsonl").read_text().splitlines()) == 1


def test_one_case_in_common_is_a_use_of_the_test(decide, with_rule, rule, cases):
    parts = split(cases)
    decide(with_rule())

    fewer = Splits(parts.train, parts.valid, parts.test[:1])
    assert not decide(with_rule(more=f"{rule} Be brief."), parts=fewer).accepted


def test_a_gain_on_valid_that_test_does_not_confirm_is_not_accepted(decide, with_rule, obeying):
    class OnlyThere(obeying):
        def _cites_reply(self, request, word):
            return super()._cites_reply(request, word) and not word.startswith("test")

    outcome = decide(with_rule(), caller=OnlyThere())

    assert not outcome.accepted
    assert outcome.why == "no difference on test"
    assert outcome.written is None


def test_without_test_cases_the_outcome_says_that_nothing_confirmed_it(decide, with_rule, cases):
    parts = split(cases[:16])

    outcome = decide(with_rule(), parts=parts)

    assert outcome.accepted
    assert "no test cases to confirm it" in outcome.why
    assert outcome.uses == 0


def test_a_leaking_winner_never_sees_the_test(decide, with_rule, rule):
    outcome = decide(with_rule(more=f"{rule} Ask Edda."))

    assert not outcome.accepted
    assert "'Edda' (person of test)" in outcome.why
    assert outcome.uses == 0


def test_a_winner_whose_replies_do_not_fit_on_test_is_not_accepted(decide, with_rule, obeying):
    class Broken(obeying):
        def ask(self, request, meter, listen=None):
            self.unread = "cite the reply" if "test3?" in request.user else None
            return super().ask(request, meter)

    outcome = decide(with_rule(), caller=Broken())

    assert not outcome.accepted
    assert "no longer fit the schema in 1 cases of test" in outcome.why


def test_the_best_of_many_had_many_chances_to_be_best_by_luck(decide, with_rule, cases):
    parts = split(cases[:16])

    # All of eight cases gain: 2 of 2**8 patterns of signs, p = 0.0078; seven times that is too much.
    assert decide(with_rule(), parts=parts, among=6).accepted
    outcome = decide(with_rule(), parts=parts, among=7)

    assert not outcome.accepted
    assert "no difference on valid, which also chose it" in outcome.why


def test_test_cases_that_were_learned_from_confirm_nothing(decide, with_rule, cases, tmp_path):
    parts = split(cases)
    learn(Ledger(tmp_path / "home" / "tested.jsonl"), parts.test[:1], "oneshot/q4", tmp_path)

    outcome = decide(with_rule())
    again = decide(with_rule(), again=True)

    assert not outcome.accepted
    assert "some of the test cases were learned from" in outcome.why
    assert outcome.uses == 0
    assert again.accepted
    assert "their figure is no test" in again.notes[-1]


def test_the_same_cases_under_other_names_are_no_new_test(decide, with_rule, rule, cases):
    decide(with_rule())
    renamed = tuple(
        replace(r, case=r.case.model_copy(update={"case_id": f"new-{r.case.case_id}"}))
        for r in cases
    )

    second = decide(with_rule(more=f"{rule} Be brief."), parts=split(renamed))

    assert "they are no test any more" in second.why


def test_too_few_cases_and_earlier_uses_are_told_before_anything_is_run(cases, tmp_path):
    parts, ledger = split(cases), Ledger(tmp_path / "tested.jsonl")
    few = Splits(parts.train, parts.valid[:6], parts.test[:5])

    assert told_before(ledger, parts, candidates=1, again=False) == []
    # Six cases: 2 / 2**6 = 0.031 for one candidate, 0.062 for two.
    assert told_before(ledger, few, candidates=2, again=False) == [
        "valid has 6 cases: fewer than 7 can never tell a gain from chance",
        "test has 5 cases: fewer than 6 can never confirm a gain",
    ]
    learn(ledger, parts.test, "oneshot/q4", tmp_path / "run")
    (line,) = told_before(ledger, parts, candidates=1, again=False)
    assert line.startswith("test cases were learned from before (")
    assert told_before(ledger, parts, candidates=1, again=True) == []
