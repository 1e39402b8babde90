"""A large import: in memory that does not grow, whole or not at all, and one at a time."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from sayso.chats import store as store_module
from sayso.chats.importers import ImportOptions, watching
from sayso.chats.importers import export as export_module
from sayso.chats.importers.importing import drafts_of
from sayso.chats.merging import MergeReport
from sayso.chats.spooling import Spool
from sayso.chats.store import ChatStore
from sayso.errors import ImportFormatError

MEBIBYTE = 2**20
WORDS = [
    "the",
    "lake",
    "is",
    "cold",
    "but",
    "we",
    "swim",
    "anyway",
    "and",
    "bring",
    "bread",
    "for",
    "the",
    "ducks",
]
IMPORT = """
import json, resource, sys
from pathlib import Path
from sayso.chats import store as store_module
from sayso.chats.importers import ImportOptions, export as export_module
from sayso.chats.importers.importing import drafts_of
from sayso.chats.spooling import Spool
from sayso.chats.store import ChatStore
export_module.LARGE, store_module._MANY = 1000, 100
places = map(Path, sys.argv[1:])
for home, file in zip(places, places):
    with Spool(home) as spool:
        (draft,) = drafts_of(file, ImportOptions(chat_id="chat"), spool)
        kept = ChatStore(home).add_draft(draft, spool, sure=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([kept.merge.added, kept.merge.already_there, peak]))
"""


def exported(path: Path, first: int, count: int) -> Path:
    """An invented WhatsApp export of the messages with these numbers, two a minute."""
    with path.open("w", encoding="utf-8") as file:
        for n in range(first, first + count):
            at = datetime(2015, 1, 1) + timedelta(seconds=30 * n)  # noqa: DTZ001 a wall clock
            said = " ".join(WORDS[n % 7 : n % 7 + 1 + n % 5])
            more = "\nand one line more" if n % 40 == 0 else ""
            file.write(f"{at:%d.%m.%y, %H:%M} - Person {n % 10}: {n} {said}{more}\n")
    return path


def child(*places: Path) -> "subprocess.Popen[str]":
    """Imports into each home the file behind it, and tells of each what was new and the peak."""
    arguments = [sys.executable, "-c", IMPORT, *map(str, places)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def told(process: "subprocess.Popen[str]") -> list[list[int]]:
    out, _ = process.communicate()
    assert process.returncode == 0
    return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def squeezed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred messages are a large chat, and a kilobyte is a large file."""
    monkeypatch.setattr(export_module, "LARGE", 1000)
    monkeypatch.setattr(store_module, "_MANY", 100)
    monkeypatch.setattr(store_module, "_STEP", 50)
    monkeypatch.setattr(watching, "_STEP", 1000)


def added(home: Path, file: Path, heard: watching.Heard | None = None) -> MergeReport:
    with Spool(home) as spool:
        (draft,) = drafts_of(file, ImportOptions(chat_id="chat"), spool, heard)
        return ChatStore(home).add_draft(draft, spool, sure=True, heard=heard).merge


@pytest.mark.skipif(sys.platform != "linux", reason="peaks are counted in kibibytes on Linux")
def test_ten_times_the_messages_take_no_more_memory_nor_does_importing_them_again(
    tmp_path: Path,
) -> None:
    few = exported(tmp_path / "few.txt", 0, 20_000)
    many = exported(tmp_path / "many.txt", 0, 200_000)
    again = exported(tmp_path / "again.txt", 180_000, 21_000)
    small, large = tmp_path / "small", tmp_path / "large"

    first, second, third = told(child(small, few, large, many, large, again))

    assert [first[:2], second[:2], third[:2]] == [[20_000, 0], [200_000, 0], [1000, 20_000]]
    # As objects two hundred thousand messages would take three hundred megabytes.
    assert (third[2] - first[2]) * 1024 < 80 * MEBIBYTE


@pytest.mark.usefixtures("squeezed")
@pytest.mark.parametrize("doing", ["reading", "storing"])
@pytest.mark.parametrize("there", [False, True], ids=["at first", "again"])
def test_ctrl_c_in_a_large_import_leaves_the_chat_as_it_was(
    tmp_path: Path, doing: str, there: bool
) -> None:
    home = tmp_path / "home"
    if there:
        added(home, exported(tmp_path / "before.txt", 0, 200))
    before = {path.name: path.read_bytes() for path in home.rglob("*.jsonl")}

    def heard(what: str, done: int, total: int) -> None:
        if what == doing and done * 2 > total:
            raise KeyboardInterrupt

    export = exported(tmp_path / "more.txt", 100, 300)
    with pytest.raises(KeyboardInterrupt):
        added(home, export, heard)

    after = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    after.pop(".lock", None)
    assert after == before


def test_two_large_imports_at_once_lose_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    both = [child(home, exported(tmp_path / f"{first}.txt", first, 2000)) for first in (0, 1000)]

    reports = [told(process)[0] for process in both]

    chat = ChatStore(home).load("chat")
    assert len(chat.messages) == len(chat.by_id) == 3000
    assert sorted(report[:2] for report in reports) == [[1000, 1000], [2000, 0]]


@pytest.mark.usefixtures("squeezed")
def test_a_large_chat_is_private_and_what_was_laid_aside_is_gone(tmp_path: Path) -> None:
    home = tmp_path / "home"

    added(home, exported(tmp_path / "export.txt", 0, 300))

    found = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()}
    assert found == {"chats/.lock", "chats/chat.jsonl"}
    assert stat.S_IMODE((home / "chats/chat.jsonl").stat().st_mode) == 0o600


@pytest.mark.usefixtures("squeezed")
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"localId": 1, "sender": "A", "sentAt": "2024-01-01T10:00:00Z", "text": "x"}', "twice"),
        ('{"sender": "A", "sentAt": "2024-01-01T10:00:00Z", "text": "x"}', "no localId"),
        ('{"localId": 999, "sender": "A", "sentAt": "late", "text": "x"}', "line 302: sentAt"),
        ('{"localId": 999, "sentAt": "2024-01-01T10:00:00Z", "text": "\\ud83d"}', "half a char"),
        ("{", "not a whole JSON object"),
    ],
)
def test_a_damaged_chat_is_not_merged_with_and_stays(tmp_path: Path, line: str, said: str) -> None:
    home = tmp_path / "home"
    added(home, exported(tmp_path / "before.txt", 0, 300))
    with (home / "chats/chat.jsonl").open("a") as file:
        file.write(line + "\n")
    damaged = (home / "chats/chat.jsonl").read_bytes()

    with pytest.raises(ImportFormatError, match=f"{said}.*the chat's own file is damaged"):
        added(home, exported(tmp_path / "more.txt", 100, 300))

    assert (home / "chats/chat.jsonl").read_bytes() == damaged


@pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot go")
def test_what_is_spooled_has_no_name_that_anybody_could_open(tmp_path: Path) -> None:
    with Spool(tmp_path / "home") as spool:
        table = spool.table("said TEXT")
        spool.fill(table, ((f"{n}" * 100,) for n in range(1000)), 1)

        assert list((tmp_path / "home").iterdir()) == []
        assert next(iter(spool.rows(f"SELECT count(*) FROM {table}"))) == (1000,)


def test_ctrl_c_is_heard_while_the_spool_is_at_work() -> None:
    def endless() -> Iterator[tuple[int]]:
        yield from ((n,) for n in range(50))

    with Spool() as spool:
        table = spool.table("n INTEGER")
        spool.fill(table, endless(), 1)
        spool._connection.set_progress_handler(lambda: 1, 1)  # as where a signal has come

        with pytest.raises(KeyboardInterrupt):
            spool.one(f"SELECT count(*) FROM {table} AS a, {table} AS b WHERE a.n < b.n")
