"""What speaks for each message as an answer to a query: sixteen numbers, one row a message.

The set, and why each is there, follows measurements on REALTALK and LoCoMo; the README's "Why"
holds the ablation. No feature looks outside the chat, the plan and the index.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sayso.core.models import Plan
from sayso.retrieval import lexical
from sayso.retrieval.analyzer import terms
from sayso.retrieval.index import MARKS, Index

NAMES = (
    "own", "pair", "window", "session",
    "cosine", "pair_cosine", "window_cosine",
    "by_person", "first_person", "near_date",
    "answers_other", "ends_asking", "log_length",
    "when_has_time", "when_window", "when_window_cosine",
)  # fmt: skip

# Of nonsense and the message nearest to it the cosine stays below; measured on the shipped chats.
_ALIKE = 0.45
_LATIN = re.compile(r"[^\W\d_]{2}", re.ASCII)
_DAY = 86400.0
_NEAR_DAYS = 10.0
_WHEN = re.compile(r"\bwhen\b|\bwhat (?:date|day|month|year|time)\b|\bhow long\b", re.IGNORECASE)

Matrix = NDArray[np.float32]
Embed = Callable[[str], NDArray[np.float32]]


@dataclass(frozen=True)
class Sought:
    """One query of a plan as the features see it."""

    text: str
    people: tuple[str, ...]
    since: datetime | None
    until: datetime | None
    asks_when: bool


def sought(plan: Plan, query: str) -> Sought:
    """The plan's view of one of its queries."""
    asks_when = plan.intent == "when" or bool(_WHEN.search(query))
    return Sought(query, plan.people, plan.since, plan.until, asks_when)


def speaks_to(index: Index, query: Sought, embed: Embed) -> bool:
    """Whether the chat has anything for the query: a word of it, its meaning, a person or a time."""
    if query.people or query.since is not None or query.until is not None:
        return True
    if any(term in index.lexicon.vocabulary for term in terms(query.text)):
        return True
    # The embedder reads Latin letters alone: all else is one unknown token to it, like any other.
    return bool(_LATIN.search(query.text)) and bool(
        (index.vectors @ embed(query.text)).max() >= _ALIKE
    )


def compute(index: Index, query: Sought, embed: Embed) -> Matrix:
    """Features of every message, shape (messages, len(NAMES)); needs at least one message."""
    by_field = {f: _relative(s) for f, s in lexical.bm25(index.lexicon, terms(query.text)).items()}
    cosine, pair, window = _cosines(index, embed(query.text))
    person = _by_person(index, query.people)
    mark = dict(zip(MARKS, index.marks.T, strict=True))
    when = np.float32(query.asks_when)
    columns = {
        **by_field,
        "cosine": _standard(cosine),
        "pair_cosine": pair,
        "window_cosine": window,
        "by_person": person,
        "first_person": mark["first_person"] * np.maximum(person, 0),
        "near_date": _near(index, query.since, query.until),
        "answers_other": mark["answers_other"],
        "ends_asking": mark["ends_asking"],
        "log_length": mark["log_length"],
        "when_has_time": when * mark["has_time"],
        "when_window": when * by_field["window"],
        "when_window_cosine": when * window,
    }
    return np.stack([columns[name] for name in NAMES], axis=1).astype(np.float32)


def _cosines(index: Index, vector: NDArray[np.float32]) -> tuple[Matrix, Matrix, Matrix]:
    """Of the message, of it with the one before, and of its ±2 neighbourhood."""
    own = np.asarray(index.vectors @ vector, dtype=np.float32)
    session = index.lexicon.session
    pair = lexical.shifted(own, session, lexical.PAIR) / np.maximum(index.pair_norm, 1e-9)
    window = lexical.shifted(own, session, lexical.WINDOW) / np.maximum(index.window_norm, 1e-9)
    return own, pair.astype(np.float32), window.astype(np.float32)


def _by_person(index: Index, people: tuple[str, ...]) -> Matrix:
    """+1 by the one person the question names, −1 by another, 0 where it names none or several."""
    if len(people) != 1 or people[0] not in index.senders:
        return np.zeros(index.size, dtype=np.float32)
    theirs = index.sender == index.senders.index(people[0])
    return np.where(theirs, 1.0, -1.0).astype(np.float32)


def _near(index: Index, since: datetime | None, until: datetime | None) -> Matrix:
    """1 within the window that the question speaks of, falling to 0 over ten days outside."""
    if since is None and until is None:
        return np.zeros(index.size, dtype=np.float32)
    low = since.timestamp() if since else -np.inf
    high = until.timestamp() if until else np.inf
    outside = np.maximum(np.maximum(low - index.seconds, index.seconds - high), 0.0) / _DAY
    near: Matrix = np.clip(1.0 - outside / _NEAR_DAYS, 0.0, 1.0).astype(np.float32)
    return near


def _relative(scores: Matrix) -> Matrix:
    return np.asarray(scores / (scores.max() + 1e-9), dtype=np.float32)


def _standard(values: Matrix) -> Matrix:
    z: Matrix = (values - values.mean()) / (values.std() + 1e-9)
    return z.astype(np.float32)


def cached(embed_many: Callable[[list[str]], NDArray[np.float32]]) -> Embed:
    """One text at a time, the last thousand remembered: both modes ask for the same vectors."""

    @lru_cache(maxsize=1000)
    def embed(text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = embed_many([text])[0]
        return vector

    return embed
