"""An export opened: its text, its JSON where it is JSON, or its files where it has several."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Any

from sayso.chats.ids import mended
from sayso.chats.importers.bundle import Bundle, Folder, content, opened_zip
from sayso.chats.importers.decoding import Decoded, decoded
from sayso.chats.importers.half_characters import Mending, Opened
from sayso.chats.importers.long_text import LongText
from sayso.chats.importers.streaming import LARGE, outline
from sayso.chats.importers.watching import Heard, watched
from sayso.chats.spooling import Spool
from sayso.errors import ImportFormatError, InputError

_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"


@dataclass(frozen=True)
class Export:
    """The text of an export file, decoded, without a byte order mark.

    ``member`` is its name where it is one of several; ``beside`` are the sizes of the files that
    lie beside it. ``bundle`` is a folder or an archive as a whole, which has no text. What is too
    large to be held has no text either: of JSON ``large`` opens the bytes, of other texts ``long``
    has the lines. What is read of it is laid into ``spool``.
    """

    path: Path
    text: str
    member: str | None = None
    called: str | None = None
    guess: str | None = None
    fault: str | None = None
    beside: Mapping[str, int] = field(default_factory=dict)
    bundle: Bundle | None = None
    large: Mending | None = None
    long: LongText | None = None
    spool: Spool = field(default_factory=Spool)
    heard: Heard | None = None

    @property
    def name(self) -> str:
        """The path as errors show it."""
        path = mended(str(self.path))
        return path if self.member is None else f"{path}: {' '.join(self.member.split())}"

    @property
    def stem(self) -> str:
        """The file's name without its suffix, or what it is called instead."""
        if self.called is not None:
            return self.called
        if self.member is not None:
            return PurePosixPath(self.member).stem
        return mended(self.path.name if self.path.is_dir() else self.path.stem)

    @property
    def head(self) -> str:
        """The text, or as much of the beginning of a long one as tells what it is."""
        return self.text if self.long is None else self.long.head

    def lines(self) -> Iterable[str]:
        r"""The lines without their ``\n``, as often as one likes."""
        if self.long is not None:
            return _Lines(self.long)
        return self.text.removesuffix("\n").split("\n")

    def mentions(self, names: Collection[str]) -> Set[str]:
        """Those of the names that stand anywhere in the text."""
        if self.long is None:
            return {name for name in names if name in self.text}
        longest = sorted(names, key=len, reverse=True)
        pattern = re.compile("|".join(map(re.escape, longest)))
        found: set[str] = set()
        for line in self.long.lines() if longest else ():
            found.update(pattern.findall(line))
        return {name for name in names if any(name in one for one in found)}

    def pieces(self) -> Iterator[str]:
        """The text, a long one in pieces."""
        return iter((self.text,)) if self.long is None else self.long.pieces()

    @property
    def looks_like_json(self) -> bool:
        """Whether it begins as a JSON object or list does (as a chat log may, too)."""
        return self.large is not None or self.head[:_WHITE].lstrip()[:1] in {"{", "["}

    @property
    def json(self) -> Any:  # a file may hold anything
        """The value of a file that is one JSON object or list, else None."""
        return self._json[0]

    @property
    def json_fault(self) -> str | None:
        """Where and why the text is not JSON; None where it is."""
        return self._json[1]

    @cached_property
    def _json(self) -> tuple[Any, str | None]:
        if self.large is not None:
            return outline(self.large, self.name), None
        if not self.looks_like_json:
            return None, "it does not begin with { or ["
        if self.long is not None:  # its head was seen to be none
            return None, _as_json(self.head)[1]
        return _as_json(self.text)


def _as_json(text: str) -> tuple[Any, str | None]:
    try:
        return json.loads(text), None
    except json.JSONDecodeError as error:
        return None, f"line {error.lineno}, column {error.colno}: {error.msg}"
    except (ValueError, RecursionError) as error:
        return None, f"{error}"


@dataclass(frozen=True)
class _Lines:
    """The lines of a long text."""

    text: LongText

    def __iter__(self) -> Iterator[str]:
        return self.text.lines()


_WHITE = 4096


def open_export(path: Path) -> Export:
    """The file's text; UTF-8 with or without a byte order mark, or UTF-16 with one.

    Raises InputError where there is no such file or it cannot be read, and ImportFormatError for
    an empty file, a binary one and other encodings.
    """
    name = mended(str(path))
    return _with_text(Export(path, ""), _bytes(path, name), guess=False)


@contextmanager
def opened(path: Path, spool: Spool | None = None, heard: Heard | None = None) -> Iterator[Export]:
    """Any export: a file in any encoding that can be told, a folder, a zip archive. Raises as above.

    ``heard`` hears how far the reading of a large file is.
    """
    name = mended(str(path))
    whole = Export(path, "", spool=spool or Spool(), heard=heard)
    if _is(path, "is_dir", name):
        yield replace(whole, bundle=Folder(path))
        return
    head = _bytes(path, name, 4)
    if head in {_ZIP, _EMPTY_ZIP}:
        with opened_zip(path) as bundle:
            yield replace(whole, bundle=bundle)
        return
    if (size := path.stat().st_size) > LARGE:
        yield _of_large(whole, lambda: path.open("rb"), size)
        return
    yield _with_text(whole, _bytes(path, name), guess=True)


def member_of(whole: Export, name: str, beside: Mapping[str, int], *, held: bool = True) -> Export:
    """One file of a folder or an archive, with the sizes of what lies beside it.

    Unless it is to be ``held`` it is read as a large one is, whatever its size. Raises ImportFormatError as :func:`open_export` does.
    """
    bundle = whole.bundle
    assert bundle is not None
    export = replace(whole, bundle=None, member=name, beside=beside)
    if bundle.sizes[name] > LARGE or not held:
        return _of_large(export, partial(bundle.open, name), bundle.sizes[name])
    return _with_text(export, content(bundle, name), guess=True)


def _of_large(export: Export, opened: Opened, size: int) -> Export:
    """The export of which only the beginning is read yet."""
    try:
        with opened() as file:
            head = file.read(_LINE)
    except OSError as error:
        raise InputError(f"{export.name}: cannot be read: {error}") from error
    opened = watched(opened, size, export.heard)
    if _is_json(head) and not _is_lines(head):
        return replace(export, large=Mending(opened))
    long = LongText(opened, export.name)
    if not long.head.strip() and all(not line or line.isspace() for line in long.lines()):
        raise _empty(export)
    return replace(export, long=long, guess=long.encoding.guess, fault=long.encoding.fault)


def _empty(export: Export) -> ImportFormatError:
    return ImportFormatError(f"{export.name}: the file is empty; export the chat again")


def _with_text(export: Export, content: bytes, *, guess: bool) -> Export:
    found: Decoded = decoded(content, export.name, guess=guess)
    if not found.text.strip():
        raise _empty(export)
    return replace(export, text=found.text, guess=found.guess, fault=found.fault)


_LINE = 2**20
_JSON = re.compile(rb"\s*(?:\[\s*\{|\{\s*\")")


def _is_json(head: bytes) -> bool:
    """Whether it begins as an object, or a list of them; a chat log may begin with ``[``, too."""
    return _JSON.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def _is_lines(head: bytes) -> bool:
    """Whether its first line is an object of its own: JSON lines, which are read as text."""
    first, more, _ = head.partition(b"\n")
    if not more:
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _is(path: Path, what: str, name: str) -> bool:
    try:
        return bool(getattr(path, what)())
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot be read: {error}") from error


def _bytes(path: Path, name: str, most: int = -1) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{name}: is a folder; name the export file in it")
        if path.exists() and not path.is_file():
            raise InputError(f"{name}: is not a regular file")
        with path.open("rb") as file:
            return file.read(most)
    except FileNotFoundError as error:
        raise InputError(f"{name}: no such file") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot be read: {error}") from error
