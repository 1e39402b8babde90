"""Threads through the command line: kept, gone on with, begun anew, listed, shown, removed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sayso.chats.threads import ThreadStore
from sayso.errors import StoreError
from tests.cli.conftest import HEADER, Sayso, write_chat

KAYAK = "What did Bo say about the kayak?"


def questions(sayso: Sayso, name: str) -> list[str]:
    shown = json.loads(sayso("threads", "show", name, "--json").out)
    return [kept["turn"]["question"] for kept in shown["turns"]]


def test_a_thread_is_gone_on_with_and_the_follow_up_is_understood(imported: Sayso) -> None:
    imported("ask", KAYAK, "--thread", "boats")

    follow_up = json.loads(imported("ask", "and Ana?", "--thread", "boats", "--json").out)

    assert questions(imported, "boats") == [KAYAK, "and Ana?"]
    assert follow_up["question"] == "and Ana?"
    assert follow_up["trail"]["plan"]["people"] == ["Ana María"]
    assert any("What did Ana" in note for note in follow_up["trail"]["plan"]["notes"])
    assert follow_up["trail"]["ranking"][0]["localId"] == 3


def test_without_a_thread_nothing_is_kept(imported: Sayso, home: Path) -> None:
    imported("ask", KAYAK)

    assert not (home / "threads.sqlite").exists()
    assert "no thread is kept" in imported("threads").err


def test_new_begins_a_thread_anew(imported: Sayso) -> None:
    imported("ask", KAYAK, "--thread", "boats")

    anew = json.loads(imported("ask", "and Ana?", "--thread", "boats", "--new", "--json").out)

    assert anew["trail"]["question"]["history"] == []
    assert questions(imported, "boats") == ["and Ana?"]


def test_new_keeps_the_old_turns_where_the_question_cannot_be_asked(imported: Sayso) -> None:
    imported("ask", KAYAK, "--thread", "boats")

    assert imported("ask", "x", "--thread", "boats", "--new", "--from", "Zoe").code == 2

    assert questions(imported, "boats") == [KAYAK]


def test_new_without_a_thread_is_a_usage_error(imported: Sayso) -> None:
    ran = imported("ask", KAYAK, "--new")

    assert (ran.code, ran.out) == (2, "")
    assert "--thread NAME" in ran.err


def test_a_thread_stays_with_its_chat_unless_it_is_begun_anew(
    imported: Sayso, tmp_path: Path
) -> None:
    other = str(write_chat(tmp_path / "other.jsonl", {**HEADER, "chatId": "other"}))
    imported("ask", KAYAK, "--thread", "boats")

    ran = imported("ask", KAYAK, "--thread", "boats", "--chat", other)

    assert (ran.code, ran.out) == (2, "")
    assert "is about chat 'trip', not 'other'" in ran.err
    assert imported("ask", KAYAK, "--thread", "boats", "--chat", other, "--new").code == 0


def test_threads_are_listed_the_last_asked_first(imported: Sayso) -> None:
    for name in ("boats", "music"):
        imported("ask", KAYAK, "--thread", name)
    imported("ask", "Who teaches violin?", "--thread", "boats")

    listed = json.loads(imported("threads", "--json").out)
    head, first, second = imported("threads").out.splitlines()

    assert [(t["name"], t["chatId"], t["turns"]) for t in listed] == [
        ("boats", "trip", 2), ("music", "trip", 1),
    ]  # fmt: skip
    assert head.split()[:3] == ["name", "chat", "turns"]
    assert first.startswith("boats  trip")
    assert first.endswith("Who teaches violin?")
    assert second.startswith("music")


def test_a_thread_is_shown_with_its_answers_and_what_they_cite(imported: Sayso) -> None:
    imported("ask", "Who teaches violin?", "--thread", "music")

    question, answer = imported("threads", "show", "music").out.splitlines()

    assert question == "? Who teaches violin?"
    assert answer.endswith("  #8")


def test_a_removed_thread_is_gone(imported: Sayso) -> None:
    imported("ask", KAYAK, "--thread", "boats")

    assert imported("threads", "rm", "boats").code == 0

    for command in ("show", "rm"):
        ran = imported("threads", command, "boats")
        assert (ran.code, ran.out) == (2, "")
        assert "no thread 'boats'" in ran.err


def test_a_session_keeps_its_turns_for_itself(imported: Sayso, home: Path) -> None:
    ran = imported("ask", "--json", stdin=f"{KAYAK}\nand Ana?\n:chat trip\n")

    first, second = map(json.loads, ran.out.splitlines())
    assert first["trail"]["question"]["history"] == []
    assert [t["question"] for t in second["trail"]["question"]["history"]] == [KAYAK]
    assert not (home / "threads.sqlite").exists()


def test_a_sessions_turns_go_to_the_thread_that_it_names(imported: Sayso) -> None:
    imported("ask", "--thread", "boats", stdin=f"{KAYAK}\nand Ana?\n")

    assert questions(imported, "boats") == [KAYAK, "and Ana?"]


def test_what_a_thread_holds_is_inert_on_a_terminal(imported: Sayso) -> None:
    imported("ask", "kayak \x1b[2J?", "--thread", "odd \x1b]0;x\x07")

    assert "\x1b" not in imported("threads").out
    assert "\x1b" not in imported("threads", "show", "odd \x1b]0;x\x07").out


def test_two_processes_that_write_one_thread_at_once_lose_no_turn(tmp_path: Path) -> None:
    program = (
        "import sys; from datetime import UTC, datetime; from pathlib import Path\n"
        "from sayso.chats.threads import KeptTurn, ThreadStore; from sayso.core.models import Turn\n"
        "sys.stdin.readline()\n"
        "for n in range(40):\n"
        "    turn = Turn(question=f'{sys.argv[2]}{n}', answer='yes')\n"
        "    kept = KeptTurn(turn=turn, mode='agent', at=datetime.now(UTC))\n"
        "    ThreadStore(Path(sys.argv[1])).add('one', 'c', kept)\n"
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path), name], stdin=subprocess.PIPE, text=True
        )
        for name in "ab"
    ]
    for writer in writers:  # both are loaded before either begins
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        with writer:
            pass

    assert [writer.returncode for writer in writers] == [0, 0]
    thread = ThreadStore(tmp_path).load("one")
    assert thread is not None
    asked = [turn.question for turn in thread.history]
    for name in "ab":
        assert [q for q in asked if q.startswith(name)] == [f"{name}{n}" for n in range(40)]


@pytest.mark.parametrize(
    "name", ["", "  ", "a\x00b", "two\nlines", "\x1b[2J", "\ud800", "x" * 101], ids=ascii
)
def test_a_name_that_could_not_be_shown_or_typed_again_is_refused(
    imported: Sayso, home: Path, name: str
) -> None:
    for command in (("ask", "Who bought a kayak?", "--thread", name), ("threads", "show", name),
                    ("threads", "rm", name)):  # fmt: skip
        ran = imported(*command)

        assert (ran.code, ran.out) == (2, "")
        assert "a name of 1 to 100" in ran.err
    assert not (home / "threads.sqlite").exists()


@pytest.mark.parametrize(
    "name", ["../etc", "a/b", "名前 🧵", "'; drop table turns; --", "it’s", "👨‍👩‍👧"]
)
def test_any_name_of_letters_and_marks_is_a_name(imported: Sayso, name: str) -> None:
    assert imported("ask", "Who bought a kayak?", "--thread", name).code == 0

    assert imported("threads", "show", name).out.startswith("? Who bought a kayak?")
    assert [t["name"] for t in json.loads(imported("threads", "--json").out)] == [name]


def test_an_answer_is_told_though_its_turn_cannot_be_kept(
    imported: Sayso, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: ThreadStore, *turn: object) -> None:
        raise StoreError("threads.sqlite: cannot be read or written: disk is full")

    monkeypatch.setattr(ThreadStore, "add", full)

    ran = imported("ask", "Who bought a kayak?", "--thread", "trip")

    assert ran.code == 0
    assert "#3" in ran.out
    assert "this turn is not kept: threads.sqlite: cannot be read" in ran.err
