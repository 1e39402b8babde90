"""Bytes to text: by the byte order mark, else as UTF-8, else by what the bytes look like.

What is not UTF-8 was written by an old program in the encoding of its country; two of them can be
told apart with confidence, and which one was taken is always said.
"""

import codecs
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from sayso.errors import ImportFormatError

_MARKS = (  # UTF-32 before UTF-16, whose mark it begins with
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_SHOWN = {"utf-8-sig": "UTF-8", "utf-16": "UTF-16", "utf-32": "UTF-32"}
_LOOKED_AT = 4096
_LATIN = "latin-1"

Chunks = Callable[[], Iterable[bytes]]
"""The bytes of a file in pieces, the first of at least 4096; from the beginning at each call."""

# A pair of bytes that GB2312 has, or none: in other encodings the second byte is mostly ASCII.
_HANZI = re.compile(rb"[\xa1-\xa9\xb0-\xf7][\xa1-\xfe]")
_HIGH = re.compile(rb"[\x80-\xff]")
_HIGHS = bytes(range(0x80, 0x100))


class Encoding(NamedTuple):
    """What a text is written in; ``guess`` is its name where it was only likely.

    ``fault`` tells, beside a guess, where the text stops to be UTF-8.
    """

    codec: str
    guess: str | None = None
    fault: str | None = None

    def mended(self, text: str) -> str:
        """The text, decoded with ``codec``, as it is meant."""
        return text.translate(_cp1252()) if self.codec == _LATIN else text


class Decoded(NamedTuple):
    """A text without its byte order mark, with ``guess`` and ``fault`` of its :class:`Encoding`."""

    text: str
    guess: str | None = None
    fault: str | None = None


class _Stop(NamedTuple):
    """The first byte that does not fit, and where it stands."""

    byte: int
    at: int


def decoded(content: bytes, name: str, *, guess: bool) -> Decoded:
    """The text of a file. Without ``guess`` only UTF-8, and UTF-16 or -32 with a mark, is text.

    Raises ImportFormatError as :func:`encoding_of`.
    """
    found = encoding_of(lambda: (content,), name, guess=guess)
    return Decoded(found.mended(content.decode(found.codec)), found.guess, found.fault)


def encoding_of(chunks: Chunks, name: str, *, guess: bool) -> Encoding:
    """The encoding in which all of the bytes are text.

    Raises ImportFormatError for a binary file, and for bytes that are no text of any encoding
    known here.
    """
    head = next(iter(chunks()), b"")[:_LOOKED_AT]
    for mark, codec in _MARKS:
        if head.startswith(mark):
            stop = _stop(chunks, "utf-8" if codec == "utf-8-sig" else codec)
            if stop is not None:
                raise ImportFormatError(_fault(chunks, name, stop, _SHOWN[codec]))
            return Encoding(codec)
    if b"\0" in head:
        codec = _utf16_without_mark(head) if guess else ""
        if codec and _stop(chunks, codec) is None:
            return Encoding(codec, "UTF-16 without a byte order mark")
        raise ImportFormatError(f"{name}: is a binary file; expected the text or JSON of an export")
    stop = _stop(chunks, "utf-8")
    if stop is None:
        return Encoding("utf-8")
    fault = _fault(chunks, name, stop, "UTF-8")
    if not guess:
        raise ImportFormatError(fault)
    if _looks_chinese(chunks) and _stop(chunks, "gb18030") is None:
        return Encoding("gb18030", "GB18030 (Chinese)", fault)
    return Encoding(_LATIN, "Windows-1252 (Western European)", fault)


def _stop(chunks: Chunks, codec: str) -> _Stop | None:
    """Where the bytes stop to be text of that encoding; None where all of them are."""
    decoder = codecs.getincrementaldecoder(codec)()
    fed = 0
    for chunk in _and_the_end(chunks):
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            return _Stop(error.object[error.start], fed - held + error.start)
        fed += len(chunk)
    return None


def _and_the_end(chunks: Chunks) -> Iterable[bytes]:
    yield from filter(None, chunks())
    yield b""


def _utf16_without_mark(head: bytes) -> str:
    """Which UTF-16 it may be; empty for none."""
    head = head[: len(head) - len(head) % 2]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    # Text has hardly a NUL where the other half of a Latin letter stands.
    if min(even, odd) * 20 > max(even, odd) or max(even, odd) * 10 < len(head) // 2:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"


def _looks_chinese(chunks: Chunks) -> bool:
    high = pairs = 0
    rest = b""
    for chunk in _and_the_end(chunks):
        data = rest + chunk
        # Two bytes of one character are both high, so that they are not parted behind a low one.
        cut = len(data.rstrip(_HIGHS)) if chunk else len(data)
        rest, data = data[cut:], data[:cut]
        high += len(_HIGH.findall(data))
        pairs += len(_HANZI.findall(data))
    return bool(high) and 2 * pairs >= 0.9 * high


@cache
def _cp1252() -> dict[int, str]:
    """What Windows-1252 has in place of Latin-1's control characters; open places stay Latin-1's."""
    return {n: bytes([n]).decode("cp1252", errors="ignore") or chr(n) for n in range(0x80, 0xA0)}


def _fault(chunks: Chunks, name: str, stop: _Stop, expected: str) -> str:
    line, left = 1, stop.at
    for chunk in chunks():
        line += chunk.count(b"\n", 0, max(0, left))
        left -= len(chunk)
        if left <= 0:
            break
    return (
        f"{name}: line {line}: byte 0x{stop.byte:02x} at {stop.at} is not "
        f"{expected}; expected UTF-8, or UTF-16 with a byte order mark; it may be a binary file, "
        "or text to be saved as UTF-8"
    )
