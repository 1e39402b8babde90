"""A folder of arrays with the digest of each file: written in one step, read only if whole.

The digests say, too, which folder they are of, by its name and that of the one above: a whole folder
that was copied into the place of another is none.
"""

import hashlib
import json
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.paths import private_folder
from sayso.retrieval.arrays import loaded

Arrays = dict[str, NDArray[np.generic]]
Words = dict[str, list[str]]

_DIGESTS = "digests.json"
_PLACE = "folder"  # among the digests, and no file's name: every file has a suffix

# What a damaged or vanished file can raise when it is read.
FAULTS = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


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
        held = {_PLACE: _name_of(place), **digests}
        (scratch / _DIGESTS).write_text(json.dumps(held), encoding="utf-8")
        _move(scratch, place)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _move(scratch: Path, place: Path) -> None:
    for last in (False, False, True):
        with suppress(OSError):  # what stays in the way is told by what it keeps from being done
            clear(place.parent, unless_folder=True)
        place.parent.mkdir(exist_ok=True, mode=0o700)
        with suppress(OSError):
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
    """Remove what stands there, a folder with all in it or whatever else.

    Raises OSError where some of it stays; all else is gone then.
    """
    with suppress(FileNotFoundError):  # another process clears away, too
        if place.is_dir() and unless_folder:
            return
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place, ignore_errors=True)
            if os.path.lexists(place):
                shutil.rmtree(place)  # says why
        else:
            place.unlink(missing_ok=True)  # a link itself, never what it points at


def read_folder(
    place: Path, names: tuple[str, ...], *, unnamed: bool = False
) -> tuple[Arrays, Words] | None:
    """The arrays of a folder, memory-mapped, and its words; None where any is missing or damaged.

    None, too, where the digests are of a folder by another name, and of one that they do not name
    (as earlier versions stored it) unless ``unnamed``.
    """
    try:
        digests = json.loads((place / _DIGESTS).read_text(encoding="utf-8"))
        if digests.get(_PLACE, _name_of(place) if unnamed else None) != _name_of(place):
            return None
        for name in ("words.json", *(f"{n}.npy" for n in names)):
            if sha256_of(place / name) != digests[name]:
                return None
        words = json.loads(
            (place / "words.json").read_text(encoding="utf-8", errors="surrogatepass")
        )
        return {n: loaded(place / f"{n}.npy", mapped=True) for n in names}, words
    except FAULTS:
        return None


def refusal(place: Path) -> OSError | None:
    """Why the folder or a file in it may not be read; None where all may, or nothing is there."""
    try:
        for path in sorted(place.iterdir()):
            with path.open("rb"):
                pass
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        return error
    return None


def _name_of(place: Path) -> str:
    return f"{place.parent.name}/{place.name}"


def sha256_of(path: Path) -> str:
    """The digest of a file's content, in hexadecimal; OSError where it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
