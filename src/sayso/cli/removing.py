"""``sayso chats rm``: a chat and all that sayso keeps of it."""

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sayso.assembly import INDEXES, forget_indexes_of
from sayso.chats.removing import messages_in, remove_file
from sayso.chats.store import ChatStore
from sayso.chats.threads import ThreadStore
from sayso.errors import ChatNotFoundError, StoreError
from sayso.settings import Settings


@dataclass(frozen=True)
class Removed:
    """What went with a chat. ``messages`` is None where its file could not be read.

    ``replies`` are the cached replies of models to questions about any chat: which is about which
    is not known, and they quote messages.
    """

    chat_id: str
    messages: int | None
    indexes: int
    threads: tuple[str, ...]
    replies: int
    trials: int


def checked(store: ChatStore, ids: tuple[str, ...]) -> tuple[str, ...]:
    """The ids, each once; raises ChatNotFoundError, before anything is removed, for one that is not there."""
    there = store.ids()
    for chat_id in ids:
        if chat_id not in there:
            shown = ", ".join(there[:20]) or "none"
            raise ChatNotFoundError(
                f"no imported chat {chat_id!r}; imported: {shown}; nothing was removed"
            )
    return tuple(dict.fromkeys(ids))


def remove(chat_id: str, *, home: Path, settings: Settings) -> Removed:
    """The chat's file, its indexes, its threads and every text that quotes it, gone from ``home``.

    The file goes last: an interruption leaves a chat that can be removed again, and so does an
    index that cannot be removed, for which StoreError is raised.
    """
    store = ChatStore(home)
    messages = messages_in(store, chat_id)
    try:
        _look_into(home / INDEXES)
        indexes = forget_indexes_of(chat_id, home=home, settings=settings)
    except OSError as error:
        raise StoreError(
            f"{error.filename or home / INDEXES}: {error.strerror or error}: the index of {chat_id} "
            "holds its words and could not be removed, or not all of it; the chat is still there: "
            "give yourself the right to read and write there, and remove it again"
        ) from error
    threads = ThreadStore(home).remove_about(chat_id)
    replies, trials = _replies(home), _trials(home, chat_id)
    remove_file(store, chat_id)
    return Removed(chat_id, messages, indexes, threads, replies, trials)


def removed_json(removed: Removed) -> dict[str, Any]:
    """The same as JSON has it."""
    fields = asdict(removed)
    return {"chatId": fields.pop("chat_id"), **fields, "threads": list(removed.threads)}


def removed_line(removed: Removed) -> str:
    """The same in words."""
    of_all = "(of all chats)"
    counts = [
        (removed.indexes, "index folder", "index folders"),
        (len(removed.threads), "thread", "threads"),
        (
            removed.replies,
            f"cached reply of a model {of_all}",
            f"cached replies of models {of_all}",
        ),
        (removed.trials, "trial of prompts", "trials of prompts"),
    ]
    parts = ["a damaged file" if removed.messages is None else f"{removed.messages} messages"]
    parts += [f"{n} {one if n == 1 else many}" for n, one, many in counts if n]
    return f"removed {removed.chat_id}: {', '.join(parts)}"


def what_stays(home: Path) -> str:
    """What is not sayso's to remove, in words."""
    asked = f", the questions typed in sessions ({home / 'history'})"
    typed = asked if (home / "history").exists() else ""
    return (
        f"what stays: the export it came from{typed}, files written by sayso export, and runs of "
        "sayso eval (the folders in runs), which quote messages"
    )


def _look_into(indexes: Path) -> None:
    """Raise OSError where the indexes cannot be told: they would seem to be none."""
    if os.path.lexists(indexes) and indexes.is_dir():
        for place in indexes.iterdir():
            place.lstat()


def _replies(home: Path) -> int:
    from sayso.reasoning.reply_cache import ReplyCache

    cache = ReplyCache(home)
    count = cache.clear()
    cache.close()
    return count


def _trials(home: Path, chat_id: str) -> int:
    from eval.tune.keeping import FILE, Kept

    return Kept(home / "tune" / FILE).forget(chat_id)
