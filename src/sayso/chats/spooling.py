"""A private place on disk for what is too much to be held: it goes when it is let go of.

It is an SQLite file that nothing else opens, so it keeps no journal and is never synchronised: a
crash loses it, and nobody misses it. What fits into its cache never reaches the disk.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sayso.errors import StoreError
from sayso.paths import private_folder

_CACHE_KIB = 24 * 1024
_STEPS = 100_000  # of SQLite's machine between two looks at whether somebody pressed ctrl-C

Row = tuple[Any, ...]  # values as SQLite keeps them


class Spool:
    """Tables in a file of their own under ``folder``, readable by its owner only; in memory for None.

    Raises StoreError where the file cannot be written, as on a full disk.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self._opened: sqlite3.Connection | None = None
        self._file: Path | None = None
        self._tables = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def table(self, columns: str) -> str:
        """The name of a new table with these columns."""
        self._tables += 1
        name = f"t{self._tables}"
        self.run(f"CREATE TABLE {name} ({columns})")
        self._hidden()
        return name

    def run(self, statement: str, values: Sequence[Any] = ()) -> int:
        """How many rows the statement changed."""
        with self._told():
            return self._connection.execute(statement, values).rowcount

    def fill(self, table: str, rows: Iterable[Row], width: int) -> None:
        """Insert the rows, each of ``width`` values, as they come."""
        marks = ", ".join("?" * width)
        with self._told():
            self._connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    def rows(self, statement: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """The rows that the statement finds, one by one."""
        with self._told():
            for row in self._connection.execute(statement, values):  # noqa: UP028 nobody who stops
                yield row  # in the middle may close a cursor of what is closed already

    def one(self, statement: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row that the statement finds."""
        with self._told():
            row: Row | None = self._connection.execute(statement, values).fetchone()
            return row

    def close(self) -> None:
        """Let go of everything in it."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        if self._file is not None:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = self._open()
        return self._opened

    def _open(self) -> sqlite3.Connection:
        if self.folder is not None:
            try:
                place = private_folder(self.folder)
                descriptor, name = tempfile.mkstemp(prefix=".spool-", suffix=".tmp", dir=place)
            except OSError as error:
                raise self._refused(error) from error
            os.close(descriptor)
            self._file = Path(name)  # 0600
        opened = sqlite3.connect(self._file or ":memory:", isolation_level=None)
        # Python acts on a signal between two of its own steps only.
        opened.set_progress_handler(lambda: 0, _STEPS)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE",
                        f"cache_size = -{_CACHE_KIB}"):  # fmt: skip
            opened.execute(f"PRAGMA {setting}")
        opened.execute("BEGIN")
        return opened

    def _hidden(self) -> None:
        """Where the system lets go of a file by its last user, it is gone however we end."""
        if self._file is not None and os.name == "posix":
            self._file.unlink(missing_ok=True)
            self._file = None

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                raise KeyboardInterrupt from None
            raise self._refused(error) from error
        except sqlite3.Error as error:
            raise self._refused(error) from error

    def _refused(self, error: Exception) -> StoreError:
        return StoreError(f"{self.folder or 'memory'}: cannot be written: {error}")
