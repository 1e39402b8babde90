"""An export opened: its text, its JSON where it is JSON, or its files where it has several."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path, PurePosixPath
from typing import Any

from sayso.chats.ids import mended
from sayso.chats.importers.bundle import Bundle, Folder, content, opened_zip
from sayso.chats.importers.decoding import Decoded, decoded
from sayso.chats.importers.half_characters import Mending
from sayso.chats.importers.streaming import LARGE, outline
from sayso.errors import ImportFormatError, InputError

_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"


@dataclass(frozen=True)
class Export:
    """The text of an export file, decoded, without a byte order mark.

    ``member`` is its name where it is one of several; ``beside`` are the sizes of the files that
    lie beside it. ``bundle`` is a folder or an archive as a whole, which has no text. Of JSON that
    is too large to be held, ``large`` opens the bytes; it has no text either.
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
    def looks_like_json(self) -> bool:
        """Whether it begins as a JSON object or list does (as a chat log may, too)."""
        return self.large is not None or self.text[:_WHITE].lstrip()[:1] in {"{", "["}

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
        try:
            return json.loads(self.text), None
        except json.JSONDecodeError as error:
            return None, f"line {error.lineno}, column {error.colno}: {error.msg}"
        except (ValueError, RecursionError) as error:
            return None, f"{error}"


_WHITE = 4096


def open_export(path: Path) -> Export:
    """The file's text; UTF-8 with or without a byte order mark, or UTF-16 with one.

    Raises InputError where there is no such file or it cannot be read, and ImportFormatError for
    an empty file, a binary one and other encodings.
    """
    name = mended(str(path))
    return _with_text(Export(path, ""), _bytes(path, name), guess=False)


@contextmanager
def opened(path: Path) -> Iterator[Export]:
    """Any export: a file in any encoding that can be told, a folder, a zip archive. Raises as above."""
    name = mended(str(path))
    if _is(path, "is_dir", name):
        yield Export(path, "", bundle=Folder(path))
        return
    head = _bytes(path, name, 4)
    if head in {_ZIP, _EMPTY_ZIP}:
        with opened_zip(path) as bundle:
            yield Export(path, "", bundle=bundle)
        return
    if path.stat().st_size > LARGE:
        head = _bytes(path, name, _LINE)
        if _is_json(head) and not _is_lines(head):
            yield Export(path, "", large=Mending(lambda: path.open("rb")))
            return
    yield _with_text(Export(path, ""), _bytes(path, name), guess=True)


def member_of(bundle: Bundle, name: str, beside: Mapping[str, int]) -> Export:
    """One file of a folder or an archive, with the sizes of what lies beside it.

    Raises ImportFormatError as :func:`open_export` does.
    """
    export = Export(bundle.path, "", member=name, beside=beside)
    if bundle.sizes[name] > LARGE:
        with bundle.open(name) as file:
            head = file.read(_LINE)
        if _is_json(head) and not _is_lines(head):
            return Export(
                bundle.path,
                "",
                member=name,
                beside=beside,
                large=Mending(partial(bundle.open, name)),
            )
    return _with_text(export, content(bundle, name), guess=True)


def _with_text(export: Export, content: bytes, *, guess: bool) -> Export:
    found: Decoded = decoded(content, export.name, guess=guess)
    if not found.text.strip():
        raise ImportFormatError(f"{export.name}: the file is empty; export the chat again")
    fields = {name: getattr(export, name) for name in ("path", "member", "called", "beside")}
    return Export(**fields, text=found.text, guess=found.guess, fault=found.fault)


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
