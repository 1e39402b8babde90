"""Taking a chat's own file out of the archive; it is walked, never held: it may be large."""

import time
from collections.abc import Iterator
from contextlib import suppress

from sayso.chats.canonical import Flaw, read_lines
from sayso.chats.locking import alone_in
from sayso.chats.store import ChatStore
from sayso.errors import ChatNotFoundError, ImportFormatError, StoreError

_STALE = 3600.0  # seconds after which nobody is still writing a file


def moments_of(store: ChatStore, chat_id: str) -> Iterator[tuple[int, float]]:
    """Each message's localId and when it was sent, in unix seconds, as they stand in the file.

    Raises ImportFormatError where a line of it cannot be read.
    """
    path = store.path(chat_id)
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for line in read_lines(file, str(path), chat_id)[1]:
                if isinstance(line, Flaw):
                    raise ImportFormatError(f"{path}: line {line.number}: {line.reason}")
                yield line.message.local_id, line.message.sent_at.timestamp()
    except (OSError, UnicodeDecodeError) as error:
        raise ImportFormatError(f"{path}: cannot be read: {error}") from error


def messages_in(store: ChatStore, chat_id: str) -> int | None:
    """How many messages the chat's file has, by its lines; None where it is no chat's file."""
    path = store.path(chat_id)
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            read_lines(file, str(path), chat_id)
            return sum(not line.isspace() for line in file)
    except (OSError, UnicodeDecodeError, ImportFormatError):
        return None


def remove_file(store: ChatStore, chat_id: str) -> None:
    """Remove the chat of that id, and what a writer that was killed has left beside it.

    Waits for who is writing. Raises ChatNotFoundError where there is no such chat and StoreError
    where it cannot be removed.
    """
    if chat_id not in store.ids():
        raise ChatNotFoundError(f"no imported chat {chat_id!r}; sayso chats lists them")
    path = store.path(chat_id)
    with alone_in(path.parent):
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{path}: cannot be removed: {error.strerror}") from error
        for left in (*path.parent.glob(".sayso-*.tmp"), *store.home.glob(".spool-*.tmp")):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _STALE:
                    left.unlink()
