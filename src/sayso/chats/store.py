"""Chats on disk: one file a chat, under ``home/chats/{chatId}.jsonl``, readable by its owner only."""

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from sayso.chats.canonical import format_chat, format_header, parse
from sayso.chats.exactness import as_exact, unlike
from sayso.chats.ids import checked_chat_id, mended
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import open_export
from sayso.chats.importers.importing import import_file
from sayso.chats.importers.report import ImportOptions
from sayso.chats.importers.watching import Heard
from sayso.chats.laid import laid_file
from sayso.chats.large_merging import LargeMerge, on_one_clock
from sayso.chats.locking import alone_in
from sayso.chats.merging import MergeReport, merge
from sayso.chats.merging import on_one_clock as chats_on_one_clock
from sayso.chats.outline import Outline
from sayso.chats.spooling import Spool
from sayso.chats.writing import unwritten, write_lines
from sayso.core.chat import Chat, Message, in_message_order
from sayso.errors import ChatNotFoundError, ImportFormatError, InputError, StoreError
from sayso.paths import private_folder

SUFFIX = ".jsonl"
_DAMAGED = " (the chat's own file is damaged: mend it, or move it away and import the chat again)"
# Of more messages, or more bytes, two chats are merged on disk; of fewer in memory, which is faster.
_MANY = 50_000
_MUCH = 16 * 2**20
_STEP = 10_000


def read_chat(path: Path) -> Chat:
    """The chat of a file that :func:`write_chat` wrote; strict, so that no message is lost unseen.

    Raises InputError for a file that is not there and ImportFormatError, naming the line, for one
    that is not such a file or has a line that cannot be read, has no localId, or repeats one, or
    holds half a character.
    """
    export = open_export(path)
    parsed = parse(export.text, export.name, export.stem)
    if parsed.flaws:
        flaw = parsed.flaws[0]
        raise ImportFormatError(
            f"{path}: line {flaw.number}: {flaw.reason}; restore it, or import the file instead"
        )
    seen: dict[int, int] = {}
    for line in parsed.lines:
        local_id = line.message.local_id
        reason = ""
        if not line.numbered:
            reason = "the message has no localId"
        elif local_id in seen:
            reason = f"localId {local_id} is also on line {seen[local_id]}"
        else:
            reason = _wrong_with(line.message)
        if reason:
            raise ImportFormatError(
                f"{path}: line {line.number}: {reason}; import the file instead"
            )
        seen[local_id] = line.number
    fields = {name: getattr(parsed.header, name) for name in type(parsed.header).model_fields}
    return Chat(**fields, messages=in_message_order(line.message for line in parsed.lines))


def write_chat(chat: Chat, path: Path) -> None:
    """Write the chat's file in one step: it is the old one or the new one, never half of one.

    The file is readable by its owner only (0600), and so are folders made for it (0700). Raises
    StoreError where it cannot be written.
    """
    write_lines(path, format_chat(chat))


@dataclass(frozen=True)
class ChatStore:
    """The imported chats of one data folder, which may not exist yet."""

    home: Path

    def ids(self) -> tuple[str, ...]:
        """The imported chats' ids, sorted; empty where nothing is imported."""
        try:
            found = [p.stem for p in self._folder.iterdir() if p.suffix == SUFFIX and p.is_file()]
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            raise StoreError(f"{self._folder}: cannot be read: {error}") from error
        return tuple(sorted(found))

    def path(self, chat_id: str) -> Path:
        """Where a chat of that id is or would be; raises InputError for an impossible id."""
        return self._folder / f"{checked_chat_id(chat_id, 'chat')}{SUFFIX}"

    def load(self, chat_id: str) -> Chat:
        """The imported chat; raises ChatNotFoundError where there is none of that id."""
        path = self.path(chat_id)
        if not _is_file(path):
            raise self._not_found(f"no imported chat {chat_id!r}")
        try:
            chat = read_chat(path)
        except ImportFormatError as error:
            raise ImportFormatError(f"{error}{_DAMAGED}") from error
        # A file that someone renamed goes by its new name.
        return chat if chat.chat_id == chat_id else chat.model_copy(update={"chat_id": chat_id})

    def save(self, chat: Chat) -> None:
        """Write the chat under its id, in place of what was there."""
        write_chat(chat, self.path(chat.chat_id))

    def add(
        self, chat: Chat, *, sure: bool = False, owner_told: bool = False
    ) -> tuple[Chat, MergeReport]:
        """Save the chat, merged with the one of that id where there is one, and return it.

        Raises InputError, and keeps what was there, where the two share no message and are not
        between the same people: by the file's name alone they would become one for good. ``sure``
        merges all the same; ``owner_told``, see :func:`merge`. Of two processes that add at once, one waits for the other.
        """
        path = self.path(chat.chat_id)
        try:
            private_folder(self._folder)
        except OSError as error:
            raise unwritten(path, error) from error
        with alone_in(self._folder):
            return self._merged(chat, sure=sure, owner_told=owner_told)

    def add_draft(
        self,
        draft: Draft,
        spool: Spool,
        *,
        sure: bool = False,
        owner_told: bool = False,
        heard: Heard | None = None,
    ) -> "Kept":
        """As :meth:`add`, of what an importer read; in memory that does not grow with the chat.

        ``spool`` takes both chats where one is large. ``heard`` hears how many messages are written.
        """
        if self._is_large(draft):
            outline, report = self.add_large(
                draft, spool, sure=sure, owner_told=owner_told, heard=heard
            )
            return Kept(outline, report, partial(self.load, outline.header.chat_id))
        chat, report = self.add(draft.chat, sure=sure, owner_told=owner_told)
        return Kept(Outline.of(chat), report, lambda: chat)

    def _is_large(self, draft: Draft) -> bool:
        try:
            there = self.path(draft.header.chat_id).stat().st_size
        except OSError:
            there = 0
        return draft.report.messages > _MANY or there > _MUCH

    def add_large(
        self,
        draft: Draft,
        spool: Spool,
        *,
        sure: bool = False,
        owner_told: bool = False,
        heard: Heard | None = None,
    ) -> tuple[Outline, MergeReport]:
        """As :meth:`add_draft`, whatever its size."""
        path = self.path(draft.header.chat_id)
        try:
            private_folder(self._folder)
        except OSError as error:
            raise unwritten(path, error) from error
        with alone_in(self._folder):
            if not _is_file(path):
                lines = chain([format_header(draft.header)], (one.line for one in draft.given()))
                total = draft.report.messages
                write_lines(path, _told(lines, total, heard))
                outline = Outline(draft.header, total, draft.report.first, draft.report.last)
                return outline, MergeReport(added=total, already_there=0)
            return self._merged_large(draft, spool, sure=sure, owner_told=owner_told, heard=heard)

    def _merged_large(
        self, draft: Draft, spool: Spool, *, sure: bool, owner_told: bool, heard: Heard | None
    ) -> tuple[Outline, MergeReport]:
        path = self.path(draft.header.chat_id)
        try:
            old = laid_file(path, _wrong_with, spool)
        except ImportFormatError as error:
            raise ImportFormatError(f"{error}{_DAMAGED}") from error
        old.header = old.header.model_copy(update={"chat_id": draft.header.chat_id})
        old, new = on_one_clock(old, draft, spool)
        if unlike(old, new):  # rare, and each message has to be looked for in its minute
            chat, report = self._merged(draft.chat, sure=sure, owner_told=owner_told)
            return Outline.of(chat), report
        merging = LargeMerge(old, new, spool, owner_told=owner_told)
        if not (sure or merging.already_there or old.speakers == new.speakers):
            raise InputError(_stranger(old.header.chat_id, old.speakers, new.speakers))
        write_lines(path, _told(merging.lines(), merging.count, heard))
        return merging.outline, merging.report

    def _merged(self, chat: Chat, *, sure: bool, owner_told: bool) -> tuple[Chat, MergeReport]:
        merged, report = chat, MergeReport(added=len(chat.messages), already_there=0)
        if _is_file(self.path(chat.chat_id)):
            old = self.load(chat.chat_id)
            old, chat = as_exact(*chats_on_one_clock(old, chat))
            merged, report = merge(old, chat, owner_told=owner_told)
            if not (sure or report.already_there or _speakers(old) == _speakers(chat)):
                raise InputError(_stranger(old.chat_id, _speakers(old), _speakers(chat)))
        self.save(merged)
        return merged, report

    def resolve(self, name: str | None = None, options: ImportOptions | None = None) -> Chat:
        """The chat that a person means: an imported id, else a path to any chat file.

        A file is read by its importer (with ``options``) and not stored. No name means the only
        imported chat. Raises ChatNotFoundError saying what there is, InputError for a file of
        several chats.
        """
        ids = self.ids()
        if name is None:
            if len(ids) != 1:
                raise self._not_found("no chat was named")
            return self.load(ids[0])
        if name in ids:
            return self.load(name)
        path = Path(name)
        if not name or not _is_file(path):
            raise self._not_found(f"no imported chat and no file {name!r}")
        imported = import_file(path, options or ImportOptions())
        if len(imported) > 1:
            held = ", ".join(one.chat.chat_id for one in imported)
            raise InputError(
                f"{path}: holds {len(imported)} chats ({held}); import it with sayso import, then "
                "name one of them"
            )
        return imported[0].chat

    @property
    def _folder(self) -> Path:
        return self.home / "chats"

    def _not_found(self, what: str) -> ChatNotFoundError:
        ids = self.ids()
        if not ids:
            return ChatNotFoundError(
                f"{what}, and none is imported yet; import one with sayso import FILE, or name a "
                "chat file with --chat PATH"
            )
        shown = ", ".join(ids[:20]) + (f" and {len(ids) - 20} more" if len(ids) > 20 else "")
        return ChatNotFoundError(
            f"{what}; imported: {shown}; name one of them, or a chat file, with --chat"
        )


@dataclass(frozen=True)
class Kept:
    """A chat as it is stored now, and what the merge added."""

    outline: Outline
    merge: MergeReport
    load: Callable[[], Chat]

    @property
    def chat(self) -> Chat:
        """The whole of it, in memory."""
        return self.load()


def _speakers(chat: Chat) -> frozenset[str]:
    return frozenset(m.sender for m in chat.messages if m.sender and m.kind != "system")


def _stranger(chat_id: str, old: Set[str], new: Set[str]) -> str:
    # Every iOS export is called _chat.txt, whoever the chat is with.
    there, here = (", ".join(sorted(people)[:4]) or "nobody" for people in (old, new))
    return (
        f"a chat {chat_id!r} is imported already, with other people and not one message of "
        f"this file ({there}; here {here}); give this one an id of its own with --as ID, or add "
        f"it to that chat with --as {chat_id}"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, or a folder that may not be looked into
        return False


def _told(lines: Iterable[str], total: int, heard: Heard | None) -> Iterator[str]:
    for n, line in enumerate(lines):
        if heard and n % _STEP == 0 and n:
            heard("storing", min(n, total), total)
        yield line


def _wrong_with(message: Message) -> str:
    words = [message.sender, message.text, message.caption, message.source_id]
    if message.reactions or message.revisions or message.attachments or message.forwarded_from:
        words.append(message.forwarded_from)
        words += [revision.text for revision in message.revisions]
        words += [name for r in message.reactions for name in (r.emoji, *r.who)]
        words += [file.name for file in message.attachments]
    whole = "\n".join(filter(None, words))
    return "half a character (a lone surrogate)" if mended(whole) != whole else ""
