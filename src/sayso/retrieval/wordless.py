"""The embedder of a chat that no embedder at hand can read: no vectors, words alone."""

from collections.abc import Sequence

import numpy as np

from sayso.retrieval.embedder import TOKEN_DIMENSIONS, Encoded, Progress


class Wordless:
    """Gives every text the zero vector at no cost, and reads no language."""

    name = "none"
    dimensions = 1
    languages: frozenset[str] | None = frozenset()
    centred = False
    worded = False

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """See :class:`sayso.retrieval.embedder.Embedder`."""
        return Encoded.alone(
            vectors=np.zeros((len(texts), self.dimensions), dtype=np.float32),
            tokens=np.zeros((0, TOKEN_DIMENSIONS), dtype=np.int8),
            counts=np.zeros(len(texts), dtype=np.int32),
        )

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """See :class:`sayso.retrieval.embedder.Embedder`."""
        return self.encode(texts)
