"""From a file, a folder or an archive to its chats: the one door to all importers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from sayso.chats.clock import zone_named
from sayso.chats.ids import checked_chat_id, mended
from sayso.chats.importers.bundle import Bundle, by_folder, readable
from sayso.chats.importers.export import Export, member_of, opened
from sayso.chats.importers.format import Format
from sayso.chats.importers.naming import ids_for
from sayso.chats.importers.registry import IMPORTERS
from sayso.chats.importers.report import Imported, ImportOptions
from sayso.chats.importers.several import told
from sayso.chats.importers.table import TABLE
from sayso.errors import ImportFormatError

# Names that say nothing of the chat in the file: the folder's or the archive's does.
_SAYS_NOTHING = frozenset({"_chat", "chat", "result", "messages", "message_1", "export"})


def import_file(path: Path, options: ImportOptions | None = None) -> tuple[Imported, ...]:
    """The chats of an export (a file, a folder, a zip archive), in file order, each with its report.

    At least one. Raises InputError (ImportFormatError among them) with one line that says what is
    wrong: no such file, an empty or binary one, an unknown format, nothing said in it, an
    impossible option.
    """
    options = options or ImportOptions()
    if options.chat_id is not None:
        checked_chat_id(options.chat_id, "--as")
    if options.timezone is not None:
        zone_named(options.timezone, "--timezone")
    with opened(path) as export:
        try:
            return _read(export, options)
        except RecursionError as error:
            raise ImportFormatError(
                f"{export.name}: is nested deeper than any export; not read"
            ) from error


def _read(export: Export, options: ImportOptions) -> tuple[Imported, ...]:
    importer = _importer_of(export, options)
    if importer is not None:
        return importer.read(export, options)
    if export.bundle is not None:
        return _members(export.bundle, export, options)
    raise _unknown(export)


def _importer_of(export: Export, options: ImportOptions) -> Format | None:
    if options.columns and export.bundle is None:  # who names columns says that it is a table
        return TABLE
    return next((importer for importer in IMPORTERS if importer.recognises(export)), None)


def _members(bundle: Bundle, whole: Export, options: ImportOptions) -> tuple[Imported, ...]:
    """The chats of a folder's or an archive's files, each read by the format it is in."""
    found: dict[str, list[tuple[Export, Format]]] = {}
    refused: list[str] = []
    folders = by_folder(bundle)
    for name in readable(bundle):
        try:
            export = member_of(bundle, name, folders[name.rpartition("/")[0]])
            importer = _importer_of(export, options)
        except ImportFormatError as error:
            refused.append(str(error))
            continue
        if importer is not None:
            found.setdefault(importer.id, []).append((export, importer))
    groups = [_parts(members) for members in _not_attached(found) if members]
    parts = [part for group in groups for part in group]
    if not parts:
        raise _nothing_in(whole, refused)
    imported: list[Imported] = []
    failures: list[ImportFormatError] = []
    several = len(parts) > 1
    for exports, importer in parts:
        chosen = options.model_copy(update={"chat_id": None}) if several else options
        named = [_called(export, whole, alone=not several) for export in exports]
        try:
            read = (
                importer.join(named, chosen) if importer.join else importer.read(named[0], chosen)
            )
            imported += read
        except ImportFormatError as error:
            failures.append(error)
    if not imported:
        raise failures[0]
    if several:
        wanted = [(one.chat.chat_id, "") for one in imported]
        ids = ids_for(wanted, options.chat_id)
        imported = [
            one.model_copy(update={"chat": one.chat.model_copy(update={"chat_id": chat_id})})
            for one, chat_id in zip(imported, ids, strict=True)
        ]
    return told(imported, [str(failure) for failure in failures])


def _not_attached(
    found: Mapping[str, list[tuple[Export, Format]]],
) -> list[list[tuple[Export, Format]]]:
    """The files by format, without those that a WhatsApp chat names: they were sent in it."""
    chats = [export for export, _ in found.get("whatsapp", ())]
    return [
        [
            (export, importer)
            for export, importer in members
            if not any(
                chat is not export and PurePosixPath(export.member or "").name in chat.text
                for chat in chats
            )
        ]
        for members in found.values()
    ]


def _parts(members: list[tuple[Export, Format]]) -> list[tuple[Sequence[Export], Format]]:
    """Files of one format: all at once where it joins them, else each by itself."""
    importer = members[0][1]
    if importer.join is not None:
        return [([export for export, _ in members], importer)]
    return [([export], importer) for export, _ in members]


def _called(export: Export, whole: Export, *, alone: bool) -> Export:
    member = PurePosixPath(export.member or "")
    if not alone and member.stem not in _SAYS_NOTHING:
        return export
    name = whole.stem if alone or len(member.parts) < 2 else member.parts[-2]
    return replace(export, called=name)


def _nothing_in(whole: Export, refused: Sequence[str]) -> ImportFormatError:
    bundle = whole.bundle
    what = "a folder" if bundle is not None and bundle.path.is_dir() else "a zip archive"
    known = ", ".join(importer.name for importer in IMPORTERS)
    why = f"; {refused[0]}" if refused else ""
    return ImportFormatError(
        f"{whole.name}: is {what} without an export in it{why}; known formats: {known}"
    )


def _unknown(export: Export) -> ImportFormatError:
    known = ", ".join(importer.name for importer in IMPORTERS)
    if export.looks_like_json and export.json_fault is not None:
        return ImportFormatError(
            f"{export.name}: broken JSON, {mended(export.json_fault)}; it may have been cut short: "
            "export or download it again"
        )
    if export.fault is not None:
        return ImportFormatError(f"{export.fault} (nor is it a known format as {export.guess})")
    return ImportFormatError(f"{export.name}: unknown format; known formats: {known}")
