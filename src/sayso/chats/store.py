"""Chats on disk: one file a chat, under ``home/chats/{chatId}.jsonl``, readable by its owner only."""

import errno
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sayso.chats.canonical import format_chat, parse
from sayso.chats.ids import checked_chat_id, mended
from sayso.chats.importers.export import open_export
from sayso.chats.importers.importing import import_file
from sayso.chats.importers.report import ImportOptions
from sayso.chats.locking import alone_in
from sayso.chats.merging import MergeReport, merge
from sayso.core.chat import Chat, Message, in_message_order
from sayso.errors import ChatNotFoundError, ImportFormatError, InputError, StoreError
from sayso.paths import private_folder

SUFFIX = ".jsonl"


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
        elif _has_half_characters(line.message):
            reason = "half a character (a lone surrogate)"
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
    try:
        private_folder(path.parent)
        _replace(path, format_chat(chat))
    except (OSError, ValueError) as error:
        raise StoreError(_unwritten(path, error)) from error


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
            raise ImportFormatError(
                f"{error} (the chat's own file is damaged: mend it, or move it away and import the "
                "chat again)"
            ) from error
        # A file that someone renamed goes by its new name.
        return chat if chat.chat_id == chat_id else chat.model_copy(update={"chat_id": chat_id})

    def save(self, chat: Chat) -> None:
        """Write the chat under its id, in place of what was there."""
        write_chat(chat, self.path(chat.chat_id))

    def add(self, chat: Chat, *, sure: bool = False) -> tuple[Chat, MergeReport]:
        """Save the chat, merged with the one of that id where there is one, and return it.

        Raises InputError, and keeps what was there, where the two share no message and are not
        between the same people: by the file's name alone they would become one for good. ``sure``
        merges all the same. Of two processes that add at once, one waits for the other.
        """
        path = self.path(chat.chat_id)
        try:
            private_folder(self._folder)
        except OSError as error:
            raise StoreError(_unwritten(path, error)) from error
        with alone_in(self._folder):
            return self._merged(chat, sure=sure)

    def _merged(self, chat: Chat, *, sure: bool) -> tuple[Chat, MergeReport]:
        merged, report = chat, MergeReport(added=len(chat.messages), already_there=0)
        if _is_file(self.path(chat.chat_id)):
            old = self.load(chat.chat_id)
            merged, report = merge(old, chat)
            if not (sure or report.already_there or _speakers(old) == _speakers(chat)):
                raise InputError(_stranger(old, chat))
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


def _speakers(chat: Chat) -> frozenset[str]:
    return frozenset(m.sender for m in chat.messages if m.sender and m.kind != "system")


def _stranger(old: Chat, new: Chat) -> str:
    # Every iOS export is called _chat.txt, whoever the chat is with.
    there, here = (", ".join(sorted(_speakers(chat))[:4]) or "nobody" for chat in (old, new))
    return (
        f"a chat {old.chat_id!r} is imported already, with other people and not one message of "
        f"this file ({there}; here {here}); give this one an id of its own with --as ID, or add "
        f"it to that chat with --as {old.chat_id}"
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long, or a folder that may not be looked into
        return False


def _unwritten(path: Path, error: OSError | ValueError) -> str:
    # Of its own the system tells of the file beside, which nobody knows.
    said = error.strerror if isinstance(error, OSError) else f"{error}"
    hint = ""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        hint = "; give the chat a shorter id with --as ID"
    return f"{path}: cannot be written: {said}{hint}"


def _has_half_characters(message: Message) -> bool:
    words = [message.sender, message.text, message.caption, message.source_id]
    if message.reactions or message.revisions or message.attachments or message.forwarded_from:
        words.append(message.forwarded_from)
        words += [revision.text for revision in message.revisions]
        words += [name for r in message.reactions for name in (r.emoji, *r.who)]
        words += [file.name for file in message.attachments]
    whole = "\n".join(filter(None, words))
    return mended(whole) != whole


def _replace(path: Path, lines: Iterable[str]) -> None:
    # mkstemp makes the file 0600, in the same folder so that the replacement is one step.
    descriptor, name = tempfile.mkstemp(prefix=".sayso-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
