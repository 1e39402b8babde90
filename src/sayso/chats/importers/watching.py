"""How far the reading of a large file is, for somebody who waits."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, cast

from sayso.chats.importers.half_characters import Opened

Heard = Callable[[str, int, int], None]
"""Hears what is being done, how much of it is done, and how much there is."""

_STEP = 2**23  # bytes


def watched(opened: Opened, size: int, heard: Heard | None) -> Opened:
    """The same file; ``heard`` is told of every few megabytes that are read of its ``size``."""
    if heard is None:
        return opened
    tell = heard

    @contextmanager
    def opening() -> Iterator[IO[bytes]]:
        with opened() as file:
            counting = io.BufferedReader(_Counting(file, size, tell), 2**18)
            yield cast(IO[bytes], counting)

    return opening


class _Counting(io.RawIOBase):
    def __init__(self, file: IO[bytes], size: int, heard: Heard) -> None:
        self._file, self._size, self._heard = file, size, heard
        self._read = self._told = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override] # of a raw file
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._read += len(data)
        if self._read - self._told >= _STEP:
            self._told = self._read
            self._heard("reading", min(self._read, self._size), self._size)
        return len(data)
