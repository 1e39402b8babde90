import json
from pathlib import Path

import pytest

from sayso.chats.importers import ImportOptions, import_file
from sayso.chats.importers.export import open_export
from sayso.chats.importers.registry import IMPORTERS
from sayso.errors import ImportFormatError, InputError

FORMATS = {
    "canonical.jsonl": "canonical chat JSONL",
    "locomo.json": "LoCoMo JSON",
    "realtalk.json": "REALTALK JSON",
    "whatsapp_android_ar.txt": "WhatsApp text",
    "whatsapp_android_de.txt": "WhatsApp text",
    "whatsapp_android_es.txt": "WhatsApp text",
    "whatsapp_android_us.txt": "WhatsApp text",
    "whatsapp_ios_group.txt": "WhatsApp text",
    "whatsapp_ios_zh.txt": "WhatsApp text",
}


@pytest.mark.parametrize(("name", "form"), FORMATS.items())
def test_a_format_is_recognised_by_its_content_whatever_the_name(
    exports: Path, tmp_path: Path, name: str, form: str
) -> None:
    disguised = tmp_path / "notes.bin"
    disguised.write_bytes((exports / name).read_bytes())

    (imported,) = import_file(disguised)

    assert imported.report.format == form
    assert imported.report.messages == len(imported.chat.messages) > 0


def test_only_tables_are_recognised_beside_the_right_format_and_they_are_asked_last(
    exports: Path,
) -> None:
    for name in FORMATS:
        export = open_export(exports / name)
        first, *others = [f.name for f in IMPORTERS if f.recognises(export)]
        assert (first, set(others) <= {"table (CSV, JSON lines)"}) == (FORMATS[name], True), name


BAD = {
    "empty": (b"", "the file is empty"),
    "blank": (b" \n\t\n", "the file is empty"),
    "nul bytes": (b"\x7fELF\x00\x00\x01", "is a binary file"),
    "zip": (b"PK\x03\x04rest", "is a damaged zip archive"),
    "latin-1 prose": (
        "Liebes Tagebuch, ü\n".encode("latin-1"),
        "line 1: byte 0xfc at 17 is not UTF-8",
    ),
    "cut utf-16": (b"\xff\xfea", "is not UTF-16"),
    "truncated json": (b'{"session_1": [\n  {"speaker": "A', "broken JSON, line 2, column 15"),
    "truncated list": (b'[{"conversation": 1},', "broken JSON, line 1, column 22"),
    "deep json": (b"[" * 200_000, "broken JSON"),
    "huge number": (b"[" + b"9" * 5000 + b"]", "broken JSON"),
    "prose": (
        b"Dear diary,\n",
        "unknown format; known formats: canonical chat JSONL, REALTALK JSON",
    ),
    "other json": (b'{"a": 1}', "unknown format; known formats:"),
}


@pytest.mark.parametrize(("content", "said"), BAD.values(), ids=BAD.keys())
def test_a_file_that_is_no_export_gives_one_clear_line(
    tmp_path: Path, content: bytes, said: str
) -> None:
    path = tmp_path / "chat.txt"
    path.write_bytes(content)

    with pytest.raises(ImportFormatError) as caught:
        import_file(path)

    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_missing_file_and_a_folder_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        import_file(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="is a folder"):
        import_file(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        import_file(Path("nul\0byte"))


@pytest.mark.parametrize("body", [None, ""], ids=["null", "empty"])
def test_ten_records_without_text_are_an_error_with_the_reason(
    tmp_path: Path, body: str | None
) -> None:
    one = {"clean_text": body, "speaker": "A", "date_time": "29.12.2023, 22:42:04"}
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"session_1": [one] * 10}))

    with pytest.raises(
        ImportFormatError, match=r"no message with text among 10 records; 10 times: no text"
    ):
        import_file(path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"timezone": "Mars/Olympus"}, "--timezone: unknown timezone 'Mars/Olympus'"),
        ({"timezone": "../etc/passwd"}, "--timezone: unknown timezone"),
        ({"timezone": "America"}, "--timezone: unknown timezone"),
        ({"chat_id": "../up"}, "--as: '../up' cannot be a chat's id"),
        ({"chat_id": ".."}, "--as: '..' cannot be a chat's id"),
    ],
)
def test_an_impossible_option_is_named(exports: Path, options: dict[str, str], said: str) -> None:
    with pytest.raises(InputError) as caught:
        import_file(exports / "realtalk.json", ImportOptions.model_validate(options))

    assert said in str(caught.value)


def test_the_chat_id_is_the_stem_or_the_one_that_is_named(exports: Path, tmp_path: Path) -> None:
    file = tmp_path / "Chat Ω mit Ümläut.v2.json"
    file.write_bytes((exports / "realtalk.json").read_bytes())

    (stem,) = import_file(file)
    (named,) = import_file(file, ImportOptions(chat_id="Cats"))

    assert stem.chat.chat_id == "Chat Ω mit Ümläut.v2"
    assert named.chat.chat_id == "Cats"


def test_utf16_and_byte_order_marks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "chat.txt"
    text = "13/12/23, 9:05 - Zoë: naïve 😀\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_bytes(text.encode(encoding))

        (imported,) = import_file(path)

        assert imported.chat.messages[0].text == "naïve 😀"
