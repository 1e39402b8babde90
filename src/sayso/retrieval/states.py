"""Which states of a chat have an index on disk: a grown chat starts from its former one.

One small file a chat and embedder lists the folders, oldest first. It is only a memory aid:
where it is lost or wrong, more is embedded than had to be.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.paths import private_folder
from sayso.retrieval.folders import FAULTS, read_folder

# Two chats may bear one id (an export read from a file, an imported one): a state that shares
# less than this with the new one is another chat's, and stays.
_SAME_CHAT = 0.5


@dataclass(frozen=True)
class States:
    """The states of one chat under one embedder, in the folder of all indexes."""

    folder: Path
    chat_id: str
    embedder: str
    version: int

    def place(self, digest: str) -> Path:
        """The folder of the state of that digest."""
        return self.folder / f"{self.version}-{digest}"

    @property
    def chunks(self) -> Path:
        """What was embedded of a state that is not whole yet; later states go on from it."""
        return self.folder / f"{self.version}-{self._key}.chunks"

    def former(self, place: Path) -> Iterator[Path]:
        """The folders of this version's other states, the latest first."""
        for name in reversed(self._names()):
            if name != place.name and name.startswith(f"{self.version}-"):
                yield self.folder / name

    def note(self, place: Path) -> None:
        """Remember that the state has a folder; it is the latest now."""
        self._write([*(n for n in self._names() if n != place.name), place.name])

    def supersede(self, place: Path, hashes: NDArray[np.uint64]) -> None:
        """Clear away what a whole state has made useless: its chunks and the states it grew from.

        ``hashes`` are the digests of its texts.
        """
        for chunks in self.every_chunk():
            shutil.rmtree(chunks, ignore_errors=True)
        kept = []
        for former in (self.folder / n for n in self._names() if n != place.name):
            if self._is_other(former, hashes):
                kept.append(former.name)
            else:
                shutil.rmtree(former, ignore_errors=True)
        self._write([*kept, place.name])

    def _is_other(self, former: Path, hashes: NDArray[np.uint64]) -> bool:
        """Whether the folder holds a whole state, of this version, of another chat."""
        held = read_folder(former / "meaning", ("texts",), unnamed=True)
        if held is None or not former.name.startswith(f"{self.version}-"):
            return False
        theirs = held[0]["texts"]
        return len(theirs) > 0 and float(np.isin(theirs, hashes).mean()) < _SAME_CHAT

    def all(self) -> list[Path]:
        """The folders of every state that is remembered, of any version."""
        return [self.folder / name for name in self._names()]

    def every_chunk(self) -> list[Path]:
        """What was embedded of states that are not whole, of any version."""
        return sorted(self.folder.glob(f"*-{self._key}.chunks"))

    @property
    def list_file(self) -> Path:
        """Where the states are remembered."""
        return self.folder / f"{self._key}.states"

    @property
    def _key(self) -> str:
        return hashlib.sha256(json.dumps([self.chat_id, self.embedder]).encode()).hexdigest()[:16]

    def _names(self) -> list[str]:
        with suppress(*FAULTS):
            held = json.loads(self.list_file.read_text(encoding="utf-8"))
            # Only what could be a folder of ours: these are names that get deleted.
            return [n for n in held if isinstance(n, str) and _is_ours(n)]
        return []

    def _write(self, names: list[str]) -> None:
        with suppress(OSError):
            private_folder(self.folder)
            self.list_file.touch(mode=0o600)
            self.list_file.write_text(json.dumps(names), encoding="utf-8")


def _is_ours(name: str) -> bool:
    version, dash, digest = name.partition("-")
    return bool(dash) and version.isdecimal() and len(digest) == 24 and digest.isalnum()
