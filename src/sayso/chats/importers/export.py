"""An export file opened: its text, and its JSON where it is JSON."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sayso.chats.ids import mended
from sayso.errors import ImportFormatError, InputError

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_LOOKED_AT = 4096


@dataclass(frozen=True)
class Export:
    """The text of an export file, decoded, without a byte order mark."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """The path as errors show it."""
        return mended(str(self.path))

    @property
    def stem(self) -> str:
        """The file's name without its suffix."""
        return mended(self.path.stem)

    @property
    def looks_like_json(self) -> bool:
        """Whether it begins as a JSON object or list does (as a chat log may, too)."""
        return self.text.lstrip()[:1] in {"{", "["}

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
        if not self.looks_like_json:
            return None, "it does not begin with { or ["
        try:
            return json.loads(self.text), None
        except json.JSONDecodeError as error:
            return None, f"line {error.lineno}, column {error.colno}: {error.msg}"
        except (ValueError, RecursionError) as error:
            return None, f"{error}"


def open_export(path: Path) -> Export:
    """The file's text; UTF-8 with or without a byte order mark, or UTF-16 with one.

    Raises InputError where there is no such file or it cannot be read, and ImportFormatError for
    an empty file, a binary one and other encodings.
    """
    name = mended(str(path))
    text = _decoded(_bytes(path, name), name)
    if not text.strip():
        raise ImportFormatError(f"{name}: the file is empty; export the chat again")
    return Export(path, text)


def _bytes(path: Path, name: str) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{name}: is a folder; name the export file in it")
        if path.exists() and not path.is_file():
            raise InputError(f"{name}: is not a regular file")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{name}: no such file") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: cannot be read: {error}") from error


def _decoded(content: bytes, name: str) -> str:
    encoding = "utf-16" if content.startswith(_UTF16) else "utf-8-sig"
    if content.startswith(b"PK\x03\x04"):
        raise ImportFormatError(f"{name}: is a zip archive; unpack it and name the chat file in it")
    if encoding != "utf-16" and b"\0" in content[:_LOOKED_AT]:
        raise ImportFormatError(f"{name}: is a binary file; expected the text or JSON of an export")
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ImportFormatError(
            f"{name}: line {line}: byte 0x{content[error.start]:02x} at {error.start} is not "
            f"{'UTF-16' if encoding == 'utf-16' else 'UTF-8'}; expected UTF-8, or UTF-16 with a "
            "byte order mark; it may be a binary file, or text to be saved as UTF-8"
        ) from error
