"""The commands that stand alone end as those of ``sayso`` do: one line and an exit code."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from subprocess import PIPE

import click
import pytest

from eval.standing_alone import run
from sayso.errors import CaseError, ReasoningError
from sayso.paths import arc_data_dir

QA = arc_data_dir() / "cases" / "qa"
ARCS = arc_data_dir() / "cases" / "arc"
CHATS = ("--chats", str(arc_data_dir() / "chats"))
OF_QUESTIONS = ("fit", "fit_rounds", "fit_phrases", "ablation", "round_ceiling")


@click.command()
def command() -> None:
    """Nothing."""


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        pytest.param(CaseError("no case there"), 2, "sayso: no case there", id="bad input"),
        pytest.param(ReasoningError("no reply"), 4, "sayso: no reply", id="no model"),
        pytest.param(click.UsageError("what?"), 2, "sayso: what?", id="usage"),
        pytest.param(PermissionError(13, "denied", "/x"), 2, "sayso: /x: denied", id="no right"),
        pytest.param(OSError(28, "full"), 2, "cannot be read or written: full", id="a full disk"),
        pytest.param(KeyError("x"), 4, "sayso: unexpected error: KeyError: 'x'", id="a fault"),
        pytest.param(KeyboardInterrupt(), 130, "", id="ctrl-C"),
    ],
)
def test_every_error_is_one_line_and_a_code(error, code, said, monkeypatch, capsys):
    def fail() -> None:
        raise error

    monkeypatch.delenv("SAYSO_DEBUG", raising=False)
    monkeypatch.setattr(command, "callback", fail)

    assert run(command, []) == code
    told = capsys.readouterr()
    assert said in told.err
    assert (told.out, told.err.strip().count("\n")) == ("", 0)


@pytest.mark.parametrize(
    "name", [*OF_QUESTIONS, "fit_arcs", "fit_encoder", "fit_reader", "hardness"]
)
def test_a_file_in_the_place_of_the_folder_of_chats_is_refused(name, capsys):
    main = import_module(f"eval.{name}").main

    assert run(main, [str(QA), "--chats", __file__]) == 2
    assert "--chats" in capsys.readouterr().err


@pytest.mark.parametrize("said", ["click.echo('x' * 1000)", "console().print('x' * 1000)"])
def test_a_reader_that_has_seen_enough_is_no_fault(said):
    code = (
        "import sys, click; from eval.standing_alone import run; from eval.table import console\n"
        "@click.command()\n"
        f"def command(): [{said} for _ in range(1000)]\n"
        "sys.exit(run(command, []))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=PIPE, stderr=PIPE) as started:
        assert started.stdout is not None
        assert started.stderr is not None
        started.stdout.read(10)
        started.stdout.close()
        said = started.stderr.read()

    assert (started.returncode, said) == (0, b"")


def test_the_traceback_is_there_for_who_asks_for_it(monkeypatch, capsys):
    def fail() -> None:
        raise CaseError("no case there")

    monkeypatch.setenv("SAYSO_DEBUG", "1")
    monkeypatch.setattr(command, "callback", fail)

    assert run(command, []) == 2
    assert "Traceback" in capsys.readouterr().err


def test_what_is_done_and_help_end_with_0(capsys):
    assert run(command, []) == 0
    assert run(command, ["--help"]) == 0
    assert "Nothing." in capsys.readouterr().out


@pytest.fixture
def ran(tmp_path, monkeypatch, capsys):
    """Runs a command of eval in a fresh home; its code and what it says on stderr."""
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path / "home"))

    def made(module: str, *arguments: object) -> tuple[int, str]:
        code = run(import_module(f"eval.{module}").main, [*map(str, arguments)])
        return code, capsys.readouterr().err

    return made


def cases(path: Path, **changes: object) -> Path:
    """A file of the first shipped case, changed."""
    first = json.loads((QA / "lena_and_jonah.jsonl").read_text(encoding="utf-8").splitlines()[0])
    path.write_text(json.dumps({**first, **changes}) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("module", [*OF_QUESTIONS, "fit_arcs"])
def test_nothing_to_do_is_bad_input_and_nothing_is_written(module, ran, tmp_path):
    (tmp_path / "none").mkdir()
    out = tmp_path / "out.json"
    writes = ("--out", out) if module.startswith("fit") else ()

    code, said = ran(module, tmp_path / "none", *writes)

    assert code == 2
    assert f"{tmp_path / 'none'}: no " in said
    assert not out.exists()


@pytest.mark.parametrize("module", [*OF_QUESTIONS, "fit_arcs"])
def test_an_empty_file_of_cases_is_told_without_a_traceback(module, ran, tmp_path):
    path = tmp_path / "empty.jsonl"
    path.write_text("", encoding="utf-8")

    code, said = ran(module, path)

    assert (code, said.count("\n")) == (2, 1)
    assert f"{path}: is empty" in said


@pytest.mark.parametrize("module", OF_QUESTIONS)
def test_a_chat_that_is_not_there_is_told_without_a_traceback(module, ran, tmp_path):
    code, said = ran(module, cases(tmp_path / "mine.jsonl", chat="nowhere"))

    assert code == 2
    assert "the cases need chats that are not there: nowhere" in said


@pytest.mark.parametrize("module", OF_QUESTIONS)
def test_cases_without_an_answer_alone_are_nothing_to_learn_from(module, ran, tmp_path):
    path = cases(tmp_path / "mine.jsonl", answerable=False, answer=None, evidence=[], spans=[])
    out = tmp_path / "out.json"
    writes = ("--out", out) if module.startswith("fit") else ()

    code, said = ran(module, path, *CHATS, *writes)

    assert code == 2
    assert f"sayso: {path}: " in said
    assert not out.exists()


@pytest.mark.parametrize("module", ["fit", "ablation"])
def test_one_group_of_people_cannot_judge_itself(module, ran):
    code, said = ran(module, QA / "lena_and_jonah.jsonl")

    assert code == 2
    assert "18 cases of one group of people" in said


def test_arcs_of_one_group_of_people_cannot_judge_themselves_either(ran):
    code, said = ran("fit_arcs", ARCS / "lena_and_jonah.jsonl")

    assert code == 2
    assert "fewer than two groups of people have an arc that is there" in said


def test_other_data_sets_that_are_not_there_judge_nothing(ran):
    code, said = ran("fit", QA, "--transfer")

    assert code == 2
    assert "--transfer: fewer than two data sets" in said


def test_cases_that_teach_no_phrase_are_not_left_out_without_a_word(ran, tmp_path):
    (tmp_path / "none").mkdir()

    code, said = ran("fit", QA, "--phrases", tmp_path / "none")

    assert code == 2
    assert "no case there teaches a phrase" in said


@pytest.mark.parametrize("module", ["fit", "fit_rounds", "fit_phrases", "fit_arcs"])
@pytest.mark.parametrize("out", ["folder", "nowhere/x.json", "damaged.json"])
def test_where_nothing_can_be_written_is_told_before_anything_is_fitted(module, out, ran, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "damaged.json").write_text("{", encoding="utf-8")

    # Cases that would be refused themselves, if they were looked at first.
    code, said = ran(module, tmp_path / "folder", "--out", tmp_path / out)

    assert code == 2
    assert str(tmp_path / out) in said
    assert "no question case" not in said
    assert (tmp_path / "damaged.json").read_text(encoding="utf-8") == "{"


def test_the_benchmark_says_what_cases_it_lacks(ran, tmp_path):
    (tmp_path / "none").mkdir()

    assert ran("bench", "--cases", tmp_path / "none")[0] == 2
    assert ran("bench", "7")[0] == 2
