"""One process at a time writes a run: rows of two would stand in its file twice."""

import os
import sys
import weakref
from pathlib import Path

from sayso.errors import InputError, StoreError

if sys.platform != "win32":
    import fcntl


class Hold:
    """A file that this process holds, until it lets go or ends, however it ends."""

    def __init__(self, descriptor: int) -> None:
        self._close = weakref.finalize(self, os.close, descriptor)

    def let_go(self) -> None:
        """Others may write now; more than once is as good as once."""
        self._close()


def hold(file: Path) -> Hold:
    """The file, made where it is not there, for this process alone; InputError where another has it.

    Where the system knows no such locks (Windows, some network folders) nobody is refused.
    """
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise StoreError(f"{file}: cannot be written: {error.strerror}") from error
    held = Hold(descriptor)
    if not _lock(descriptor):
        held.let_go()
        raise InputError(f"{file.parent}: another process is writing this run; wait until it ends")
    return held


def _lock(descriptor: int) -> bool:
    """Whether nobody else has it."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks; one process still works
            return True
    return True
