"""TREC ``qrels`` and ``run`` files, so that other tools re-score our rankings to our own numbers.

A query is a case, a document a message (``chatId#localId``); both percent-encoded, since the
format separates by white space. Only cases with evidence that can be found are written: the
others have no ranked metric here either. Scores fall by one from rank to rank, so that a tool
that sorts by score keeps our order. Dates and texts are left out. Each repeat has a run of its own,
since no document may stand twice under a query.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from eval.scoring import Row
from sayso.core.spans import document_id
from sayso.errors import StoreError

_PLAIN = "#:@/+,()'!*;=&"


def write_trec(folder: Path, rows: Sequence[Row]) -> tuple[Path, ...]:
    """``qrels.txt`` and ``run-MODE.txt`` for each mode in the folder; StoreError if it refuses.

    The second repeat and those after it are ``run-MODE-repeat-1.txt`` and so on, by their number.
    """
    runs = dict.fromkeys((row.mode, row.repeat) for row in rows)
    texts = {"qrels.txt": _qrels(rows)}
    for mode, repeat in runs:
        more = f"-repeat-{repeat}" if repeat else ""
        own = [row for row in rows if (row.mode, row.repeat) == (mode, repeat)]
        texts[f"run-{quote(mode, '')}{more}.txt"] = _run(own)
    written = []
    for name, lines in texts.items():
        path = folder / name
        try:
            path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from error
        written.append(path)
    return tuple(written)


def _qrels(rows: Sequence[Row]) -> Iterator[str]:
    done: set[str] = set()
    for row in rows:
        if row.case_id not in done and row.expected_ids:
            done.add(row.case_id)
            for local_id in row.expected_ids:
                yield f"{_word(row.case_id)} 0 {_word(document_id(row.chat, local_id))} 1"


def _run(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.trail is None or not row.expected_ids:
            continue
        ids = list(dict.fromkeys(c.local_id for c in row.trail.ranking))
        for rank, local_id in enumerate(ids, 1):
            doc = _word(document_id(row.chat, local_id))
            yield f"{_word(row.case_id)} Q0 {doc} {rank} {len(ids) - rank + 1} sayso-{_word(row.mode)}"


def _word(text: str) -> str:
    return quote(text, _PLAIN)
