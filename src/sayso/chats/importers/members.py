"""The chats of a folder's or an archive's files, each read by the format it is in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from sayso.chats.importers.bundle import Bundle, by_folder, readable
from sayso.chats.importers.export import Export, member_of
from sayso.chats.importers.format import Format
from sayso.chats.importers.naming import ids_for
from sayso.chats.importers.report import Imported, ImportOptions
from sayso.chats.importers.several import told
from sayso.errors import ImportFormatError

# Names that say nothing of the chat in the file: the folder's or the archive's does.
_SAYS_NOTHING = frozenset({"_chat", "chat", "result", "messages", "message_1", "export"})
_WHATSAPP = "whatsapp"

Recognise = Callable[[Export, ImportOptions], Format | None]
Complain = Callable[[Export], ImportFormatError]


@dataclass(frozen=True)
class _Member:
    """A file that a format recognises; ``kept`` where others have to be seen beside it."""

    name: str
    form: Format
    kept: Export | None


@dataclass(frozen=True)
class _Files:
    """The files of a bundle, opened anew each time: all of them at once may be too much."""

    bundle: Bundle
    folders: Mapping[str, Mapping[str, int]]

    def open(self, name: str) -> Export:
        return member_of(self.bundle, name, self.folders[name.rpartition("/")[0]])


def read_members(
    whole: Export, options: ImportOptions, recognise: Recognise, unknown: Complain
) -> tuple[Imported, ...]:
    """Every chat in the files of a bundle; at least one, or ImportFormatError.

    Files of a format that joins them are read together. What a WhatsApp chat names was sent in it
    and is left alone. Files that are broken are told of with the first chat.
    """
    assert whole.bundle is not None
    files = _Files(whole.bundle, by_folder(whole.bundle))
    found, refused = _recognised(files, options, recognise, unknown)
    chats = [member.kept for member in found if member.form.id == _WHATSAPP and member.kept]
    found = [member for member in found if not _sent_in(member.name, chats)]
    failures = [reason for name, reason in refused.items() if not _sent_in(name, chats)]
    groups = list(_together(found))
    if not groups:
        raise _nothing_in(whole, failures)
    imported: list[Imported] = []
    alone = len(groups) == 1
    chosen = options if alone else options.model_copy(update={"chat_id": None})
    errors: list[ImportFormatError] = []
    for group in groups:
        form = group[0].form
        exports = [_called(m.kept or files.open(m.name), whole, alone=alone) for m in group]
        try:
            imported += form.join(exports, chosen) if form.join else form.read(exports[0], chosen)
        except ImportFormatError as error:
            errors.append(error)
    if not imported:
        raise errors[0]
    if not alone:
        imported = _each_under_an_id(imported, options.chat_id)
    return told(imported, [*map(str, errors), *failures])


def _recognised(
    files: _Files, options: ImportOptions, recognise: Recognise, unknown: Complain
) -> tuple[list[_Member], dict[str, str]]:
    """The files that some format recognises, and why others cannot be read, by name."""
    found: list[_Member] = []
    refused: dict[str, str] = {}
    for name in readable(files.bundle):
        try:
            export = files.open(name)
            form = recognise(export, options)
        except ImportFormatError as error:
            refused[name] = str(error)
            continue
        if form is not None:
            kept = form.join is not None or form.id == _WHATSAPP
            found.append(_Member(name, form, export if kept else None))
        elif name.lower().endswith(".json") and export.json_fault is not None:
            refused[name] = str(unknown(export))
    return found, refused


def _sent_in(name: str, chats: Sequence[Export]) -> bool:
    """Whether one of the chats, other than that file itself, names it."""
    last = PurePosixPath(name).name
    return any(chat.member != name and last in chat.text for chat in chats)


def _together(found: Sequence[_Member]) -> Iterator[list[_Member]]:
    """The files that are read at once: all of a format that joins them, else one by one."""
    by_format: dict[str, list[_Member]] = {}
    for member in found:
        by_format.setdefault(member.form.id, []).append(member)
    for members in by_format.values():
        if members[0].form.join is not None:
            yield members
        else:
            yield from ([member] for member in members)


def _called(export: Export, whole: Export, *, alone: bool) -> Export:
    member = PurePosixPath(export.member or "")
    if not alone and member.stem not in _SAYS_NOTHING:
        return export
    name = whole.stem if alone or len(member.parts) < 2 else member.parts[-2]
    return replace(export, called=name)


def _each_under_an_id(imported: Sequence[Imported], prefix: str | None) -> list[Imported]:
    ids = ids_for([(one.chat.chat_id, "") for one in imported], prefix)
    return [
        one.model_copy(update={"chat": one.chat.model_copy(update={"chat_id": chat_id})})
        for one, chat_id in zip(imported, ids, strict=True)
    ]


def _nothing_in(whole: Export, refused: Sequence[str]) -> ImportFormatError:
    what = "a folder" if whole.path.is_dir() else "a zip archive"
    why = f"; {refused[0]}" if refused else "; sayso import --list shows what can be read"
    return ImportFormatError(f"{whole.name}: is {what} without an export in it{why}")
