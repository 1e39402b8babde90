"""An import that is only tried: its chats are merged in a copy, and the archive is as it was."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sayso.chats.store import ChatStore
from sayso.errors import InputError, StoreError
from sayso.paths import private_folder


@dataclass(frozen=True)
class Trial:
    """A data folder that goes when the trial ends, beside the one that is only read."""

    home: Path
    real: Path

    def bring(self, chat_id: str) -> None:
        """Copy the chat of that id, where there is one and none was brought before."""
        source, copy = ChatStore(self.real).path(chat_id), ChatStore(self.home).path(chat_id)
        if copy.exists() or not source.is_file():
            return
        try:
            private_folder(copy.parent)
            shutil.copyfile(source, copy)
        except OSError as error:
            raise StoreError(f"{copy}: cannot be written: {error.strerror}") from error

    def as_of_the_archive(self, error: InputError) -> InputError:
        """The error with the file that a person knows instead of the copy's."""
        return type(error)(str(error).replace(str(self.home), str(self.real)))


@contextmanager
def trial_of(home: Path) -> Iterator[Trial]:
    """A trial of what would come of the archive in ``home``; only its owner can read the copy.

    Raises StoreError where there is no room for one.
    """
    try:
        folder = tempfile.TemporaryDirectory(prefix="sayso-trial-", ignore_cleanup_errors=True)
    except OSError as error:
        raise StoreError(f"no temporary folder can be made: {error.strerror}") from error
    with folder as name:
        yield Trial(Path(name), home)
