import io
import json
import stat
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from sayso.cli.session import _terminal
from tests.cli.conftest import HEADER, Sayso, write_chat


def test_each_line_of_a_pipe_is_answered(imported: Sayso) -> None:
    ran = imported("ask", stdin="Who bought a kayak?\n\nWhere is the kayak kept?\n")

    assert ran.code == 0
    assert ran.out.count("· stopped: ") == 2
    assert ran.err.count("no language model is configured") == 1


def test_each_question_of_a_pipe_stands_above_its_answer(imported: Sayso) -> None:
    ran = imported("ask", stdin="Who bought a \x1b[2Jkayak?\n:mode oneshot\nviolin?\n")

    lines = ran.out.splitlines()
    assert [line for line in lines if line.startswith(">")] == [
        "> Who bought a ␛[2Jkayak?", "> violin?",
    ]  # fmt: skip
    assert lines[0] == "> Who bought a ␛[2Jkayak?"
    assert lines[lines.index("mode: oneshot") + 1] == "> violin?"
    assert ">" not in imported("ask", "Who bought a kayak?").out
    assert "\n>" not in imported("ask", "--jsonl", stdin="violin?\n").out


def test_each_line_of_a_pipe_is_one_line_of_json(imported: Sayso) -> None:
    ran = imported("ask", "--json", stdin="Who bought a kayak?\n:mode oneshot\nviolin?\n")

    first, second = map(json.loads, ran.out.splitlines())
    assert (first["question"], first["mode"]) == ("Who bought a kayak?", "agent")
    assert (second["question"], second["mode"]) == ("violin?", "oneshot")


def test_commands_work_from_a_pipe(imported: Sayso) -> None:
    ran = imported(
        "ask", stdin=":mode oneshot\nWho bought a kayak?\n:why\n:show 3\n:chat trip\n:help\n:quit\nlost\n"
    )  # fmt: skip

    assert ran.code == 0
    assert "mode: oneshot\n" in ran.out
    assert "oneshot · stopped: " in ran.out
    assert "Plan\n  intent: " in ran.out
    assert "▶ #3  Ana María" in ran.out
    assert "chat: trip, 8 messages\n" in ran.out
    assert ":why " in ran.out
    assert "lost" not in ran.out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (":nonsense", "no command ':nonsense'; there are :mode agent|oneshot|whole, :chat NAME,"),
        (":mode magic", "no mode 'magic'; there are agent, oneshot, whole"),
        (":show soon", ":show takes a localId such as 14"),
        pytest.param(":show " + "9" * 5000, ":show takes a localId such as 14", id=":show 999…"),
        (":show 99", "chat trip has no message 99"),
        (":chat nobody", "nobody"),
        (":why", "nothing was asked yet"),
    ],
    ids=lambda given: given.split()[0] if given.startswith(":") else "",
)
def test_a_command_that_cannot_be_done_says_why_and_the_session_goes_on(
    imported: Sayso, line: str, told: str
) -> None:
    ran = imported("ask", stdin=f"{line}\n:mode\n")

    assert told in ran.err
    assert ran.out == "mode: agent\n"
    assert ran.code == 2


def test_turning_to_another_chat_asks_that_one(imported: Sayso, tmp_path: Path) -> None:
    other = write_chat(tmp_path / "other.jsonl", {**HEADER, "chatId": "other"})

    ran = imported("ask", "--json", stdin=f":chat {other}\nWho bought a kayak?\n")

    assert json.loads(ran.out)["chatId"] == "other"


def test_a_wrong_chat_ends_the_session_before_any_question(imported: Sayso) -> None:
    ran = imported("ask", "--chat", "nobody", stdin="Who bought a kayak?\n")

    assert (ran.code, ran.out) == (2, "")


def test_the_terminal_edits_lines_and_keeps_history_for_its_owner_alone(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        read = _terminal(home)
        keys.send_text("where?x\x7f\n")
        first = read()
        keys.send_text("\x1b[A\n")
        again = read()
        keys.send_text("half a line\x03")
        with pytest.raises(KeyboardInterrupt):
            read()
        keys.send_text("\x04")
        with pytest.raises(EOFError):
            read()

    assert (first, again) == ("where?", "where?")
    assert stat.S_IMODE((home / "history").stat().st_mode) == 0o600


def test_a_terminal_that_edits_no_lines_gives_them_as_they_come_and_ends_the_session(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdin", io.StringIO("Who bought a kayak?\n"))
    read = _terminal(tmp_path)

    assert read() == "Who bought a kayak?\n"
    with pytest.raises(EOFError):
        read()
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "sayso> sayso> ")
