import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from eval.command import eval_command
from eval.engine import Engine
from sayso.errors import CaseError, ChatNotFoundError, ConfigurationError

CASES = [
    {"caseId": "q1", "chat": "trip", "question": "a", "evidence": [1], "split": "train"},
    {"caseId": "q2", "chat": "trip", "question": "b", "evidence": ["D1:1", "D58"], "split": "test"},
    {"caseId": "q3", "chat": "trip", "question": "c", "answerable": False},
]


@pytest.fixture
def engine(two_modes):
    return two_modes


@pytest.fixture
def run(run_eval):
    return run_eval


def _folders(tmp_path):
    return sorted((tmp_path / "runs").iterdir())


def test_both_modes_stand_side_by_side_and_the_files_are_written(run, tmp_path):
    result = run()

    (folder,) = _folders(tmp_path)
    assert result.exit_code == 0
    assert sorted(f.name for f in folder.iterdir()) == [
        "cases.csv", "report.html", "results.json", "rows.jsonl", "run.json",
    ]  # fmt: skip
    line = next(x for x in result.stdout.splitlines() if x.startswith("evidence_recall"))
    assert line.split() == [
        "evidence_recall", "100.0", "100.0", "0.0", "2", "1", "0.0", "0.0", "0.0", "2", "1",
    ]  # fmt: skip
    assert "agent: abstention precision 100.0%, recall 100.0%, f1 100.0%" in result.stdout


def test_notes_about_gold_go_to_stderr(run):
    result = run()

    assert 'expected id left out, for want of such a message: "D58" of q2' in result.stderr
    assert "left out" not in result.stdout


def test_json_prints_the_results_file_and_nothing_else_on_stdout(run, tmp_path):
    result = run("--json", "--verbose")

    (folder,) = _folders(tmp_path)
    assert result.stdout == (folder / "results.json").read_text("utf-8")
    record = json.loads(result.stdout)
    assert record["modes"]["agent"]["metrics"]["evidence_recall"]["mean"] == 1.0
    assert [(c["case_id"], c["mode"]) for c in record["cases"]] == [
        (case, mode) for case in ("q1", "q2", "q3") for mode in ("agent", "oneshot")
    ]
    assert record["config"]["settings"] == {"k": 1}
    assert record["config"]["versions"]["sayso"]
    assert all(len(digest) == 64 for digest in record["config"]["digests"]["files"].values())
    assert list(record["config"]["digests"]["chats"]) == ["trip"]


def test_verbose_prints_the_question_the_evidence_and_the_metrics(run):
    result = run("--verbose", "--mode", "oneshot")

    assert "q1  oneshot  gold: full" in result.stdout
    assert "expected: 1" in result.stdout
    assert "#1 Ana: I booked the night train to Vienna" in result.stdout
    assert "#5 Ana: Take mine" in result.stdout
    assert "unreachable: D58" in result.stdout
    assert "evidence_recall 0.0%" in result.stdout


def test_chat_text_is_never_markup(write, run):
    cases = write(
        "m.jsonl",
        [{"caseId": "[red]q", "chat": "trip", "question": "[/x]\x1b[2J?", "evidence": [7]}],
    )

    result = run("--verbose", cases=cases)

    assert "[red]q" in result.stdout
    assert "[bold]the train[/bold]" in result.stdout
    assert "\x1b" not in result.stdout


def test_arc_cases_have_their_own_metrics(run):
    result = run("--arc-cases", "--json")

    metrics = json.loads(result.stdout)["modes"]["agent"]["metrics"]
    assert metrics["global_recall"]["mean"] == 1.0
    assert metrics["phase_coverage"]["mean"] == 1.0
    assert "evidence_recall" not in metrics


def test_one_mode_alone_can_be_run(run):
    assert list(json.loads(run("--mode", "agent", "--json").stdout)["modes"]) == ["agent"]


def test_limit_takes_the_first_cases_and_a_seed_a_growing_sample(run):
    def ids(*args):
        cases = json.loads(run("--mode", "agent", "--json", *args).stdout)["cases"]
        return [case["case_id"] for case in cases]

    assert ids("--limit", "2") == ["q1", "q2"]
    assert ids("--limit", "1", "--seed", "7") == ids("--limit", "2", "--seed", "7")[:1]
    assert sorted(ids("--seed", "7")) == ["q1", "q2", "q3"]


def test_split_keeps_only_its_cases_and_says_when_there_are_none(run):
    record = json.loads(run("--split", "test", "--json").stdout)

    assert {case["case_id"] for case in record["cases"]} == {"q2"}
    with pytest.raises(CaseError, match="none of the 3 QA cases is of split 'valid'"):
        run("--split", "valid")


def test_cases_takes_several_paths_after_one_flag(engine, write, tmp_path):
    first, second = write("x/a.jsonl", CASES[:1]), write("y/b.jsonl", CASES[1:])
    out = str(tmp_path / "runs")

    line = ["--cases", str(first), str(second), "--json", "--out", out]
    record = json.loads(CliRunner().invoke(eval_command, line, obj=engine).stdout)

    assert len(record["cases"]) == 6
    assert list(record["datasets"]) == ["x", "y"]
    assert record["datasets"]["x"]["modes"]["agent"]["metrics"]["evidence_recall"]["n"] == 1


def test_several_datasets_are_never_pooled_on_the_terminal(engine, write, tmp_path):
    first, second = write("x/a.jsonl", CASES[:1]), write("y/b.jsonl", CASES[1:])

    line = ["--cases", str(first), str(second), "--out", str(tmp_path / "runs")]
    lines = CliRunner().invoke(eval_command, line, obj=engine).stdout.splitlines()

    assert [x.split()[:2] for x in lines if " QA case" in x] == [["x", "1"], ["y", "2"]]
    assert sum(x.startswith("evidence_recall") for x in lines) == 2


@pytest.mark.parametrize(
    ("bars", "code", "said"),
    [
        (["--mode", "agent", "--fail-under", "evidence_recall=1"], 0, ""),
        (
            ["--fail-under", "evidence_recall=0.5"],
            1,
            "evidence_recall of oneshot is 0.0000, below 0.5",
        ),
        (
            ["--split", "test", "--fail-under", "evidence_f1=0.1", "--fail-under", "span/iou=0.9"],
            1,
            "span/iou of agent is 0.2647, below 0.9",  # 9 of 34 characters
        ),
    ],
    ids=["reached", "one mode below", "several bars"],
)
def test_a_mean_below_its_bar_is_exit_1_with_a_line(run, bars, code, said):
    result = run(*bars)

    assert result.exit_code == code
    assert said in result.stderr


def test_a_mean_without_a_value_does_not_reach_its_bar(run, write):
    cases = write("none.jsonl", CASES[2:])

    result = run("--mode", "agent", "--fail-under", "evidence_recall=0", cases=cases)

    assert result.exit_code == 1
    assert "evidence_recall of agent has no value" in result.stderr


@pytest.mark.parametrize(
    ("bar", "said"),
    [
        ("evidence_recal=0.5", "no QA metric 'evidence_recal'"),
        ("evidence_recall", "expected METRIC=VALUE"),
        ("evidence_recall=70", "a fraction from 0 to 1"),
        ("evidence_recall=nan", "a fraction from 0 to 1"),
    ],
)
def test_a_bar_that_cannot_be_checked_is_refused_before_the_run(run, tmp_path, bar, said):
    with pytest.raises(ConfigurationError, match=said):
        run("--fail-under", bar)

    assert not (tmp_path / "runs").exists()


def test_a_folder_of_the_other_kind_names_the_option_for_it(run, write, tmp_path):
    write("arcs/a.jsonl", [{"chat": "trip", "question": "d", "phases": []}])

    with pytest.raises(
        CaseError, match=r"no QA case there \(.*left out 1 ARC case.*add --arc-cases"
    ):
        run(cases=tmp_path / "arcs")


def test_a_mode_that_is_not_there_is_told_with_those_that_are(run):
    with pytest.raises(
        ConfigurationError, match=r"no mode 'agnet'; known modes: agent.*MODULE:FUNC"
    ):
        run("--mode", "agnet")


def test_a_failing_case_is_counted_apart_and_exits_3(run, engine, scripted, script, tmp_path):
    failing = {"agent": scripted({"a": script(error=TimeoutError("late"))})}

    result = run(engine=Engine(failing, engine.load, engine.deps_for))

    record = json.loads((_folders(tmp_path)[0] / "results.json").read_text("utf-8"))
    assert result.exit_code == 3
    assert "agent: 1 of 3 cases failed" in result.stdout
    assert "1 of 3 runs failed; their rows say why, the first (q1, agent): TimeoutError: late" in (
        result.stderr
    )
    assert record["cases"][0]["error"] == "TimeoutError: late"
    assert record["modes"]["agent"]["metrics"]["evidence_recall"]["n"] == 1


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_leaves_what_is_done_and_exits_130(
    run, engine, scripted, script, tmp_path, jobs
):
    stopping = {
        "agent": scripted({"a": script(cited={1: (0, 9)}), "c": script(error=KeyboardInterrupt())})
    }

    result = run("--jobs", jobs, engine=Engine(stopping, engine.load, engine.deps_for))

    (folder,) = _folders(tmp_path)
    rows = (folder / "rows.jsonl").read_text("utf-8").splitlines()
    record = json.loads((folder / "results.json").read_text("utf-8"))
    assert result.exit_code == 130
    assert record["complete"] is False
    assert len(rows) == len(record["cases"])
    assert [c["case_id"] for c in record["cases"]] == ["q1", "q2"]


def test_the_same_command_twice_makes_two_folders(run, tmp_path):
    run()
    run()

    assert len(_folders(tmp_path)) == 2


def test_missing_chats_are_told_before_the_first_case(run, write, tmp_path):
    cases = write("other.jsonl", [{**CASES[0], "chat": "nowhere"}])

    with pytest.raises(ChatNotFoundError, match="nowhere"):
        run(cases=cases)

    assert not (tmp_path / "runs").exists()


def test_a_path_that_does_not_exist_is_a_usage_error(engine):
    result = CliRunner().invoke(eval_command, ["--cases", "no/such/file"], obj=engine)

    assert result.exit_code == 2
    assert "no/such/file" in result.stderr


def test_importing_the_command_and_its_help_load_nothing_heavy():
    code = (
        "import sys; from click.testing import CliRunner; from eval.command import eval_command;"
        "r = CliRunner().invoke(eval_command, ['--help']); assert r.exit_code == 0, r.output;"
        "heavy = {'numpy', 'rich', 'langgraph', 'langchain_core', 'pydantic'} & set(sys.modules);"
        "assert not heavy, heavy"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_a_note_of_any_length_and_with_any_character_is_one_inert_line(run, write):
    evidence = ["\x1b[2J" + "x" * 100_000]
    cases = write("odd.jsonl", [{"chat": "trip", "question": "a", "evidence": evidence}])

    told = run("--mode", "agent", cases=cases).stderr

    assert "\x1b" not in told
    assert max(map(len, told.splitlines())) < 900


def test_json_on_a_narrow_stdout_is_json_all_the_same(run, write):
    cases = write("wide.jsonl", [{"chat": "trip", "question": "Où 😀?", "evidence": [1]}])

    result = run("--json", "--mode", "agent", cases=cases, charset="latin-1")

    assert json.loads(result.stdout_bytes.decode("latin-1"))["cases"][0]["question"] == "Où 😀?"
