import json
from dataclasses import replace

import pytest

from eval.benchmark import benchmark
from eval.folder import RunFolder, open_folder
from eval.preparing import Request, prepare
from eval.resuming import resume
from sayso.errors import ConfigurationError, InputError

Q = {"chat": "trip", "question": "a", "evidence": [1]}


def described(folder):
    return json.loads((folder / "run.json").read_text("utf-8"))


def described_as(folder, record):
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")


@pytest.fixture
def in_a_folder(run_eval, write, tmp_path):
    """A run over a folder of two case files, and that folder."""
    cases = write("set/a.jsonl", [Q | {"caseId": "a"}]).parent
    write("set/b.jsonl", [Q | {"caseId": "b"}])
    run_eval("--no-report", cases=cases)
    (run,) = (tmp_path / "runs").iterdir()
    return run, cases


def test_a_case_file_that_came_or_went_ends_the_resuming(in_a_folder, write, sub):
    run, cases = in_a_folder
    write("set/c.jsonl", [Q | {"caseId": "c"}])
    with pytest.raises(ConfigurationError, match=r"c\.jsonl \(new\)"):
        sub("--resume", run)
    (cases / "c.jsonl").unlink()

    (cases / "b.jsonl").unlink()

    with pytest.raises(ConfigurationError, match=r"b\.jsonl \(gone\)"):
        sub("--resume", run)


def test_a_case_file_beyond_the_limit_may_not_change_either(run_eval, write, sub, tmp_path):
    cases = write("set/a.jsonl", [Q | {"caseId": "a"}]).parent
    write("set/b.jsonl", [Q | {"caseId": "b"}])
    run_eval("--no-report", "--limit", "1", cases=cases)
    (run,) = (tmp_path / "runs").iterdir()
    write("set/b.jsonl", [Q | {"caseId": "b2"}])

    with pytest.raises(ConfigurationError, match=r"b\.jsonl"):
        sub("--resume", run)


def test_a_chat_that_changed_while_a_smaller_limit_left_it_out_is_noticed(
    two_modes, chat, write, run_eval, sub, tmp_path
):
    chats = {"trip": chat, "second": chat.model_copy(update={"chat_id": "second"})}
    engine = replace(two_modes, load=chats.__getitem__)
    cases = write("set/a.jsonl", [Q | {"caseId": "a"}, Q | {"caseId": "b", "chat": "second"}])
    run_eval("--no-report", cases=cases, engine=engine)
    (run,) = (tmp_path / "runs").iterdir()
    sub("--resume", run, "--limit", "1", engine=engine)
    chats["second"] = chats["second"].model_copy(update={"title": "Another"})

    with pytest.raises(ConfigurationError, match="chat second"):
        sub("--resume", run, "--limit", "2", engine=engine)


def test_an_overlay_that_changed_ends_the_resuming(made, sub, write):
    line = {"caseId": "q1", "published": [1], "proposed": [5], "signed": "M. Reader"}
    overlay = write("overlay.jsonl", [line])
    run, _ = made("--overlay", str(overlay))
    write("overlay.jsonl", [line | {"proposed": [6]}])

    with pytest.raises(ConfigurationError, match="the overlay"):
        sub("--resume", run)


def test_code_that_changed_is_told_and_the_new_rows_have_another_key(made, sub):
    run, _ = made("--limit", "1")
    record = described(run)
    record["config"]["code"]["sayso"] = "0" * 64
    described_as(run, record)

    result = sub("--resume", run, "--limit", "2")

    assert "the code of sayso is no longer that of the 2 runs that stay" in result.stderr
    assert len(described(run)["config"]["code"]["sayso"]) == 64
    lines = (run / "rows.jsonl").read_text("utf-8").splitlines()
    assert len({json.loads(line)["config"] for line in lines}) == 1  # as they were written


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--mode", "agent"], "--mode cannot change"),
        (["--oracle-retrieval"], "--oracle cannot change"),
        (["--case-seconds", "5"], "--case-seconds cannot change"),
        (["--arc-cases"], "--arc-cases cannot change"),
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
def test_a_flag_that_would_make_another_run_is_named(made, sub, flags, told):
    run, _ = made()

    result = sub("--resume", run, *flags)

    assert result.exit_code == 2
    assert told in result.stderr


@pytest.mark.parametrize(
    "part", [{"request": {"kind": "qa", "colour": "red"}}, {"config": 5}, {"timestamp": None}]
)
def test_a_run_json_that_was_edited_is_an_input_error(made, two_modes, part):
    run, _ = made()
    described_as(run, described(run) | part)

    with pytest.raises(InputError, match=r"[Ss]tart a new run"):
        resume(run, two_modes)


def test_rows_of_both_a_failure_and_its_second_try_count_once(made, sub):
    run, _ = made()
    lines = (run / "rows.jsonl").read_text("utf-8")
    (run / "rows.jsonl").write_text(lines + lines, encoding="utf-8")

    assert sub("--resume", run).exit_code == 0
    assert len(open_folder(run)[0].kept().rows) == 6
    assert json.loads((run / "results.json").read_text())["modes"]["agent"]["cases"] == 3


@pytest.mark.parametrize("jobs", [1, 4])
def test_a_row_is_in_the_file_before_anybody_hears_of_it(two_modes, write, tmp_path, jobs):
    cases = write("set/a.jsonl", [Q | {"caseId": f"q{n}"} for n in range(9)])
    request = Request(cases=(cases,), jobs=jobs, out=tmp_path / "runs")
    heard = []

    def on_row(row):
        (run,) = (tmp_path / "runs").iterdir()
        kept = {(r.case_id, r.mode) for r in RunFolder(run).kept().rows}
        heard.append((row.case_id, row.mode) in kept)

    benchmark(prepare(request, two_modes), two_modes, on_row=on_row)

    assert heard == [True] * 18


def test_a_mode_that_leaves_what_cannot_be_scored_fails_its_case_only(
    two_modes, write, run_eval, tmp_path
):
    def elsewhere(question, deps):
        trail = two_modes.modes["agent"](question, deps)
        if question.text == "b":
            (claim,) = trail.answer.claims
            (one,) = claim.evidence
            lost = claim.model_copy(update={"evidence": (one.model_copy(update={"local_id": 99}),)})
            answer = trail.answer.model_copy(update={"claims": (lost,)})
            return trail.model_copy(update={"answer": answer})
        return trail

    cases = write("set/a.jsonl", [Q | {"caseId": "a"}, Q | {"caseId": "b", "question": "b"}])
    engine = replace(two_modes, modes={"agent": elsewhere})

    result = run_eval("--no-report", "--mode", "agent", cases=cases, engine=engine)

    assert result.exit_code == 3
    (run,) = (tmp_path / "runs").iterdir()
    assert [row.error for row in RunFolder(run).kept().rows] == [
        None,
        "cannot be scored: KeyError: 99",
    ]


def test_a_run_that_another_process_writes_is_not_resumed_until_that_ends(made, sub):
    run, _ = made("--limit", "1")
    other = open_folder(run)[0].hold()

    with pytest.raises(InputError, match="another process is writing this run"):
        sub("--resume", run, "--limit", "2")

    other.let_go()
    assert sub("--resume", run, "--limit", "2").exit_code == 0
    assert sub("--resume", run, "--limit", "2").exit_code == 0


def test_rows_that_another_process_added_since_they_were_read_end_the_resuming(made, two_modes):
    run, _ = made("--limit", "1")
    first, second = (resume(run, two_modes, limit=2) for _ in range(2))
    benchmark(first, two_modes)

    with pytest.raises(InputError, match="another process wrote to this run"):
        benchmark(second, two_modes)

    assert len(RunFolder(run).kept().rows) == 4
    assert len((run / "rows.jsonl").read_text("utf-8").splitlines()) == 4
