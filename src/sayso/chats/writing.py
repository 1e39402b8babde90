"""A file in one step: it is the old one or the new one, never half of one."""

import errno
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sayso.errors import StoreError
from sayso.paths import private_folder


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write the file in one step; StoreError where it cannot be written.

    It is readable by its owner only (0600), and so are folders made for it (0700).
    """
    try:
        private_folder(path.parent)
        _replace(path, lines)
    except (OSError, ValueError) as error:
        raise unwritten(path, error) from error


def unwritten(path: Path, error: OSError | ValueError) -> StoreError:
    """The error of a file that could not be written."""
    # Of its own the system tells of the file beside, which nobody knows.
    said = error.strerror if isinstance(error, OSError) else f"{error}"
    hint = ""
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        hint = "; give the chat a shorter id with --as ID"
    return StoreError(f"{path}: cannot be written: {said}{hint}")


def _replace(path: Path, lines: Iterable[str]) -> None:
    # mkstemp makes the file 0600, in the same folder so that the replacement is one step.
    descriptor, name = tempfile.mkstemp(prefix=".sayso-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
