"""An export of several files: a folder, or a zip archive that is read in place.

Nothing is ever unpacked to disk, so a member's name is a label and can lead nowhere. What an
archive claims to hold is checked before it is read: a small file that grows without end is refused.
"""

import os
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Protocol

from sayso.chats.ids import mended
from sayso.errors import ImportFormatError, InputError

READABLE = (".txt", ".json", ".jsonl", ".ndjson", ".csv")
_ARCHIVE = ".zip"
_MOST_MEMBERS = 200_000
_LARGEST = 8 * 2**30  # bytes of text in one archive
# Deflate reaches 1:1000 on zeros; real chats stay below 1:40.
_RATIO, _HARMLESS = 200, 64 * 2**20


class Bundle(Protocol):
    """Files by name (with ``/``, from the bundle's top), and their sizes in bytes."""

    @property
    def path(self) -> Path:
        """Where it lies."""

    @property
    def sizes(self) -> Mapping[str, int]:
        """The size of each file, in order of name."""

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """The bytes of a file; raises ImportFormatError where they are damaged or locked."""


def readable(bundle: Bundle) -> list[str]:
    """The files that may hold a chat, in order of name."""
    return [name for name in bundle.sizes if name.lower().endswith(READABLE)]


def archives(bundle: Bundle) -> list[str]:
    """The zip archives in it, in order of name."""
    return [name for name in bundle.sizes if name.lower().endswith(_ARCHIVE)]


def by_folder(bundle: Bundle) -> Mapping[str, Mapping[str, int]]:
    """The sizes of the files of each folder and of the folders right in it, by the path from there.

    The top folder is the empty name.
    """
    found: dict[str, dict[str, int]] = {}
    for name, size in bundle.sizes.items():
        *above, last = name.split("/")
        found.setdefault("/".join(above), {})[last] = size
        if above:
            found.setdefault("/".join(above[:-1]), {})[f"{above[-1]}/{last}"] = size
    return found


def content(bundle: Bundle, name: str) -> bytes:
    """All the bytes of a file."""
    with bundle.open(name) as file:
        return file.read()


@dataclass(frozen=True)
class Folder:
    """The regular files of a folder and the folders in it; links are not followed."""

    path: Path

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """The size of each file, in order of name."""
        found: dict[str, int] = {}
        for folder, inside, files in os.walk(self.path):
            inside[:] = [name for name in inside if not _is_litter(name)]
            for name in files:
                file = Path(folder, name)
                if not _is_litter(name) and file.is_file() and not file.is_symlink():
                    found[file.relative_to(self.path).as_posix()] = file.stat().st_size
            if len(found) > _MOST_MEMBERS:
                raise InputError(
                    f"{mended(str(self.path))}: is a folder of more than {_MOST_MEMBERS} files; "
                    "name the export in it"
                )
        return dict(sorted(found.items()))

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """The bytes of a file."""
        return (self.path / name).open("rb")


@dataclass(frozen=True)
class Zip:
    """The files of a zip archive."""

    path: Path
    archive: zipfile.ZipFile

    @cached_property
    def members(self) -> Mapping[str, zipfile.ZipInfo]:
        """The files by name, in order; the first of two with one name."""
        found: dict[str, zipfile.ZipInfo] = {}
        for info in self.archive.infolist():
            name = mended(info.filename.replace("\\", "/"))
            if name and not name.endswith("/") and not any(map(_is_litter, name.split("/"))):
                found.setdefault(name, info)
        return dict(sorted(found.items()))

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """The size of each file, in order of name."""
        return {name: info.file_size for name, info in self.members.items()}

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """The bytes of a file; ImportFormatError where they are damaged, locked or too many."""
        try:
            with self.archive.open(self.members[name]) as file:
                yield file
        except RuntimeError as error:
            raise ImportFormatError(
                f"{mended(str(self.path))}: {name!r} is locked by a password; unpack it and name "
                "the folder"
            ) from error
        except (
            zipfile.BadZipFile, NotImplementedError, zlib.error, EOFError, OSError, KeyError, ValueError,
        ) as error:  # fmt: skip
            raise ImportFormatError(
                f"{mended(str(self.path))}: {name!r} cannot be read: {error}; the archive is "
                "damaged: export it again"
            ) from error


@contextmanager
def opened_zip(path: Path) -> Iterator[Zip]:
    """The archive; raises ImportFormatError for a damaged one and for one that unpacks to too much."""
    name = mended(str(path))
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ImportFormatError(
            f"{name}: is a damaged zip archive ({error}); export or download it again"
        ) from error
    with archive:
        bundle = Zip(path, archive)
        _check(bundle, name)
        yield bundle


def _check(bundle: Zip, name: str) -> None:
    if len(bundle.archive.infolist()) > _MOST_MEMBERS:
        raise ImportFormatError(f"{name}: holds more than {_MOST_MEMBERS} files; not read")
    total = sum(bundle.members[member].file_size for member in readable(bundle))
    packed = bundle.path.stat().st_size
    if total > _LARGEST or (total > _HARMLESS and total > _RATIO * packed):
        raise ImportFormatError(
            f"{name}: its text would unpack to {total:,} bytes from {packed:,}: not read, it may be "
            "made to fill this machine; if you trust it, unpack it and name the folder"
        )


def _is_litter(name: str) -> bool:
    # What macOS leaves in folders and archives.
    return name == "__MACOSX" or name.startswith("._") or name == ".DS_Store"
