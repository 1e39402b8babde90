"""From a file, a folder or an archive to its chats: the one door to all importers."""

from pathlib import Path

from sayso.chats.clock import zone_named
from sayso.chats.ids import checked_chat_id, mended
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export, opened
from sayso.chats.importers.format import Format
from sayso.chats.importers.members import read_members
from sayso.chats.importers.registry import IMPORTERS
from sayso.chats.importers.report import Imported, ImportOptions
from sayso.chats.importers.table import TABLE
from sayso.chats.importers.watching import Heard
from sayso.chats.spooling import Spool
from sayso.errors import ImportFormatError


def import_file(path: Path, options: ImportOptions | None = None) -> tuple[Imported, ...]:
    """The chats of an export (a file, a folder, a zip archive), in file order, each with its report.

    At least one. Raises InputError (ImportFormatError among them) with one line that says what is
    wrong: no such file, an empty or binary one, an unknown format, nothing said in it, an
    impossible option.
    """
    with Spool() as spool:
        return tuple(draft.imported for draft in drafts_of(path, options or ImportOptions(), spool))


def drafts_of(
    path: Path, options: ImportOptions, spool: Spool, heard: Heard | None = None
) -> tuple[Draft, ...]:
    """As :func:`import_file`, with the messages laid into the spool instead of held in memory.

    ``heard`` hears how far the reading of a large file is, in bytes; it may be read more than once.
    """
    if options.chat_id is not None:
        checked_chat_id(options.chat_id, "--as")
    if options.timezone is not None:
        zone_named(options.timezone, "--timezone")
    return _of_path(path, options, spool, heard)


def _of_path(
    path: Path, options: ImportOptions, spool: Spool, heard: Heard | None
) -> tuple[Draft, ...]:
    with opened(path, spool, heard) as export:
        try:
            return _read(export, options)
        except RecursionError as error:
            raise ImportFormatError(
                f"{export.name}: is nested deeper than any export; not read"
            ) from error


def _read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    importer = importer_of(export, options)
    if importer is not None:
        return importer.read(export, options)
    if export.bundle is not None:
        return read_members(export, options, importer_of, unknown, _in_archive)
    raise unknown(export)


def _in_archive(folder: Export, name: str, options: ImportOptions) -> tuple[Draft, ...]:
    """The chats of a zip archive in a folder, read as one that is named by itself."""
    return _of_path(folder.path / name, options, folder.spool, folder.heard)


def importer_of(export: Export, options: ImportOptions) -> Format | None:
    """The format that recognises it; None where none does."""
    if options.columns and export.bundle is None:  # who names columns says that it is a table
        return TABLE
    return next((importer for importer in IMPORTERS if importer.recognises(export)), None)


def unknown(export: Export) -> ImportFormatError:
    """The error for what no format recognises."""
    known = ", ".join(importer.name for importer in IMPORTERS)
    if export.looks_like_json and export.json_fault is not None:
        return ImportFormatError(
            f"{export.name}: broken JSON, {mended(export.json_fault)}; it may have been cut short: "
            "export or download it again"
        )
    if export.fault is not None:
        return ImportFormatError(f"{export.fault} (nor is it a known format as {export.guess})")
    return ImportFormatError(f"{export.name}: unknown format; known formats: {known}")
