"""Exports that are too large to be held become what they become when they are."""

import json
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sayso.chats.importers import ImportOptions, import_file, long_text
from sayso.chats.importers import export as export_module
from sayso.chats.importers import members as members_module
from sayso.chats.importers.decoding import decoded
from sayso.chats.importers.long_text import LongText
from sayso.chats.importers.rows import rows
from sayso.errors import ImportFormatError
from tests.chats.test_golden import EXPORTS

Squeezed = Callable[[int], None]


@pytest.fixture
def squeezed(monkeypatch: pytest.MonkeyPatch) -> Squeezed:
    """Files of more than so many bytes are large from now on."""

    def at(size: int) -> None:
        monkeypatch.setattr(export_module, "LARGE", size)
        monkeypatch.setattr(members_module, "LARGE", size)

    return at


@pytest.mark.parametrize("name", EXPORTS)
def test_any_export_that_is_read_as_a_large_one_gives_the_same_chats_and_reports(
    exports: Path, name: str, squeezed: Squeezed
) -> None:
    options = ImportOptions.model_validate(EXPORTS[name][1])
    at_once = import_file(exports / name, options)

    squeezed(10)
    streamed = import_file(exports / name, options)

    assert [one.chat for one in streamed] == [one.chat for one in at_once]
    # The reader of large JSON mends half characters itself, and tells how many they were.
    if not any(one.report.repaired.count for one in at_once):
        assert [one.report for one in streamed] == [one.report for one in at_once]


def test_a_text_that_a_large_whatsapp_chat_names_was_sent_in_it(
    tmp_path: Path, squeezed: Squeezed
) -> None:
    archive = tmp_path / "chat.zip"
    chat = "05.01.24, 21:03 - Ana: hallo\n05.01.24, 21:04 - Bo: old.txt (Datei angehängt)\n" * 9
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("WhatsApp Chat mit Ana.txt", chat)
        file.writestr("old.txt", "06.01.24, 21:03 - Cy: sent along\n")
    squeezed(100)

    (imported,) = import_file(archive)

    assert imported.chat.names == ("Ana", "Bo")
    assert imported.report.kinds == {"text": 9, "file": 9}
    assert imported.chat.messages[-1].attachments[0].size == 33


@pytest.mark.parametrize(
    ("minutes", "texts"),
    [
        ([0, 1, -9999, 2, 3], ["a0", "a1\n{2} - Zed: a2", "a3", "a4"]),
        ([0, 1, 5000, 2, 3], ["a0", "a1\n{2} - Zed: a2", "a3", "a4"]),
        ([0, 300, 1, 2, 400], ["a0", "a2", "a3", "a1", "a4"]),
    ],
    ids=["long before", "long after", "within a day"],
)
def test_lines_far_out_of_time_are_text_in_a_large_file_as_in_a_small_one(
    tmp_path: Path, squeezed: Squeezed, minutes: list[int], texts: list[str]
) -> None:
    start = datetime(2024, 3, 13, 10, 0)  # noqa: DTZ001 a wall clock
    stamps = [f"{start + timedelta(minutes=m):%d.%m.%y, %H:%M}" for m in minutes]
    senders = ["Ana", "Ana", "Zed", "Ana", "Ana"]
    path = tmp_path / "chat.txt"
    path.write_text(
        "".join(
            f"{s} - {who}: a{n}\n" for n, (s, who) in enumerate(zip(stamps, senders, strict=True))
        )
    )
    (held,) = import_file(path, ImportOptions(date_order="dmy"))
    squeezed(10)

    (streamed,) = import_file(path, ImportOptions(date_order="dmy"))

    expected = [text.replace("{2}", stamps[2]) for text in texts]
    assert [m.text for m in streamed.chat.messages] == expected
    assert streamed == held


def test_the_messages_of_an_account_s_chats_are_read_chat_by_chat(
    tmp_path: Path, squeezed: Squeezed
) -> None:
    def said(chat: int, n: int) -> dict[str, Any]:
        at = f"{1_700_000_000 + n}"
        return {"id": n, "type": "message", "date": "x", "date_unixtime": at, "from": f"P{chat}",
                "from_id": f"user{chat}", "text": f"{chat}.{n}"}  # fmt: skip

    chats = [
        {
            "name": f"Chat {c}",
            "type": "personal_chat",
            "id": c,
            "messages": [said(c, n) for n in range(c)],
        }
        for c in range(1, 9)
    ]
    chats[3]["messages"] = []
    left = [{"name": "Left", "type": "private_group", "id": 99, "messages": [said(99, 1)]}]
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"chats": {"list": chats}, "left_chats": {"list": left}}))
    squeezed(10)

    imported = import_file(path)

    assert [(i.chat.title, len(i.chat.messages)) for i in imported] == [
        ("Chat 1", 1), ("Chat 2", 2), ("Chat 3", 3), ("Chat 5", 5), ("Chat 6", 6), ("Chat 7", 7),
        ("Chat 8", 8), ("Left", 1),
    ]  # fmt: skip
    assert [m.text for m in imported[3].chat.messages] == ["5.0", "5.1", "5.2", "5.3", "5.4"]
    assert imported[0].report.warnings[0].startswith("left out: Chat 4: no message with text")


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    "text",
    [
        'a,"b ""x"", y",c\r\n1,"two\r\nlines",3\r\n',
        'a,"never closed, b\n1,2\n',
        'a,"odd"x,b\r\n"",,""\n\nlast,"one"',
    ],
)
def test_rows_of_a_table_are_the_same_however_its_text_is_parted(text: str, piece: int) -> None:
    whole = list(rows([text]))

    parted = list(rows(text[n : n + piece] for n in range(0, len(text), piece)))

    assert parted == whole


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("olá ção\n" * 40, "cp1252"),
        ("你好，世界\n" * 40, "gb18030"),
        ("hi 😀 ü\n" * 40, "utf-16"),
        ("hi 😀 ü\n" * 40, "utf-8-sig"),
        ("hello there\n" * 400, "utf-16-le"),
    ],
)
def test_the_encoding_of_a_long_text_is_told_as_that_of_a_short_one(
    tmp_path: Path, content: str, encoding: str
) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(content.encode(encoding))

    long = LongText(lambda: path.open("rb"), "text.txt")

    assert list(long.lines()) == content.splitlines()
    assert "".join(long.pieces()) == content
    assert long.encoding.guess == decoded(path.read_bytes(), "text.txt", guess=True).guess


def test_a_fault_of_encoding_is_told_with_its_line_wherever_the_pieces_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_text, "_CHUNK", 4096)
    content = "ü".encode() * 5000 + b"\n\xff\xfe rest"
    path = tmp_path / "text.txt"
    path.write_bytes(content)

    fault = LongText(lambda: path.open("rb"), "text.txt").encoding.fault

    assert fault is not None
    assert "line 2: byte 0xff at 10001 is not UTF-8" in fault


def test_a_line_without_end_is_refused_and_not_held(
    tmp_path: Path, squeezed: Squeezed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_text, "_LONGEST", 1000)
    monkeypatch.setattr(long_text, "_CHUNK", 100)
    path = tmp_path / "chat.txt"
    path.write_text("05.01.24, 21:03 - Ana: hallo\n" + "x" * 5000)
    squeezed(10)

    with pytest.raises(ImportFormatError, match="line 2 is longer than"):
        import_file(path)
