"""Imported chats for a process that answers many questions: each is opened once while it stays as it is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from sayso.chats.store import ChatStore
from sayso.core.chat import Chat
from sayso.core.seams import Deps
from sayso.errors import ChatNotFoundError
from sayso.settings import Settings

_KEPT = 4  # a chat of ten thousand messages takes some hundred megabytes

_Key = tuple[str, int, int, str]


@dataclass
class OpenChats:
    """The imported chats of a data folder; ``build`` makes what a mode needs. Threads may share it.

    A chat is opened again when its file or the settings have changed, and while its Deps have
    notes: what they lack may have come. Files elsewhere are never read: who asks a server is not
    who may read its disk.
    """

    home: Path
    build: Callable[[Chat, Settings], Deps]
    _kept: dict[_Key, Deps] = field(default_factory=dict, init=False)
    _lock: Lock = field(default_factory=Lock, init=False)

    def deps(self, chat_id: str | None, settings: Settings) -> Deps:
        """For the chat of that id, or the only one. Raises ChatNotFoundError, saying what there is."""
        store = ChatStore(self.home)
        chat_id = _meant(chat_id, store.ids())
        state = store.path(chat_id).stat()
        key = (chat_id, state.st_mtime_ns, state.st_size, settings.model_dump_json())
        with self._lock:
            if (kept := self._kept.pop(key, None)) is not None:
                self._kept[key] = kept  # at the end again, with what was asked last
                return kept
        deps = self.build(store.load(chat_id), settings)
        if not deps.notes:
            with self._lock:
                self._kept[key] = deps
                while len(self._kept) > _KEPT:
                    del self._kept[next(iter(self._kept))]
        return deps

    def chat(self, chat_id: str | None) -> Chat:
        """The chat alone. Raises ChatNotFoundError, saying what there is."""
        store = ChatStore(self.home)
        return store.load(_meant(chat_id, store.ids()))


def _meant(chat_id: str | None, ids: tuple[str, ...]) -> str:
    if chat_id is None and len(ids) == 1:
        return ids[0]
    if chat_id is not None and chat_id in ids:
        return chat_id
    what = "no chat was named" if chat_id is None else f"no imported chat {chat_id!r:.80}"
    if not ids:
        raise ChatNotFoundError(f"{what}, and none is imported yet; import one: sayso import FILE")
    shown = ", ".join(ids[:20]) + (f" and {len(ids) - 20} more" if len(ids) > 20 else "")
    raise ChatNotFoundError(f"{what}; imported: {shown}; name one of them as chat")
