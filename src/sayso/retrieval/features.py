"""What speaks for each message as an answer to a query, in two stages.

:func:`screen` gives every message of a chat a few cheap features; :func:`detail` adds the dearer
ones for the candidates that the screen lets through. The sets, and why each feature is there,
follow measurements; the README's "Why" holds the ablation. No feature looks outside the chat, the
plan and the index.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sayso.core.asking_when import asks_when
from sayso.core.models import Plan
from sayso.retrieval import asking, lexical
from sayso.retrieval.analyzer import following, terms, word_count
from sayso.retrieval.categories import asked_for
from sayso.retrieval.embedder import Encoded
from sayso.retrieval.index import Index
from sayso.retrieval.late import word_scores
from sayso.retrieval.marks import MARKS

SCREEN = (
    "own", "pair", "window", "session",
    "cosine", "pair_cosine", "window_cosine",
    "by_person", "first_person", "near_date",
    "answers_other", "ends_asking", "log_length",
    "when_has_time", "when_window", "when_window_cosine",
)  # fmt: skip
DETAIL = (
    "words", "pair_words", "window_words",
    "session_best", "before_cosine", "answer_cosine",
    "answer_words", "in_category", "near_category",
    "where_place", "many_number", "who_name", "names_something", "spoken_date",
    "covered", "window_covered", "unheard", "phrases",
)  # fmt: skip
NAMES = SCREEN + DETAIL
# What a message shares with a long question, or with one that asks for a list, says something else
# than what it shares with a short one.
_FACTORS = (
    "own", "pair", "window", "session", "cosine", "words", "window_words", "by_person",
)  # fmt: skip
CROSSED = (
    *(f"asked_long_{name}" for name in _FACTORS),
    *(f"asked_list_{name}" for name in _FACTORS),
)
RANKING = NAMES + CROSSED
# A development is ranked by its own weights: these were fitted on questions, and what they promote
# made the parts of a development worse.
NOT_OF_ARCS = frozenset({"phrases", *CROSSED})
# What comes from the embedder: zero where it cannot read the language.
MEANT = (
    "cosine", "pair_cosine", "window_cosine", "when_window_cosine",
    "words", "pair_words", "window_words", "session_best", "before_cosine", "answer_cosine",
    "answer_words",
)  # fmt: skip
# What comes of vectors, and says nothing where the embedder cannot read.
DENSE = frozenset(
    name for name in RANKING if "cosine" in name or "words" in name or name == "session_best"
)

_AT_FACTORS = [NAMES.index(name) for name in _FACTORS]

_DAY = 86400.0
_NEAR_DAYS = 10.0
_ALIKE = 0.45
_ALIKE_CENTRED = 0.3
# Beyond these bounds weights that go by the length would turn on what a message shares with the query.
_FEW_TERMS, _USUAL_TERMS, _MANY_TERMS = 3, 4, 11

Matrix = NDArray[np.float32]
_F = TypeVar("_F", np.float32, np.float64)


@dataclass(frozen=True)
class Sought:
    """One query of a plan as the features see it; ``probe`` encodes its text alone.

    ``length`` says how long it is, from -0.3 to 1: the log of its words over a usual number;
    ``develops`` that a development is asked for.
    """

    text: str
    terms: tuple[str, ...]
    probe: Encoded
    people: tuple[str, ...]
    since: datetime | None
    until: datetime | None
    asks_when: bool
    asks_list: bool
    develops: bool
    length: float
    categories: int


def sought(plan: Plan, query: str, probe: Encoded, language: str = "en") -> Sought:
    """The plan's view of one of its queries, which ``probe`` encodes; ``language`` is the chat's."""
    found = tuple(terms(query, language))
    return Sought(
        text=query,
        terms=found,
        probe=probe,
        people=plan.people,
        since=plan.since,
        until=plan.until,
        asks_when=plan.intent == "when" or asks_when(query),
        asks_list=plan.intent == "list",
        develops=plan.intent == "arc",
        length=math.log(min(max(word_count(found), _FEW_TERMS), _MANY_TERMS) / _USUAL_TERMS),
        categories=asked_for(query),
    )


def speaks_to(index: Index, query: Sought, alike: Matrix) -> bool:
    """Whether anything in the chat speaks to the query: a person, a time, a term or a meaning."""
    if query.since or query.until or any(p in index.surface.senders for p in query.people):
        return True
    if any(term in index.surface.lexicon.vocabulary for term in query.terms):
        return True
    return bool(alike.max() >= (_ALIKE_CENTRED if index.meaning.centre.size else _ALIKE))


def cosines(index: Index, query: Sought) -> Matrix:
    """Every message's cosine with the query, shape (messages,)."""
    probe, meaning = query.probe.vectors[0], index.meaning
    if not meaning.centre.size:
        return np.asarray(meaning.vectors @ probe, dtype=np.float32)
    # The messages' vectors stay as they are stored: ((q − c) · (m − c)) / |m − c| without a copy.
    if probe.any():
        probe = probe - meaning.centre
        probe /= max(float(np.linalg.norm(probe)), 1e-9)
    product = meaning.vectors @ probe - probe @ meaning.centre
    return np.asarray(product / meaning.lengths, dtype=np.float32)


def screen(index: Index, query: Sought, alike: Matrix) -> Matrix:
    """Features of every message, shape (messages, len(SCREEN)); needs at least one message.

    ``alike`` are the :func:`cosines` of the query.
    """
    fields = {
        field: _relative(score)
        for field, score in lexical.bm25(index.surface.lexicon, query.terms).items()
    }
    window = _window_cosine(index, alike)
    person = by_person(index, query.people)
    mark = _marks(index)
    when = np.float32(query.asks_when)
    columns = {
        **fields,
        "cosine": _standard(alike),
        "pair_cosine": _summed(index, alike, lexical.PAIR, index.meaning.pair_norm),
        "window_cosine": window,
        "by_person": person,
        "first_person": mark["first_person"] * np.maximum(person, 0),
        "near_date": _near(index, query.since, query.until),
        "answers_other": mark["answers_other"],
        "ends_asking": mark["ends_asking"],
        "log_length": mark["log_length"],
        "when_has_time": when * mark["has_time"],
        "when_window": when * fields["window"],
        "when_window_cosine": when * window,
    }
    # Column by column: written row by row, a long chat's table takes ten times as long.
    return np.stack([columns[name] for name in SCREEN]).astype(np.float32, copy=False).T


def detail(index: Index, query: Sought, alike: Matrix, rows: NDArray[np.int64]) -> Matrix:
    """The dearer features of the messages ``rows`` (ascending), shape (rows, len(DETAIL))."""
    session = index.surface.lexicon.session
    mark = {name: column[rows] for name, column in _marks(index).items()}
    person = by_person(index, query.people)[rows]
    before = lexical.shifted(alike, session, (-1,))[rows]
    words, pair_words, window_words, before_words = word_scores(index, query.probe.tokens, rows)
    category, near_category = _categories(index, query.categories, rows)
    covered, window_covered, unheard = lexical.coverage(index.surface.lexicon, query.terms)
    columns = {
        "words": words,
        "pair_words": pair_words,
        "window_words": window_words,
        "session_best": _session_best(alike, session)[rows],
        "before_cosine": before,
        "answer_cosine": before * mark["answers_other"],
        "answer_words": before_words * mark["answers_other"] * np.maximum(person, 0),
        "in_category": category,
        "near_category": near_category,
        "where_place": float(asking.asks_where(query.text)) * mark["names_place"],
        "many_number": float(asking.asks_number(query.text)) * mark["counts"],
        "who_name": float(asking.asks_name(query.text)) * mark["names_something"],
        "names_something": mark["names_something"],
        "spoken_date": _spoken(index, query.since, query.until)[rows],
        "covered": covered[rows],
        "window_covered": window_covered[rows],
        "unheard": np.full(len(rows), unheard),
        "phrases": lexical.phrases(index.surface.lexicon, following(query.terms), rows),
    }
    return np.stack([columns[name] for name in DETAIL], axis=1).astype(np.float32)


def crossed(found: NDArray[_F], query: Sought) -> NDArray[_F]:
    """Products of the features ``found``, shape (rows, len(NAMES)), of shape (rows, len(CROSSED)).

    With the length of the query, and with whether it asks for a list.
    """
    factors = found[:, _AT_FACTORS]
    return np.concatenate([factors * query.length, factors * query.asks_list], axis=1)


def with_products(found: NDArray[_F], query: Sought) -> NDArray[_F]:
    """What the ranking weighs: the features ``found`` and their products, in the order of RANKING."""
    return np.concatenate([found, crossed(found, query)], axis=1)


def by_person(index: Index, people: tuple[str, ...]) -> Matrix:
    """+1 by somebody the question names, −1 by another; 0 where it names nobody who writes here,
    or all who do.
    """
    named = [i for i, who in enumerate(index.surface.senders) if who in people]
    if not named or len(named) == len(index.surface.senders) > 1:
        return np.zeros(index.size, dtype=np.float32)
    theirs = np.isin(index.surface.sender, named)
    return np.where(theirs, 1.0, -1.0).astype(np.float32)


def _marks(index: Index) -> dict[str, Matrix]:
    return dict(zip(MARKS, index.surface.marks.T, strict=True))


def _summed(index: Index, cosine: Matrix, offsets: tuple[int, ...], norm: Matrix) -> Matrix:
    """The cosine with the unit sum of a neighbourhood's vectors."""
    total = lexical.shifted(cosine, index.surface.lexicon.session, offsets)
    return np.asarray(total / np.maximum(norm, 1e-9), dtype=np.float32)


def _window_cosine(index: Index, cosine: Matrix) -> Matrix:
    return _summed(index, cosine, lexical.WINDOW, index.meaning.window_norm)


def _categories(index: Index, asked: int, rows: NDArray[np.int64]) -> tuple[Matrix, Matrix]:
    """Whether the message, and whether one beside it, names a member of what is asked for."""
    named = (index.surface.categories & np.uint64(asked)) > 0
    beside = lexical.shifted(named.astype(np.float32), index.surface.lexicon.session, (-1, 1)) > 0
    return named[rows].astype(np.float32), beside[rows].astype(np.float32)


def _session_best(cosine: Matrix, session: NDArray[np.int32]) -> Matrix:
    # Sessions are runs of messages, numbered from 0.
    begins = np.flatnonzero(np.diff(session, prepend=-1))
    best = np.maximum.reduceat(cosine, begins)
    return np.asarray(np.maximum(best, -1.0), dtype=np.float32)[session]


def _near(index: Index, since: datetime | None, until: datetime | None) -> Matrix:
    """1 within the window that the question speaks of, falling to 0 over ten days outside."""
    if since is None and until is None:
        return np.zeros(index.size, dtype=np.float32)
    low = since.timestamp() if since else -np.inf
    high = until.timestamp() if until else np.inf
    seconds = index.surface.seconds
    outside = np.maximum(np.maximum(low - seconds, seconds - high), 0.0) / _DAY
    near: Matrix = np.clip(1.0 - outside / _NEAR_DAYS, 0.0, 1.0).astype(np.float32)
    return near


def _spoken(index: Index, since: datetime | None, until: datetime | None) -> Matrix:
    """1 where the message speaks of a day within the window, whenever it was sent."""
    if since is None and until is None:
        return np.zeros(index.size, dtype=np.float32)
    low = since.date().toordinal() if since else -np.inf
    # The window ends before ``until``: at midnight the day that begins is outside, later it is not.
    high = (until - timedelta.resolution).date().toordinal() if until else np.inf
    first, last = index.surface.spoken.T
    # NaN compares false: a message that speaks of no day is never inside.
    inside: Matrix = ((first <= high) & (last >= low)).astype(np.float32)
    return inside


def _relative(scores: Matrix) -> Matrix:
    return np.asarray(scores / (scores.max() + 1e-9), dtype=np.float32)


def _standard(values: Matrix) -> Matrix:
    z: Matrix = (values - values.mean()) / (values.std() + 1e-9)
    return z.astype(np.float32)
