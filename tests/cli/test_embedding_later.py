"""A large chat can be asked before it is embedded, and ctrl-C loses nothing of it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sayso import assembly
from sayso.cli import importing
from tests.cli.conftest import Ran, Sayso

Interrupted = Callable[[int], None]


@pytest.fixture
def interrupted_at(monkeypatch: pytest.MonkeyPatch) -> Interrupted:
    """The person at the terminal presses ctrl-C once so many messages are embedded."""

    def at(messages: int) -> None:
        def shown(done: int, total: int) -> None:
            if total and done >= messages:
                raise KeyboardInterrupt

        monkeypatch.setattr(importing, "progress", lambda: shown)

    return at


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight messages are a large chat."""
    monkeypatch.setattr(assembly, "PATIENCE", 3)
    monkeypatch.setattr(importing, "PATIENCE", 3)


def said(ran: Ran) -> list[str]:
    """What stderr holds, without the line break after ^C."""
    return [line for line in ran.err.splitlines() if line]


def test_a_small_chat_is_imported_without_a_word_of_embedding(sayso: Sayso, trip: Path) -> None:
    assert sayso("import", str(trip)).err == ""


@pytest.mark.usefixtures("impatient")
def test_a_large_chat_is_said_to_be_ready_before_it_is_embedded(sayso: Sayso, trip: Path) -> None:
    ran = sayso("import", str(trip))

    assert ran.code == 0
    (line,) = ran.err.splitlines()
    assert line.startswith("sayso: trip can be asked now")
    assert "8 messages are still to be embedded" in line


def test_ctrl_c_while_embedding_leaves_the_chat_imported(
    sayso: Sayso, trip: Path, interrupted_at: Interrupted
) -> None:
    interrupted_at(0)

    ran = sayso("import", str(trip))

    assert (ran.code, ran.out) == (130, "")
    (line,) = said(ran)
    assert line == (
        "sayso: trip is imported and can be asked; "
        "embedding goes on with the next import or question"
    )
    found = json.loads(sayso("search", "Who teaches violin?", "--json").out)
    assert found[0]["localId"] == 8


@pytest.mark.usefixtures("impatient")
def test_ctrl_c_on_a_large_chat_names_the_import_alone(
    sayso: Sayso, trip: Path, interrupted_at: Interrupted
) -> None:
    interrupted_at(0)

    ran = sayso("import", str(trip))

    assert ran.code == 130
    assert said(ran)[-1].endswith("embedding goes on with the next import")


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("command", ["search", "ask"])
def test_a_question_to_a_chat_without_vectors_says_so_on_stderr(
    command: str,
    sayso: Sayso,
    trip: Path,
    interrupted_at: Interrupted,
) -> None:
    interrupted_at(0)
    sayso("import", str(trip))

    ran = sayso(command, "Who teaches violin?", "--json")

    assert ran.code == 0
    assert "8 messages are not embedded yet" in ran.err
    assert "not embedded" not in ran.out
    assert "violin" in ran.out or '"localId": 8' in ran.out


def test_a_damaged_index_is_said_to_be_rebuilt(imported: Sayso, home: Path) -> None:
    (vectors,) = (home / "indexes").glob("*/meaning/vectors.npy")
    vectors.write_bytes(b"")

    ran = imported("search", "Who teaches violin?", "--json")

    assert ran.err.splitlines() == ["sayso: the stored index was damaged and was rebuilt"]
    assert json.loads(ran.out)[0]["localId"] == 8
    assert imported("search", "Who teaches violin?", "--json").err == ""


@pytest.mark.parametrize("command", ["search", "ask"])
def test_where_no_index_can_be_stored_a_question_is_answered_and_says_why(
    command: str, imported: Sayso, home: Path
) -> None:
    shutil.rmtree(home / "indexes")
    (home / "indexes").write_text("a file, and no folder")

    ran = imported(command, "Who teaches violin?", "--json")

    assert ran.code == 0
    assert f"in memory only: {home / 'indexes'}: " in ran.err
    assert "violin" in ran.out or '"localId": 8' in ran.out
