import json
from pathlib import Path

import pytest

from tests.cli.conftest import MESSAGES, Sayso


def test_an_import_tells_what_it_read(sayso: Sayso, trip: Path) -> None:
    ran = sayso("import", str(trip))

    assert ran.code == 0
    assert ran.out.splitlines()[:4] == [
        "trip  The trip (canonical chat JSONL)",
        "  8 messages: 7 text, 1 photo",
        "  people: Ana María, Bo",
        "  Wed 2024-05-01 09:00 to Thu 2024-05-09 20:00, Asia/Shanghai",
    ]


def test_an_import_as_json(sayso: Sayso, trip: Path) -> None:
    (chat,) = json.loads(sayso("import", str(trip), "--as", "lake", "--json").out)

    assert chat["chatId"] == "lake"
    assert chat["messages"] == 8
    assert chat["report"]["kinds"] == {"text": 7, "photo": 1}
    assert chat["merge"] == {
        "added": 8, "alreadyThere": 0, "changed": 0, "edited": [], "completed": 0, "deleted": [], "renamed": [],
        "owner": None,
    }  # fmt: skip
    assert (chat["dryRun"], chat["index"]) == (False, "index built")


def test_importing_again_adds_nothing_and_says_so(imported: Sayso, trip: Path) -> None:
    assert "nothing new" in imported("import", str(trip)).out
    assert len(imported("export", "trip").out.splitlines()) == len(MESSAGES) + 1


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\x01\x89PNG\xff\xfe\x00", b'{"session_1": [{"text": "hal', b"dear diary, hello\n"],
    ids=["empty", "binary", "truncated json", "unknown format"],
)
def test_a_file_that_cannot_be_read_is_one_line_and_exit_2(
    content: bytes, sayso: Sayso, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.json"
    bad.write_bytes(content)

    for command in (("import", str(bad)), ("ask", "who?", "--chat", str(bad))):
        ran = sayso(*command)
        assert (ran.code, ran.out) == (2, "")
        assert len(ran.err.splitlines()) == 1
        assert "bad.json" in ran.err


def test_ten_records_without_a_body_are_exit_2_with_the_reason(
    sayso: Sayso, home: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.json"
    one = {"sender": "a", "accountName": "A", "timestamp": 1700000000, "type": 0, "content": None}
    bad.write_text(
        json.dumps({"chatlab": {"version": "0.0.2"}, "meta": {"name": "x"}, "messages": [one] * 10})
    )

    ran = sayso("import", str(bad))

    assert (ran.code, ran.out) == (2, "")
    assert "no message with text among 10 records; 10 times: a text without content" in ran.err
    assert not list(home.glob("chats/*"))


def test_a_file_or_chat_that_is_not_there_is_one_line_and_exit_2(
    sayso: Sayso, tmp_path: Path
) -> None:
    gone = str(tmp_path / "gone.txt")

    for command in (
        ("import", gone),
        ("show", "nobody", "1"),
        ("export", gone),
        ("search", "x", "--chat", "nobody"),
        ("ask", "x", "--chat", gone),
        ("ask", "x"),
        ("import", str(tmp_path)),
    ):
        ran = sayso(*command)
        assert (ran.code, ran.out) == (2, ""), command
        assert len(ran.err.splitlines()) == 1, command


def test_one_bad_file_does_not_stop_the_others(sayso: Sayso, trip: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"")

    ran = sayso("import", str(bad), str(trip))

    assert ran.code == 2
    assert "trip" in ran.out
    assert len(ran.err.splitlines()) == 1


def test_one_name_for_several_files_is_a_usage_error(sayso: Sayso, trip: Path) -> None:
    ran = sayso("import", str(trip), str(trip), "--as", "both")

    assert (ran.code, ran.out) == (2, "")
    assert "--as" in ran.err


def test_a_zone_that_is_not_there_is_one_line_and_exit_2(sayso: Sayso, tmp_path: Path) -> None:
    export = tmp_path / "chat.txt"
    export.write_text("26/04/2022, 12:11 - jan: hoi\n", encoding="utf-8")

    ran = sayso("import", str(export), "--tz", "Mars/Base")

    assert (ran.code, ran.out) == (2, "")
    assert "Mars/Base" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_byte_order_mark_alone_is_an_empty_file(sayso: Sayso, tmp_path: Path) -> None:
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbf\r\n")

    ran = sayso("import", str(tmp_path / "bom.txt"))

    assert (ran.code, ran.out) == (2, "")
    assert "the file is empty" in ran.err


def test_the_list_of_formats_shows_an_example_of_each(sayso: Sayso) -> None:
    shown = sayso("import", "--list")
    formats = json.loads(sayso("import", "--list", "--json").out)

    assert shown.code == 0
    assert 'sayso import "WhatsApp Chat with Ana.zip"' in shown.out
    assert {"telegram", "whatsapp", "slack", "table"} <= {f["id"] for f in formats}
    assert all(f["example"].startswith("sayso import ") for f in formats)


def test_a_table_is_imported_by_the_columns_and_names_that_one_says(
    sayso: Sayso, tmp_path: Path
) -> None:
    table = tmp_path / "log.csv"
    table.write_text(
        "wer,was,wann\nich,hallo,2024-05-01T10:00:00\nAna P.,hej,2024-05-01T10:01:00\n"
    )

    ran = sayso(
        "import", str(table), "--map", "text=was, sender=wer, time=wann", "--alias", "Ana P.=Ana",
        "--alias", "ich=Bo", "--self", "Bo", "--tz", "Europe/Oslo", "--json",
    )  # fmt: skip

    (chat,) = json.loads(ran.out)
    assert chat["report"]["people"] == {"Bo": 1, "Ana": 1}
    assert chat["report"]["first"] == "2024-05-01T10:00:00+02:00"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "name the export files, or list the formats with --list"),
        (("log.csv", "--alias", "Ana"), "--alias: expected A=B, found 'Ana'"),
        (("log.csv", "--map", "text"), "--map: expected text=body, found 'text'"),
    ],
)
def test_an_incomplete_import_says_what_is_missing(
    sayso: Sayso, arguments: tuple[str, ...], said: str
) -> None:
    ran = sayso("import", *arguments)

    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
