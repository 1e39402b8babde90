"""Zip archives in a folder: each is read as one that is named by itself, and none in silence."""

import zipfile
from pathlib import Path

import pytest

from sayso.chats.importers import Imported, ImportOptions, import_file
from sayso.errors import ImportFormatError

LINE = "[13/12/23, 9:05:00] {}: hello\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "exports"
    path.mkdir()
    return path


def packed(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "."), content)
    return path


def held(imported: tuple[Imported, ...]) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.chat.chat_id, one.chat.names) for one in imported]


def warnings(imported: tuple[Imported, ...]) -> list[str]:
    return [warning for one in imported for warning in one.report.warnings]


def test_a_zip_alone_in_a_folder_is_read_as_if_it_were_named(folder: Path) -> None:
    path = packed(folder / "WhatsApp Chat - Plot 14.zip", _chat__txt=LINE.format("Ana"))

    assert import_file(folder) == import_file(path)
    assert held(import_file(folder, ImportOptions(chat_id="plot"))) == [("plot", ("Ana",))]


def test_zips_are_read_beside_other_exports_at_any_depth(folder: Path) -> None:
    (folder / "Cy.txt").write_text(LINE.format("Cy"), encoding="utf-8")
    (folder / "more").mkdir()
    packed(folder / "Plot.zip", _chat__txt=LINE.format("Ana"))
    packed(folder / "more" / "Bo.ZIP", _chat__txt=LINE.format("Bo"), IMG__jpg="x")

    imported = import_file(folder)

    assert held(imported) == [("Cy", ("Cy",)), ("Plot", ("Ana",)), ("Bo", ("Bo",))]
    assert warnings(imported) == []


def test_a_zip_that_cannot_be_read_is_told_and_the_others_are_read(folder: Path) -> None:
    packed(folder / "a.zip", _chat__txt=LINE.format("Ana"))
    packed(folder / "b.zip", IMG__jpg="x")
    packed(folder / "bomb.zip", _chat__txt="\0" * (80 * 2**20))

    imported = import_file(folder)

    assert held(imported) == [("a", ("Ana",))]
    (told,) = warnings(imported)
    assert told.startswith(
        f"left out: {folder / 'b.zip'}: is a zip archive without an export in it"
    )
    assert told.endswith("(and 1 more)")


def test_a_zip_alone_that_would_fill_the_machine_is_refused(folder: Path) -> None:
    packed(folder / "bomb.zip", _chat__txt="\0" * (80 * 2**20))

    with pytest.raises(ImportFormatError, match="made to fill this machine"):
        import_file(folder)


@pytest.mark.parametrize("name", ["chat.txt", "result.json"])
def test_a_zip_that_was_sent_in_a_chat_is_no_export(folder: Path, name: str) -> None:
    telegram = (
        '{"name": "T", "type": "personal_chat", "id": 1, "messages": [{"id": 1, "type": "message", '
        '"date_unixtime": "1700000000", "from": "Cy", "from_id": "user1", "text": "the old ones", '
        '"file": "files/old.zip"}]}'
    )
    whatsapp = LINE.format("Cy") + "[13/12/23, 9:06:00] Cy: \u200e<attached: old.zip>\n"
    (folder / name).write_text(telegram if name == "result.json" else whatsapp, encoding="utf-8")
    (folder / "files").mkdir()
    packed(folder / "files" / "old.zip", _chat__txt=LINE.format("Ana"))

    imported = import_file(folder)

    assert [one.chat.names for one in imported] == [("Cy",)]
    assert warnings(imported) == []


def test_an_archive_within_an_archive_is_told_of(folder: Path) -> None:
    inner = packed(folder / "inner.zip", _chat__txt=LINE.format("Ana")).read_bytes()
    outer = packed(folder / "outer.zip", Bo__txt=LINE.format("Bo"))
    with zipfile.ZipFile(outer, "a") as archive:
        archive.writestr("inner.zip", inner)

    (told,) = warnings(import_file(outer))

    assert told.startswith(f"left out: {outer}: inner.zip: is an archive within an archive")


def test_a_zip_without_a_chat_gives_the_chat_beside_it_no_other_id(folder: Path) -> None:
    (folder / "Ana.txt").write_text(LINE.format("Ana"), encoding="utf-8")
    named = ImportOptions(chat_id="ana")
    alone = held(import_file(folder, named))
    packed(folder / "holiday-photos.zip", beach__jpg="no text")

    imported = import_file(folder, named)

    assert held(imported) == alone == [("ana", ("Ana",))]
    assert any("holiday-photos.zip" in warning for warning in warnings(imported))
