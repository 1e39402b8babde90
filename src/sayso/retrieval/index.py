"""What is known of a chat before any question: postings, vectors and marks of every message.

Everything is an array in message order. Vectors are of the message with its caption; the vectors
of neighbourhoods follow from them, so only their lengths are kept.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sayso.core.chat import Chat, Message
from sayso.core.language import language_of
from sayso.core.people import also_called, parts_of
from sayso.retrieval import lexical
from sayso.retrieval.analyzer import terms
from sayso.retrieval.categories import mentioned
from sayso.retrieval.embedder import Embedder, Encoded, Progress, Vectors
from sayso.retrieval.lexical import Lexicon
from sayso.retrieval.marks import MARKS, marks_of, spoken_days
from sayso.retrieval.neighbours import NEXT, PAIR, WINDOW, Sessions
from sayso.retrieval.surroundings import ChatTexts

SESSION_GAP_SECONDS = 6 * 3600
_BLOCK = 8192
# The mean of fewer vectors is mostly what they say, not what all texts share.
_FEWEST_TO_CENTRE = 50
_NO_LENGTH = 1e-6
_NOTHING: Vectors = np.zeros(0, dtype=np.float32)


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
    language: str = "en"

    @cached_property
    def names(self) -> list[dict[tuple[str, ...], float]]:
        """Of each sender the names that messages may call them by, as search terms, and 1 over how many
        senders bear that name.
        """
        every = [
            {_terms_of_name(name, self.language) for name in parts_of(who) | also_called(who)}
            for who in self.senders
        ]
        borne = Counter(name for of in every for name in of)
        return [{name: 1 / borne[name] for name in sorted(of) if name} for of in every]


@dataclass(frozen=True)
class Meaning:
    """What the embedder makes of the messages.

    ``vectors`` (messages, dimensions), zero where a message is not embedded yet, as ``missing``
    of them are; ``contexts`` alike, of the messages as they are read among those around them, or of
    shape (messages, 0) where the embedder does not read so; ``tokens`` and ``starts`` as compressed
    rows: message i has
    ``tokens[starts[i]:starts[i + 1]]``.

    Where the embedder's vectors all point one way, ``centre`` is the chat's mean vector and
    ``lengths`` how far each message is from it (infinite where it has no vector, so that its
    cosines are 0); both are empty for the others.
    """

    vectors: Vectors
    tokens: NDArray[np.int8]
    starts: NDArray[np.int64]
    pair_norm: NDArray[np.float32]
    next_norm: NDArray[np.float32]
    window_norm: NDArray[np.float32]
    missing: int = 0
    contexts: Vectors = field(default_factory=lambda: _NOTHING)
    centre: Vectors = field(default_factory=lambda: _NOTHING)
    lengths: Vectors = field(default_factory=lambda: _NOTHING)


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


def _terms_of_name(name: str, language: str) -> tuple[str, ...]:
    """What stands in a message that says the name. An initial tells nobody."""
    return tuple(dict.fromkeys(t for t in terms(name, language) if len(t) > 1))


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
    texts = [searchable(m) for m in chat.messages]
    told = ChatTexts(texts, surface.lexicon.session.tolist(), embedder)
    encoded = told.encoded(range(len(texts)), progress)
    centred = embedder.centred
    return Index(surface, meaning_of(encoded, surface.lexicon.session, centred=centred))


def build_surface(chat: Chat) -> Surface:
    """All of the index that needs no model."""
    texts = [searchable(m) for m in chat.messages]
    language = language_of(texts)
    found = [terms(t, language) for t in texts]
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
        spoken=spoken_days(chat.messages, timed.tolist(), chat.zone),
        categories=np.asarray([mentioned(f) for f in found], dtype=np.uint64),
        language=language,
    )


def meaning_of(
    encoded: Encoded, session: NDArray[np.int32], missing: int = 0, *, centred: bool = False
) -> Meaning:
    """The vectors with the lengths of their neighbourhoods' sums.

    ``centred`` says that the chat's mean is to be taken off them, as far as it can be known.
    """
    vectors = encoded.vectors
    centre, lengths = _centre(vectors) if centred else (_NOTHING, _NOTHING)
    return Meaning(
        vectors=vectors,
        contexts=encoded.contexts,
        tokens=encoded.tokens,
        starts=np.concatenate([[0], np.cumsum(encoded.counts)]).astype(np.int64),
        pair_norm=_norms(vectors, session, PAIR, centre, lengths),
        next_norm=_norms(vectors, session, NEXT, centre, lengths),
        window_norm=_norms(vectors, session, WINDOW, centre, lengths),
        missing=missing,
        centre=centre,
        lengths=lengths,
    )


def _centre(vectors: Vectors) -> tuple[Vectors, Vectors]:
    held = np.flatnonzero(np.einsum("ij,ij->i", vectors, vectors) > 0)
    if len(held) < _FEWEST_TO_CENTRE:
        return _NOTHING, _NOTHING
    centre = np.asarray(vectors.sum(axis=0) / len(held), dtype=np.float32)
    lengths = np.full(len(vectors), np.inf, dtype=np.float32)
    for start in range(0, len(held), _BLOCK):
        rows = held[start : start + _BLOCK]
        lengths[rows] = np.linalg.norm(vectors[rows] - centre, axis=1)
    lengths[lengths < _NO_LENGTH] = np.inf
    return centre, lengths


def _norms(
    vectors: Vectors,
    session: NDArray[np.int32],
    offsets: Sequence[int],
    centre: Vectors,
    lengths: Vectors,
) -> Vectors:
    norms = np.zeros(len(vectors), dtype=np.float32)
    if not vectors.any():
        return norms  # nothing is embedded yet, and all of it can be asked
    reach = max(map(abs, offsets))
    # In blocks with the neighbours on both sides: the sums of a large chat would not fit beside it.
    for start in range(0, len(vectors), _BLOCK):
        low, end = max(0, start - reach), min(len(vectors), start + _BLOCK)
        part = vectors[low : end + reach]
        if centre.size:
            part = (part - centre) / lengths[low : end + reach, None]
        sessions = Sessions(session[low : end + reach])
        summed = sessions.shifted(np.ascontiguousarray(part.T), offsets)
        norms[start:end] = np.linalg.norm(summed[:, start - low : end - low], axis=0)
    return norms
