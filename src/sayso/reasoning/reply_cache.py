"""Replies of models kept in a SQLite file, so that the same call is not paid for twice.

The file also remembers how an endpoint writes structured replies, which costs calls to find out.
It holds parts of chats, so it is the owner's alone. Nothing depends on it: where it cannot be read
or written, calls are made as if it were not there, and a note says so.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from sayso.core.trail import Usage
from sayso.errors import StoreError
from sayso.paths import private_folder
from sayso.reasoning.calling import Request

FILE = "replies.sqlite"
_FORMAT = 1  # part of every key: raised where old replies would be read wrongly
_SECONDS_FOR_A_LOCK = 5.0
_TABLES = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, reply TEXT NOT NULL, usage TEXT NOT NULL, step TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS ways (endpoint TEXT PRIMARY KEY, way TEXT NOT NULL, streams INTEGER);
"""
M = TypeVar("M", bound=BaseModel)
R = TypeVar("R")


@dataclass(frozen=True)
class Manner:
    """How an endpoint is asked: its way of structured output, and whether it streams."""

    way: str
    streams: bool = True


def key_of(request: Request[Any], endpoint: str, parameters: dict[str, Any]) -> str:
    """The digest under which a reply is kept: of all that the reply may depend on."""
    parts = [
        _FORMAT, endpoint, parameters, request.prompt_digest, request.system, request.user,
        request.schema.model_json_schema(), request.salt,
    ]  # fmt: skip
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class ReplyCache:
    """The kept replies of one data folder; may be used by several threads and processes."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        self._notes: list[str] = []
        self._off = False

    def find(self, key: str, schema: type[M]) -> M | None:
        """The reply kept under a key; None without one."""
        row = self._with(
            lambda db: db.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        )
        if row is None:
            return None
        try:
            return schema.model_validate_json(row[0])
        except ValidationError:
            return None

    def cost_of(self, key: str) -> Usage:
        """What the reply kept under a key had cost; nothing where that is not known."""
        row = self._with(
            lambda db: db.execute("SELECT usage FROM replies WHERE key = ?", (key,)).fetchone()
        )
        try:
            return Usage.model_validate_json(row[0]) if row else Usage()
        except ValidationError:
            return Usage()

    def keep(self, key: str, step: str, value: BaseModel, usage: Usage) -> None:
        """Keep an accepted reply and what it had cost."""
        row = (key, value.model_dump_json(by_alias=True), usage.model_dump_json(), step)
        self._with(lambda db: db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row))

    def clear(self) -> int:
        """Forget every reply, those in files set aside too; how many. Makes no file where there is none.

        What is removed is gone from the file as well. How endpoints are asked is still known.
        Raises StoreError where they cannot be removed.
        """
        count: int | None = 0
        if self._path.exists():
            self._with(lambda db: db.execute("PRAGMA secure_delete = ON"))
            count = self._with(lambda db: db.execute("DELETE FROM replies").rowcount)
        for path in self._path.parent.glob(f"{FILE}.damaged-*"):
            path.unlink(missing_ok=True)
        if count is None:
            raise StoreError(f"{self._path}: the cached replies cannot be removed; remove the file")
        return count

    def manner_of(self, endpoint: str) -> Manner | None:
        """How the endpoint was last asked with success; None for one that is new."""
        row = self._with(
            lambda db: db.execute(
                "SELECT way, streams FROM ways WHERE endpoint = ?", (endpoint,)
            ).fetchone()
        )
        return Manner(str(row[0]), bool(row[1])) if row else None

    def remember(self, endpoint: str, manner: Manner) -> None:
        """Keep how an endpoint is asked."""
        row = (endpoint, manner.way, int(manner.streams))
        self._with(lambda db: db.execute("INSERT OR REPLACE INTO ways VALUES (?, ?, ?)", row))

    def notes(self) -> tuple[str, ...]:
        """What there is to say of the file since the last time that was asked."""
        with self._lock:
            notes, self._notes = tuple(self._notes), []
        return notes

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _with(self, use: Callable[[sqlite3.Connection], R]) -> R | None:
        """What ``use`` gives, committed; None, and a note, where the file does not serve."""
        with self._lock:
            for _ in range(2):  # a second time with a new file in place of a damaged one
                if self._off:
                    return None
                try:
                    db = self._opened()
                    with db:
                        return use(db)
                except sqlite3.OperationalError as error:  # locked, full, read-only, no such folder
                    self._give_up(str(error))
                except sqlite3.DatabaseError:
                    self._set_aside()
                except OSError as error:
                    self._give_up(error.strerror or str(error))
        return None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            private_folder(self._path.parent)
            # SQLite would make it readable to all; the mode counts only where the file is new.
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            made = sqlite3.connect(self._path, timeout=_SECONDS_FOR_A_LOCK, check_same_thread=False)
            self._connection = made
            with closing(made.executescript(_TABLES)):
                pass
        return self._connection

    def _give_up(self, why: str) -> None:
        self._close()
        self._off = True
        self._notes.append(f"replies are not cached: {self._path}: {why}")

    def _set_aside(self) -> None:
        self._close()
        number = next(n for n in range(1, 10_000) if not self._damaged(n).exists())
        try:
            self._path.replace(self._damaged(number))
        except OSError as error:
            self._give_up(error.strerror or str(error))
            return
        self._notes.append(
            f"the cache of replies was damaged and is set aside as {self._damaged(number).name}"
        )

    def _damaged(self, number: int) -> Path:
        return self._path.with_name(f"{FILE}.damaged-{number}")
