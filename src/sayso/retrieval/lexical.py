"""The lexical side of an index: postings of every message, and BM25 over four fields at once.

The fields are the message, the message with the one before it, the ±2 messages of its session,
and its whole session. All four follow from the messages' own postings, so one set is stored.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

FIELDS = ("own", "pair", "window", "session")
_K1 = 0.9
_B = {"own": 0.4, "pair": 0.6, "window": 0.6, "session": 0.75}
WINDOW = (-2, -1, 0, 1, 2)
PAIR = (-1, 0)
NEXT = (0, 1)


@dataclass(frozen=True)
class Lexicon:
    """Postings in compressed rows: term t stands in ``docs[starts[t]:starts[t + 1]]``.

    ``lengths`` counts the terms of each message, ``session`` numbers its session from 0; both are
    in message order, as is everything here. ``sequence`` holds the terms of all messages as they
    follow each other, ``lengths`` of them a message.
    """

    vocabulary: dict[str, int]
    starts: NDArray[np.int64]
    docs: Ints
    counts: Ints
    lengths: Ints
    session: Ints
    sequence: Ints

    @property
    def size(self) -> int:
        """How many messages."""
        return len(self.lengths)


def build(documents: Sequence[Sequence[str]], session: Sequence[int]) -> Lexicon:
    """The lexicon of documents given as their terms."""
    vocabulary: dict[str, int] = {}
    term_ids: list[int] = []
    docs: list[int] = []
    counts: list[int] = []
    sequence: list[int] = []
    for doc, terms in enumerate(documents):
        for term, count in Counter(terms).items():
            term_ids.append(vocabulary.setdefault(term, len(vocabulary)))
            docs.append(doc)
            counts.append(count)
        sequence += [vocabulary[term] for term in terms]
    by_term = np.argsort(np.asarray(term_ids, dtype=np.int64), kind="stable")
    sizes = np.bincount(np.asarray(term_ids, dtype=np.int64), minlength=len(vocabulary))
    return Lexicon(
        vocabulary=vocabulary,
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        docs=np.asarray(docs, dtype=np.int32)[by_term],
        counts=np.asarray(counts, dtype=np.int32)[by_term],
        lengths=np.asarray([len(d) for d in documents], dtype=np.int32),
        session=np.asarray(session, dtype=np.int32),
        sequence=np.asarray(sequence, dtype=np.int32),
    )


def bm25(lexicon: Lexicon, terms: Sequence[str]) -> dict[str, Floats]:
    """BM25 (Lucene's form) of every message in each field, zero where no term stands.

    Repeated query terms count once for each time they are given.
    """
    n = lexicon.size
    known = [
        (lexicon.vocabulary[t], c) for t, c in Counter(terms).items() if t in lexicon.vocabulary
    ]
    if not known or n == 0:
        return {field: np.zeros(n, dtype=np.float32) for field in FIELDS}
    own = np.zeros((len(known), n), dtype=np.float32)
    for row, (term, _) in enumerate(known):
        span = slice(lexicon.starts[term], lexicon.starts[term + 1])
        own[row, lexicon.docs[span]] = lexicon.counts[span]
    weight = np.asarray([c for _, c in known], dtype=np.float32)
    lengths = lexicon.lengths.astype(np.float32)
    session = lexicon.session
    sessions = int(session[-1]) + 1
    by_session = np.stack(
        [np.bincount(session, weights=row, minlength=sessions).astype(np.float32) for row in own]
    )
    session_lengths = np.bincount(session, weights=lengths, minlength=sessions).astype(np.float32)
    scores = {
        "own": _score(own, lengths, weight, "own"),
        "pair": _score(
            shifted(own, session, PAIR), shifted(lengths, session, PAIR), weight, "pair"
        ),
        "window": _score(
            shifted(own, session, WINDOW), shifted(lengths, session, WINDOW), weight, "window"
        ),
    }
    of_session = _score(by_session, session_lengths, weight, "session")
    return {**scores, "session": of_session[session]}


def coverage(lexicon: Lexicon, terms: Sequence[str]) -> tuple[Floats, Floats, float]:
    """Shares of the query's weight (idf) that each message covers, and each ±2 window, in [0, 1];
    and the share of it that stands nowhere in the chat. A query without terms is not covered.
    """
    n = lexicon.size
    own, window = np.zeros(n, dtype=np.float32), np.zeros(n, dtype=np.float32)
    total = unheard = 0.0
    for term in dict.fromkeys(terms):
        number = lexicon.vocabulary.get(term)
        if number is None:
            weight = float(np.log1p(n + 0.5))
            unheard += weight
        else:
            docs = lexicon.docs[lexicon.starts[number] : lexicon.starts[number + 1]]
            weight = float(np.log1p((n - len(docs) + 0.5) / (len(docs) + 0.5)))
            stands = np.zeros(n, dtype=np.float32)
            stands[docs] = 1.0
            own += weight * stands
            window += weight * np.minimum(shifted(stands, lexicon.session, WINDOW), 1.0)
        total += weight
    if total == 0:
        return own, window, 0.0
    return own / np.float32(total), window / np.float32(total), unheard / total


def phrases(lexicon: Lexicon, pairs: Iterable[tuple[str, str]], rows: NDArray[np.int64]) -> Floats:
    """How many ``pairs`` of terms follow each other in each message of ``rows``.

    A pair counts once, however often it stands there. Stop words are no terms: "race for charity"
    has the pair race, charity.
    """
    found = np.zeros(len(rows), dtype=np.float32)
    number = lexicon.vocabulary.get
    known = {
        (a, b)
        for a, b in ((number(one), number(other)) for one, other in pairs)
        if a is not None and b is not None
    }
    lengths = lexicon.lengths[rows].astype(np.int64)
    if not known or not lengths.any():
        return found
    ends = np.cumsum(lexicon.lengths, dtype=np.int64)[rows]
    within = np.cumsum(lengths)
    # Positions of all terms of the rows, and the row of each: one row behind the other.
    here = np.repeat(ends - within, lengths) + np.arange(within[-1])
    row = np.repeat(np.arange(len(rows)), lengths)
    words = lexicon.sequence[here]
    size = len(lexicon.vocabulary)
    asked = np.sort(np.asarray([a * size + b for a, b in known], dtype=np.int64))
    said = words[:-1].astype(np.int64) * size + words[1:]
    at = np.minimum(np.searchsorted(asked, said), len(asked) - 1)
    stands = np.flatnonzero((asked[at] == said) & (row[:-1] == row[1:]))
    # Row and pair as one number, so that a pair counts once a row.
    once = np.unique(row[stands] * len(asked) + at[stands])
    return np.bincount(once // len(asked), minlength=len(rows)).astype(np.float32)


def shifted(values: Floats, session: Ints, offsets: Sequence[int]) -> Floats:
    """Sums over neighbours at the offsets, within the session; the last axis is message order."""
    total = np.zeros_like(values)
    n = values.shape[-1]
    for offset in offsets:
        if offset == 0:
            total += values
        elif abs(offset) < n:
            here = slice(max(0, -offset), min(n, n - offset))
            there = slice(max(0, offset), min(n, n + offset))
            total[..., here] += values[..., there] * (session[here] == session[there])
    return total


def _score(counts: Floats, lengths: Floats, weight: Floats, field: str) -> Floats:
    n = counts.shape[1]
    found_in = np.count_nonzero(counts, axis=1)
    idf = np.log1p((n - found_in + 0.5) / (found_in + 0.5))
    mean = max(float(lengths.mean()), 1e-9)
    norm = _K1 * (1 - _B[field] + _B[field] * lengths / mean)
    saturated = counts / (counts + norm[None, :] + 1e-12)
    return np.asarray((idf * weight) @ saturated, dtype=np.float32)
