"""Exports that were made to hurt, or were hurt: a clear error or a clean import, and soon."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.chats.importers import Imported, ImportOptions, half_characters, import_file
from sayso.chats.importers import export as export_module
from sayso.chats.store import read_chat, write_chat
from sayso.errors import ImportFormatError, InputError

Importing = Callable[..., Imported]
LINE = "13/12/23, 9:05 - Zoë: naïve € – ok\n"


def packed(path: Path, files: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_a_zip_that_grows_without_end_is_refused_unread(tmp_path: Path) -> None:
    bomb = packed(tmp_path / "bomb.zip", {"_chat.txt": b"\0" * (80 * 2**20)})

    with pytest.raises(ImportFormatError, match="would unpack to 83,886,080 bytes"):
        import_file(bomb)


def test_a_zip_is_read_in_place_and_nothing_leaves_it(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    names = {"../../evil.txt": LINE, "/etc/evil.txt": LINE, "C:\\evil.txt": LINE}
    path = packed(folder / "up.zip", {**names, "a/../../b.txt": "13/12/23, 9:05 - B: x\n"})

    imported = import_file(path)

    assert {one.chat.messages[0].text for one in imported} == {"naïve € – ok", "x"}
    assert all("/" not in one.chat.chat_id for one in imported)
    assert [p.name for p in tmp_path.rglob("*")] == ["in", "up.zip"]


def test_a_locked_zip_a_cut_one_and_one_without_a_chat_are_one_clear_line(tmp_path: Path) -> None:
    whole = packed(tmp_path / "a.zip", {"_chat.txt": LINE * 2000}).read_bytes()
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole[: len(whole) // 2])
    wrong = tmp_path / "wrong.zip"
    wrong.write_bytes(whole[:60] + bytes([whole[60] ^ 0xFF]) + whole[61:])
    locked = tmp_path / "locked.zip"
    flagged = bytearray(whole)
    flagged[6] |= 1  # the bit that says "encrypted", in the file's head and in the directory
    flagged[whole.index(b"PK\x01\x02") + 8] |= 1
    locked.write_bytes(bytes(flagged))
    empty = packed(tmp_path / "photos.zip", {"IMG.jpg": b"\xff\xd8"})

    for path, reason in [
        (cut, "damaged zip archive"),
        (wrong, "cannot be read"),
        (locked, "locked by a password"),
        (empty, "is a zip archive without an export in it"),
    ]:
        with pytest.raises(ImportFormatError, match=reason) as caught:
            import_file(path)
        assert "\n" not in str(caught.value)


def test_a_link_out_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text(LINE)
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "link.txt").symlink_to(secret)

    with pytest.raises(InputError, match="is a folder without an export"):
        import_file(folder)


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000 + "]" * 100_000,
        '{"messages": ' * 50_000,
        '{"name":"x","type":"personal_chat","id":1,"messages":[{"id":1,"type":"message",'
        '"date_unixtime":"1","text":' + "[" * 900 + "]" * 900 + "}]}",
        '[{"timestamp":1700000000,"sender":"A","text":' + '{"a":' * 900 + "1" + "}" * 900 + "}]",
    ],
    ids=["lists", "objects", "telegram text", "table text"],
)
def test_absurd_nesting_is_one_clear_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "deep.json"
    path.write_text(content)

    with pytest.raises(ImportFormatError) as caught:
        import_file(path)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "guess"),
    [
        ("utf-8-sig", None), ("utf-16", None), ("utf-32", None),
        ("utf-16-le", "UTF-16 without"), ("utf-16-be", "UTF-16 without"),
        ("cp1252", "Windows-1252"),
    ],
)  # fmt: skip
def test_a_text_in_another_encoding_is_read_right_and_a_guess_is_said(
    importing: Importing, encoding: str, guess: str | None
) -> None:
    imported = importing((LINE * 3).encode(encoding))

    assert imported.chat.messages[0].text == "naïve € – ok"
    assert imported.chat.names == ("Zoë",)
    assert any(f"read as {guess}" in w for w in imported.report.warnings) == (guess is not None)


def test_chinese_in_gb18030_is_read_right(importing: Importing) -> None:
    imported = importing("13/12/23, 9:05 - 小明: 明天下午三点见，别迟到\n".encode("gb18030"))

    assert said(imported) == ["明天下午三点见，别迟到"]
    assert "GB18030" in imported.report.warnings[0]


def said(imported: Imported) -> list[str]:
    return [m.text for m in imported.chat.messages]


def test_nul_and_other_controls_in_a_text_stay_and_survive_the_disk(
    importing: Importing, tmp_path: Path
) -> None:
    value = [{"timestamp": 1700000000, "sender": "A", "text": "a\0b\x1b[31m\u202e\u2028c"}]

    chat = importing(json.dumps(value)).chat
    write_chat(chat, tmp_path / "c.jsonl")

    assert chat.messages[0].text == "a\0b\x1b[31m\u202e\u2028c"
    assert read_chat(tmp_path / "c.jsonl") == chat


@pytest.mark.parametrize(
    "content",
    [
        "13/12/23, 9:05 - A: " + "x\n" * 1_000_000,
        "[LINE] Chat history with A\n\n2024/1/5(金)\n9:05\tA\t\"" + "x\n" * 1_000_000,
        "time,sender,text\n1700000000,A,\"" + "x\n" * 1_000_000 + "\"\n",
        "time,sender,text\n1700000000,A,x\n1700000001,A,\"" + '"' * 1_000_001 + "x\n" * 1000,
    ],
    ids=["whatsapp", "line", "csv", "quotes"],
)  # fmt: skip
def test_a_message_of_a_million_lines_is_one_message(importing: Importing, content: str) -> None:
    imported = importing(content)

    assert imported.report.messages in {1, 2}
    assert imported.report.unread.count <= 1000


def test_numbers_beyond_the_calendar_are_reported(importing: Importing) -> None:
    times: list[Any] = [1e308, -(10**30), float("nan"), True, "9" * 400, [], {}, 10**16]
    messages = [
        {"id": n, "type": "message", "date": "x", "date_unixtime": at, "from": "A", "text": "t"}
        for n, at in enumerate([*times, 1700000000])
    ]

    imported = importing(json.dumps({"name": "", "type": "x", "id": 1, "messages": messages}))

    assert (imported.report.messages, imported.report.unread.count) == (1, len(times))


def test_a_large_export_is_streamed_to_the_same_chat(
    exports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [
        "telegram_personal_en.json", "telegram_account.json", "chatlab_qq.json", "discord_dm.json",
        "wechat_weflow.json", "wechat_chatlog.json", "slack_day.json", "longmemeval_oracle.json",
        "messenger_inbox", "discord_partitioned", "instagram_inbox", "whatsapp_ios_group.txt",
        "line_ja.txt", "table_lines.jsonl", "chatlab_lines_de.jsonl", "canonical.jsonl",
    ]  # fmt: skip
    at_once = [import_file(exports / name) for name in names]

    monkeypatch.setattr(export_module, "LARGE", 100)
    streamed = [import_file(exports / name) for name in names]

    for name, one, other in zip(names, at_once, streamed, strict=True):
        assert [i.chat for i in other] == [i.chat for i in one], name


@pytest.mark.parametrize("shift", range(14))
def test_half_characters_of_a_large_export_are_mended_wherever_the_chunks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shift: int
) -> None:
    escapes = r"\\ud83d \ud83d\ude00 \ud83d \udc00 \\\ud83d \\"
    text = "a" * shift + escapes * 8
    path = tmp_path / "large.json"
    path.write_text('[{"timestamp": 1700000000, "sender": "A", "text": "' + text + '"}]')
    monkeypatch.setattr(export_module, "LARGE", 50)
    monkeypatch.setattr(half_characters, "_CHUNK", 17)

    (imported,) = import_file(path)

    right = "\\ud83d 😀 \ufffd \ufffd \\\ufffd \\"
    assert said(imported) == ["a" * shift + right * 8]
    assert "24 halves of characters are stored as U+FFFD" in imported.report.notes


@pytest.mark.parametrize("content", ["[" * 200_000, '{"a":' * 100_000, '["' + "\\" * 3_000_000])
def test_absurd_nesting_and_escapes_of_a_large_export_are_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    path = tmp_path / "large.json"
    path.write_text(content)
    monkeypatch.setattr(export_module, "LARGE", 100)

    with pytest.raises(ImportFormatError, match=r"nested deeper|broken JSON"):
        import_file(path)


def test_a_large_export_that_is_cut_short_is_one_clear_line(
    exports: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cut.json"
    path.write_bytes((exports / "telegram_personal_en.json").read_bytes()[:2000])
    monkeypatch.setattr(export_module, "LARGE", 100)

    with pytest.raises(ImportFormatError, match="broken JSON"):
        import_file(path, ImportOptions())


def test_a_broken_part_of_a_folder_is_told_and_the_others_are_read(
    exports: Path, tmp_path: Path
) -> None:
    whole = sorted((exports / "discord_partitioned").iterdir())
    for part in whole:
        (tmp_path / part.name).write_bytes(part.read_bytes())
    (tmp_path / whole[1].name).write_bytes(whole[1].read_bytes()[:300])

    imported = import_file(tmp_path)

    assert [len(one.chat.messages) for one in imported] == [3, 1]
    assert "[part 2].json: broken JSON" in imported[0].report.warnings[0]


def test_half_a_character_in_a_reaction_of_a_stored_chat_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(
        '{"sayso": "chat", "version": 1, "chatId": "c"}\n'
        '{"localId": 1, "sender": "A", "sentAt": "2024-01-01T10:00:00Z", "text": "x",'
        ' "reactions": [{"emoji": "\\ud83d", "who": ["B"]}]}\n'
    )

    with pytest.raises(ImportFormatError, match="half a character"):
        read_chat(path)
    (imported,) = import_file(path)

    assert imported.chat.messages[0].reactions[0].emoji == "\ufffd"
    assert imported.report.repaired.count == 1
