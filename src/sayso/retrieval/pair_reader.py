"""A question and a message read as one text, by all-MiniLM-L6-v2 with steps of its own (cross-encoder).

A vector of each by itself tells what it is about; read together, each word of the one meets each of the
other in every layer, which tells whether the message answers. That takes all layers anew for
each message, so it is for a few. Fitted on ``arc_data/lessons`` alone (``python -m eval.fit_reader``).
"""

import io
from collections.abc import Container, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.arrays import loaded
from sayso.retrieval.batches import batches_of
from sayso.retrieval.embedder import (
    MiniLM,
    Vectors,
    is_content,
    package_weights,
    readable,
    session_options,
    tokenizer,
)
from sayso.retrieval.int8_model import graph_session, moved
from sayso.retrieval.passes import Pass, Places
from sayso.retrieval.verifying import verified

READER = Path(__file__).parent / "data" / "minilm-reader.npy"
_READER_SHA256 = "9c4150e51993e1f8b2f3c37cac67f70f72b3fda79dc7967922f7f34ad062180e"
# Tokens of a question, and of both together: what it was fitted on.
MOST_ASKED, MOST_READ = 32, 80
# Of both together that are read. Of a longer message it is the stretch with most of the question's words,
# which tells nearly as much as the first 80 do, in five sixths to nine tenths of the time. Fitted on such
# stretches, of more chats, it told less: see the README's "Why".
MOST_AT_ONCE = 56
_DIMENSIONS = 384
HEAD_SIZE = _DIMENSIONS + 1  # the last numbers of a reader's file


class PairReader:
    """Tells of messages how far each answers a question; loaded at the first, not before."""

    def __init__(self, beside: MiniLM | None = None) -> None:
        self._beside = beside or MiniLM()

    def read(self, question: str, texts: Sequence[str]) -> list[float]:
        """For each text how far it answers, about 0 to 9, the more the better.

        Each by itself, so that none changes with the others. Raises StoreError where a file is damaged.
        """
        if not texts:
            return []
        asked, *told = self._tokenizer.encode_batch([readable(t) for t in (question, *texts)])
        words = {word for word in asked.tokens if is_content(word)}
        room = MOST_AT_ONCE - min(len(asked.ids), MOST_ASKED)
        pairs = [placed(asked.ids, near(words, one.ids, one.tokens, room)) for one in told]
        return [
            self._score(hidden, halves)
            for batch in batches_of([len(ids) for ids, _ in pairs])
            for hidden, (_, halves) in zip(
                self._hidden([pairs[i] for i in batch]), (pairs[i] for i in batch), strict=True
            )
        ]

    def _score(self, hidden: Vectors, halves: Places) -> float:
        second = len(halves) - int(halves.sum())
        asked, told = hidden[:second].mean(axis=0), hidden[second:].mean(axis=0)
        length = float(np.linalg.norm(asked) * np.linalg.norm(told))
        weights, sharp = self._head
        return float(hidden[0] @ weights + sharp * float(asked @ told) / max(length, 1e-9))

    def _hidden(self, pairs: Sequence[tuple[Places, Places]]) -> Sequence[Vectors]:
        if self._graph is None:
            return [self._hidden_float32(*pair) for pair in pairs]
        laid = Pass([ids for ids, _ in pairs]).given()
        both = np.concatenate([halves for _, halves in pairs])[None]
        (found,) = self._graph.run(None, {**laid, "halves": both})
        return np.split(found[0], np.cumsum(laid["lengths"])[:-1])

    def _hidden_float32(self, ids: Places, halves: Places) -> Vectors:
        masked = {"input_ids": ids[None], "attention_mask": np.ones_like(ids)[None],
                  "token_type_ids": halves[None]}  # fmt: skip
        return np.asarray(self._float32_session.run(None, masked)[0][0], dtype=np.float32)

    @cached_property
    def _steps(self) -> NDArray[np.float16]:
        held = io.BytesIO(verified(READER, _READER_SHA256))
        return np.asarray(loaded(held), dtype=np.float16)

    @cached_property
    def _head(self) -> tuple[NDArray[np.float32], float]:
        """What the first token's vector is weighed by, and the cosine of the two texts."""
        head = self._steps[-HEAD_SIZE:].astype(np.float32)
        return head[:-1], float(head[-1])

    @cached_property
    def _weights(self) -> bytes:
        return moved(package_weights(), self._steps[:-HEAD_SIZE])

    @cached_property
    def _graph(self) -> Any | None:  # onnxruntime ships no types
        """None where 8-bit integers are not multiplied as the encoder takes it, either."""
        if not self._beside.in_int8:
            return None
        return graph_session(self._weights, session_options(), "pairs")

    @cached_property
    def _float32_session(self) -> Any:  # onnxruntime ships no types
        import onnxruntime

        return onnxruntime.InferenceSession(
            self._weights, sess_options=session_options(), providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _tokenizer(self) -> Any:  # tokenizers ships no types
        found = tokenizer()
        found.no_truncation()  # what is read of a long message may stand at its end
        return found


def files() -> list[tuple[Path, str]]:
    """What it reads, beside what the embedder does, with the digest."""
    return [(READER, _READER_SHA256)]


def near(words: Container[str], ids: Sequence[int], tokens: Sequence[str], room: int) -> list[int]:
    """Of a message's tokens (``ids``, and as text) its first mark and at most ``room`` more, where most
    of the question's ``words`` stand.

    In the middle of what holds as many, so that what stands around them is read, too; from the
    beginning where that does as well.
    """
    mark, *rest = ids
    if len(rest) <= room:
        return [mark, *rest]
    held = np.cumsum([0, *(token in words for token in tokens[1:])])
    of_each = held[room:] - held[:-room]
    first = int(of_each.argmax())
    fewer = np.flatnonzero(of_each[first:] < of_each[first])
    run = int(fewer[0]) if fewer.size else len(of_each) - first
    begin = first + run // 2 if first else 0
    return [mark, *rest[begin : begin + room]]


def placed(asked: Sequence[int], told: Sequence[int]) -> tuple[Places, Places]:
    """Two texts' tokens, marks and all, as one, and of which of the two each is, cut to what is read."""
    first = list(asked)
    if len(first) > MOST_ASKED:
        first = [*first[: MOST_ASKED - 1], first[-1]]
    both = [*first, *told[1:]][:MOST_READ]  # the second has no mark of its own at the beginning
    halves = np.arange(len(both)) >= len(first)
    return np.asarray(both, dtype=np.int64), halves.astype(np.int64)
