import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sayso.chats.threads import FILE, KeptTurn, ThreadStore
from sayso.core.models import Turn
from sayso.errors import InputError, StoreError


def kept(question: str, *cited: int) -> KeptTurn:
    turn = Turn(question=question, answer="yes", cited=cited)
    return KeptTurn(turn=turn, mode="agent", at=datetime(2024, 5, 1, 9, 0, tzinfo=UTC))


def test_turns_come_back_in_their_order(tmp_path: Path) -> None:
    store = ThreadStore(tmp_path)
    store.add("trip", "c", kept("one", 3, 1))
    store.add("trip", "c", kept("two"))

    thread = store.load("trip")

    assert thread is not None
    assert [t.question for t in thread.history] == ["one", "two"]
    assert thread.history[0].cited == (3, 1)
    assert store.names() == ("trip",)


def test_a_thread_belongs_to_one_chat(tmp_path: Path) -> None:
    store = ThreadStore(tmp_path)
    store.add("trip", "c", kept("one"))

    with pytest.raises(InputError, match="'trip' is about chat 'c', not 'd'"):
        store.add("trip", "d", kept("two"))


def test_a_removed_thread_is_gone(tmp_path: Path) -> None:
    store = ThreadStore(tmp_path)
    store.add("trip", "c", kept("one"))

    assert store.remove("trip")
    assert not store.remove("trip")
    assert store.load("trip") is None


def test_only_its_owner_reads_the_file(tmp_path: Path) -> None:
    ThreadStore(tmp_path).add("trip", "c", kept("one"))

    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database at all" * 100)

    with pytest.raises(StoreError, match="move it away"):
        ThreadStore(tmp_path).names()


@pytest.mark.parametrize("columns", ["x", "thread, position"], ids=["other", "some of ours"])
def test_another_programs_database_is_told_apart_from_one_that_cannot_be_read(
    columns: str, tmp_path: Path
) -> None:
    base = sqlite3.connect(tmp_path / FILE)
    base.execute(f"create table turns ({columns})")
    base.close()
    store = ThreadStore(tmp_path)

    with pytest.raises(StoreError, match="move it away"):
        store.load("trip")
    with pytest.raises(StoreError, match="move it away"):
        store.add("trip", "c", kept("one"))
