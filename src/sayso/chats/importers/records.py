"""The records of one chat on their way through an import: laid aside, and read in message order.

They are laid into a :class:`~sayso.chats.spooling.Spool`, for there may be more of them than fits
into memory. Half characters (lone surrogates) are kept as they are.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sayso.chats.clock import EPOCH, micros
from sayso.chats.importers.report import Fault, FaultLog, Record
from sayso.chats.importers.voices import Voice, Voices
from sayso.chats.numbering import next_ids
from sayso.chats.spooling import Row, Spool
from sayso.core.chat import Attachment, Reaction, Revision

_COLUMNS = (
    "seq INTEGER PRIMARY KEY, at INTEGER, voice INTEGER, text BLOB, caption BLOB, source BLOB, "
    "reply BLOB, rest TEXT, place TEXT, flags INTEGER, own INTEGER"
)
_WIDTH = 11
_HALF, _SAID = 1, 2
_encode = json.JSONEncoder().encode
# Beside text and captions, what carries words of its own; the rest shows a placeholder.
_WORDY = frozenset({"text", "link", "poll"})


class Placed(NamedTuple):
    """A record in message order with its localId, and that of the message it replies to.

    ``at`` is in microseconds since 1970; ``half`` is whether it may hold half a character.
    """

    local_id: int
    at: int
    voice: Voice
    text: str
    caption: str | None
    source_id: str | None
    reply_to: int | None
    rest: dict[str, Any] | None
    where: str
    half: bool


class Records:
    """The records in file order, each laid aside as it comes.

    Where they are ``numbered``, they have localIds of their own, as far as they are good for it.
    """

    def __init__(self, records: Iterable[Record], spool: Spool, *, numbered: bool = False) -> None:
        self.voices = Voices()
        self.count = 0
        self.first_at = self.last_at = 0
        self._spool = spool
        self._table = spool.table(_COLUMNS)
        self._rising = self._falling = True
        self._sources = self._replies = self._said = self._indexed = False
        self._order = ""
        self._numbered = numbered
        self.backwards = False
        spool.fill(self._table, self._rows(records), _WIDTH)

    @property
    def said(self) -> bool:
        """Whether somebody says something in them, and not only the exporter."""
        return self._said

    @property
    def has_ids(self) -> bool:
        """Whether some have a source_id."""
        return self._sources

    def turned(self) -> None:
        """Take the file's last record for its first."""
        self.backwards = True
        self.voices.counted_anew(
            self._spool.rows(f"SELECT at, voice FROM {self._table} ORDER BY seq DESC")
        )

    def __iter__(self) -> Iterator[Record]:
        """The records in file order."""
        for row in self._spool.rows(f"SELECT * FROM {self._table} ORDER BY seq"):
            yield self._record(row)

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
            yield self._row(record, seq, at, voice)
        self.count, self.last_at = seq, before or 0

    def _row(self, record: Record, seq: int, at: int, voice: Voice) -> Row:
        flags = _HALF if voice.half else 0
        text = record.text
        try:
            told = text.encode()
        except UnicodeEncodeError:
            flags |= _HALF
            told = _bytes(text)
        said = (record.words or record.kind in _WORDY) and text and not text.isspace()
        caption = source = reply = rest = None
        if record.caption or (self._numbered and record.caption is not None):
            caption, said = _bytes(record.caption), True
        if record.source_id is not None:
            source, self._sources = _bytes(record.source_id), True
        if record.reply_to is not None:
            reply, self._replies = _bytes(record.reply_to), True
        if _has_rest(record):
            rest = _rest(record)
        if (caption or source or rest) and _may_be_half(caption, source, rest):
            flags |= _HALF
        if said:
            flags |= _SAID
            self._said = True
        return (seq, at, voice.number, told, caption, source, reply, rest, record.where, flags,
                record.local_id)  # fmt: skip

    def without_repeats(self) -> int:
        """Keep, of records with one source_id, sender and time, the one that was edited last.

        It takes the place of the first, with what was said before as revisions. Returns how many
        were dropped.
        """
        if not self._sources:
            return 0
        self._index()
        table, spool = self._table, self._spool
        twice = f"SELECT source FROM {table} WHERE source IS NOT NULL GROUP BY source HAVING count(*) > 1"
        if spool.one(twice) is None:
            return 0
        kept, gone = spool.table(_COLUMNS), spool.table("seq INTEGER PRIMARY KEY")
        rows = spool.rows(f"SELECT * FROM {table} WHERE source IN ({twice}) ORDER BY source, seq")
        repeats = 0
        for held, dropped in self._united(rows):
            spool.fill(kept, held, _WIDTH)
            spool.fill(gone, ((seq,) for seq in dropped), 1)
            repeats += len(dropped)
        if repeats:
            spool.run(f"DELETE FROM {table} WHERE seq IN (SELECT seq FROM {gone})")
            spool.run(f"INSERT OR REPLACE INTO {table} SELECT * FROM {kept}")
            self._counted_anew()
        return repeats

    def _united(self, rows: Iterable[Row]) -> Iterator[tuple[list[Row], list[int]]]:
        """For each source_id the rows to be kept in another form, and those to be dropped."""
        source: bytes | None = None
        group: list[Row] = []
        for row in rows:
            if row[5] != source and group:
                yield self._of_one_source(group)
                group = []
            source = row[5]
            group.append(row)
        if group:
            yield self._of_one_source(group)

    def _of_one_source(self, group: list[Row]) -> tuple[list[Row], list[int]]:
        kept: dict[tuple[int, str], tuple[int, Record]] = {}
        changed: dict[tuple[int, str], None] = {}
        dropped: list[int] = []
        for row in group:
            record = self._record(row)
            key = (row[1], record.sender)
            if key not in kept:
                kept[key] = (row[0], record)
                continue
            seq, other = kept[key]
            kept[key] = (seq, _latest(other, record))
            changed[key] = None
            dropped.append(row[0])
        return [self._again(*kept[key]) for key in changed], dropped

    def _again(self, seq: int, record: Record) -> Row:
        at = micros(record.sent_at)
        voice = self.voices.heard(record.person, record.sender, record.kind, at, seq)
        return self._row(record, seq, at, voice)

    def _record(self, row: Row) -> Record:
        _, at, number, text, caption, source, reply, rest, where, flags, _ = row
        voice = self.voices.all[number]
        return Record(
            where=where,
            sender=voice.sender,
            sent_at=EPOCH + timedelta(microseconds=at),
            text=_text(text),
            kind=voice.kind,
            caption=None if caption is None else _text(caption),
            source_id=None if source is None else _text(source),
            person=voice.person,
            reply_to=None if reply is None else _text(reply),
            words=bool(flags & _SAID),
            **(read_rest(rest) if rest else {}),
        )

    def _counted_anew(self) -> None:
        table = self._table
        self.voices.counted_anew(self._spool.rows(f"SELECT at, voice FROM {table} ORDER BY seq"))
        self.count = sum(voice.count for voice in self.voices.all)
        said = self._spool.one(f"SELECT 1 FROM {table} WHERE flags & {_SAID} LIMIT 1")
        self._said = said is not None

    def number(self, twice: FaultLog) -> None:
        """Give the next free localIds to those without one, and to the second of two with one.

        They are given in message order; each is a fault.
        """
        table, spool = self._table, self._spool
        spool.run(f"CREATE INDEX {table}_own ON {table} (own)")
        lost = (
            f"FROM {table} AS r WHERE r.own IS NULL OR EXISTS "
            f"(SELECT 1 FROM {table} AS o WHERE o.own = r.own AND o.seq < r.seq)"
        )
        if spool.one(f"SELECT 1 {lost} LIMIT 1") is None:
            return
        ids = spool.table("seq INTEGER PRIMARY KEY, at INTEGER, had INTEGER, local INTEGER")
        spool.run(f"INSERT INTO {ids} SELECT seq, at, own, NULL {lost}")
        (largest,) = spool.one(f"SELECT max(own) FROM {table}") or (None,)
        taken = (
            n for (n,) in spool.rows(f"SELECT DISTINCT own FROM {table} WHERE own > 0 ORDER BY own")
        )
        given = spool.table("seq INTEGER PRIMARY KEY, local INTEGER")
        waiting = spool.rows(f"SELECT seq FROM {ids} ORDER BY at, seq")
        spool.fill(
            given,
            ((seq, n) for (seq,), n in zip(waiting, next_ids(largest or 0, taken), strict=False)),
            2,
        )
        told = spool.rows(
            f"SELECT r.place, i.had, g.local FROM {ids} AS i JOIN {given} AS g USING (seq) "
            f"JOIN {table} AS r USING (seq) ORDER BY seq"
        )
        for place, had, local_id in told:
            why = "no localId" if had is None else f"localId {had} stands there twice"
            twice.append(Fault(where=place, reason=f"{why}; this message is {local_id} now"))
        spool.run(f"UPDATE {table} SET own = g.local FROM {given} AS g WHERE g.seq = {table}.seq")

    def ids_once(self, twice: FaultLog) -> None:
        """Take its source_id from the second of two records with one; each is a fault."""
        if not self._sources:
            return
        self._index()
        table, spool = self._table, self._spool
        second = (
            f"FROM {table} AS r WHERE r.source IS NOT NULL AND EXISTS "
            f"(SELECT 1 FROM {table} AS o WHERE o.source = r.source AND o.seq < r.seq)"
        )
        if spool.one(f"SELECT 1 {second} LIMIT 1") is None:
            return
        lost = spool.table("seq INTEGER PRIMARY KEY")
        spool.run(f"INSERT INTO {lost} SELECT r.seq {second}")
        rows = spool.rows(f"SELECT source, place FROM {table} JOIN {lost} USING (seq) ORDER BY seq")
        for source, place in rows:
            reason = f"id {_text(source)!r} stands there twice; this message has none now"
            twice.append(Fault(where=place, reason=reason))
        spool.run(f"UPDATE {table} SET source = NULL WHERE seq IN (SELECT seq FROM {lost})")

    def halves(self, *, all_of_them: bool) -> Iterator[Placed]:
        """In file order those that may hold half a character; their localIds mean nothing."""
        which = "" if all_of_them else f"WHERE flags & {_HALF}"
        order = "DESC" if self.backwards else ""
        for row in self._spool.rows(f"SELECT * FROM {self._table} {which} ORDER BY seq {order}"):
            yield self._placed(1, row, None)

    def in_order(self) -> Iterator[Placed]:
        """Every record in message order, numbered from 1; as often as one likes."""
        table, order = self._table, self._in_order()
        if self._numbered:
            for row in self._spool.rows(f"SELECT r.* FROM {table} AS r ORDER BY {order}"):
                yield self._placed(row[-1], row, None if row[6] is None else int(row[6]))
            return
        if not self._replies:
            rows = self._spool.rows(f"SELECT r.* FROM {table} AS r ORDER BY {order}")
            for local_id, row in enumerate(rows, 1):
                yield self._placed(local_id, row, None)
            return
        numbers = self._numbers()
        rows = self._spool.rows(
            f"SELECT r.*, n.local FROM {table} AS r LEFT JOIN {table} AS o ON o.source = r.reply "
            f"LEFT JOIN {numbers} AS n ON n.seq = o.seq ORDER BY {order}"
        )
        for local_id, row in enumerate(rows, 1):
            yield self._placed(local_id, row[:-1], row[-1] if row[-1] != local_id else None)

    def _placed(self, local_id: int, row: Row, reply_to: int | None) -> Placed:
        _, at, voice, text, caption, source, _, rest, where, flags, _ = row
        return Placed(
            local_id,
            at,
            self.voices.all[voice],
            _text(text),
            None if caption is None else _text(caption),
            None if source is None else _text(source),
            reply_to,
            read_rest(rest) if rest else None,
            where,
            bool(flags & _HALF),
        )

    def _in_order(self) -> str:
        """What SQL orders by for message order: time, of one time as the file has it."""
        if self._order:
            return self._order
        if self._numbered:
            self._order = "r.at, r.own"
            self._spool.run(f"CREATE INDEX {self._table}_at ON {self._table} (at, own)")
            return self._order
        seq = "r.seq DESC" if self.backwards else "r.seq"
        if self._falling if self.backwards else self._rising:
            self._order = seq
        else:
            self._order = f"r.at, {seq}"
            self._spool.run(f"CREATE INDEX {self._table}_at ON {self._table} (at)")
        return self._order

    def _numbers(self) -> str:
        """The table of each record's localId."""
        numbers = self._spool.table("seq INTEGER PRIMARY KEY, local INTEGER")
        self._index()
        self._spool.run(
            f"INSERT INTO {numbers} SELECT r.seq, row_number() OVER (ORDER BY {self._in_order()}) "
            f"FROM {self._table} AS r"
        )
        return numbers

    def _index(self) -> None:
        if not self._indexed:
            table = self._table
            self._spool.run(
                f"CREATE INDEX {table}_source ON {table} (source) WHERE source IS NOT NULL"
            )
            self._indexed = True


def read_rest(rest: str) -> dict[str, Any]:
    """What few messages have, by the names of a message's fields."""
    fields: dict[str, Any] = json.loads(rest)
    if "edited_at" in fields:
        fields["edited_at"] = datetime.fromisoformat(fields["edited_at"])
    if "revisions" in fields:
        fields["revisions"] = tuple(
            Revision(text=text, until=until and datetime.fromisoformat(until))
            for text, until in fields["revisions"]
        )
    if "reactions" in fields:
        fields["reactions"] = tuple(
            Reaction(emoji=emoji, who=tuple(who), count=count)
            for emoji, who, count in fields["reactions"]
        )
    if "attachments" in fields:
        fields["attachments"] = tuple(
            Attachment(name=name, kind=kind, size=size)
            for name, kind, size in fields["attachments"]
        )
    return fields


def _has_rest(record: Record) -> bool:
    return bool(
        record.edited_at is not None
        or record.reactions
        or record.attachments
        or record.revisions
        or record.forwarded_from is not None
    )


def _may_be_half(caption: bytes | None, source: bytes | None, rest: str | None) -> bool:
    """Whether any of it holds the beginning of a lone surrogate, as bytes or as an escape."""
    if (caption and b"\xed" in caption) or (source and b"\xed" in source):
        return True
    return rest is not None and "\\ud" in rest


def _rest(record: Record) -> str:
    fields: dict[str, Any] = {}
    if record.edited_at is not None:
        fields["edited_at"] = record.edited_at.isoformat()
    if record.revisions:
        fields["revisions"] = [(r.text, r.until and r.until.isoformat()) for r in record.revisions]
    if record.reactions:
        fields["reactions"] = [(r.emoji, r.who, r.count) for r in record.reactions]
    if record.attachments:
        fields["attachments"] = [(a.name, a.kind, a.size) for a in record.attachments]
    if record.forwarded_from is not None:
        fields["forwarded_from"] = record.forwarded_from
    return _encode(fields)


def _latest(a: Record, b: Record) -> Record:
    newest, older = (b, a) if (b.edited_at or b.sent_at) >= (a.edited_at or a.sent_at) else (a, b)
    if newest.text == older.text:
        return newest
    earlier = Revision(text=older.text, until=newest.edited_at)
    return replace(newest, revisions=(*newest.revisions, *older.revisions, earlier))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(given: bytes) -> str:
    return given.decode("utf-8", "surrogatepass")
