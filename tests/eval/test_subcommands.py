import json
import re
from dataclasses import replace

import pytest

from eval.folder import open_folder
from sayso.errors import ConfigurationError


def rows_of(folder):
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text("utf-8").splitlines()]


def untimed(rows):
    return [
        {k: v for k, v in row.items() if k not in ("seconds", "trail", "usage")} for row in rows
    ]


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_a_killed_run_goes_on_and_equals_an_unbroken_one(made, sub, kept):
    whole, _ = made()
    broken, _ = made()
    lines = (broken / "rows.jsonl").read_bytes().splitlines(keepends=True)
    (broken / "rows.jsonl").write_bytes(b"".join(lines[:kept]) + lines[kept][:50])
    for name in ("results.json", "cases.csv"):
        (broken / name).unlink()

    result = sub("--resume", broken)

    assert result.exit_code == 0
    assert f"{kept} of 6 runs are there already" in result.stderr
    assert untimed(rows_of(broken)) == untimed(rows_of(whole))
    first, second = (json.loads((f / "results.json").read_text("utf-8")) for f in (whole, broken))
    assert untimed(first["cases"]) == untimed(second["cases"])
    assert [m["metrics"] for m in first["modes"].values()] == [
        m["metrics"] for m in second["modes"].values()
    ]


def test_only_failed_rows_run_again_with_retry_errors(made, sub, two_modes, scripted, script):
    def failing(question, deps):
        raise TimeoutError("late")

    broken = replace(two_modes, modes={**two_modes.modes, "oneshot": failing})
    folder, result = made("--limit", "2")
    assert result.exit_code == 0
    lines = rows_of(folder)
    for line in lines:
        if line["mode"] == "oneshot":
            line.update(error="TimeoutError: late", trail=None)
    (folder / "rows.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    kept = sub("--resume", folder, engine=broken)
    retried = sub("--resume", folder, "--retry-errors")

    assert kept.exit_code == 3
    assert "4 of 4 runs are there already" in kept.stderr
    assert "2 of 4 runs are there already" in retried.stderr
    assert retried.exit_code == 0
    assert [row.error for row in open_folder(folder)[0].kept().rows] == [None] * 4


def test_a_larger_limit_adds_only_the_new_cases(made, sub):
    folder, _ = made("--limit", "1")

    result = sub("--resume", folder, "--limit", "3")

    assert "2 of 6 runs are there already" in result.stderr
    assert [r["case_id"] for r in rows_of(folder)] == ["q1", "q1", "q2", "q2", "q3", "q3"]


def test_a_run_of_other_settings_does_not_go_on(made, sub, two_modes):
    folder, _ = made()

    with pytest.raises(ConfigurationError, match="settings"):
        sub("--resume", folder, engine=replace(two_modes, settings={"k": 2}))


def test_what_would_make_another_run_is_refused_beside_resume(made, sub):
    folder, _ = made()

    result = sub("--resume", folder, "--seed", "3")

    assert result.exit_code == 2
    assert "--seed" in result.stderr


def test_repeats_stand_apart_and_their_spread_is_told(made):
    folder, _ = made("--repeats", "3")

    results = json.loads((folder / "results.json").read_text("utf-8"))
    assert [r["repeat"] for r in rows_of(folder)][:3] == [0, 1, 2]
    spread = results["modes"]["agent"]["repeats"]
    assert spread["n"] == 3
    assert spread["metrics"]["evidence_recall"]["over_runs"]["std"] == 0.0
    assert spread["metrics"]["evidence_recall"]["over_cases"]["n"] == 2


def test_like_runs_are_not_called_different(made):
    _, result = made("--aa")

    assert result.exit_code == 0
    assert re.search(r"A/A agent on \S+: 0 of \d+ metrics called different", result.stderr)


def test_a_case_that_takes_too_long_is_a_failed_row(made, two_modes, run_eval, tmp_path):
    import threading

    hang = threading.Event()
    stuck = replace(
        two_modes,
        modes={
            "agent": lambda question, deps: hang.wait(30),
            "oneshot": two_modes.modes["oneshot"],
        },
    )

    result = run_eval("--case-seconds", "0.2", "--limit", "1", engine=stuck)
    hang.set()

    assert result.exit_code == 3
    (folder,) = (tmp_path / "runs").iterdir()
    assert rows_of(folder)[0]["error"] == "TimeoutError: no answer within 0.2 s"
    assert rows_of(folder)[1]["error"] is None


def test_two_modes_of_a_run_are_compared_case_by_case(made, sub):
    folder, _ = made()

    told = json.loads(sub("compare", folder, "--json").stdout)["comparisons"][0]

    assert (told["first"], told["second"]) == ("oneshot", "agent")
    recall = told["datasets"][0]["metrics"]["evidence_recall"]
    assert (recall["n"], recall["mean"], recall["gained"]) == (2, 1.0, 2)
    flip = told["datasets"][0]["flips"][0]
    assert (flip["first"]["returned_ids"], flip["second"]["returned_ids"]) == ([5], [1])


def test_a_fall_below_a_baseline_ends_with_the_line_that_says_so(made, sub, two_modes, run_eval):
    folder, _ = made("--mode", "agent")
    worse = replace(two_modes, modes={"agent": two_modes.modes["oneshot"]})

    result = run_eval(
        "--mode",
        "agent",
        "--baseline",
        str(folder),
        "--max-drop",
        "evidence_recall=0.02",
        engine=worse,
    )

    assert result.exit_code == 1
    assert re.search(
        r"evidence_recall of agent on \S+ fell by 1.0000, more than 0.02", result.stderr
    )


def test_a_baseline_that_is_reached_ends_well(made, run_eval):
    folder, _ = made()

    result = run_eval("--baseline", str(folder), "--max-drop", "evidence_recall=0")

    assert result.exit_code == 0
    assert "no difference" in result.stdout


def test_rescoring_recomputes_every_figure_from_the_rows(made, sub):
    folder, _ = made()
    before = json.loads((folder / "results.json").read_text("utf-8"))

    result = sub("rescore", folder, "--json")

    assert "0 of 6 rows score otherwise" in result.stderr
    assert json.loads(result.stdout)["modes"] == before["modes"]


def test_scores_stand_under_published_and_under_repaired_labels(made, sub, tmp_path):
    folder, _ = made()
    overlay = tmp_path / "overlay.jsonl"
    overlay.write_text(
        json.dumps({"caseId": "q1", "published": [1], "proposed": [5], "signed": "M. Reader"})
    )

    told = json.loads(sub("rescore", folder, "--overlay", overlay, "--json").stdout)

    published, repaired = (
        [c["metrics"]["evidence_recall"] for c in r["cases"] if c["case_id"] == "q1"]
        for r in (told, told["repaired"])
    )
    assert (published, repaired) == ([1.0, 0.0], [0.0, 1.0])


def test_another_systems_file_stands_in_the_same_table(sub, write, tmp_path):
    cases = write(
        "cases/one.jsonl", [{"caseId": "q1", "chat": "trip", "question": "a", "evidence": [1]}]
    )
    theirs = write("theirs.jsonl", [{"caseId": "q1", "evidence": [1, 2]}])

    result = sub("score", "--cases", cases, "--run", theirs, "--out", tmp_path / "scored", "--json")

    metrics = json.loads(result.stdout)["modes"]["theirs"]["metrics"]
    assert metrics["evidence_precision"]["mean"] == 0.5
    (folder,) = (tmp_path / "scored").iterdir()
    assert sorted(p.name for p in folder.iterdir()) == [
        "cases.csv",
        "results.json",
        "rows.jsonl",
        "run.json",
    ]


def test_an_audit_lists_doubts_and_writes_proposals(sub, write, tmp_path):
    cases = write(
        "cases/one.jsonl",
        [{"caseId": "q1", "chat": "trip", "question": "Which train?", "evidence": ["D:1:1"]}],
    )
    overlay = tmp_path / "overlay.jsonl"

    told = json.loads(sub("audit", "--cases", cases, "--write", overlay, "--json").stdout)

    assert [f["kind"] for f in told["findings"]] == ["unreachable id", "unreachable case"]
    assert json.loads(overlay.read_text())["proposed"] == [1]


def test_power_tells_how_many_cases_a_difference_takes(made, sub):
    folder, _ = made()

    told = json.loads(sub("power", folder, "--delta", "0.03", "--json").stdout)

    assert (told[0]["pairs"], told[0]["cases"]) == (2, None)  # both pairs differ by the same


def test_a_colleagues_function_is_a_mode(run_eval, tmp_path, monkeypatch):
    (tmp_path / "theirs_here.py").write_text(
        "def answer(question, chat):\n"
        "    return {'evidence': [m.local_id for m in chat.messages][:1], 'answer': question}\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    result = run_eval("--mode", "theirs_here:answer", "--mode", "oneshot", "--json")

    modes = json.loads(result.stdout)["modes"]
    assert list(modes) == ["theirs_here:answer", "oneshot"]
    assert modes["theirs_here:answer"]["metrics"]["evidence_recall"]["mean"] == 1.0


def test_a_function_that_returns_a_text_alone_fails_and_says_what_is_expected(
    made, tmp_path, monkeypatch
):
    (tmp_path / "wordy.py").write_text("def words(question):\n    return 'on the 9th'\n")
    monkeypatch.chdir(tmp_path)

    folder, result = made("--mode", "wordy:words")

    assert result.exit_code == 3
    assert "returned a text; expected ids" in rows_of(folder)[0]["error"]


@pytest.mark.parametrize("name", ["no_such_module:f", "json:no_such", "json:__name__"])
def test_a_function_that_is_not_there_is_a_configuration_error(run_eval, name):
    with pytest.raises(ConfigurationError, match=name.partition(":")[0]):
        run_eval("--mode", name)


def test_junit_has_each_case_with_its_verdict(made, tmp_path):
    from xml.etree import ElementTree

    path = tmp_path / "cases.xml"
    made("--junit", str(path))

    suites = ElementTree.parse(path).getroot()
    counts = [(s.get("name"), s.get("tests"), s.get("failures")) for s in suites]
    assert counts == [("agent", "3", "0"), ("oneshot", "3", "2")]


def test_trec_files_are_written_on_demand(made):
    folder, _ = made("--trec")

    assert (folder / "qrels.txt").read_text().splitlines() == ["q1 0 trip#1 1", "q2 0 trip#1 1"]
    assert (folder / "run-agent.txt").is_file()


@pytest.mark.parametrize(("oracle", "recall"), [("retrieval", 0.0), ("evidence", 0.0)])
def test_an_oracle_is_told_in_the_configuration(made, oracle, recall):
    folder, _ = made("--oracle", oracle)

    results = json.loads((folder / "results.json").read_text("utf-8"))
    assert results["config"]["options"]["oracle"] == oracle


def test_a_report_is_written_with_the_run_and_again_on_demand(made, sub, tmp_path):
    folder, _ = made()
    first = (folder / "report.html").read_text("utf-8")

    result = sub("report", folder, "--to", tmp_path / "again.html")

    assert result.exit_code == 0
    assert first.startswith("<!doctype html>")
    assert (tmp_path / "again.html").stat().st_size > 1000


def test_judging_without_a_model_is_a_usage_error(run_eval):
    result = run_eval("--judge")

    assert result.exit_code == 2
    assert "--judge needs a model" in result.stderr


def test_a_judge_counts_its_verdicts_in_the_results(run_eval, two_modes, write, tmp_path):
    from eval.judging import Judge, Verdict, load_judge
    from sayso.core.trail import Usage
    from sayso.paths import prompts_dir
    from sayso.reasoning.calling import Told

    class Kind:
        name, window, completion = "kind", None, 4096

        def ask(self, request, meter, listen=None):
            return Told(Verdict(verdict="partly", why="some of it"), Usage(model_calls=1))

    engine = replace(two_modes, judge=lambda: Judge(Kind(), load_judge(prompts_dir())))
    cases = write(
        "cases/one.jsonl",
        [{"caseId": "q1", "chat": "trip", "question": "a", "answer": "a train", "evidence": [1]}],
    )

    result = run_eval("--judge", engine=engine, cases=cases)

    (folder,) = (tmp_path / "runs").iterdir()
    judge = json.loads((folder / "results.json").read_text("utf-8"))["judge"]
    assert judge["modes"]["agent"]["score"] == 0.5
    assert "judge kind: agent 50.0 % over 1" in result.stderr


def test_a_run_of_two_modes_ends_with_how_they_differ(made):
    _, result = made()

    told = re.search(r"agent minus oneshot on \S+: evidence_f1 \+100\.0 points", result.stdout)
    assert told is not None
    said = " ".join(result.stdout.split())
    assert "2 up, 0 down of 2; p 1.000 exact by conversation, 0.500 by case" in said
