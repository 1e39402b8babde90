"""From a file to its chats: the one door to all importers."""

from pathlib import Path

from sayso.chats.clock import zone_named
from sayso.chats.ids import checked_chat_id
from sayso.chats.importers.export import Export, open_export
from sayso.chats.importers.registry import IMPORTERS
from sayso.chats.importers.report import Imported, ImportOptions
from sayso.errors import ImportFormatError


def import_file(path: Path, options: ImportOptions | None = None) -> tuple[Imported, ...]:
    """The chats of an export file, in file order, each with its report; at least one.

    Raises InputError (ImportFormatError among them) with one line that says what is wrong: no
    such file, an empty or binary one, an unknown format, nothing said in it, an impossible option.
    """
    options = options or ImportOptions()
    if options.chat_id is not None:
        checked_chat_id(options.chat_id, "--as")
    if options.timezone is not None:
        zone_named(options.timezone, "--timezone")
    export = open_export(path)
    for importer in IMPORTERS:
        if importer.recognises(export):
            return importer.read(export, options)
    raise _unknown(export)


def _unknown(export: Export) -> ImportFormatError:
    known = ", ".join(importer.name for importer in IMPORTERS)
    if export.looks_like_json and export.json_fault is not None:
        return ImportFormatError(
            f"{export.name}: broken JSON, {export.json_fault}; it may have been cut short: export "
            "or download it again"
        )
    return ImportFormatError(f"{export.name}: unknown format; known formats: {known}")
