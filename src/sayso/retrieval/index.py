"""What is known of a chat before any question: postings, vectors and marks of every message.

Everything is an array in message order. Vectors are of the message with its caption; the vectors
of neighbourhoods follow from them, so only their lengths are kept.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.core.models import Chat, Message
from sayso.core.time_expressions import has_time
from sayso.retrieval import lexical
from sayso.retrieval.analyzer import terms
from sayso.retrieval.embedder import Embedder, Vectors
from sayso.retrieval.lexical import Lexicon

SESSION_GAP_SECONDS = 6 * 3600
_FIRST_PERSON = re.compile(r"\b(?:i|i['’]\w+|im|my|me|mine|we|our|us|myself)\b|我", re.IGNORECASE)
_QUESTION = re.compile(r"[?？]")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Index:
    """A chat ready to be searched."""

    local_ids: NDArray[np.int64]
    senders: tuple[str, ...]
    sender: NDArray[np.int32]
    seconds: NDArray[np.float64]
    lexicon: Lexicon
    vectors: Vectors
    pair_norm: NDArray[np.float32]
    window_norm: NDArray[np.float32]
    marks: NDArray[np.float32]

    @property
    def size(self) -> int:
        """How many messages."""
        return len(self.local_ids)


MARKS = ("first_person", "asks", "ends_asking", "log_length", "has_time", "answers_other")


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
    texts = [searchable(m) for m in chat.messages]
    seconds = [m.sent_at.timestamp() for m in chat.messages]
    lexicon = lexical.build([terms(t) for t in texts], sessions(seconds))
    senders = tuple(dict.fromkeys(m.sender for m in chat.messages))
    number = {s: i for i, s in enumerate(senders)}
    vectors = embedder.embed(texts, progress)
    return Index(
        local_ids=np.asarray([m.local_id for m in chat.messages], dtype=np.int64),
        senders=senders,
        sender=np.asarray([number[m.sender] for m in chat.messages], dtype=np.int32),
        seconds=np.asarray(seconds, dtype=np.float64),
        lexicon=lexicon,
        vectors=vectors,
        pair_norm=_norms(vectors, lexicon.session, lexical.PAIR),
        window_norm=_norms(vectors, lexicon.session, lexical.WINDOW),
        marks=_marks(chat.messages, texts),
    )


def _norms(vectors: Vectors, session: NDArray[np.int32], offsets: Sequence[int]) -> Vectors:
    if not len(vectors):
        return np.zeros(0, dtype=np.float32)
    summed = lexical.shifted(np.ascontiguousarray(vectors.T), session, offsets)
    return np.asarray(np.linalg.norm(summed, axis=0), dtype=np.float32)


def _marks(messages: Sequence[Message], texts: Sequence[str]) -> NDArray[np.float32]:
    rows = np.zeros((len(messages), len(MARKS)), dtype=np.float32)
    for i, (message, text) in enumerate(zip(messages, texts, strict=True)):
        before = messages[i - 1] if i else None
        rows[i] = (
            bool(_FIRST_PERSON.search(message.text)),
            bool(_QUESTION.search(message.text)),
            message.text.rstrip().endswith(("?", "？")),
            np.log1p(len(text)),
            has_time(text),
            before is not None
            and before.sender != message.sender
            and bool(_QUESTION.search(before.text)),
        )
    return rows
