import json
from xml.etree import ElementTree

import pytest

from eval.folder import open_folder
from sayso.errors import ConfigurationError, InputError


@pytest.fixture
def runs(tmp_path):
    return lambda: set((tmp_path / "runs").glob("*"))


@pytest.mark.parametrize(
    ("drop", "said"),
    [
        ("unknown=0.1", "no QA metric 'unknown'; known metrics: evidence_recall"),
        ("global_recall=0.1", "no QA metric 'global_recall'"),  # an arc metric can never fall here
        ("evidence_f1=nan", "a fraction from 0 to 1"),
        ("evidence_f1=-0.1", "a fraction from 0 to 1"),
    ],
)
def test_a_drop_that_can_never_be_seen_is_refused_before_the_run(made, run_eval, runs, drop, said):
    run, _ = made()

    with pytest.raises(ConfigurationError, match=said):
        run_eval("--baseline", str(run), "--max-drop", drop)

    assert runs() == {run}


def test_two_runs_are_not_held_to_a_metric_of_another_kind(made, sub):
    run, _ = made()

    with pytest.raises(ConfigurationError, match="no QA metric 'global_recall'"):
        sub("compare", run, run, "--max-drop", "global_recall=0.1")


def test_runs_of_two_kinds_are_not_compared(made, sub):
    questions, _ = made()
    arcs, _ = made("--arc-cases")

    with pytest.raises(InputError, match=r"is of QA cases, .* of ARC"):
        sub("compare", questions, arcs)


@pytest.mark.parametrize("rows", ["of another kind", "no row", "none at all"])
def test_a_baseline_that_cannot_be_compared_is_told_before_the_run(
    made, run_eval, runs, tmp_path, rows
):
    other, _ = made("--arc-cases")
    if rows == "no row":
        (other / "rows.jsonl").write_text("")
    if rows == "none at all":
        (other / "run.json").unlink()
    before = runs()

    with pytest.raises(InputError, match=other.name):
        run_eval("--baseline", str(other))

    assert runs() == before


def test_a_place_for_junit_that_is_not_there_is_told_before_the_run(run_eval, runs, tmp_path):
    result = run_eval("--junit", str(tmp_path / "nowhere" / "cases.xml"))

    assert result.exit_code == 2
    assert "there is no folder" in result.stderr
    assert runs() == set()


def test_a_run_without_rows_is_told_where_it_is_compared(made, sub):
    run, _ = made()
    (run / "rows.jsonl").unlink()

    with pytest.raises(InputError, match="has no rows yet"):
        sub("compare", run)


def test_one_run_is_compared_in_the_mode_that_was_named(made, sub):
    run, _ = made()

    told = json.loads(sub("compare", run, "--mode", "agent", "--json").stdout)

    assert [(c["first"], c["second"]) for c in told["comparisons"]] == [("oneshot", "agent")]
    with pytest.raises(ConfigurationError, match="known modes: agent, oneshot"):
        sub("compare", run, "--mode", "other")


def test_both_modes_and_a_function_stand_in_one_table(made, tmp_path, monkeypatch):
    (tmp_path / "beside.py").write_text("def first(question, chat):\n    return [1]\n")
    monkeypatch.chdir(tmp_path)

    run, _ = made("--mode", "both", "--mode", "beside:first", "--mode", "agent")

    results = json.loads((run / "results.json").read_text("utf-8"))
    assert list(results["modes"]) == ["agent", "oneshot", "beside:first"]
    assert sorted(results["config"]["code"]) == ["beside:first", "sayso"]


def test_a_function_that_tells_no_parameters_is_a_configuration_error(run_eval):
    with pytest.raises(ConfigurationError, match="wrap it in a function"):
        run_eval("--mode", "time:sleep")


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e300"])
def test_a_deadline_is_a_finite_number(run_eval, runs, seconds):
    result = run_eval("--case-seconds", seconds)

    assert result.exit_code == 2
    assert "--case-seconds" in result.stderr
    assert runs() == set()


def test_a_difference_to_be_seen_is_a_number(made, sub):
    run, _ = made()

    assert sub("power", run, "--delta", "nan").exit_code == 2


def test_without_a_run_the_last_one_tells_how_many_cases_it_takes(made, sub, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="runs: holds no run"):
        sub("power", "--delta", "0.03")
    for name in ("20260101T000000Z-qa-10", "20260101T000000Z-qa-9", "20251231T235959Z-qa-99"):
        made()[0].rename(tmp_path / "runs" / name)

    result = sub("power", "--delta", "0.03")

    assert "20260101T000000Z-qa-10" in result.stderr
    assert "evidence_f1" in result.stdout


def test_a_case_that_failed_in_both_runs_is_named_and_not_compared(made, sub):
    run, _ = made()
    rows = [json.loads(line) for line in (run / "rows.jsonl").read_text("utf-8").splitlines()]
    failed = [r | {"error": "late", "trail": None} if r["case_id"] == "q1" else r for r in rows]
    (run / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in failed))
    assert len(open_folder(run)[0].kept().rows) == 6

    told = json.loads(sub("compare", run, run, "--mode", "agent", "--json").stdout)

    assert told["comparisons"][0]["datasets"][0]["failed"] == ["q1"]


def test_junit_fails_in_the_words_that_are_printed(run_eval, tmp_path):
    path = tmp_path / "cases.xml"

    result = run_eval("--fail-under", "evidence_f1=0.5", "--junit", str(path))

    assert result.exit_code == 1
    bars, *modes = ElementTree.parse(path).getroot()
    (case,) = bars
    assert (bars.get("name"), bars.get("tests"), bars.get("failures")) == ("bars", "1", "1")
    assert case[0].get("message") == "evidence_f1 of oneshot is 0.0000, below 0.5"
    assert f"sayso: {case[0].get('message')}" in result.stderr.splitlines()
    assert [suite.get("name") for suite in modes] == ["agent", "oneshot"]


def test_junit_says_that_every_bar_is_reached(run_eval, tmp_path):
    path = tmp_path / "cases.xml"

    assert run_eval("--fail-under", "evidence_f1=0", "--junit", str(path)).exit_code == 0

    bars = ElementTree.parse(path).getroot()[0]
    assert (bars.get("failures"), bars[0].get("name")) == ("0", "every bar is reached")
