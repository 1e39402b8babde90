"""Two laid chats side by side in message order, some whole instants at a time."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import merge as in_turns
from operator import itemgetter
from typing import NamedTuple

from sayso.chats.laid import Laid, unnumbered
from sayso.chats.spooling import Spool

SIZE = 2000  # messages of both, at least


class Spot(NamedTuple):
    """A laid message: its instant, which side it is of, its number there, its localId, its line."""

    at: int
    side: int
    n: int
    local_id: int
    line: str


@dataclass
class Slice:
    """The messages of both chats at some instants, each in message order."""

    old: list[Spot] = field(default_factory=list)
    new: list[Spot] = field(default_factory=list)

    @property
    def is_same(self) -> bool:
        """Whether they are the same messages, but for their localIds."""
        return len(self.old) == len(self.new) and all(
            unnumbered(a.line) == unnumbered(b.line)
            for a, b in zip(self.old, self.new, strict=True)
        )


class Slices:
    """The slices of both, as often as one likes.

    An old message whose id is that of a new one at another instant is in the slice of that one.
    """

    def __init__(self, old: Laid, new: Laid, spool: Spool) -> None:
        self._old, self._new, self._spool = old, new, spool
        self._moved = self._moved_to()

    def __iter__(self) -> Iterator[Slice]:
        found = Slice()
        before: int | None = None
        for spot in in_turns(*(self._spots(side) for side in (0, 1)), key=itemgetter(0, 1, 2)):
            if spot.at != before and len(found.old) + len(found.new) >= SIZE:
                yield found
                found = Slice()
            before = spot.at
            (found.new if spot.side else found.old).append(spot)
        yield found

    def _spots(self, side: int) -> Iterator[Spot]:
        table = (self._old, self._new)[side].table
        columns, place = f"{side}, t.n, t.local, t.line FROM {table} AS t", "t.at"
        order = "t.n"
        if side == 0 and self._moved is not None:
            columns += f" LEFT JOIN {self._moved} AS m ON m.n = t.n"
            place = order = "coalesce(m.at, t.at)"
            order += ", t.n"
        rows = self._spool.rows(f"SELECT {place}, {columns} ORDER BY {order}")
        return map(Spot._make, rows)

    def _moved_to(self) -> str | None:
        """The old messages whose id is that of a new one at another instant, which they join."""
        old, new, spool = self._old, self._new, self._spool
        if not (old.has_ids and new.has_ids):
            return None
        spool.run(f"CREATE INDEX {old.table}_source ON {old.table} (source)")
        found = (
            f"FROM {new.table} AS n JOIN {old.table} AS o ON o.source = n.source "
            "WHERE n.source IS NOT NULL AND n.at <> o.at"
        )
        if spool.one(f"SELECT 1 {found} LIMIT 1") is None:
            return None
        moved = spool.table("n INTEGER PRIMARY KEY, at INTEGER")
        spool.run(f"INSERT OR IGNORE INTO {moved} SELECT o.n, n.at {found}")
        return moved
