"""Vectors from any langchain ``Embeddings`` that the user configured: a service's or a local model's.

``openai:MODEL`` is OpenAI's (with ``OPENAI_API_KEY``); ``module:factory`` is a function without
arguments that returns the ``Embeddings``. Nothing of langchain loads before the first text.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from sayso.errors import ConfigurationError, StoreError
from sayso.retrieval.embedder import TOKEN_DIMENSIONS, Encoded, Progress, Vectors

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_BATCH = 128
_OPENAI = "openai"
_SHORTEST = 1e-9
# What the providers' Embeddings call the address of their server.
_ADDRESSES = (
    "openai_api_base", "azure_endpoint", "base_url", "endpoint", "endpoint_url", "api_url", "api_base",
)  # fmt: skip


class LangChainEmbeddings:
    """An embedder by its configured name, which is also the name of what is cached.

    Every text of the chat and every question goes to what is configured. A blank text is zero and
    goes nowhere. ConfigurationError where the name means nothing, and where ``admits`` does not
    take the address, as far as the Embeddings say which that is; StoreError where no vectors can be
    had, they do not fit together, or have no length that float32 can tell.
    """

    languages: frozenset[str] | None = None
    # Measured on one narrow embedder; where vectors are well spread, little is taken off.
    centred = True
    worded = False

    def __init__(self, configured: str, *, admits: Callable[[str], bool] | None = None) -> None:
        module, colon, attribute = configured.partition(":")
        if not (module and colon and attribute):
            raise ConfigurationError(
                f"embeddings = {configured!r}: expected openai:MODEL, as in "
                "openai:text-embedding-3-small, or module:factory"
            )
        self.name = f"langchain {configured}"
        self._configured, self._admits = configured, admits
        self._module, self._attribute = module, attribute
        self._dimensions: int | None = None

    def check(self) -> None:
        """Raise ConfigurationError where there are no such Embeddings; no text goes anywhere."""
        self._embeddings  # noqa: B018 - made when it is first looked at

    @property
    def dimensions(self) -> int:
        """The length of a vector; learned with the first text, or by embedding a word."""
        if self._dimensions is None:
            self._vectors(["word"], self._embeddings.embed_documents)
        assert self._dimensions is not None
        return self._dimensions

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """See :class:`sayso.retrieval.embedder.Embedder`."""
        return self._encoded(texts, self._embeddings.embed_documents, progress)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """See :class:`sayso.retrieval.embedder.Embedder`."""
        embed = self._embeddings.embed_query
        return self._encoded(texts, lambda batch: [embed(text) for text in batch], None)

    def _encoded(
        self,
        texts: Sequence[str],
        embed: Callable[[list[str]], list[list[float]]],
        progress: Progress | None,
    ) -> Encoded:
        held = [row for row, text in enumerate(texts) if text.strip()]
        parts: list[Vectors] = []
        for start in range(0, len(held), _BATCH):
            rows = held[start : start + _BATCH]
            parts.append(self._vectors([texts[row] for row in rows], embed))
            if progress:
                progress(rows[-1] + 1, len(texts))
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if parts:
            vectors[held] = np.concatenate(parts)
        return Encoded.alone(
            vectors=vectors,
            tokens=np.zeros((0, TOKEN_DIMENSIONS), dtype=np.int8),
            counts=np.zeros(len(texts), dtype=np.int32),
        )

    def _vectors(
        self, texts: list[str], embed: Callable[[list[str]], list[list[float]]]
    ) -> Vectors:
        """Unit rows for the texts."""
        try:
            found = np.asarray(embed(texts), dtype=np.float32)
        except (Exception, SystemExit) as error:  # whatever the configured package raises
            raise StoreError(f"embeddings {self._configured}: {_why(error)}") from error
        if found.ndim != 2 or len(found) != len(texts) or not np.isfinite(found).all():
            raise StoreError(
                f"embeddings {self._configured}: expected {len(texts)} vectors of finite numbers, "
                f"found an array of shape {found.shape}"
            )
        if not found.shape[1]:
            raise StoreError(
                f"embeddings {self._configured}: expected vectors of one number or more, found "
                "vectors without any"
            )
        if self._dimensions not in (None, found.shape[1]):
            raise StoreError(
                f"embeddings {self._configured}: vectors of {found.shape[1]} numbers, expected "
                f"{self._dimensions} as before; one name must mean one model"
            )
        with np.errstate(over="ignore"):  # it is looked for
            norms = np.linalg.norm(found, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or (found.any(axis=1) & (norms[:, 0] < _SHORTEST)).any():
            raise StoreError(
                f"embeddings {self._configured}: expected vectors whose length float32 can tell, "
                f"found numbers up to {np.abs(found).max():.3g}"
            )
        self._dimensions = found.shape[1]
        return np.asarray(found / np.maximum(norms, _SHORTEST), dtype=np.float32)

    @cached_property
    def _embeddings(self) -> "Embeddings":
        try:
            if self._module == _OPENAI:
                from langchain_openai import OpenAIEmbeddings

                made: Any = OpenAIEmbeddings(model=self._attribute)
            else:
                made = getattr(import_module(self._module), self._attribute)()
        except (Exception, SystemExit) as error:  # the user's own code may raise anything
            raise ConfigurationError(f"embeddings = {self._configured!r}: {_why(error)}") from error
        for method in ("embed_documents", "embed_query"):
            if not callable(getattr(made, method, None)):
                raise ConfigurationError(
                    f"embeddings = {self._configured!r}: expected langchain Embeddings, "
                    f"found {type(made).__name__} without {method}"
                )
        address = _address_of(made)
        if self._admits and address and not self._admits(address):
            raise ConfigurationError(
                f"offline: embeddings = {self._configured!r} are on {urlsplit(address).hostname}, and "
                "only this machine may be called; name others, none for those that come with sayso, "
                "or leave --offline away"
            )
        return made  # type: ignore[no-any-return]  # the user's factory; checked above


def _why(error: BaseException) -> str:
    """What somebody else's code ended with; the kind too where its text alone says nothing."""
    if isinstance(error, SystemExit) or not str(error).strip():
        return f"{type(error).__name__} {error}".strip()
    return str(error)


def _address_of(made: Any) -> str | None:  # any langchain Embeddings
    """Where its texts go, as far as it says so; OpenAI's client knows that by default, too."""
    named = (getattr(made, name, None) for name in _ADDRESSES)
    client = getattr(getattr(made, "client", None), "_client", None)
    found = (str(a) for a in (*named, getattr(client, "base_url", None)) if a)
    return next((address for address in found if address.startswith(("http:", "https:"))), None)
