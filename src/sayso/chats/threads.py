"""Threads: what was asked of a chat before, kept so that the next question can lean on it.

One SQLite file for all of them, readable by its owner only: questions tell as much as answers.
"""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import AwareDatetime, TypeAdapter, ValidationError

from sayso.core.models import Turn
from sayso.core.value import Value
from sayso.errors import InputError, StoreError
from sayso.paths import private_folder

FILE = "threads.sqlite"
_FOREIGN = re.compile(r"no such (?:column|table)|has no column")  # another program's database
_WAIT = 10.0  # seconds for another process to finish its write
_IDS = TypeAdapter(tuple[int, ...])
_TABLE = """
create table if not exists turns (
    thread text not null, position integer not null, chat_id text not null, question text not null,
    answer text not null, cited text not null, mode text not null, at text not null,
    primary key (thread, position)
)
"""


class KeptTurn(Value):
    """A turn as it is kept: by which mode it was answered and when."""

    turn: Turn
    mode: str
    at: AwareDatetime


class Thread(Value):
    """A thread: the chat it is about and its turns, oldest first; never without one."""

    name: str
    chat_id: str
    turns: tuple[KeptTurn, ...]

    @property
    def history(self) -> tuple[Turn, ...]:
        """What a question may lean on, oldest first."""
        return tuple(kept.turn for kept in self.turns)


@dataclass(frozen=True)
class ThreadStore:
    """The threads of one data folder, which may not exist yet. Every method may raise StoreError."""

    home: Path

    @property
    def path(self) -> Path:
        """Where they are."""
        return self.home / FILE

    def names(self) -> tuple[str, ...]:
        """Every thread's name, the one that was asked last first."""
        with self._open() as base:
            rows = base.execute(
                "select thread from turns group by thread order by max(at) desc, thread"
            )
            return tuple(name for (name,) in rows)

    def load(self, name: str) -> Thread | None:
        """The thread of that name; None where there is none."""
        with self._open() as base:
            return self._read(base, name)

    def add(self, name: str, chat_id: str, kept: KeptTurn) -> None:
        """Put a turn at the thread's end; raises InputError where the thread is about another chat."""
        turn = kept.turn
        with self._open(write=True) as base:
            at, about = base.execute(
                "select coalesce(max(position), 0), max(chat_id) from turns where thread = ?",
                (name,),
            ).fetchone()
            checked_chat(name, about or chat_id, chat_id)
            base.execute(
                "insert into turns values (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    name, at + 1, chat_id, _storable(turn.question), _storable(turn.answer),
                    _IDS.dump_json(turn.cited).decode(), kept.mode, kept.at.astimezone(UTC).isoformat(),
                ),
            )  # fmt: skip

    def remove(self, name: str) -> bool:
        """Forget the thread; False where there was none."""
        with self._open(write=True) as base:
            return base.execute("delete from turns where thread = ?", (name,)).rowcount > 0

    def remove_about(self, chat_id: str) -> tuple[str, ...]:
        """Forget every thread about the chat; their names. Makes no file where there is none."""
        if not self.path.exists():
            return ()
        with self._open(write=True) as base:
            rows = base.execute(
                "select distinct thread from turns where chat_id = ? order by thread", (chat_id,)
            ).fetchall()
            base.execute("delete from turns where chat_id = ?", (chat_id,))
            return tuple(name for (name,) in rows)

    def _read(self, base: sqlite3.Connection, name: str) -> Thread | None:
        rows = base.execute(
            "select chat_id, question, answer, cited, mode, at from turns where thread = ? "
            "order by position", (name,),
        ).fetchall()  # fmt: skip
        if not rows:
            return None
        turns = []
        for _, question, answer, cited, mode, at in rows:
            turn = Turn(question=question, answer=answer, cited=_IDS.validate_json(cited))
            turns.append(KeptTurn(turn=turn, mode=mode, at=datetime.fromisoformat(at)))
        return Thread(name=name, chat_id=rows[0][0], turns=tuple(turns))

    @contextmanager
    def _open(self, *, write: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction; a writer has the file to itself from its first look on."""
        base = None
        try:
            self._make()
            base = sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)
            base.execute("pragma secure_delete = on")  # what is removed is gone from the file, too
            base.execute(_TABLE)
            base.execute("begin immediate" if write else "begin")
            yield base
            base.execute("commit")
        except (sqlite3.DatabaseError, ValidationError, ValueError) as error:
            if isinstance(error, sqlite3.OperationalError) and not _FOREIGN.search(str(error)):
                raise StoreError(f"{self.path}: cannot be read or written: {error}") from error
            raise StoreError(
                f"{self.path}: no file of threads, or damaged ({error}); move it away and sayso "
                "begins a new one (the chats are not in it)"
            ) from error
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written: {error.strerror}") from error
        finally:
            if base is not None:
                base.close()  # an open transaction is rolled back

    def _make(self) -> None:
        private_folder(self.home)
        os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        self.path.chmod(0o600)


def checked_chat(name: str, about: str, asked: str) -> None:
    """InputError where a thread about one chat is asked of another."""
    if about != asked:
        raise InputError(
            f"thread {name!r} is about chat {about!r}, not {asked!r}; name another with --thread, "
            "or begin this one anew with --new"
        )


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
