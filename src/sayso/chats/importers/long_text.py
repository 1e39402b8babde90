"""A text that is too long to be held: read line by line, as often as one likes."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from sayso.chats.importers.decoding import Encoding, encoding_of
from sayso.chats.importers.half_characters import Opened
from sayso.errors import ImportFormatError, InputError

_CHUNK = 2**20
_HEAD = 2**20  # characters by which formats are told apart
_LONGEST = 2**26  # bytes; a line has to be held


@dataclass(frozen=True)
class LongText:
    """The text of a file that is opened anew for each reading.

    Raises ImportFormatError for what is no text, is blank, or has a line of more than 64 MB, and
    InputError where it cannot be read.
    """

    opened: Opened
    name: str

    @cached_property
    def encoding(self) -> Encoding:
        """What it is written in, told from all of it."""
        return encoding_of(self._chunks, self.name, guess=True)

    @cached_property
    def head(self) -> str:
        """The first million characters."""
        with self._text() as text:
            return self.encoding.mended(text.read(_HEAD))

    def lines(self) -> Iterator[str]:
        r"""The lines without their ``\n``; of other line ends nothing is known here."""
        mended = self.encoding.mended
        with self._text() as text:
            for line in text:
                yield mended(line.removesuffix("\n"))

    def pieces(self) -> Iterator[str]:
        """The text in pieces of any length."""
        with self._text() as text:
            while piece := text.read(_CHUNK):
                yield self.encoding.mended(piece)

    @contextmanager
    def _text(self) -> Iterator[io.TextIOWrapper]:
        try:
            with (
                self.opened() as file,
                io.TextIOWrapper(file, encoding=self.encoding.codec, newline="\n") as text,
            ):
                yield text
        except OSError as error:
            raise self._unreadable(error) from error

    def _chunks(self) -> Iterator[bytes]:
        line, since = 1, 0
        try:
            with self.opened() as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
                    last = chunk.rfind(b"\n")
                    line += chunk.count(b"\n")
                    since = since + len(chunk) if last < 0 else len(chunk) - last - 1
                    if since > _LONGEST:
                        raise ImportFormatError(
                            f"{self.name}: line {line} is longer than {_LONGEST:,} bytes, which is "
                            "no message; not read"
                        )
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> InputError:
        return InputError(f"{self.name}: cannot be read: {error}")
