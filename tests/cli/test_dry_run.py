"""``sayso import --dry-run``, chats that are refused among others, and what a later import changes."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Sayso


def files(home: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}


def test_a_dry_run_tells_what_an_import_would_and_writes_nothing(
    sayso: Sayso, home: Path, trip: Path
) -> None:
    tried = sayso("import", str(trip), "--dry-run")
    written = home.exists()
    done = sayso("import", str(trip))

    assert (tried.code, written) == (0, False)
    assert "all 8 are new; nothing was written" in tried.out
    assert tried.out.replace("nothing was written", "index built") == done.out


def test_a_dry_run_over_an_imported_chat_changes_no_file_of_it(
    imported: Sayso, home: Path, trip: Path
) -> None:
    before = files(home)
    lines = trip.read_text(encoding="utf-8").splitlines()
    more = {"localId": 9, "sender": "Bo", "sentAt": "2024-05-10T09:00:00+08:00", "text": "late"}
    trip.write_text("\n".join([*lines, json.dumps(more)]), encoding="utf-8")

    tried = json.loads(imported("import", str(trip), str(trip), "--dry-run", "--json").out)

    # The second time it is there already, as it would be.
    assert [(t["merge"]["added"], t["messages"], t["dryRun"]) for t in tried] == [
        (1, 9, True), (0, 9, True),
    ]  # fmt: skip
    assert files(home) == before
    (done,) = json.loads(imported("import", str(trip), "--json").out)
    assert done["merge"] == tried[0]["merge"]
    assert done["report"] == tried[0]["report"]
    assert done["dryRun"] is False


def test_a_dry_run_names_a_damaged_chat_by_its_own_file(
    imported: Sayso, home: Path, trip: Path
) -> None:
    stored = home / "chats" / "trip.jsonl"
    stored.write_text(stored.read_text(encoding="utf-8") + "{half", encoding="utf-8")

    ran = imported("import", str(trip), "--dry-run")

    assert (ran.code, ran.out) == (2, "")
    assert str(stored) in ran.err


def test_a_dry_run_of_what_cannot_be_read_is_the_same_error(
    sayso: Sayso, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "bad.txt").write_text("dear diary\n", encoding="utf-8")

    tried = sayso("import", str(tmp_path / "bad.txt"), "--dry-run")
    left = home.exists()

    assert (tried.code, tried.out, left) == (2, "", False)
    assert tried.err == sayso("import", str(tmp_path / "bad.txt")).err


def account(*names: str) -> dict[str, Any]:
    """A whole account of Telegram, with a chat of one message for each name."""

    def chat(n: int, name: str) -> dict[str, Any]:
        said = {"id": 1, "type": "message", "date_unixtime": "1700000000", "from": name,
                "from_id": f"user{n}", "text": f"{name} says hello"}  # fmt: skip
        return {"name": name, "type": "personal_chat", "id": n, "messages": [said]}

    return {"chats": {"list": [chat(n, name) for n, name in enumerate(names, 1)]}}


@pytest.mark.parametrize("flags", [(), ("--dry-run",)], ids=["import", "dry run"])
def test_a_chat_of_several_that_is_refused_is_named_and_the_others_are_imported(
    sayso: Sayso, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    stranger = tmp_path / "Bo.txt"
    stranger.write_text("13/01/24, 9:05 - Carla: quite another chat\n", encoding="utf-8")
    exported = tmp_path / "result.json"
    exported.write_text(json.dumps(account("Ana", "Bo", "Zoe")), encoding="utf-8")
    sayso("import", str(stranger))

    ran = sayso("import", str(exported), "--json", *flags)

    assert ran.code == 2
    assert [chat["chatId"] for chat in json.loads(ran.out)] == ["Ana", "Zoe"]
    (line,) = ran.err.splitlines()
    assert "a chat 'Bo' is imported already, with other people" in line
    assert "quite another chat" in sayso("show", "Bo", "1").out


def test_a_later_import_tells_what_was_edited_and_who_goes_by_another_name(
    sayso: Sayso, tmp_path: Path
) -> None:
    path = tmp_path / "result.json"
    for name, text in (("Ana", "at six"), ("Ana Silva", "at seven")):
        (chat,) = account(name)["chats"]["list"]
        chat["messages"][0]["text"] = text
        path.write_text(json.dumps(chat), encoding="utf-8")
        ran = sayso("import", str(path), "--as", "ana", "--self", name)

    assert "  nothing new, 1 there already; 1 messages in all; index built" in ran.out
    assert "  edited since: #1; their former words are kept as revisions" in ran.out
    assert "  Ana goes by Ana Silva" in ran.out
    assert "this is the archive of" not in ran.out  # a person under another name is who she was
    assert "at seven" in sayso("show", "ana", "1").out


@pytest.mark.parametrize("flags", [(), ("--dry-run",)], ids=["import", "dry run"])
def test_a_later_import_without_a_timezone_tells_the_times_that_are_stored(
    sayso: Sayso, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    path = tmp_path / "a.txt"
    first = "13/02/25, 10:00 - Ana: hi\n14/07/25, 10:00 - Bo: ho\n"
    path.write_text(first, encoding="utf-8")
    sayso("import", str(path), "--tz", "Europe/Berlin")
    path.write_text(first + "15/07/25, 10:30 - Ana: hm\n", encoding="utf-8")

    told = sayso("import", str(path), *flags).out
    (as_json,) = json.loads(sayso("import", str(path), "--json", *flags).out)

    assert "  Thu 2025-02-13 10:00 to Tue 2025-07-15 10:30, Europe/Berlin" in told
    assert "  note: the times have no timezone: read as the chat's own, Europe/Berlin" in told
    assert "UTC" not in told
    assert (as_json["report"]["first"], as_json["report"]["last"]) == (
        "2025-02-13T10:00:00+01:00", "2025-07-15T10:30:00+02:00",
    )  # fmt: skip
    assert (as_json["first"], as_json["last"]) == (
        as_json["report"]["first"], as_json["report"]["last"],
    )  # fmt: skip


def test_another_owner_is_told_where_the_user_names_one(imported: Sayso, trip: Path) -> None:
    named = imported("import", str(trip), "--self", "Bo")
    again = imported("import", str(trip))

    assert "  this is the archive of Bo now" in named.out
    assert "this is the archive of" not in again.out
