"""The indexes of a chat that is to be forgotten: an index holds the words of what it finds."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from sayso.errors import InputError
from sayso.retrieval.arrays import loaded
from sayso.retrieval.folders import FAULTS, clear
from sayso.retrieval.states import States

_SAME = 0.5  # of the messages of an index, how many have to be the chat's

Moments = Iterable[tuple[int, float]]
"""Each message of a chat by its localId and when it was sent, in unix seconds."""


def forget_indexes(
    moments: Callable[[], Moments],
    chat_id: str,
    embedders: Sequence[str],
    folder: Path,
    version: int,
    *,
    others: Iterable[str] = (),
) -> int:
    """Remove every index of the chat, of earlier states of it too; how many folders that were.

    ``folder`` holds the indexes of all chats, ``embedders`` are the names of those in use. An
    index that another embedder made is known by its messages; one that cannot be read is removed,
    since it serves nobody. Those of ``others``, the ids of the chats that stay, stay: one of them
    may be the same chat under another id. Where the chat cannot be read (``moments`` raises
    InputError) the indexes of all chats are removed: they are built anew when they are needed.
    """
    theirs = {
        place for other in others for name in embedders
        for place in States(folder, other, name, version).all()
    }  # fmt: skip
    try:
        found = _of_chat([p for p in _indexes(folder) if p not in theirs], moments)
    except InputError:
        found = _indexes(folder)
    for name in embedders:
        states = States(folder, chat_id, name, version)
        found += [place for place in states.all() if place not in found]
        found += [place for place in states.every_chunk() if place not in found]
        clear(states.list_file)
    for place in found:
        clear(place)
    return len(found)


def _indexes(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if p.is_dir())
    except OSError:
        return []


def _of_chat(places: Sequence[Path], moments: Callable[[], Moments]) -> list[Path]:
    """Those of the indexes most of whose messages are the chat's, and those that cannot be read.

    Vectors that are not part of a whole index yet hold no word: they are known by their
    embedders' names alone.
    """
    held = {place: _held(place) for place in places if place.suffix != ".chunks"}
    same = dict.fromkeys(held, 0)
    if any(held.values()):
        for local_id, seconds in moments():
            for place, known in held.items():
                same[place] += known.get(local_id) == seconds
    return [place for place, known in held.items() if same[place] >= len(known) * _SAME]


def _held(place: Path) -> dict[int, float]:
    """When each message of an index was sent, by its localId; empty where it cannot be read."""
    try:
        ids = loaded(place / "surface" / "local_ids.npy").tolist()
        at = loaded(place / "surface" / "seconds.npy").tolist()
        return dict(zip(ids, at, strict=True))
    except FAULTS:
        return {}
