"""Late interaction: each word of the query meets the word of a message that is most like it."""

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.index import Meaning

Floats = NDArray[np.float32]


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
    words = meaning.tokens[starts + np.arange(bounds[-1])].astype(np.float32)
    likeness = words @ (query.astype(np.float32).T / (127.0 * 127.0))
    out[held] = np.maximum.reduceat(likeness, bounds[:-1], axis=0)
    return out
