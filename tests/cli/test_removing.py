"""``sayso chats rm``: a chat goes with all that quotes it, and nothing goes unasked."""

import io
import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import BaseModel

from sayso.cli.main import run
from sayso.core.trail import Usage
from sayso.reasoning.reply_cache import ReplyCache
from tests.cli.conftest import HEADER, MESSAGES, Sayso, write_chat


class Terminal(io.StringIO):
    """Somebody who types the text."""

    def isatty(self) -> bool:
        return True


KAYAK = "What did Bo say about the kayak?"


class Reply(BaseModel):
    said: str


@pytest.fixture
def two(imported: Sayso, tmp_path: Path) -> Sayso:
    """Two chats of the same words, each with a thread, and a cached reply."""
    other = {**HEADER, "chatId": "lake"}
    assert imported("import", str(write_chat(tmp_path / "lake.jsonl", other))).code == 0
    for chat in ("trip", "lake"):
        imported("ask", KAYAK, "--chat", chat, "--thread", f"about {chat}")
    return imported


def holding(home: Path, words: str) -> list[str]:
    """The files below the data folder that hold the words, in UTF-8."""
    files = (p for p in home.rglob("*") if p.is_file())
    return [str(p.relative_to(home)) for p in files if words.encode() in p.read_bytes()]


def test_nothing_of_a_removed_chat_stays_in_the_data_folder(imported: Sayso, home: Path) -> None:
    imported("ask", KAYAK, "--thread", "boats")
    cache = ReplyCache(home)
    cache.keep("k", "q4", Reply(said="where will you keep it"), Usage())
    cache.close()
    (home / "replies.sqlite.damaged-1").write_bytes(b"where will you keep it")
    words = ["kayak", "Ana", *(text[:20] for _, _, text, _ in MESSAGES)]
    assert all(holding(home, word) for word in words[:2])

    ran = imported("chats", "rm", "trip", "--yes")

    assert ran.code == 0
    assert ran.out == (
        "removed trip: 8 messages, 1 index folder, 1 thread, 1 cached reply of a model (of all "
        "chats)\n"
    )
    assert "what stays: the export it came from" in ran.err
    assert [word for word in words if holding(home, word)] == []
    assert list((home / "indexes").iterdir()) == []
    assert "no chat is imported yet" in imported("chats").err


def test_another_chat_of_the_same_messages_stays_with_its_index_and_threads(
    two: Sayso, home: Path
) -> None:
    ran = two("chats", "rm", "trip", "--yes")

    assert "1 index folder" in ran.out
    assert len([p for p in (home / "indexes").iterdir() if p.is_dir()]) == 1
    assert [c["chatId"] for c in json.loads(two("chats", "--json").out)] == ["lake"]
    assert [t["name"] for t in json.loads(two("threads", "--json").out)] == ["about lake"]
    assert "kayak" in two("ask", KAYAK).out


def test_the_index_of_another_chat_stays_as_it_is(
    imported: Sayso, home: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.txt"
    other.write_text("13/01/24, 9:05 - Ana: a canoe\n13/01/24, 9:06 - Bo: mine\n", encoding="utf-8")
    imported("import", str(other))
    before = {p for p in (home / "indexes").iterdir() if p.is_dir()}

    imported("chats", "rm", "trip", "--yes")

    left = {p for p in (home / "indexes").iterdir() if p.is_dir()}
    assert len(before) == 2
    assert len(left) == 1
    assert left < before


def test_without_a_terminal_and_without_yes_it_refuses(imported: Sayso) -> None:
    ran = imported("chats", "rm", "trip", stdin="y\n")

    assert (ran.code, ran.out) == (2, "")
    assert "would remove trip; there is no terminal to ask at: say so with --yes" in ran.err
    assert len(json.loads(imported("chats", "--json").out)) == 1


@pytest.mark.parametrize(("answer", "left"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_at_a_terminal_it_asks(
    imported: Sayso,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    answer: str,
    left: int,
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(answer))

    code = run(["chats", "rm", "trip"])

    err = capsys.readouterr().err
    assert code == 0
    assert "Remove trip, and all that is kept of it?" in err
    assert ("nothing was removed" in err) == bool(left)
    assert len(json.loads(imported("chats", "--json").out)) == left


def test_of_several_ids_none_is_removed_where_one_is_not_there(two: Sayso) -> None:
    ran = two("chats", "rm", "trip", "boat", "--yes")

    assert (ran.code, ran.out) == (2, "")
    assert "no imported chat 'boat'; imported: lake, trip; nothing was removed" in ran.err
    assert len(json.loads(two("chats", "--json").out)) == 2


def test_what_was_removed_as_json(two: Sayso) -> None:
    removed = json.loads(two("chats", "rm", "trip", "lake", "trip", "--yes", "--json").out)

    assert [(r["chatId"], r["messages"], r["threads"]) for r in removed] == [
        ("trip", 8, ["about trip"]), ("lake", 8, ["about lake"]),
    ]  # fmt: skip


def test_a_damaged_chat_can_be_removed(imported: Sayso, home: Path) -> None:
    (home / "chats" / "trip.jsonl").write_text("{half a li", encoding="utf-8")

    ran = imported("chats", "rm", "trip", "--yes")

    assert ran.code == 0
    assert "removed trip: a damaged file" in ran.out
    assert not list((home / "indexes").glob("*-*"))


def test_trials_of_prompts_on_the_chat_go_with_it(imported: Sayso, home: Path) -> None:
    (home / "tune").mkdir()
    with closing(sqlite3.connect(home / "tune" / "trials.sqlite")) as db, db:
        db.execute("CREATE TABLE trials (key TEXT PRIMARY KEY, row TEXT NOT NULL)")
        rows = [(c, json.dumps({"chat": c, "answer": f"{c} kayak"})) for c in ("trip", "lake")]
        db.executemany("INSERT INTO trials VALUES (?, ?)", rows)

    ran = imported("chats", "rm", "trip", "--yes")

    assert "1 trial of prompts" in ran.out
    assert holding(home, "trip kayak") == []
    assert holding(home, "lake kayak") == ["tune/trials.sqlite"]


def test_where_a_text_cannot_be_removed_the_chat_stays_and_that_is_said(
    imported: Sayso, home: Path
) -> None:
    (home / "replies.sqlite").mkdir()

    ran = imported("chats", "rm", "trip", "--yes")

    assert (ran.code, ran.out) == (2, "")
    assert "the cached replies cannot be removed" in ran.err
    assert len(json.loads(imported("chats", "--json").out)) == 1


def test_a_damaged_cache_of_replies_goes_with_the_chat(imported: Sayso, home: Path) -> None:
    (home / "replies.sqlite").write_bytes(b"no base; where will you keep it" * 100)

    assert imported("chats", "rm", "trip", "--yes").code == 0
    assert holding(home, "where will you keep it") == []


def test_what_a_killed_writer_left_long_ago_goes_too(imported: Sayso, home: Path) -> None:
    left = home / "chats" / ".sayso-old.tmp"
    fresh = home / "chats" / ".sayso-new.tmp"
    spooled = home / ".spool-old.tmp"
    day = datetime(2024, 1, 1, tzinfo=UTC).timestamp()
    for file in (left, spooled, fresh):
        file.write_text("half a chat", encoding="utf-8")
        if file is not fresh:
            os.utime(file, (day, day))

    imported("chats", "rm", "trip", "--yes")

    assert (left.exists(), spooled.exists(), fresh.exists()) == (False, False, True)


def refusing(monkeypatch: pytest.MonkeyPatch, below: Path, *calls: str) -> None:
    """What the system answers there to somebody without the rights, also where no mode binds."""

    def refuse(call):
        def refused(path, *more, **options):
            if Path(os.fsdecode(path)).is_relative_to(below):
                raise PermissionError(13, "Permission denied", str(path))
            return call(path, *more, **options)

        return refused

    for name in calls:
        monkeypatch.setattr(os, name, refuse(getattr(os, name)))


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param(("listdir", "scandir"), id="cannot be listed"),
        pytest.param(("unlink", "rmdir", "rename"), id="cannot be written"),
    ],
)
def test_an_index_that_cannot_be_removed_is_told_and_the_chat_stays(
    imported: Sayso, home: Path, calls: tuple[str, ...]
) -> None:
    with pytest.MonkeyPatch.context() as locked:
        refusing(locked, home / "indexes", *calls)
        ran = imported("chats", "rm", "trip", "--yes")

    assert (ran.code, ran.out) == (2, "")
    assert f"{home / 'indexes'}" in ran.err
    assert "Permission denied: the index of trip holds its words" in ran.err
    assert "the chat is still there" in ran.err
    assert imported("chats", "rm", "trip", "--yes").code == 0
    assert list((home / "indexes").iterdir()) == []
