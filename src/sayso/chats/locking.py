"""One writer at a time: what is read, merged and written back must not cross another's."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sayso.errors import StoreError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

NAME = ".lock"


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Waits until no other process is in here for that folder, which has to be there.

    The system lets go of the lock when a process ends, however it ends. Raises StoreError where
    the lock's file cannot be written.
    """
    try:
        descriptor = os.open(folder / NAME, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror}") from error
    try:
        with suppress(OSError):  # a file system that knows no locks; one process still works
            _lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
