"""Indexes on disk: one folder a chat state, named by what it was made of, verified when loaded.

The name is a digest of the messages, the engine's version and the embedder, so a changed chat or
engine never meets an old index; a damaged folder is rebuilt, never trusted.
"""

import hashlib
import json
import shutil
import tempfile
from dataclasses import fields
from pathlib import Path

import numpy as np

from sayso.core.models import Chat
from sayso.retrieval.embedder import Embedder
from sayso.retrieval.index import Index, Progress, build_index
from sayso.retrieval.lexical import Lexicon

ENGINE_VERSION = 1

_ARRAYS = ("local_ids", "sender", "seconds", "vectors", "pair_norm", "window_norm", "marks")
_POSTINGS = tuple(f.name for f in fields(Lexicon) if f.name != "vocabulary")


def open_index(
    chat: Chat, embedder: Embedder, folder: Path, progress: Progress | None = None
) -> tuple[Index, str]:
    """The chat's index, from disk where it is there and whole, else built and stored.

    The second value says in words what was done. ``folder`` holds the indexes of all chats.
    """
    digest = digest_of(chat, embedder)
    place = folder / digest
    if place.is_dir():
        try:
            return _load(place), "index loaded"
        except (OSError, ValueError, KeyError, TypeError) as error:
            note = f"the stored index was damaged ({error}) and was rebuilt"
    else:
        note = "index built"
    index = build_index(chat, embedder, progress)
    _save(index, place)
    return index, note


def digest_of(chat: Chat, embedder: Embedder) -> str:
    """What an index is made of, as 24 hexadecimal digits."""
    state = hashlib.sha256(f"{ENGINE_VERSION}\0{embedder.name}\0{chat.chat_id}\0".encode())
    for m in chat.messages:
        parts = (m.local_id, m.sent_at.timestamp(), m.sender, m.text, m.caption)
        state.update(json.dumps(parts, ensure_ascii=True).encode())
    return state.hexdigest()[:24]


def _save(index: Index, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Written beside and moved in one step: a crash leaves no half index under the real name.
    scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        digests = {}
        for name, array in [
            *((n, getattr(index, n)) for n in _ARRAYS),
            *((n, getattr(index.lexicon, n)) for n in _POSTINGS),
        ]:
            np.save(scratch / f"{name}.npy", array)
            digests[name] = _sha256(scratch / f"{name}.npy")
        words = json.dumps(
            {"senders": index.senders, "vocabulary": list(index.lexicon.vocabulary)},
            ensure_ascii=False,
        )
        (scratch / "words.json").write_text(words, encoding="utf-8")
        digests["words"] = _sha256(scratch / "words.json")
        (scratch / "digests.json").write_text(json.dumps(digests), encoding="utf-8")
        # Another process may be clearing the same damaged folder.
        shutil.rmtree(place, ignore_errors=True)
        try:
            scratch.replace(place)
        except OSError:
            # Another process stored the same index first; theirs is as good.
            if not place.is_dir():
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _load(place: Path) -> Index:
    digests = json.loads((place / "digests.json").read_text(encoding="utf-8"))
    if _sha256(place / "words.json") != digests["words"]:
        raise ValueError("words.json changed")
    words = json.loads((place / "words.json").read_text(encoding="utf-8"))
    arrays = {}
    for name in (*_ARRAYS, *_POSTINGS):
        if _sha256(place / f"{name}.npy") != digests[name]:
            raise ValueError(f"{name}.npy changed")
        arrays[name] = np.load(place / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    lexicon = Lexicon(
        vocabulary={t: i for i, t in enumerate(words["vocabulary"])},
        **{n: arrays[n] for n in _POSTINGS},
    )
    return Index(
        senders=tuple(words["senders"]), lexicon=lexicon, **{n: arrays[n] for n in _ARRAYS}
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
