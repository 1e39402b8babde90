import json
from dataclasses import replace

import pytest

from eval.tune.evolved import Plan, check_budget
from eval.tune.evolving import evolve
from eval.tune.leakage import Known
from eval.tune.records import evolved_record
from eval.tune.reflecting import FILE, Allowed, Reflector, load_reflection
from sayso.core.trail import Usage
from sayso.errors import ConfigurationError
from sayso.reasoning.calling import CallError

STEP = "oneshot/q4"
PLAN = Plan(STEP, "evidence_f1", budget=60)


@pytest.fixture
def searching(trials_with, prompts, cases, tmp_path):
    """A search of the toy world; the folder's reflections and trials are kept between searches."""

    def run(caller, reflecting, *, plan=PLAN, name="run", allowed=None, refused=None):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        reflector = Reflector(
            reflecting, load_reflection(prompts.folder), folder, Known(cases), allowed or Allowed(),
            on_refused=lambda text, why: (refused if refused is not None else []).append(why),
        )  # fmt: skip
        trials = trials_with(caller, folder / "trials.sqlite")
        return evolve(plan, prompts, trials, reflector, cases[:8], cases[8:16], folder=folder)

    return run


def test_a_search_finds_the_better_prompt(searching, obeying, reflecting, rule, prompts):
    evolved = searching(obeying(), reflecting())

    assert evolved.complete
    assert evolved.candidates[0].prompt == prompts[STEP]
    assert evolved.candidates[0].mean == pytest.approx(2 / 3)
    assert evolved.best.mean == 1.0
    assert evolved.best.prompt.system.endswith(rule)
    assert evolved.best.prompt.user == prompts[STEP].user


def test_where_no_prompt_matters_a_search_keeps_the_current_one(searching, obeying, reflecting):
    class Unmoved(obeying):
        def _cites_reply(self, request, word):
            return False

    evolved = searching(Unmoved(), reflecting())

    assert len(evolved.candidates) == 1
    assert evolved.best is evolved.candidates[0]


def test_the_budget_is_never_passed(searching, obeying, reflecting):
    for budget in (22, 30, 47):
        evolved = searching(
            obeying(chance=True), reflecting(*[f"Be brief {n}." for n in range(99)]),
            plan=Plan(STEP, "evidence_f1", budget), name=str(budget),
        )  # fmt: skip

        assert evolved.runs <= budget
        assert "runs are used" in evolved.why


@pytest.mark.parametrize("stops", [1, 9, 17, 21, 25, 40])
def test_a_resumed_search_arrives_where_an_unbroken_one_does(searching, obeying, reflecting, stops):
    def proposals():
        return reflecting(*[f"Be brief {n}." for n in range(3)])

    unbroken = searching(obeying(chance=True), proposals(), name="unbroken")

    broken = searching(obeying(chance=True, stops=stops), proposals(), name="broken")
    # The reflecting model's next words are those that it has not said yet.
    again = proposals()
    again.first = again.first[broken.reflections :]
    resumed = searching(obeying(chance=True), again, name="broken")

    assert not broken.complete
    assert broken.why == "interrupted"
    assert resumed.complete
    assert evolved_record(resumed) == evolved_record(unbroken)


def test_a_resumed_search_pays_for_nothing_twice(searching, obeying, reflecting):
    first, second = obeying(), reflecting()
    searching(first, second)
    again, reflected = obeying(), reflecting()
    searching(again, reflected)

    assert first.heard
    assert second.heard
    assert again.heard == []
    assert reflected.heard == []


def test_candidates_are_on_the_disk_as_they_come(searching, obeying, reflecting, tmp_path, rule):
    searching(obeying(), reflecting())

    files = sorted((tmp_path / "run" / "candidates").iterdir())
    assert [f.name for f in files] == ["00.md", "01.md"]
    assert "mean: 0.6667" in files[0].read_text("utf-8")
    assert rule in files[1].read_text("utf-8")


def test_a_proposal_that_leaks_is_refused_and_asked_for_again(
    searching, obeying, reflecting, cases
):
    refused = []
    model = reflecting("As Cleo said, cite more.", "Cost: $5.")

    evolved = searching(obeying(), model, refused=refused)

    assert "it says 'Cleo', a person of the cases" in refused[0][0]
    assert "it says 'Cleo'" in model.heard[1].user
    assert any("names no variable" in why for why in refused[1])
    assert all("Cleo" not in c.prompt.system for c in evolved.candidates)


def test_a_candidate_that_breaks_the_reply_in_one_case_is_worth_nothing(
    searching, obeying, reflecting, rule
):
    class Spoilt(obeying):
        """Replies in prose to one valid question where the prompt asks for more than the rule."""

        def ask(self, request, meter, listen=None):
            breaks = "Write prose." in request.system and "valid3?" in request.user
            self.unread = rule if breaks else None
            return super().ask(request, meter)

    evolved = searching(Spoilt(), reflecting(f"{rule} Write prose.", rule))

    means = {c.prompt.system.rsplit("\n", 1)[-1]: c.mean for c in evolved.candidates[1:]}
    assert means[f"{rule} Write prose."] == 0.0, "seven of eight cases gain, and one is lost"
    assert "Write prose." not in evolved.best.prompt.system


def test_reflection_ends_with_its_budget_of_calls(searching, obeying, reflecting):
    model = reflecting(*[f"Be brief {n}." for n in range(99)])

    evolved = searching(obeying(), model, allowed=Allowed(calls=2))

    assert len(model.heard) == 2
    assert evolved.why == "2 reflections were made"
    assert evolved.reflection.prompt_tokens == 200


def test_reflection_ends_with_its_budget_of_tokens(searching, obeying, reflecting):
    model = reflecting(*[f"Be brief {n}." for n in range(99)])

    evolved = searching(obeying(), model, allowed=Allowed(tokens=300))

    # 110 tokens a call: after the third 330 are used.
    assert len(model.heard) == 3
    assert evolved.why == "reflection took 330 tokens"


def test_reflection_reaches_its_budget_of_tokens_with_kept_replies_as_well(
    searching, obeying, reflecting
):
    class Kept(reflecting):
        def ask(self, request, meter, listen=None):
            usage = Usage(cache_hits=1, saved_tokens=110)
            return replace(super().ask(request, meter), usage=usage)

    evolved = searching(
        obeying(), Kept(*[f"Be brief {n}." for n in range(99)]), allowed=Allowed(tokens=300)
    )

    assert evolved.why == "reflection took 330 tokens"
    assert evolved_record(evolved)["reflection"] == {"calls": 3, "tokens": 330, "cost": None}


def test_a_reflecting_model_that_cannot_be_reached_ends_the_search_and_is_asked_again_later(
    searching, obeying, reflecting, tmp_path
):
    class Away:
        name, window, completion = "reflecting", None, 4096

        def ask(self, request, meter, listen=None):
            raise CallError("connection", "refused")

    away = searching(obeying(), Away())

    assert not away.complete
    assert "cannot be reached" in away.why
    assert not (tmp_path / "run" / FILE).exists()
    assert searching(obeying(), reflecting()).best.mean == 1.0


def test_half_a_line_of_reflections_is_asked_for_again(searching, obeying, reflecting, tmp_path):
    whole = searching(obeying(), reflecting())
    path = tmp_path / "run" / FILE
    text = path.read_text("utf-8")
    # As a kill leaves it, in the middle of a character; and what an editor may have put in.
    path.write_bytes(text.encode()[: len(text) - 30] + b'\xc3\n[1]\nnull\n{"key": 1}\n')

    again = searching(obeying(), reflecting())

    assert evolved_record(again) == evolved_record(whole)
    kept = []
    for line in path.read_bytes().splitlines():
        try:
            kept.append(json.loads(line)["usage"])
        except (ValueError, TypeError, KeyError):
            continue
    assert len(kept) == whole.reflections


@pytest.mark.parametrize("step", ["agent/planner", "agent/grader", "agent/generator", STEP])
def test_each_step_hears_its_own_feedback(
    step, trials_with, obeying, reflecting, prompts, cases, tmp_path
):
    model = reflecting()
    mode = step.partition("/")[0]
    reflector = Reflector(
        model, load_reflection(prompts.folder), tmp_path, Known(cases), Allowed(calls=1)
    )
    plan = Plan(step, "evidence_f1", 60)

    evolve(plan, prompts, trials_with(obeying(), mode=mode), reflector, cases[:8], cases[8:16],
           folder=tmp_path)  # fmt: skip

    heard = model.heard[0].user
    kind = step.rpartition("/")[2].replace("q4", "generator")
    assert ("did not cite it" in heard) == (kind == "generator")
    assert ("It dropped this message" in heard) == (kind == "grader")
    assert ("Search: " in heard) == (kind == "planner")


def test_a_budget_too_small_for_its_validation_set_is_told_before_anything_runs(
    searching, obeying, reflecting, cases
):
    caller = obeying()

    with pytest.raises(
        ConfigurationError, match=r"--budget 20 is too small: the 8 valid.*at least 22"
    ):
        searching(caller, reflecting(), plan=Plan(STEP, "evidence_f1", 20))
    assert caller.heard == []

    with pytest.raises(ConfigurationError, match="0 valid cases"):
        check_budget(PLAN, cases[:8], ())
