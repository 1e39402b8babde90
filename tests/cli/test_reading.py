"""chats, show and export: what was imported, read back."""

import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import HEADER, Sayso, write_chat


def test_without_a_chat_the_list_says_how_to_import(sayso: Sayso) -> None:
    ran = sayso("chats")

    assert (ran.code, ran.out) == (0, "")
    assert "sayso import FILE" in ran.err


def test_the_list_tells_what_each_chat_holds(imported: Sayso) -> None:
    heading, line = imported("chats").out.splitlines()

    assert heading.split() == ["id", "platform", "messages", "first", "last", "people", "title"]
    assert line == (
        "trip  invented         8  Wed 2024-05-01 09:00  Thu 2024-05-09 20:00"
        "  Ana María, Bo  The trip"
    )


def test_the_list_as_json(imported: Sayso) -> None:
    (chat,) = json.loads(imported("chats", "--json").out)

    assert (chat["chatId"], chat["messages"], chat["people"]) == ("trip", 8, ["Ana María", "Bo"])
    assert json.loads(imported("chats", "--json").out)[0]["timezone"] == "Asia/Shanghai"


def test_a_message_is_shown_marked_among_its_neighbours_with_replies(imported: Sayso) -> None:
    assert imported("show", "trip", "4", "--around", "1").out.splitlines() == [
        "  #3  Ana María  Wed 2024-05-01 09:05",
        "    I bought a red kayak for the lake",
        "▶ #4  Bo  Wed 2024-05-01 09:06  ↳ replies to #3 Ana María",
        "    A kayak?! where will you keep it",
        "  #5  Ana María  Thu 2024-05-02 00:30",
        "    In the garage, next to the bicycle",
    ]


def test_a_photo_is_shown_by_its_caption(imported: Sayso) -> None:
    assert imported("show", "trip", "7", "--around", "0").out.splitlines()[1:] == [
        "    look",
        "    [photo: a kayak on a roof]",
    ]


def test_a_message_that_was_edited_is_shown_with_what_it_said_before(
    sayso: Sayso, tmp_path: Path
) -> None:
    given = {
        "localId": 1, "sender": "Ana", "sentAt": "2024-05-01T09:00:00+08:00", "text": "at eight",
        "editedAt": "2024-05-01T09:30:00+08:00",
        "revisions": [{"text": "at six"}, {"text": "at\nseven"}],
    }  # fmt: skip
    only = {"localId": 2, "sender": "Bo", "sentAt": "2024-05-01T10:00:00+08:00", "text": "fine",
            "editedAt": "2024-05-01T10:00:00+08:00"}  # fmt: skip
    path = tmp_path / "edited.jsonl"
    lines = [{**HEADER, "participants": ["Ana", "Bo"]}, given, only]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    assert sayso("show", str(path), "1").out.splitlines() == [
        "▶ #1  Ana  Wed 2024-05-01 09:00",
        "    at eight",
        "    edited Wed 2024-05-01 09:30; before: at⏎seven",
        "    before: at six",
        "  #2  Bo  Wed 2024-05-01 10:00",
        "    fine",
        "    edited",
    ]


def test_markup_and_control_characters_of_a_chat_are_inert(imported: Sayso) -> None:
    shown = imported("show", "trip", "6", "--around", "0").out.splitlines()

    assert shown[1] == "    [bold red]evil[/bold red] ␛[2J␛]0;pwned␇ kayak"


def test_five_neighbours_on_each_side_are_shown_by_default(imported: Sayso) -> None:
    shown = json.loads(imported("show", "trip", "7", "--json").out)

    assert [m["localId"] for m in shown["messages"]] == [2, 3, 4, 5, 6, 7, 8]
    assert (shown["chatId"], shown["localId"]) == ("trip", 7)
    assert shown["messages"][2]["replyTo"] == 3


def test_a_file_is_shown_without_importing_it(sayso: Sayso, trip: Path) -> None:
    assert "kayak" in sayso("show", str(trip), "3").out
    assert sayso("chats").out == ""


def test_a_message_that_is_not_there_is_an_error_that_says_which_are(imported: Sayso) -> None:
    ran = imported("show", "trip", "99")

    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "sayso: chat trip has no message 99; its localIds run from 1 to 8\n"


def test_an_export_reads_back_as_the_same_chat(imported: Sayso, tmp_path: Path) -> None:
    exported = imported("export", "trip").out
    lines = [json.loads(line) for line in exported.splitlines()]

    assert (lines[0]["sayso"], lines[0]["chatId"], len(lines)) == ("chat", "trip", 9)
    assert lines[6]["text"] == "[bold red]evil[/bold red] \x1b[2J\x1b]0;pwned\x07 kayak"

    copy = tmp_path / "copy.jsonl"
    copy.write_text(exported, encoding="utf-8")
    assert imported("export", str(copy)).out == exported


def test_an_export_does_not_write_over_a_file_unless_forced(
    imported: Sayso, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"

    assert imported("export", "trip", "--out", str(out)).code == 0
    first = out.read_text(encoding="utf-8")
    out.write_text("mine", encoding="utf-8")
    refused = imported("export", "trip", "--out", str(out))

    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(f"sayso: {out}: exists already")
    assert out.read_text(encoding="utf-8") == "mine"
    assert imported("export", "trip", "--out", str(out), "--force").code == 0
    assert out.read_text(encoding="utf-8") == first


def test_an_export_is_json_with_the_flag_too(imported: Sayso, tmp_path: Path) -> None:
    assert imported("export", "trip", "--json").out == imported("export", "trip").out

    out = tmp_path / "out.jsonl"
    written = imported("export", "trip", "--out", str(out), "--json")

    assert json.loads(written.out) == {
        "chatId": "trip", "file": str(out), "messages": 8, "format": "canonical", "leftOut": [],
    }  # fmt: skip
    assert written.err == ""


def test_an_export_into_a_folder_that_is_not_there_is_one_line(
    imported: Sayso, tmp_path: Path
) -> None:
    ran = imported("export", "trip", "--out", str(tmp_path / "no" / "out.jsonl"))

    assert ran.code == 2
    assert len(ran.err.splitlines()) == 1


def test_one_broken_chat_does_not_hide_the_others(
    imported: Sayso, home: Path, tmp_path: Path
) -> None:
    other = write_chat(tmp_path / "other.jsonl", {**HEADER, "chatId": "other"})
    assert imported("import", str(other)).code == 0
    (stored,) = [p for p in home.rglob("*.jsonl") if "other" in str(p.relative_to(home))]
    stored.write_text("{", encoding="utf-8")

    ran = imported("chats")

    assert ran.code == 2
    assert "trip" in ran.out
    assert len(ran.err.splitlines()) == 1


def test_control_characters_in_id_and_platform_are_inert_in_the_list(
    sayso: Sayso, tmp_path: Path
) -> None:
    evil = write_chat(tmp_path / "evil.jsonl", {**HEADER, "platform": "\x1b[2Jphone"})
    sayso("import", str(evil), "--as", "\x1b[31mred")

    listed = sayso("chats").out

    assert "\x1b" not in listed
    assert "␛[31mred" in listed
    assert "␛[2Jphone" in listed


def test_an_export_that_fails_leaves_no_half_file_and_not_its_own_name(
    imported: Sayso, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "kept.jsonl").write_text("kept", encoding="utf-8")

    folder = imported("export", "trip", "--out", str(tmp_path / "folder"))
    over = imported("export", "trip", "--out", str(tmp_path / "kept.jsonl"), "--force")

    assert (folder.code, over.code) == (2, 0)
    assert "is a folder; name a file in it" in folder.err
    assert len((tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()) == 9
    assert not list(tmp_path.rglob("*.part"))


def test_an_export_to_a_narrow_stdout_is_json_all_the_same(
    imported: Sayso, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="cp1251", errors="backslashreplace")
    monkeypatch.setattr("sys.stdout", narrow)

    assert imported("export", "trip").code == 0

    narrow.flush()
    written = narrow.buffer.getvalue().decode("cp1251").splitlines()  # type: ignore[attr-defined]  # BytesIO
    assert json.loads(written[1])["sender"] == "Ana María"


def said(sayso: Sayso, chat: str) -> list[tuple[object, ...]]:
    lines = map(json.loads, sayso("export", chat).out.splitlines()[1:])
    keys = ("localId", "sender", "sentAt", "text", "kind", "replyTo")
    return [tuple(line.get(key) for key in keys) for line in lines]


def test_an_export_for_chatlab_imports_as_the_same_messages_and_tells_what_is_lost(
    imported: Sayso, tmp_path: Path
) -> None:
    told = set()
    for name, form in (("a.json", "chatlab"), ("b.jsonl", "chatlab"), ("c.txt", "chatlab-jsonl")):
        out = tmp_path / name
        ran = imported("export", "trip", "--format", form, "--out", str(out))
        told.add(ran.err.splitlines()[0])
        assert ran.code == 0
        assert imported("import", str(out), "--as", name, "--tz", "Asia/Shanghai").code == 0

        assert said(imported, name) == said(imported, "trip")
    first_line = (tmp_path / "b.jsonl").read_text(encoding="utf-8").splitlines()[0]
    assert json.loads(first_line)["_type"] == "header"
    assert told == {
        "sayso: ChatLab's format has no place for all of it: the timezone Asia/Shanghai (times "
        "stay; name it again with --timezone); captions (1); messages without an id, which got one "
        "for replies to name (1)"
    }


def test_an_export_for_chatlab_on_stdout_is_one_document(imported: Sayso) -> None:
    ran = imported("export", "trip", "--format", "chatlab")

    document = json.loads(ran.out)
    assert document["chatlab"]["version"] == "0.0.2"
    assert [m["content"] for m in document["messages"]][:2] == [
        "Good morning! Did you sleep well?", "like a stone",
    ]  # fmt: skip
    assert "no place for all of it" in ran.err
