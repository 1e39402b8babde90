"""The ids of laid records: each source_id once, each localId once, each message once."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sayso.chats.clock import micros
from sayso.chats.importers.record_rows import COLUMNS, WIDTH, record_of, row_of, text_of
from sayso.chats.importers.records import Records
from sayso.chats.importers.report import Fault, FaultLog, Record
from sayso.chats.numbering import next_ids
from sayso.chats.spooling import Row
from sayso.core.chat import Revision


def number(records: Records, twice: FaultLog) -> None:
    """Give the next free localIds to those without one, and to the second of two with one.

    They are given in message order; each is a fault.
    """
    table, spool = records.table, records.spool
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
    spool.run(
        f"UPDATE {table} SET own = (SELECT local FROM {given} AS g WHERE g.seq = {table}.seq) "
        f"WHERE seq IN (SELECT seq FROM {given})"
    )


def ids_once(records: Records, twice: FaultLog) -> None:
    """Take its source_id from the second of two records with one; each is a fault."""
    if not records.has_ids:
        return
    records.index()
    table, spool = records.table, records.spool
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
        reason = f"id {text_of(source)!r} stands there twice; this message has none now"
        twice.append(Fault(where=place, reason=reason))
    spool.run(f"UPDATE {table} SET source = NULL WHERE seq IN (SELECT seq FROM {lost})")


def without_repeats(records: Records) -> int:
    """Keep, of records with one source_id, sender and time, the one that was edited last.

    It takes the place of the first, with what was said before as revisions. Returns how many
    were dropped.
    """
    if not records.has_ids:
        return 0
    records.index()
    table, spool = records.table, records.spool
    twice = (
        f"SELECT source FROM {table} WHERE source IS NOT NULL GROUP BY source HAVING count(*) > 1"
    )
    if spool.one(twice) is None:
        return 0
    kept, gone = spool.table(COLUMNS), spool.table("seq INTEGER PRIMARY KEY")
    rows = spool.rows(f"SELECT * FROM {table} WHERE source IN ({twice}) ORDER BY source, seq")
    repeats = 0
    for held, dropped in _united(rows, records):
        spool.fill(kept, held, WIDTH)
        spool.fill(gone, ((seq,) for seq in dropped), 1)
        repeats += len(dropped)
    if repeats:
        spool.run(f"DELETE FROM {table} WHERE seq IN (SELECT seq FROM {gone})")
        spool.run(f"INSERT OR REPLACE INTO {table} SELECT * FROM {kept}")
        records.counted_anew()
    return repeats


def _united(rows: Iterable[Row], records: Records) -> Iterator[tuple[list[Row], list[int]]]:
    """For each source_id the rows to be kept in another form, and those to be dropped."""
    source: bytes | None = None
    group: list[Row] = []
    for row in rows:
        if row[5] != source and group:
            yield _of_one_source(group, records)
            group = []
        source = row[5]
        group.append(row)
    if group:
        yield _of_one_source(group, records)


def _of_one_source(group: list[Row], records: Records) -> tuple[list[Row], list[int]]:
    kept: dict[tuple[int, str], tuple[int, Record]] = {}
    changed: dict[tuple[int, str], None] = {}
    dropped: list[int] = []
    for row in group:
        record = record_of(row, records.voices)
        key = (row[1], record.sender)
        if key not in kept:
            kept[key] = (row[0], record)
            continue
        seq, other = kept[key]
        kept[key] = (seq, _latest(other, record))
        changed[key] = None
        dropped.append(row[0])
    return [_again(*kept[key], records) for key in changed], dropped


def _again(seq: int, record: Record, records: Records) -> Row:
    at = micros(record.sent_at)
    voice = records.voices.heard(record.person, record.sender, record.kind, at, seq)
    return row_of(record, seq, at, voice, numbered=False)


def _latest(a: Record, b: Record) -> Record:
    newest, older = (b, a) if (b.edited_at or b.sent_at) >= (a.edited_at or a.sent_at) else (a, b)
    if newest.text == older.text:
        return newest
    earlier = Revision(text=older.text, until=newest.edited_at)
    return replace(newest, revisions=(*newest.revisions, *older.revisions, earlier))
