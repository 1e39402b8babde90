"""A folder of arrays with the digest of each file: written in one step, read only if whole."""

import hashlib
import json
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.paths import private_folder

Arrays = dict[str, NDArray[np.generic]]
Words = dict[str, list[str]]

# What a damaged or vanished file can raise when it is read.
FAULTS = (OSError, ValueError, KeyError, TypeError, RecursionError)


def write_folder(place: Path, arrays: Arrays, words: Words) -> None:
    """Store the arrays (as ``{name}.npy``) and words under ``place``, instead of what was there.

    Where another process stores the same at the same time, one of the two stays. OSError where
    nothing can be written.
    """
    above = place.parents[1]
    private_folder(above)
    # Written beside and moved in one step: a crash leaves no half index under the real name. Not
    # in the parent, which another process may clear away as an earlier state of its own chat.
    scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=above))
    try:
        for name, array in arrays.items():
            np.save(scratch / f"{name}.npy", array)
        (scratch / "words.json").write_text(
            json.dumps(words, ensure_ascii=False), encoding="utf-8", errors="surrogatepass"
        )
        digests = {path.name: sha256_of(path) for path in sorted(scratch.iterdir())}
        (scratch / "digests.json").write_text(json.dumps(digests), encoding="utf-8")
        _move(scratch, place)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _move(scratch: Path, place: Path) -> None:
    for last in (False, False, True):
        clear(place.parent, unless_folder=True)
        place.parent.mkdir(exist_ok=True, mode=0o700)
        clear(place)
        try:
            scratch.replace(place)
        except OSError:
            # Another process stored the same first (theirs is as good), or cleared the parent away.
            if place.is_dir():
                return
            if last:
                raise
        else:
            return


def clear(place: Path, *, unless_folder: bool = False) -> None:
    """Remove what stands there, a folder with all in it or whatever else, as far as it can be."""
    with suppress(OSError):
        if place.is_dir() and unless_folder:
            return
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)  # a link itself, never what it points at


def read_folder(place: Path, names: tuple[str, ...]) -> tuple[Arrays, Words] | None:
    """The arrays of a folder, memory-mapped, and its words; None where any is missing or damaged."""
    try:
        digests = json.loads((place / "digests.json").read_text(encoding="utf-8"))
        for name in ("words.json", *(f"{n}.npy" for n in names)):
            if sha256_of(place / name) != digests[name]:
                return None
        words = json.loads(
            (place / "words.json").read_text(encoding="utf-8", errors="surrogatepass")
        )
        # As plain arrays over the map: a memmap's own class makes every small operation slower.
        return {
            n: np.asarray(np.load(place / f"{n}.npy", mmap_mode="r", allow_pickle=False))
            for n in names
        }, words
    except FAULTS:
        return None


def sha256_of(path: Path) -> str:
    """The digest of a file's content, in hexadecimal; OSError where it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
