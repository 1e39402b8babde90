"""What is known of a chat before any question: postings, vectors and marks of every message.

Everything is an array in message order. Vectors are of the message with its caption; the vectors
of neighbourhoods follow from them, so only their lengths are kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.core.models import Chat, Message
from sayso.retrieval import lexical
from sayso.retrieval.analyzer import terms
from sayso.retrieval.categories import mentioned
from sayso.retrieval.embedder import Embedder, Encoded, Progress, Vectors
from sayso.retrieval.lexical import Lexicon
from sayso.retrieval.marks import MARKS, marks_of, spoken_days

SESSION_GAP_SECONDS = 6 * 3600


@dataclass(frozen=True)
class Surface:
    """What is read off the text without a model; built at once."""

    local_ids: NDArray[np.int64]
    senders: tuple[str, ...]
    sender: NDArray[np.int32]
    seconds: NDArray[np.float64]
    lexicon: Lexicon
    marks: NDArray[np.float32]
    spoken: NDArray[np.float32]
    categories: NDArray[np.uint64]


@dataclass(frozen=True)
class Meaning:
    """What the embedder makes of the messages.

    ``vectors`` (messages, dimensions), zero where a message is not embedded yet; ``tokens`` and
    ``starts`` as compressed rows: message i has ``tokens[starts[i]:starts[i + 1]]``.
    """

    vectors: Vectors
    tokens: NDArray[np.int8]
    starts: NDArray[np.int64]
    pair_norm: NDArray[np.float32]
    next_norm: NDArray[np.float32]
    window_norm: NDArray[np.float32]


@dataclass(frozen=True)
class Index:
    """A chat ready to be searched."""

    surface: Surface
    meaning: Meaning

    @property
    def size(self) -> int:
        """How many messages."""
        return len(self.surface.local_ids)


def searchable(message: Message) -> str:
    """What is searched of a message: its text and its caption."""
    return f"{message.text} {message.caption}" if message.caption else message.text


def sessions(seconds: Sequence[float]) -> list[int]:
    """The session number of each message: a gap over six hours begins a new one."""
    numbers: list[int] = []
    for i, now in enumerate(seconds):
        new = i > 0 and now - seconds[i - 1] > SESSION_GAP_SECONDS
        numbers.append(numbers[-1] + int(new) if numbers else 0)
    return numbers


def build_index(chat: Chat, embedder: Embedder, progress: Progress | None = None) -> Index:
    """The index of a chat; ``progress`` hears (messages embedded, messages in all)."""
    surface = build_surface(chat)
    encoded = embedder.encode([searchable(m) for m in chat.messages], progress)
    return Index(surface, meaning_of(encoded, surface.lexicon.session))


def build_surface(chat: Chat) -> Surface:
    """All of the index that needs no model."""
    texts = [searchable(m) for m in chat.messages]
    found = [terms(t) for t in texts]
    seconds = [m.sent_at.timestamp() for m in chat.messages]
    senders = tuple(dict.fromkeys(m.sender for m in chat.messages))
    number = {s: i for i, s in enumerate(senders)}
    marks = marks_of(chat.messages, texts)
    timed = marks[:, MARKS.index("has_time")] > 0
    return Surface(
        local_ids=np.asarray([m.local_id for m in chat.messages], dtype=np.int64),
        senders=senders,
        sender=np.asarray([number[m.sender] for m in chat.messages], dtype=np.int32),
        seconds=np.asarray(seconds, dtype=np.float64),
        lexicon=lexical.build(found, sessions(seconds)),
        marks=marks,
        spoken=spoken_days(chat.messages, timed.tolist()),
        categories=np.asarray([mentioned(f) for f in found], dtype=np.uint64),
    )


def meaning_of(encoded: Encoded, session: NDArray[np.int32]) -> Meaning:
    """The vectors with the lengths of their neighbourhoods' sums."""
    return Meaning(
        vectors=encoded.vectors,
        tokens=encoded.tokens,
        starts=np.concatenate([[0], np.cumsum(encoded.counts)]).astype(np.int64),
        pair_norm=_norms(encoded.vectors, session, lexical.PAIR),
        next_norm=_norms(encoded.vectors, session, lexical.NEXT),
        window_norm=_norms(encoded.vectors, session, lexical.WINDOW),
    )


def _norms(vectors: Vectors, session: NDArray[np.int32], offsets: Sequence[int]) -> Vectors:
    if not len(vectors):
        return np.zeros(0, dtype=np.float32)
    summed = lexical.shifted(np.ascontiguousarray(vectors.T), session, offsets)
    return np.asarray(np.linalg.norm(summed, axis=0), dtype=np.float32)
