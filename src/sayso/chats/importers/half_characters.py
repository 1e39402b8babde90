r"""Escapes of half a character (``\ud83d`` alone) in JSON bytes, made ``\ufffd`` on the way.

The reader of large JSON has no room for them: it writes ``?`` or stops. What is read in one piece
keeps them until they are mended and reported message by message.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import IO, Any

_CHUNK = 2**16
_MOST_CARRIED = 2**20
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
# Every escape from left to right, so that an escaped backslash is none of a half's.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_LONGEST = 12

Opened = Callable[[], AbstractContextManager[IO[bytes]]]


@dataclass
class Mending:
    """Opens a file of JSON; ``count`` is how many halves the last complete reading replaced."""

    source: Opened
    count: int = 0

    @contextmanager
    def __call__(self) -> Iterator[Any]:
        """The bytes as a stream with ``read``, as readers of JSON want one."""
        with self.source() as file:
            yield _Stream(file, self)


class _Stream:
    def __init__(self, file: IO[bytes], owner: Mending) -> None:
        self._file, self._owner = file, owner
        self._count = 0
        self._carried = b""
        self._ready = b""
        self._ended = False

    def read(self, size: int = -1) -> bytes:
        """At most ``size`` bytes, all of them for -1; none only at the end."""
        while not self._ended and (size < 0 or not self._ready):
            self._ready += self._next()
        if size < 0:
            size = len(self._ready)
        given, self._ready = self._ready[:size], self._ready[size:]
        return given

    def _next(self) -> bytes:
        chunk = self._file.read(_CHUNK)
        self._ended = not chunk
        data = self._carried + chunk
        cut = len(data) if self._ended else _cut(data)
        self._carried, whole = data[cut:], data[:cut]
        if _HALF.search(whole) is not None:
            whole = _ESCAPE.sub(self._mended, whole)
        if self._ended:
            self._owner.count = self._count
        return whole

    def _mended(self, found: re.Match[bytes]) -> bytes:
        if found[1] is None:
            return found[0]
        self._count += 1
        return rb"\ufffd"


def _cut(data: bytes) -> int:
    """Where the bytes can be parted without parting an escape, or the two of one character."""
    at = data.find(b"\\", max(0, len(data) - _LONGEST))
    if at < 0:
        return len(data)
    at = _run(data, at)
    if data[max(0, at - 6) : at - 3] in {b"\\ud", b"\\uD"}:
        at = _run(data, at - 6)
    if at == 0 and len(data) > _MOST_CARRIED:
        return len(data) - len(data) % 2  # a mountain of backslashes
    return at


def _run(data: bytes, at: int) -> int:
    """Where the backslashes begin that stand here in a row."""
    while at > 0 and data[at - 1] == 0x5C:
        at -= 1
    return at
