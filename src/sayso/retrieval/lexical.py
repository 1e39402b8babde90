"""The lexical side of an index: postings of every message, and BM25 over four fields at once.

The fields are the message, the message with the one before it, the ±2 messages of its session,
and its whole session. All four follow from the messages' own postings, so one set is stored.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log1p

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.neighbours import PAIR, WINDOW, Sessions
from sayso.retrieval.products import product

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

FIELDS = ("own", "pair", "window", "session")
_K1 = 0.9
_B = {"own": 0.4, "pair": 0.6, "window": 0.6, "session": 0.75}


@dataclass(frozen=True)
class Lexicon:
    """Postings in compressed rows: term t stands in ``docs[starts[t]:starts[t + 1]]``.

    ``lengths`` counts the terms of each message, ``session`` numbers its session from 0; both are
    in message order, as is everything here.
    """

    vocabulary: dict[str, int]
    starts: NDArray[np.int64]
    docs: Ints
    counts: Ints
    lengths: Ints
    session: Ints

    @property
    def size(self) -> int:
        """How many messages."""
        return len(self.lengths)

    @cached_property
    def sessions(self) -> Sessions:
        """Which messages stand beside each other."""
        return Sessions(self.session)

    @cached_property
    def norms(self) -> dict[str, Floats]:
        """What BM25 makes of the lengths, field by field; of sessions one each."""
        own = self.lengths.astype(np.float32)
        lengths = {
            "own": own,
            "pair": self.sessions.shifted(own, PAIR),
            "window": self.sessions.shifted(own, WINDOW),
            "session": np.add.reduceat(own, self.sessions.begins),
        }
        return {field: _norm(length, _B[field]) for field, length in lengths.items()}


@dataclass(frozen=True)
class Standing:
    """Where the distinct terms of a query stand in a chat that has all but ``unheard`` of them.

    ``own`` says how often each stands in each message and ``window`` in each ±2 messages of a
    session, both of shape (terms, messages); ``times`` how often the query gives it, and ``idf``
    how much it weighs by the messages that have it.
    """

    own: Floats
    window: Floats
    times: Floats
    idf: NDArray[np.float64]
    unheard: int


def build(documents: Sequence[Sequence[str]], session: Sequence[int]) -> Lexicon:
    """The lexicon of documents given as their terms."""
    vocabulary: dict[str, int] = {}
    term_ids: list[int] = []
    docs: list[int] = []
    counts: list[int] = []
    for doc, terms in enumerate(documents):
        for term, count in Counter(terms).items():
            term_ids.append(vocabulary.setdefault(term, len(vocabulary)))
            docs.append(doc)
            counts.append(count)
    by_term = np.argsort(np.asarray(term_ids, dtype=np.int64), kind="stable")
    sizes = np.bincount(np.asarray(term_ids, dtype=np.int64), minlength=len(vocabulary))
    return Lexicon(
        vocabulary=vocabulary,
        starts=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        docs=np.asarray(docs, dtype=np.int32)[by_term],
        counts=np.asarray(counts, dtype=np.int32)[by_term],
        lengths=np.asarray([len(d) for d in documents], dtype=np.int32),
        session=np.asarray(session, dtype=np.int32),
    )


def standing(lexicon: Lexicon, terms: Sequence[str]) -> Standing:
    """Where the terms of a query stand in a chat."""
    given = Counter(terms)
    number = {term: lexicon.vocabulary[term] for term in given if term in lexicon.vocabulary}
    own = np.zeros((len(number), lexicon.size), dtype=np.float32)
    found_in = np.zeros(len(number), dtype=np.int64)
    for row, term in enumerate(number.values()):
        begin, end = lexicon.starts[term : term + 2].tolist()
        own[row, lexicon.docs[begin:end]] = lexicon.counts[begin:end]
        found_in[row] = end - begin
    return Standing(
        own=own,
        window=lexicon.sessions.shifted(own, WINDOW),
        times=np.asarray([given[term] for term in number], dtype=np.float32),
        idf=_idf(found_in, lexicon.size),
        unheard=len(given) - len(number),
    )


def bm25(lexicon: Lexicon, stands: Standing) -> dict[str, Floats]:
    """BM25 (Lucene's form) of every message in each field, zero where no term stands.

    Repeated query terms count once for each time they are given.
    """
    if not stands.own.size:
        return {field: np.zeros(lexicon.size, dtype=np.float32) for field in FIELDS}
    sessions = lexicon.sessions
    counts = {
        "own": stands.own,
        "pair": sessions.shifted(stands.own, PAIR),
        "window": stands.window,
        "session": np.add.reduceat(stands.own, sessions.begins, axis=1),
    }
    scores = {}
    for field, of in counts.items():
        idf = stands.idf if field == "own" else _idf(np.add.reduce(of > 0, axis=1), of.shape[1])
        scores[field] = _score(of, idf * stands.times, lexicon.norms[field])
    return {**scores, "session": scores["session"][sessions.number]}


def coverage(stands: Standing, rows: NDArray[np.int64]) -> tuple[Floats, Floats, float]:
    """Shares of the query's weight (idf) that each message of ``rows`` covers, and each ±2 window,
    in [0, 1]; and the share that stands nowhere in the chat. A query without terms is not covered.
    """
    unheard = stands.unheard * log1p(stands.own.shape[1] + 0.5)
    total = float(stands.idf.sum() + unheard) or 1.0
    weight = stands.idf.astype(np.float32)[:, None]
    own, window = (
        np.add.reduce(weight * (counts[:, rows] > 0), axis=0) / np.float32(total)
        for counts in (stands.own, stands.window)
    )
    return own, window, unheard / total


def _idf(found_in: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    weight: NDArray[np.float64] = np.log1p((n - found_in + 0.5) / (found_in + 0.5))
    return weight


def _score(counts: Floats, weight: NDArray[np.float64], norm: Floats) -> Floats:
    return product((counts / (counts + norm)).T, weight.astype(np.float32))


def _norm(lengths: Floats, b: float) -> Floats:
    """What a count is weighed against: never less than 0.2, so that nothing is divided by zero."""
    mean = max(float(lengths.mean()), 1e-9)
    return np.asarray(_K1 * (1 - b + b * lengths / mean), dtype=np.float32)
