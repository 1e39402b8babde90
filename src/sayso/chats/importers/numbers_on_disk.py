"""A row of whole numbers that may be longer than memory: pages of it, the rest in a file."""

import tempfile
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from sayso.paths import private_folder

_PAGE = 2**14  # numbers
_HELD = 32  # pages


class Numbers:
    """Whole numbers of 64 bits by position, in a nameless file under ``folder``; None: in memory."""

    def __init__(self, folder: Path | None) -> None:
        self._pages: dict[int, array[int]] = {}
        self._changed: set[int] = set()
        self._length = 0
        self._folder = folder
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._pages.clear()
        if self._file is not None:
            self._file.close()

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: int) -> int:
        return self._page(at // _PAGE)[at % _PAGE]

    def __setitem__(self, at: int, number: int) -> None:
        self._page(at // _PAGE)[at % _PAGE] = number
        self._changed.add(at // _PAGE)

    def __iter__(self) -> Iterator[int]:
        for at in range(self._length):
            yield self[at]

    def append(self, number: int) -> None:
        """One more at the end."""
        page = self._length // _PAGE
        self._page(page).append(number)
        self._changed.add(page)
        self._length += 1

    def _page(self, number: int) -> "array[int]":
        page = self._pages.get(number)
        if page is None:
            page = self._read(number)
            self._pages[number] = page
            if len(self._pages) > _HELD and self._folder is not None:
                self._let_go()
        return page

    def _read(self, number: int) -> "array[int]":
        page = array("q")
        if self._file is not None and number * _PAGE < self._length:
            self._file.seek(number * _PAGE * 8)
            page.frombytes(self._file.read(min(_PAGE, self._length - number * _PAGE) * 8))
        return page

    def _let_go(self) -> None:
        oldest = next(iter(self._pages))
        page = self._pages.pop(oldest)
        if oldest in self._changed:
            if self._file is None:
                assert self._folder is not None
                self._file = tempfile.TemporaryFile(  # noqa: SIM115 closed with the numbers
                    dir=private_folder(self._folder)
                )
            self._file.seek(oldest * _PAGE * 8)
            self._file.write(page.tobytes())
            self._changed.discard(oldest)
