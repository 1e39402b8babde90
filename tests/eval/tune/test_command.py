import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from eval.tune.command import tune_command
from eval.tune.unseen import learn
from eval.tune.versions import text_of
from sayso.cli.main import run as sayso
from sayso.core.trail import Usage
from sayso.errors import ConfigurationError, InputError, PromptError
from sayso.reasoning.calling import CallError

SHIPPED = Path(__file__).parents[3] / "arc_data"


@pytest.fixture
def files(tmp_path, cases):
    """The toy cases as a file."""
    path = tmp_path / "cases.jsonl"
    path.write_text(
        "".join(
            json.dumps({"caseId": r.case.case_id, "chat": r.case.chat, "question": r.case.question,
                        "evidence": list(r.case.evidence), "split": r.case.split}) + "\n"
            for r in cases
        ), "utf-8",
    )  # fmt: skip
    return path


@pytest.fixture
def tune(tools_with, obeying, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(command, *args, tools=None, caller=None, reflecting=None, cases=True):
        tools = tools or tools_with(caller or obeying(), reflecting)
        named = ["--cases", str(files)] if cases else []
        result = CliRunner().invoke(tune_command, [command, *map(str, args), *named], obj=tools)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def candidate(with_rule, tmp_path):
    path = tmp_path / "better.md"
    path.write_text(text_of(with_rule()), "utf-8")
    return path


Q4 = ("--step", "oneshot/q4")


def test_a_trial_prints_the_table_with_what_changed(tune, candidate):
    result = tune("try", *Q4, candidate)

    assert result.exit_code == 0
    row = next(line for line in result.stdout.splitlines() if line.startswith("better "))
    # name, set, n, points, change, interval, up, down, p (2 / 2**8), verdict
    assert row.split()[2:9] == ["8", "100.0", "+33.3", "+33.3", "to", "+33.3", "8"]
    assert row.split()[-1] == "higher"
    assert "0.008" in row
    assert "gained: 8 cases" in result.stdout
    assert "now cites #10 (expected)" in result.stdout
    assert "expected #10: not kept by the grader → cited" in result.stdout
    assert "cases: train 8, valid 8, test 8" in result.stderr
    assert "what the trials took now: 32 calls, 3520 tokens" in result.stderr


def test_what_a_prompt_takes_counts_replies_from_the_cache_and_shows_them_apart(
    tune, candidate, obeying
):
    class Kept(obeying):
        """Answers the first step from a cache."""

        def ask(self, request, meter, listen=None):
            told = super().ask(request, meter)
            kept = Usage(cache_hits=1, saved_tokens=110, saved_cost=0.25)
            return replace(told, usage=kept) if request.step.endswith("q1") else told

    result = tune("try", *Q4, candidate, caller=Kept())

    line = next(x for x in reversed(result.stdout.splitlines()) if x.startswith("better  "))
    # Eight cases of two calls, of which the cache gave one: calls, tokens, cost; from the cache.
    assert line.split()[2:] == ["16", "1760", "2.0000", "8", "880", "2.0000"]
    assert (
        "16 calls, 1760 tokens; 16 more calls from the cache, which had taken 1760" in result.stderr
    )


def test_the_table_can_be_read_in_eighty_columns(tune, candidate, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")

    lines = tune("try", *Q4, candidate).stdout.splitlines()

    assert any(x.startswith("better ") and x.rstrip().endswith("higher") for x in lines)


def test_where_no_candidate_may_be_tried_nothing_is_run(tune, obeying, with_rule, tmp_path):
    path, caller = tmp_path / "lacking.md", obeying()
    path.write_text(text_of(with_rule()).replace("$amount", "few"), "utf-8")

    with pytest.raises(PromptError, match=r"no candidate may be tried: lacking: .*lacks \$amount"):
        tune("try", *Q4, path, caller=caller)

    assert caller.heard == []
    assert not (tmp_path / "runs").exists()


def test_too_few_valid_cases_are_told_before_a_trial_begins(tune, candidate, files, obeying):
    kept = [x for x in files.read_text("utf-8").splitlines() if '"valid-' not in x or "-1" in x]
    files.write_text("\n".join(kept), "utf-8")

    result = tune("try", *Q4, candidate, "--accept", caller=obeying())

    told = "valid has 1 cases: fewer than 6 can never tell a gain from chance"
    assert 0 < result.stderr.index(told) < result.stderr.index("what the trials took")


def test_a_trial_as_json_says_the_same(tune, candidate):
    told = json.loads(tune("try", *Q4, candidate, "--json").stdout)

    (one,) = told["candidates"]
    assert (one["name"], one["verdict"]) == ("better", "higher")
    assert one["gains"][0]["after"] == 1.0
    assert one["usage"]["prompt_tokens"] == 2 * 8 * 100
    assert len(one["comparisons"][0]["flips"]) == 8


def test_whole_sets_can_be_tried(tune, candidate, prompts, tmp_path):
    for name in ("one", "two"):
        shutil.copytree(prompts.folder, tmp_path / name)
    shutil.copyfile(candidate, tmp_path / "two" / "oneshot" / "q4.md")

    told = json.loads(tune("try", "--prompts", tmp_path / "one", tmp_path / "two", "--json").stdout)

    assert told["mode"] == "oneshot"
    assert [(c["name"], c["verdict"]) for c in told["candidates"]] == [
        ("one", "no difference"), ("two", "higher"),
    ]  # fmt: skip


def test_an_accepted_candidate_is_confirmed_on_test_and_written(tune, candidate, tmp_path):
    result = tune("try", *Q4, candidate, "--accept")

    assert "better: accepted: higher on test" in result.stderr
    (written,) = (tmp_path / "runs").glob("*/prompts/oneshot/q4.md")
    assert "scores:" in written.read_text("utf-8")


def test_a_trial_that_is_interrupted_keeps_what_was_run(tune, obeying, candidate, tools_with):
    first = tune("try", *Q4, candidate, caller=obeying(stops=20))
    caller = obeying()
    second = tune("try", *Q4, candidate, caller=caller)

    assert first.exit_code == 130
    assert "the same command goes on" in first.stderr
    assert second.exit_code == 0
    # Nine of the sixteen trials had ended, with two calls each.
    assert len(caller.heard) == 32 - 18


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("try",), "name candidates"),
        (("try", "--step", "oneshot/q2", "FILE"), "expected one of agent/planner"),
        (("try", *Q4, "FILE", "--metric", "truth"), "unknown; known metrics"),
        (("evolve",), "expected one of agent/planner"),
    ],
    ids=["nothing", "step", "metric", "no step"],
)
def test_usage_errors_say_what_is_expected(tune, candidate, args, told):
    result = tune(*(candidate if a == "FILE" else a for a in args))

    assert result.exit_code == 2
    assert told in result.stderr


def test_a_search_tells_its_budget_first_and_the_winner_last(tune, tmp_path):
    result = tune("evolve", *Q4, "--budget", 60, "--reflection-calls", 7)

    assert result.exit_code == 0
    assert "at most 60 runs of a case with obeying, and 7 reflections with obeying" in result.stderr
    assert "best so far 100.0" in result.stderr
    assert "on valid: the current prompt 66.7, the best 100.0" in result.stdout
    assert "the best candidate: accepted: higher on test" in result.stdout
    (folder,) = (tmp_path / "runs").iterdir()
    assert json.loads((folder / "result.json").read_text("utf-8"))["outcome"]["accepted"]


def test_a_search_that_is_interrupted_goes_on_in_its_folder(tune, obeying, tmp_path):
    broken = tune("evolve", *Q4, "--budget", 60, caller=obeying(stops=30))
    (folder,) = (tmp_path / "runs").iterdir()

    resumed = tune("evolve", "--resume", folder, cases=False)

    assert broken.exit_code == 130
    assert f"--resume {folder.relative_to(tmp_path)}" in broken.stderr
    assert "on valid: the current prompt" in broken.stdout, "ctrl-C keeps the best so far"
    assert resumed.exit_code == 0
    assert "accepted: higher on test" in resumed.stdout


def test_a_search_that_is_interrupted_while_it_is_confirmed_goes_on_too(tune, obeying, tmp_path):
    unbroken = tune("evolve", *Q4, "--budget", 60, "--json")
    shutil.rmtree(tmp_path / "home")
    shutil.rmtree(tmp_path / "runs")

    class Stopped(obeying):
        def ask(self, request, meter, listen=None):
            if "test4?" in request.user:
                raise KeyboardInterrupt
            return super().ask(request, meter)

    broken = tune("evolve", *Q4, "--budget", 60, caller=Stopped())
    (folder,) = (tmp_path / "runs").iterdir()
    resumed = tune("evolve", "--resume", folder, "--json", cases=False)

    assert broken.exit_code == 130
    assert "the best 100.0" in broken.stdout
    assert f"--resume {folder.relative_to(tmp_path)}" in broken.stderr
    whole, again = json.loads(unbroken.stdout), json.loads(resumed.stdout)
    assert whole["outcome"].pop("written") != again["outcome"].pop("written")
    assert again == whole


def test_a_search_whose_runs_all_fail_ends_at_once_and_goes_on_later(tune, obeying, tmp_path):
    class Away(obeying):
        def ask(self, request, meter, listen=None):
            raise CallError("connection", "refused")

    broken = tune("evolve", *Q4, "--budget", 60, caller=Away())
    (folder,) = (tmp_path / "runs").iterdir()
    resumed = tune("evolve", "--resume", folder, cases=False)

    assert broken.exit_code == 3
    assert "ended: the first 3 runs failed or went without the model" in broken.stdout
    assert f"--resume {folder.relative_to(tmp_path)}" in broken.stderr
    assert "accepted: higher on test" in resumed.stdout


def test_a_trial_says_how_many_runs_were_lost(tune, candidate, obeying):
    class OnceAway(obeying):
        def ask(self, request, meter, listen=None):
            if "train2?" in request.user:
                raise CallError("connection", "refused")
            return super().ask(request, meter)

    result = tune("try", *Q4, candidate, caller=OnceAway())

    assert result.exit_code == 3
    assert "2 runs failed or went without the model" in result.stderr


def test_a_trial_whose_runs_all_fail_ends_at_once(tune, candidate, obeying, tmp_path):
    class Away(obeying):
        def ask(self, request, meter, listen=None):
            self.heard.append(request)
            raise CallError("connection", "refused")

    caller = Away()
    result = tune("try", *Q4, candidate, caller=caller)

    assert result.exit_code == 3
    assert "the first 3 runs failed or went without the model" in result.stderr
    # Two calls a run; some of the next may have begun before the third is heard to have ended.
    assert 3 * 2 <= len(caller.heard) < 10 * 2
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_search_where_prompts_matter_by_chance_alone_is_not_accepted(tune, obeying, reflecting):
    words = [f"Be brief {n}." for n in range(9)]

    told = [
        json.loads(
            tune("evolve", *Q4, "--budget", 120, "--seed", seed, "--again", "--json",
                 caller=obeying(chance=True), reflecting=reflecting(*words)).stdout
        )
        for seed in range(3)
    ]  # fmt: skip

    assert any(len(one["candidates"]) > 1 for one in told), "some were better by luck"
    assert not any(one["outcome"]["accepted"] for one in told)


def test_a_search_does_not_go_on_as_something_else(tune, obeying, tools_with, tmp_path):
    tune("evolve", *Q4, "--budget", 60, caller=obeying(stops=30))
    (folder,) = (tmp_path / "runs").iterdir()
    tools = tools_with(obeying())
    other = replace(tools, engine=replace(tools.engine, settings={"model": "another"}))

    flag = tune("evolve", "--resume", folder, "--budget", 90, cases=False)

    assert flag.exit_code == 2
    assert "--budget cannot change" in flag.stderr
    with pytest.raises(ConfigurationError, match="these changed: settings"):
        tune("evolve", "--resume", folder, tools=other, cases=False)
    with pytest.raises(InputError, match=r"tune\.json"):
        tune("evolve", "--resume", tmp_path, cases=False)


def test_a_cost_limit_needs_a_price(tune, tools_with, obeying):
    tools = replace(tools_with(obeying()), priced=lambda name: name != "dear")

    with pytest.raises(ConfigurationError, match="--max-cost needs the price of obeying"):
        tune("evolve", *Q4, "--max-cost", 1)
    with pytest.raises(ConfigurationError, match="needs the price of dear"):
        tune("evolve", *Q4, "--max-cost", 1, "--reflection-model", "dear", tools=tools)


def test_a_run_ends_at_its_cost(tune, tools_with, obeying):
    from tests.eval.tune.conftest import COST

    class Dear(obeying):
        def ask(self, request, meter, listen=None):
            told = super().ask(request, meter)
            return replace(told, usage=COST.model_copy(update={"cost": 0.01}))

    tools = replace(tools_with(Dear()), priced=lambda name: True)

    # Eight runs of two calls for the current prompt on valid: 0.16.
    told = json.loads(tune("evolve", *Q4, "--max-cost", 0.1, "--json", tools=tools).stdout)

    assert told["why"] == "the run cost 0.16"
    assert told["iterations"] == 0


def test_too_small_a_budget_is_told_before_anything_runs(tune, obeying):
    caller = obeying()

    with pytest.raises(ConfigurationError, match="--budget 10 is too small"):
        tune("evolve", *Q4, "--budget", 10, caller=caller)

    assert caller.heard == []


def test_what_a_rule_has_seen_is_noted_apart_from_what_a_model_has(tools_with, obeying, cases):
    tools = tools_with(obeying())
    rehearsing = replace(tools, rehearses=True)

    learn(rehearsing.ledger, cases[:2], "oneshot/q4", tools.home)

    assert rehearsing.ledger.learned(cases[:1])
    assert tools.ledger.learned(cases[:1]) == ()


def test_without_a_model_the_way_out_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SAYSO_MODEL", raising=False)

    code = sayso(["tune", "evolve", *Q4])

    assert code == 2
    assert "--demo, or tune the engine's numbers with sayso tune fit" in capsys.readouterr().err


def test_the_demo_finds_a_better_prompt_on_shipped_cases_without_a_model(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "home"))
    # The first of each couple's cases: enough to choose by, and every run takes its while.
    for name in ("lena_and_jonah", "lantern_crew"):
        lines = (SHIPPED / "cases" / "qa" / f"{name}.jsonl").read_text("utf-8").splitlines()
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines[:8]), "utf-8")
    shipped = ["--cases", "lena_and_jonah.jsonl", "lantern_crew.jsonl",
               "--chats", str(SHIPPED / "chats")]  # fmt: skip

    code = sayso(["tune", "evolve", "--demo", *Q4, "--budget", "36", "--json", *shipped])
    heard = capsys.readouterr()
    told = json.loads(heard.out)

    assert code == 0
    assert "a rule stands in for a language model" in heard.err
    assert told["candidates"][told["best"]]["mean"] > told["candidates"][0]["mean"]
    assert told["runs"] <= 36
