"""Indexes on disk: one folder a chat state, named by what it was made of, verified when loaded.

The name is a digest of the messages, the engine's version and the embedder, so a changed chat or
engine never meets an old index; what is damaged is rebuilt, never trusted. A chat can be searched
as soon as its surface is read; vectors follow in chunks that outlive an interruption, and a chat
that has grown embeds only what is new.
"""

import hashlib
import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.core.models import Chat
from sayso.retrieval.embedder import Embedder, Progress
from sayso.retrieval.embedding import embed_missing, hashes_of
from sayso.retrieval.index import Index, Meaning, Surface, build_surface, meaning_of, searchable
from sayso.retrieval.lexical import Lexicon

ENGINE_VERSION = 2

_SURFACE = ("local_ids", "sender", "seconds", "marks", "spoken", "categories")
_POSTINGS = ("starts", "docs", "counts", "lengths", "session")
_MEANING = ("vectors", "tokens", "starts", "pair_norm", "next_norm", "window_norm", "hashes")
_FAULTS = (OSError, ValueError, KeyError, TypeError)


def open_index(
    chat: Chat,
    embedder: Embedder,
    folder: Path,
    progress: Progress | None = None,
    *,
    patience: int | None = None,
) -> tuple[Index, str]:
    """The chat's index, from disk where it is there and whole, else built and stored.

    The second value says in words what was done. ``folder`` holds the indexes of all chats.
    ``patience`` is how many messages may be embedded now (None: all); where more are missing the
    index is searchable by words, and by meaning where it is embedded. An interruption loses at
    most one chunk of work.
    """
    place = folder / digest_of(chat, embedder)
    surface, note = _open_surface(chat, place)
    held = _read(place / "meaning", _MEANING)
    if held is not None:
        return Index(surface, _meaning(held[0])), note
    texts = [searchable(m) for m in chat.messages]
    encoded, missing = embed_missing(
        texts,
        embedder,
        place / "chunks",
        known=_earlier(folder, chat, place),
        progress=progress,
        patience=patience,
    )
    meaning = meaning_of(encoded, surface.lexicon.session)
    if missing:
        return Index(surface, meaning), f"{note}; {missing} messages are not embedded yet"
    if (place / "meaning").exists():
        note = "the stored index was damaged and was rebuilt"
    _write(place / "meaning", _arrays(meaning, texts), {})
    shutil.rmtree(place / "chunks", ignore_errors=True)
    _supersede(folder, chat, place)
    return Index(surface, meaning), note


def digest_of(chat: Chat, embedder: Embedder) -> str:
    """What an index is made of, as 24 hexadecimal digits."""
    state = hashlib.sha256(f"{ENGINE_VERSION}\0{embedder.name}\0{chat.chat_id}\0".encode())
    for m in chat.messages:
        parts = (m.local_id, m.sent_at.timestamp(), m.sender, m.text, m.caption)
        state.update(json.dumps(parts, ensure_ascii=True).encode())
    return state.hexdigest()[:24]


def _open_surface(chat: Chat, place: Path) -> tuple[Surface, str]:
    stored = place / "surface"
    held = _read(stored, (*_SURFACE, *(f"postings_{n}" for n in _POSTINGS)))
    if held is not None:
        arrays, words = held
        with suppress(*_FAULTS):
            return _surface(arrays, words), "index loaded"
    note = "the stored index was damaged and was rebuilt" if stored.exists() else "index built"
    surface = build_surface(chat)
    arrays = {n: getattr(surface, n) for n in _SURFACE}
    arrays |= {f"postings_{n}": getattr(surface.lexicon, n) for n in _POSTINGS}
    words = {"senders": list(surface.senders), "vocabulary": list(surface.lexicon.vocabulary)}
    _write(stored, arrays, words)
    return surface, note


def _surface(arrays: dict[str, NDArray[np.generic]], words: dict[str, list[str]]) -> Surface:
    lexicon = Lexicon(
        vocabulary={t: i for i, t in enumerate(words["vocabulary"])},
        **{n: arrays[f"postings_{n}"] for n in _POSTINGS},  # type: ignore[arg-type]  # by name
    )
    return Surface(
        senders=tuple(words["senders"]),
        lexicon=lexicon,
        **{n: arrays[n] for n in _SURFACE},  # type: ignore[arg-type]  # by name
    )


def _meaning(arrays: dict[str, NDArray[np.generic]]) -> Meaning:
    return Meaning(**{n: arrays[n] for n in _MEANING if n != "hashes"})  # type: ignore[arg-type]


def _arrays(meaning: Meaning, texts: list[str]) -> dict[str, NDArray[np.generic]]:
    held = {n: getattr(meaning, n) for n in _MEANING if n != "hashes"}
    return {**held, "hashes": hashes_of(texts)}


def _earlier(folder: Path, chat: Chat, place: Path) -> dict[str, NDArray[np.generic]] | None:
    """The vectors of the chat's former state, if there is one."""
    with suppress(*_FAULTS):
        former = (folder / f"{_key(chat)}.latest").read_text(encoding="utf-8").strip()
        if former and former != place.name and "/" not in former:
            held = _read(folder / former / "meaning", _MEANING)
            return held[0] if held else None
    return None


def _supersede(folder: Path, chat: Chat, place: Path) -> None:
    """Note this state as the chat's latest and clear the former one away."""
    note = folder / f"{_key(chat)}.latest"
    with suppress(OSError):
        former = note.read_text(encoding="utf-8").strip() if note.exists() else ""
        note.write_text(place.name, encoding="utf-8")
        if former and former != place.name and "/" not in former:
            shutil.rmtree(folder / former, ignore_errors=True)


def _key(chat: Chat) -> str:
    return hashlib.sha256(chat.chat_id.encode()).hexdigest()[:16]


def _write(
    place: Path, arrays: dict[str, NDArray[np.generic]], words: dict[str, list[str]]
) -> None:
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Written beside and moved in one step: a crash leaves no half index under the real name.
    scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        digests = {}
        for name, array in arrays.items():
            np.save(scratch / f"{name}.npy", array)
            digests[f"{name}.npy"] = _sha256(scratch / f"{name}.npy")
        (scratch / "words.json").write_text(
            json.dumps(words, ensure_ascii=False), encoding="utf-8", errors="surrogatepass"
        )
        digests["words.json"] = _sha256(scratch / "words.json")
        (scratch / "digests.json").write_text(json.dumps(digests), encoding="utf-8")
        shutil.rmtree(place, ignore_errors=True)
        try:
            scratch.replace(place)
        except OSError:
            # Another process stored the same index first; theirs is as good.
            if not place.is_dir():
                raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _read(
    place: Path, names: tuple[str, ...]
) -> tuple[dict[str, NDArray[np.generic]], dict[str, list[str]]] | None:
    """The arrays of a folder, memory-mapped, and its words; None where any is missing or damaged."""
    try:
        digests = json.loads((place / "digests.json").read_text(encoding="utf-8"))
        for name in ("words.json", *(f"{n}.npy" for n in names)):
            if _sha256(place / name) != digests[name]:
                return None
        words = json.loads(
            (place / "words.json").read_text(encoding="utf-8", errors="surrogatepass")
        )
        return {
            n: np.asarray(np.load(place / f"{n}.npy", mmap_mode="r", allow_pickle=False))
            for n in names
        }, words
    except _FAULTS:
        return None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
