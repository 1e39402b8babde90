import os
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from sayso.cli.main import COMMANDS, Entry, run
from sayso.errors import InputError, ReasoningError

ROOT = Path(__file__).parents[2]
HEAVY = ("langgraph", "langchain", "numpy", "rich", "onnxruntime", "scipy", "prompt_toolkit")

FAULTS: dict[str, BaseException] = {
    "input": InputError("chat 'x': not there;\n  try sayso chats \x1b[2J"),
    "reasoning": ReasoningError("no reply"),
    "odd": ValueError("odd"),
    "interrupt": KeyboardInterrupt(),
    "pipe": BrokenPipeError(),
    "file": click.ClickException("cannot"),
}


@click.command()
@click.argument("fault")
def boom(fault: str) -> None:
    raise FAULTS[fault]


@pytest.fixture(autouse=True)
def _boom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "boom", Entry(__name__, "boom", "Fail."))
    monkeypatch.delenv("SAYSO_DEBUG", raising=False)


def sayso(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sayso", *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, **environ},
    )  # fmt: skip


def test_help_lists_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys; from sayso.cli.main import run; assert run(['--help']) == 0; "
        f"print([m for m in sys.modules if m.startswith({HEAVY!r})])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"
    for name in ("import", "chats", "show", "search", "ask", "eval", "export"):
        assert f"\n  {name} " in done.stdout


def test_version_is_told() -> None:
    done = sayso("--version")

    assert done.stdout.startswith("sayso, version ")
    assert done.returncode == 0


def test_an_unknown_command_and_an_unknown_flag_are_usage_errors() -> None:
    assert sayso("nonsense").returncode == 2
    assert sayso("--nonsense").stderr == "sayso: No such option '--nonsense'. (see: sayso --help)\n"


def test_no_command_shows_the_help() -> None:
    done = sayso()

    assert "Commands:" in done.stderr
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        ("input", 2, "sayso: chat 'x': not there; try sayso chats ␛[2J\n"),
        ("reasoning", 4, "sayso: no reply\n"),
        ("file", 2, "sayso: cannot\n"),
        (
            "odd", 4,
            "sayso: unexpected error, a fault of sayso: ValueError: odd"
            " (SAYSO_DEBUG=1 shows the traceback)\n",
        ),
    ],
    ids=["input", "reasoning", "file", "unexpected"],
)  # fmt: skip
def test_an_error_is_one_line_on_stderr_and_a_code(
    fault: str, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["boom", fault]) == code

    assert capsys.readouterr() == ("", told)


def test_the_traceback_is_shown_to_those_who_debug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SAYSO_DEBUG", "1")

    assert run(["boom", "odd"]) == 4

    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_an_interrupt_exits_with_130() -> None:
    assert run(["boom", "interrupt"]) == 130


def test_a_reader_that_left_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)

    done = subprocess.run(
        [sys.executable, "-m", "sayso", "--help"],
        stdout=write, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip

    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_file_that_is_not_there_ends_the_process_with_2(tmp_path: Path) -> None:
    done = sayso("import", str(tmp_path / "gone.txt"), SAYSO_HOME=str(tmp_path / "home"))

    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (OSError(28, "No space left on device"), "a full disk?"),
        (PermissionError(13, "Permission denied", "/home/x"), "/home/x: cannot be read or written"),
    ],
    ids=["full disk", "folder"],
)
def test_what_the_system_refuses_is_one_line_and_exit_2(
    fault: OSError, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(FAULTS, "refused", fault)

    assert run(["boom", "refused"]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_fault(closed: str, tmp_path: Path) -> None:
    line = f'"{sys.executable}" -m sayso chats {closed}'
    environ = {**os.environ, "SAYSO_HOME": str(tmp_path)}

    ran = subprocess.run(["sh", "-c", line], capture_output=True, check=False, env=environ)

    assert ran.returncode == 0
    assert b"unexpected" not in ran.stderr


def test_ctrl_c_ends_the_process_with_130_wherever_it_strikes() -> None:
    # Within exec(), an interrupt marks the interpreter, which would then die by the signal.
    program = (
        "import sys, sayso.cli.main as main\n"
        "def struck(arguments):\n"
        "    try:\n"
        "        exec('raise KeyboardInterrupt')\n"
        "    except KeyboardInterrupt:\n"
        "        return 130\n"
        "main.run = struck\n"
        "main.main()\n"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert (ran.returncode, ran.stderr) == (130, b"")


@pytest.mark.parametrize("blocked", ["click", "sayso.cli.main"])
def test_ctrl_c_while_the_program_still_loads_is_one_line_and_130(blocked: str) -> None:
    # An importer that is struck stands for a key pressed in the first tenths of a second.
    program = (
        "import sys\n"
        "class Struck:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {blocked!r}:\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Struck())\n"
        "from sayso.__main__ import main\n"
        "main()\n"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "sayso: interrupted\n")


def test_the_installed_command_is_the_one_that_guards_its_own_loading() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    assert project["scripts"] == {"sayso": "sayso.__main__:main"}
