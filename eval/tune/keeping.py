"""Trials that were run, kept under the digest of all that they depend on: none is run twice."""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from eval.cases import ReadyCase
from eval.config import chat_digest
from eval.rows import full_record, row_of
from eval.scoring import Row
from sayso import errors
from sayso.core.chat import Chat
from sayso.errors import StoreError

FILE = "trials.sqlite"
_FORMAT = 1  # part of every key: raised where old rows would be read wrongly
_TABLE = "CREATE TABLE IF NOT EXISTS trials (key TEXT PRIMARY KEY, row TEXT NOT NULL)"
_SECONDS_FOR_A_LOCK = 10.0


class Kept:
    """The rows of one file, or of this process alone without one.

    The file holds parts of chats, so it is the owner's alone.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._held: dict[str, str] = {}

    def find(self, key: str) -> Row | None:
        """The row kept under a key; None without one."""
        if self.path is None:
            held = self._held.get(key)
            return row_of(json.loads(held)) if held is not None else None
        try:
            with closing(_opened(self.path)) as db:
                found = db.execute("SELECT row FROM trials WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise _damaged(self.path, error) from error
        try:
            return row_of(json.loads(found[0])) if found else None
        except (ValueError, KeyError, TypeError):
            return None  # no row of ours: it is run again

    def keep(self, key: str, row: Row) -> Row:
        """Keep a row; gives it as it will be read back."""
        text = json.dumps(full_record(row), ensure_ascii=True)
        if self.path is None:
            self._held[key] = text
        else:
            try:
                with closing(_opened(self.path)) as db, db:
                    db.execute("INSERT OR REPLACE INTO trials VALUES (?, ?)", (key, text))
            except sqlite3.Error as error:
                raise _damaged(self.path, error) from error
        return row_of(json.loads(text))

    def forget(self, chat_id: str) -> int:
        """Forget the rows about a chat; how many. StoreError where they cannot be removed."""
        if self.path is None or not self.path.exists():
            return 0
        of_chat = "json_valid(row) AND json_extract(row, '$.chat') = ?"
        try:
            with closing(_opened(self.path)) as db, db:
                db.execute("PRAGMA secure_delete = ON")  # what is removed leaves the file, too
                return db.execute(f"DELETE FROM trials WHERE {of_chat}", (chat_id,)).rowcount
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: trials cannot be removed: {error}") from error


def _opened(path: Path) -> sqlite3.Connection:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite would make it readable to all; the mode counts only where the file is new.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        db = sqlite3.connect(path, timeout=_SECONDS_FOR_A_LOCK)
        db.execute(_TABLE)
    except (OSError, sqlite3.Error) as error:
        raise _damaged(path, error) from error
    return db


def _damaged(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{path}: trials cannot be kept: {error}; move the file away if it is damaged"
    )


def trial_key(
    setting: Mapping[str, Any], prompts: Mapping[str, Any], ready: ReadyCase, mode: str
) -> str:
    """The digest of a trial: code, settings, what the mode's prompts say, the case and its chat."""
    parts = [_FORMAT, code_digest(), setting, prompts, case_digest(ready), ready.group,
             ready.dataset, mode]  # fmt: skip
    return digest_of(parts)


def case_digest(ready: ReadyCase) -> str:
    """The digest of a case and its chat, in hex; its split is no part of it."""
    told = ready.case.model_dump(mode="json", exclude={"split"})
    return digest_of([told, _chat_digest(_Same(ready.chat))])


def data_digest(cases: Iterable[ReadyCase]) -> str:
    """The digest of all these cases with their chats, whatever their order."""
    return digest_of(sorted(case_digest(ready) for ready in cases))


def digest_of(value: Any) -> str:  # whatever JSON can write
    """SHA-256 of the value as JSON, in hex."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@cache
def code_digest() -> str:
    """The digest of the code that answers and scores, of this installation."""
    engine, scoring = Path(errors.__file__).parent, Path(__file__).parents[1]
    answering = [p for p in engine.rglob("*.py") if p.relative_to(engine).parts[0] != "cli"]
    files = [
        *answering,
        *engine.glob("*.json"),
        *scoring.glob("*.py"),
        *scoring.glob("metrics/*.py"),
    ]
    read = hashlib.sha256()
    for path in sorted(files):
        read.update(path.name.encode() + b"\0" + path.read_bytes())
    return read.hexdigest()


class _Same:
    """A chat as a key, told apart by being the same object: to compare contents takes a while."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.chat is other.chat

    def __hash__(self) -> int:
        return id(self.chat)


@lru_cache(maxsize=64)
def _chat_digest(same: _Same) -> str:
    """Every case of a chat asks, and a large chat takes a while."""
    return chat_digest(same.chat)
