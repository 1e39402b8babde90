"""Bytes to text: by the byte order mark, else as UTF-8, else by what the bytes look like.

What is not UTF-8 was written by an old program in the encoding of its country; two of them can be
told apart with confidence, and which one was taken is always said.
"""

import re
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
# A pair of bytes that GB2312 has, or none: in other encodings the second byte is mostly ASCII.
_HANZI = re.compile(rb"[\xa1-\xa9\xb0-\xf7][\xa1-\xfe]")
_HIGH = re.compile(rb"[\x80-\xff]")


class Decoded(NamedTuple):
    """A text without its byte order mark; ``guess`` is the encoding that was only likely, if any."""

    text: str
    guess: str | None = None
    fault: str | None = None


def decoded(content: bytes, name: str, *, guess: bool) -> Decoded:
    """The text of a file. Without ``guess`` only UTF-8, and UTF-16 or -32 with a mark, is text.

    ``fault`` tells, beside a guess, where it stops to be UTF-8. Raises ImportFormatError for a
    binary file, and for bytes that are no text of any encoding known here.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            try:
                return Decoded(content.decode(encoding))
            except UnicodeDecodeError as error:
                raise ImportFormatError(_fault(content, name, error, _SHOWN[encoding])) from error
    if b"\0" in content[:_LOOKED_AT]:
        if guess and (text := _utf16_without_mark(content)) is not None:
            return Decoded(text, "UTF-16 without a byte order mark")
        raise ImportFormatError(f"{name}: is a binary file; expected the text or JSON of an export")
    try:
        return Decoded(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        fault = _fault(content, name, error, "UTF-8")
        if not guess:
            raise ImportFormatError(fault) from error
    text, encoding = _of_a_country(content)
    return Decoded(text, encoding, fault)


def _utf16_without_mark(content: bytes) -> str | None:
    head = content[: _LOOKED_AT - _LOOKED_AT % 2]
    even, odd = head[0::2].count(0), head[1::2].count(0)
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    # Text has hardly a NUL where the other half of a Latin letter stands.
    if min(even, odd) * 20 > max(even, odd) or max(even, odd) * 10 < len(head) // 2:
        return None
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        return None


def _of_a_country(content: bytes) -> tuple[str, str]:
    high = len(_HIGH.findall(content))
    if high and 2 * len(_HANZI.findall(content)) >= 0.9 * high:
        try:
            return content.decode("gb18030"), "GB18030 (Chinese)"
        except UnicodeDecodeError:
            pass
    table = _cp1252()
    return content.decode("latin-1").translate(table), "Windows-1252 (Western European)"


@cache
def _cp1252() -> dict[int, str]:
    """What Windows-1252 has in place of Latin-1's control characters; open places stay Latin-1's."""
    return {n: bytes([n]).decode("cp1252", errors="ignore") or chr(n) for n in range(0x80, 0xA0)}


def _fault(content: bytes, name: str, error: UnicodeDecodeError, expected: str) -> str:
    line = content.count(b"\n", 0, error.start) + 1
    return (
        f"{name}: line {line}: byte 0x{content[error.start]:02x} at {error.start} is not "
        f"{expected}; expected UTF-8, or UTF-16 with a byte order mark; it may be a binary file, "
        "or text to be saved as UTF-8"
    )
