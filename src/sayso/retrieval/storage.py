"""Indexes on disk: one folder a chat state, named by what it was made of, verified when loaded.

The name is a digest of the messages, the engine's version and the embedder, so a changed chat or
engine never meets an old index; what is damaged, or was stored under another name, is rebuilt, never
trusted. A chat can be searched
as soon as its surface is read; vectors follow in chunks that outlive an interruption, and a chat
that has grown embeds only what is new.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from sayso.core.chat import Chat
from sayso.retrieval.categories import lexicon_digest
from sayso.retrieval.embedder import Embedder, Progress
from sayso.retrieval.embedding import KNOWN, embed_missing, hashes_of
from sayso.retrieval.folders import FAULTS, Arrays, Words, read_folder, refusal, write_folder
from sayso.retrieval.index import (
    Index,
    Meaning,
    Surface,
    build_surface,
    meaning_of,
    searchable,
)
from sayso.retrieval.lexical import Lexicon
from sayso.retrieval.states import States

ENGINE_VERSION = 10

LOADED = "index loaded"
BUILT = "index built"
COMPLETED = "index completed"
RENEWED = "index renewed from that of an earlier version"
REBUILT = "the stored index was damaged and was rebuilt"
# What nobody who asks a question needs to be told.
UNREMARKABLE = frozenset({LOADED, BUILT, COMPLETED, RENEWED})

WHOLE = "whole"
ABSENT = "not built; the next question builds it"
UNFINISHED = "by words only so far; importing the chat again embeds the rest"
DAMAGED = "damaged; the next question builds it anew"
OUTDATED = "of an earlier version; the next question renews it, without embedding anything"
UNREADABLE = "unreadable"

_SURFACE = ("local_ids", "sender", "seconds", "marks", "spoken", "categories")
_POSTINGS = ("starts", "docs", "counts", "lengths", "session")
_ON_SURFACE = (*_SURFACE, *(f"postings_{n}" for n in _POSTINGS))
_MEANING = (
    "vectors", "contexts", "tokens", "starts", "pair_norm", "next_norm", "window_norm", "centre",
    "lengths", "hashes", "texts",
)  # fmt: skip

# What the vectors are known by, and what a later state of the chat is told by.
_DIGESTS = ("hashes", "texts")


def open_index(
    chat: Chat,
    embedder: Embedder,
    folder: Path,
    progress: Progress | None = None,
    *,
    patience: int | None = None,
) -> tuple[Index, str]:
    """The chat's index, from disk where it is there and whole, else built and stored.

    The second value says in words what was done: one of the constants above, and how many
    messages lack a vector if any does. ``folder`` holds the indexes of all chats. ``patience`` is
    how many distinct texts may be embedded now, with those read with them (None: all); where more are missing none is, and
    the index is searchable by words, and by meaning where it is embedded. ``progress`` is first
    heard when that is so and embedding begins. An interruption loses at most one chunk of work.
    Where the folder can be neither read nor written the index is built all the same, and the
    second value says why it is not kept.
    """
    states = States(folder, chat.chat_id, embedder.name, ENGINE_VERSION)
    place = states.place(digest_of(chat, embedder))
    surface, note, refused = _open_surface(chat, place / "surface")
    there = os.path.lexists(place / "meaning")  # Path.exists raises where it may not look
    held = read_folder(place / "meaning", _MEANING)
    if held is not None:
        return Index(surface, _meaning(held[0])), _kept(note, refused)
    if there:
        note = REBUILT if note == REBUILT else _again(place / "meaning", _MEANING)
    states.note(place)
    texts = [searchable(m) for m in chat.messages]
    done = embed_missing(
        texts,
        surface.lexicon.session.tolist(),
        embedder,
        states.chunks,
        known=_earlier(states, place),
        progress=progress,
        patience=patience,
    )
    meaning = meaning_of(
        done.encoded, surface.lexicon.session, done.missing, centred=embedder.centred
    )
    other = _of_another(done.unlike, embedder)
    if done.missing:
        notes = (_kept(note, refused), _without_vectors(done.missing), *other)
        return Index(surface, meaning), "; ".join(notes)
    said = hashes_of(texts)
    refused = (
        _store(place / "meaning", {**_arrays(meaning), "hashes": done.keys, "texts": said}, {})
        or refused
    )
    if not refused:
        states.supersede(place, said)
    note = _kept(COMPLETED if note == LOADED else note, refused)
    return Index(surface, meaning), "; ".join((note, *other))


def index_state(chat: Chat, embedder: Embedder, folder: Path) -> str:
    """How the chat's index stands on disk, in words: one of the constants above. Nothing is built.

    Where it may not be read UNREADABLE begins them, and why follows.
    """
    states = States(folder, chat.chat_id, embedder.name, ENGINE_VERSION)
    place = states.place(digest_of(chat, embedder))
    try:
        place.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return ABSENT
    except OSError as error:  # the folder around it refuses
        return _unreadable(folder, error)
    for part in ("surface", "meaning"):
        if refused := refusal(place / part):
            return _unreadable(Path(refused.filename or place / part), refused)
    surface = read_folder(place / "surface", _ON_SURFACE)
    meaning = read_folder(place / "meaning", _MEANING)
    if surface is not None and meaning is not None:
        return WHOLE
    named = (place / "surface", _ON_SURFACE), (place / "meaning", _MEANING)
    if all(read_folder(*part, unnamed=True) is not None for part in named):
        return OUTDATED
    if surface is None or os.path.lexists(place / "meaning"):
        return DAMAGED
    return UNFINISHED


def digest_of(chat: Chat, embedder: Embedder) -> str:
    """What an index is made of, as 24 hexadecimal digits."""
    made_of = (ENGINE_VERSION, lexicon_digest(), embedder.name, chat.chat_id, chat.timezone)
    state = hashlib.sha256(json.dumps(made_of).encode())
    for m in chat.messages:
        parts = (m.local_id, m.sent_at.timestamp(), m.sender, m.text, m.caption)
        state.update(json.dumps(parts, ensure_ascii=True).encode())
    return state.hexdigest()[:24]


def _open_surface(chat: Chat, stored: Path) -> tuple[Surface, str, str]:
    """The surface, what was done, and why it could not be stored (empty where it is)."""
    there = os.path.lexists(stored)
    held = read_folder(stored, _ON_SURFACE)
    if held is not None:
        with suppress(*FAULTS):
            return _surface(*held), LOADED, ""
    surface = build_surface(chat)
    arrays: Arrays = {n: getattr(surface, n) for n in _SURFACE}
    arrays |= {f"postings_{n}": getattr(surface.lexicon, n) for n in _POSTINGS}
    words = {
        "senders": list(surface.senders),
        "vocabulary": list(surface.lexicon.vocabulary),
        "language": [surface.language],
    }
    note = _again(stored, _ON_SURFACE) if there else BUILT
    return surface, note, _store(stored, arrays, words)


def _again(place: Path, names: tuple[str, ...]) -> str:
    """What is said where a folder has to be built again: one of an earlier version is whole."""
    return REBUILT if read_folder(place, names, unnamed=True) is None else RENEWED


def _store(place: Path, arrays: Arrays, words: Words) -> str:
    """Empty where it is stored, else why it is not: an index is worth having even for once."""
    try:
        write_folder(place, arrays, words)
    except OSError as error:
        why = error.strerror or str(error)
        return f"{error.filename}: {why}" if error.filename else why
    return ""


def _kept(note: str, refused: str) -> str:
    return f"{note}; it cannot be stored and is in memory only: {refused}" if refused else note


def _surface(arrays: Arrays, words: dict[str, list[str]]) -> Surface:
    lexicon = Lexicon(
        vocabulary={t: i for i, t in enumerate(words["vocabulary"])},
        **{n: arrays[f"postings_{n}"] for n in _POSTINGS},  # type: ignore[arg-type]  # by name
    )
    return Surface(
        senders=tuple(words["senders"]),
        language=words["language"][0],
        lexicon=lexicon,
        **{n: arrays[n] for n in _SURFACE},  # type: ignore[arg-type]  # by name
    )


def _meaning(arrays: Arrays) -> Meaning:
    return Meaning(**{n: arrays[n] for n in _MEANING if n not in _DIGESTS})  # type: ignore[arg-type]  # by name


def _arrays(meaning: Meaning) -> Arrays:
    return {n: getattr(meaning, n) for n in _MEANING if n not in _DIGESTS}


def _earlier(states: States, place: Path) -> Arrays | None:
    """The vectors that a damaged index still has, else those of the last whole former state.

    They go by their texts: whose index they are of an earlier version does not have to say.
    """
    for state in (place, *states.former(place)):
        held = read_folder(state / "meaning", KNOWN, unnamed=True)
        if held is not None:
            return held[0]
    return None


def _without_vectors(missing: int) -> str:
    """How many messages meaning does not reach, and what to do."""
    told = "1 message is" if missing == 1 else f"{missing} messages are"
    return f"{told} not embedded yet (found by words alone); importing the chat again goes on"


def _of_another(unlike: int | None, embedder: Embedder) -> tuple[str, ...]:
    """That vectors were there and are not those of this embedder, in words; nothing for None."""
    if unlike is None:
        return ()
    return (
        f"the vectors that {embedder.name} gave before have {unlike} numbers and now "
        f"{embedder.dimensions}: they are of another model and are not used",
    )


def _unreadable(place: Path, error: OSError) -> str:
    return f"{UNREADABLE}: {place}: {error.strerror or error}; change its rights"
