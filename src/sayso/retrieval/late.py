"""Late interaction: each word of the query meets the word of a message that is most like it."""

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval import lexical
from sayso.retrieval.index import Index, Meaning

Floats = NDArray[np.float32]

# Words at a time: their numbers stay in the processor's cache. A matrix product of this shape is
# split over threads that wait for each other, which takes twice the time of one.
_BLOCK = 512


def word_matches(meaning: Meaning, rows: NDArray[np.int64], query: NDArray[np.int8]) -> Floats:
    """The best cosine of any word of each message with each word of the query.

    ``rows`` are message numbers, ascending; the result has shape (rows, query words), zero for a
    message without words. As MaxSim in ColBERT (Khattab & Zaharia 2020), before its sum.
    """
    counts = meaning.starts[rows + 1] - meaning.starts[rows]
    held = counts > 0
    out = np.zeros((len(rows), len(query)), dtype=np.float32)
    if not held.any() or not len(query):
        return out
    bounds = np.concatenate([[0], np.cumsum(counts[held])])
    # Positions of all words of the rows: each row's run of positions, one behind the other.
    starts = np.repeat(meaning.starts[rows[held]] - bounds[:-1], counts[held])
    at = starts + np.arange(bounds[-1])
    asked = query.astype(np.float32)
    likeness = np.empty((len(query), len(at)), dtype=np.float32)
    for begin in range(0, len(at), _BLOCK):
        words = meaning.tokens.take(at[begin : begin + _BLOCK], axis=0).astype(np.float32)
        np.einsum("qd,wd->qw", asked, words, out=likeness[:, begin : begin + _BLOCK])
    # Sums of whole numbers below 2^24 are exact in any order; they are scaled afterwards.
    out[held] = np.maximum.reduceat(likeness, bounds[:-1], axis=1).T / np.float32(127.0 * 127.0)
    return out


def word_scores(
    index: Index, query: NDArray[np.int8], rows: NDArray[np.int64]
) -> tuple[Floats, Floats, Floats, Floats]:
    """Late interaction with the message, its pair, its window, and the message before it.

    Means over the query's words of the best match in each; of a neighbourhood each word takes its
    best message. Zeros for a query without words.
    """
    if not len(query):
        nothing = np.zeros(len(rows), dtype=np.float32)
        return nothing, nothing, nothing, nothing
    session = index.surface.lexicon.session
    reach = rows[:, None] + np.asarray(lexical.WINDOW)[None, :]
    inside = (reach >= 0) & (reach < index.size)
    reach = np.clip(reach, 0, index.size - 1)
    inside &= session[reach] == session[rows][:, None]
    needed = _distinct(reach[inside])
    found = word_matches(index.meaning, needed, query)
    near = found[np.searchsorted(needed, np.where(inside, reach, rows[:, None]))]
    near[~inside] = 0.0
    own, before = near[:, 2], near[:, 1]
    return (
        own.mean(axis=1),
        np.maximum(own, before).mean(axis=1),
        near.max(axis=1).mean(axis=1),
        before.mean(axis=1),
    )


def _distinct(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each once, ascending; for a thousand numbers this beats ``np.unique``."""
    ordered = np.sort(numbers)
    fresh = np.flatnonzero(np.diff(ordered, prepend=-1))  # row numbers are never negative
    return np.asarray(ordered[fresh], dtype=np.int64)
