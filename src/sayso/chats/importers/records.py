"""The records of one chat on their way through an import: laid aside, and read in message order.

They are laid into a :class:`~sayso.chats.spooling.Spool`, for there may be more of them than fits
into memory. Half characters (lone surrogates) are kept as they are.
"""

from collections.abc import Iterable, Iterator

from sayso.chats.clock import micros
from sayso.chats.importers.record_rows import (
    COLUMNS,
    FLAGS,
    HALF,
    REPLY,
    SAID,
    SOURCE,
    WIDTH,
    Placed,
    placed_of,
    record_of,
    row_of,
)
from sayso.chats.importers.report import Record
from sayso.chats.importers.voices import Voices
from sayso.chats.spooling import Row, Spool


class Records:
    """The records in file order, each laid aside as it comes.

    Where they are ``numbered``, they have localIds of their own, as far as they are good for it.
    ``said`` is whether somebody says something in them, and not only the exporter; ``has_ids``
    whether some have a source_id. ``table`` is where they lie in the ``spool``.
    """

    def __init__(self, records: Iterable[Record], spool: Spool, *, numbered: bool = False) -> None:
        self.voices = Voices()
        self.count = 0
        self.first_at = self.last_at = 0
        self.has_ids = self.said = False
        self.backwards = False
        self.spool, self.table = spool, spool.table(COLUMNS)
        self._rising = self._falling = True
        self._replies = self._indexed = False
        self._order = self._numbers = ""
        self._numbered = numbered
        spool.fill(self.table, self._rows(records), WIDTH)

    def turned(self) -> None:
        """Take the file's last record for its first."""
        self.backwards = True
        self.voices.counted_anew(
            self.spool.rows(f"SELECT at, voice FROM {self.table} ORDER BY seq DESC")
        )

    def __iter__(self) -> Iterator[Record]:
        """The records in file order."""
        for row in self.spool.rows(f"SELECT * FROM {self.table} ORDER BY seq"):
            yield record_of(row, self.voices)

    def _rows(self, records: Iterable[Record]) -> Iterator[Row]:
        heard = self.voices.heard
        before: int | None = None
        seq = 0
        for seq, record in enumerate(records, 1):
            at = micros(record.sent_at)
            if before is None:
                self.first_at = before = at
            if at < before:
                self._rising = False
            elif at > before:
                self._falling = False
            before = at
            voice = heard(record.person, record.sender, record.kind, at, seq)
            row = row_of(record, seq, at, voice, numbered=self._numbered)
            self.has_ids = self.has_ids or row[SOURCE] is not None
            self._replies = self._replies or row[REPLY] is not None
            self.said = self.said or bool(row[FLAGS] & SAID)
            yield row
        self.count, self.last_at = seq, before or 0

    def counted_anew(self) -> None:
        """Count again, where records were taken out."""
        table = self.table
        self.voices.counted_anew(self.spool.rows(f"SELECT at, voice FROM {table} ORDER BY seq"))
        self.count = sum(voice.count for voice in self.voices.all)
        said = self.spool.one(f"SELECT 1 FROM {table} WHERE flags & {SAID} LIMIT 1")
        self.said = said is not None

    def halves(self, *, all_of_them: bool) -> Iterator[Placed]:
        """In file order those that may hold half a character; their localIds mean nothing."""
        which = "" if all_of_them else f"WHERE flags & {HALF}"
        order = "DESC" if self.backwards else ""
        for row in self.spool.rows(f"SELECT * FROM {self.table} {which} ORDER BY seq {order}"):
            yield placed_of(1, row, None, self.voices)

    def in_order(self) -> Iterator[Placed]:
        """Every record in message order, numbered from 1; as often as one likes."""
        table, order = self.table, self._in_order()
        if self._numbered:
            for row in self.spool.rows(f"SELECT r.* FROM {table} AS r ORDER BY {order}"):
                yield placed_of(row[-1], row, None if row[6] is None else int(row[6]), self.voices)
            return
        if not self._replies:
            rows = self.spool.rows(f"SELECT r.* FROM {table} AS r ORDER BY {order}")
            for local_id, row in enumerate(rows, 1):
                yield placed_of(local_id, row, None, self.voices)
            return
        numbers = self._numbered_table()
        rows = self.spool.rows(
            f"SELECT r.*, n.local FROM {table} AS r LEFT JOIN {table} AS o ON o.source = r.reply "
            f"LEFT JOIN {numbers} AS n ON n.seq = o.seq ORDER BY {order}"
        )
        for local_id, row in enumerate(rows, 1):
            yield placed_of(
                local_id, row[:-1], row[-1] if row[-1] != local_id else None, self.voices
            )

    def _in_order(self) -> str:
        """What SQL orders by for message order: time, of one time as the file has it."""
        if self._order:
            return self._order
        if self._numbered:
            self._order = "r.at, r.own"
            self.spool.run(f"CREATE INDEX {self.table}_at ON {self.table} (at, own)")
            return self._order
        seq = "r.seq DESC" if self.backwards else "r.seq"
        if self._falling if self.backwards else self._rising:
            self._order = seq
        else:
            self._order = f"r.at, {seq}"
            self.spool.run(f"CREATE INDEX {self.table}_at ON {self.table} (at)")
        return self._order

    def _numbered_table(self) -> str:
        """The table of each record's localId."""
        if not self._numbers:
            self._numbers = self.spool.table("seq INTEGER PRIMARY KEY, local INTEGER")
            self.index()
            order = f"row_number() OVER (ORDER BY {self._in_order()})"
            self.spool.run(
                f"INSERT INTO {self._numbers} SELECT r.seq, {order} FROM {self.table} AS r"
            )
        return self._numbers

    def index(self) -> None:
        """Let records be found by their source_id."""
        if not self._indexed:
            table = self.table
            self.spool.run(
                f"CREATE INDEX {table}_source ON {table} (source) WHERE source IS NOT NULL"
            )
            self._indexed = True
