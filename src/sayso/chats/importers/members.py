"""The chats of a folder's or an archive's files, each read by the format it is in."""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from sayso.chats.importers.bundle import Bundle, Folder, archives, by_folder, readable
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export, member_of
from sayso.chats.importers.format import Format
from sayso.chats.importers.naming import ids_for
from sayso.chats.importers.report import ImportOptions
from sayso.chats.importers.several import told
from sayso.chats.importers.streaming import LARGE
from sayso.errors import ImportFormatError, InputError

# Names that say nothing of the chat in the file: the folder's or the archive's does.
_SAYS_NOTHING = frozenset({"_chat", "chat", "result", "messages", "message_1", "export"})
_WHATSAPP = "whatsapp"
_TOO_DEEP = "is an archive within an archive, which is not read: unpack it and name it by itself"

Recognise = Callable[[Export, ImportOptions], Format | None]
Complain = Callable[[Export], ImportFormatError]
Unpack = Callable[[Export, str, ImportOptions], tuple[Draft, ...]]
"""The chats of an archive by its name in the folder."""


@dataclass(frozen=True)
class _Member:
    """A file that a format recognises; ``kept`` where others have to be seen beside it.

    ``sent`` are the archives that its text names, by the last part of their names.
    """

    name: str
    form: Format
    kept: Export | None
    sent: Set[str] = frozenset()


@dataclass(frozen=True)
class _Files:
    """The files of a bundle, opened anew each time: all of them at once may be too much."""

    whole: Export
    bundle: Bundle
    folders: Mapping[str, Mapping[str, int]]

    def open(self, name: str, *, held: bool = True) -> Export:
        return member_of(self.whole, name, self.folders[name.rpartition("/")[0]], held=held)

    @cached_property
    def are_much(self) -> bool:
        """Whether all of them together are better not held in memory."""
        return sum(self.bundle.sizes[name] for name in readable(self.bundle)) > LARGE


def read_members(
    whole: Export,
    options: ImportOptions,
    recognise: Recognise,
    unknown: Complain,
    unpack: Unpack,
) -> tuple[Draft, ...]:
    """Every chat in the files of a bundle; at least one, or ImportFormatError.

    Files of a format that joins them are read together, and zip archives in a folder each by
    itself; an archive within an archive is not read. What a WhatsApp chat names was sent in it and
    is left alone, and so is an archive that any export names. Files that are broken are told of
    with the first chat.
    """
    assert whole.bundle is not None
    files = _Files(whole, whole.bundle, by_folder(whole.bundle))
    found, refused = _recognised(files, options, recognise, unknown)
    chats = [member.kept for member in found if member.form.id == _WHATSAPP and member.kept]
    packed = archives(files.bundle)
    sent = _sent_in(chats, [*(member.name for member in found), *refused, *packed])
    found = [member for member in found if member.name not in sent]
    failures = [reason for name, reason in refused.items() if name not in sent]
    sent |= {name for name in packed if any(_last(name) in member.sent for member in found)}
    packed = [name for name in packed if name not in sent]
    if not isinstance(files.bundle, Folder):
        failures += [f"{whole.name}: {name}: {_TOO_DEEP}" for name in packed]
        packed = []
    groups = list(_together(found))
    if not groups and not packed:
        raise _nothing_in(whole, failures)
    drafts: list[Draft] = []
    unnamed = options.model_copy(update={"chat_id": None})
    errors: list[InputError] = []
    # An archive of anything else than a chat makes no second one of the chat beside it.
    unpacked: dict[str, Sequence[Draft]] = {}
    for name in packed:
        try:
            unpacked[name] = unpack(whole, name, unnamed)
        except InputError as error:
            errors.append(error)
    alone = len(groups) + len(unpacked) == 1
    chosen = options if alone else unnamed
    for group in groups:
        form = group[0].form
        exports = [_called(m.kept or files.open(m.name), whole, alone=alone) for m in group]
        try:
            drafts += form.join(exports, chosen) if form.join else form.read(exports[0], chosen)
        except ImportFormatError as error:
            errors.append(error)
    for name, found_in in unpacked.items():
        drafts += unpack(whole, name, chosen) if alone else found_in
    if not drafts:
        raise errors[0]
    if not alone:
        drafts = _each_under_an_id(drafts, options.chat_id)
    return told(drafts, [*map(str, errors), *failures])


def _recognised(
    files: _Files, options: ImportOptions, recognise: Recognise, unknown: Complain
) -> tuple[list[_Member], dict[str, str]]:
    """The files that some format recognises, and why others cannot be read, by name."""
    found: list[_Member] = []
    refused: dict[str, str] = {}
    packed = frozenset(map(_last, archives(files.bundle)))
    for name in readable(files.bundle):
        try:
            export = files.open(name)
            form = recognise(export, options)
        except ImportFormatError as error:
            refused[name] = str(error)
            continue
        if form is not None:
            kept = form.join is not None or form.id == _WHATSAPP
            if kept and files.are_much:
                export = files.open(name, held=False)
            sent = export.mentions(packed) if packed else frozenset()
            found.append(_Member(name, form, export if kept else None, sent))
        elif name.lower().endswith(".json") and export.json_fault is not None:
            refused[name] = str(unknown(export))
    return found, refused


def _sent_in(chats: Sequence[Export], names: Sequence[str]) -> Set[str]:
    """The files that one of the chats, other than the file itself, names."""
    sent: set[str] = set()
    for chat in chats:
        last = {name: _last(name) for name in names if name != chat.member}
        named = chat.mentions(frozenset(last.values()))
        sent.update(name for name in last if last[name] in named)
    return sent


def _last(name: str) -> str:
    return PurePosixPath(name).name


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


def _each_under_an_id(drafts: Sequence[Draft], prefix: str | None) -> list[Draft]:
    ids = ids_for([(one.header.chat_id, "") for one in drafts], prefix)
    return [one.called(chat_id) for one, chat_id in zip(drafts, ids, strict=True)]


def _nothing_in(whole: Export, refused: Sequence[str]) -> ImportFormatError:
    what = "a folder" if whole.path.is_dir() else "a zip archive"
    why = f"; {refused[0]}" if refused else "; sayso import --list shows what can be read"
    return ImportFormatError(f"{whole.name}: is {what} without an export in it{why}")
