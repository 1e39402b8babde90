"""Late interaction: each word of the query meets the word of a message that is most like it."""

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.index import Index, Meaning
from sayso.retrieval.products import AT_ONCE

Floats = NDArray[np.float32]


def word_matches(meaning: Meaning, rows: NDArray[np.int64], query: NDArray[np.int8]) -> Floats:
    """The best cosine of any word of each message with each word of the query.

    ``rows`` are message numbers; the result has shape (rows, query words), zero for a message
    without words. As MaxSim in ColBERT (Khattab & Zaharia 2020), before its sum.
    """
    counts = meaning.starts[rows + 1] - meaning.starts[rows]
    held = np.flatnonzero(counts)
    out = np.zeros((len(rows), len(query)), dtype=np.float32)
    if not held.size or not len(query):
        return out
    ends = np.cumsum(counts)
    begins = ends - counts
    # Positions of all words of the rows: each row's run of positions, one behind the other.
    at = np.repeat(meaning.starts[rows] - begins, counts) + np.arange(ends[-1])
    asked = np.ascontiguousarray(query.T, dtype=np.float32)
    likeness = np.empty((len(at), len(query)), dtype=np.float32)
    size = max(AT_ONCE // query.size, 1)
    for begin in range(0, len(at), size):
        block = slice(begin, begin + size)
        words = meaning.tokens.take(at[block], axis=0).astype(np.float32)
        np.matmul(words, asked, out=likeness[block])
    # Sums of whole numbers below 2^24 are exact in any order; they are scaled afterwards.
    out[held] = np.maximum.reduceat(likeness, begins[held], axis=0) / np.float32(127.0 * 127.0)
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
    near, inside = index.surface.lexicon.sessions.beside(rows)
    needed, place = _distinct(near[inside], index.size)
    found = word_matches(index.meaning, needed, query)
    # Of the window by message by word; what is outside the session is like nothing.
    window = found[place[np.where(inside, near, rows)]]
    window[~inside] = 0.0
    before, own = window[1], window[2]
    best = (own, np.maximum(own, before), np.maximum.reduce(window, axis=0), before)
    own_mean, pair_mean, window_mean, before_mean = np.stack(best).mean(axis=2)
    return own_mean, pair_mean, window_mean, before_mean


def _distinct(numbers: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each number below ``size`` once, ascending; and where among these each of them stands."""
    given = np.zeros(size, dtype=bool)
    given[numbers] = True
    once = np.flatnonzero(given)
    place = np.empty(size, dtype=np.int64)
    place[once] = np.arange(len(once))
    return once, place
