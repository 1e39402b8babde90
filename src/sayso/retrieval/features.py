"""What speaks for each message as an answer to a query, in two stages.

:func:`screen` gives every message of a chat a few cheap features; :func:`detail` adds the dearer
ones for the candidates that the screen lets through. The sets, and why each feature is there,
follow measurements; the README's "Why" holds the ablation. No feature looks outside the chat, the
plan and the index.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sayso.core.asking_when import asks_when
from sayso.core.models import Plan
from sayso.retrieval import asking, lexical
from sayso.retrieval.analyzer import terms, word_count
from sayso.retrieval.categories import asked_for
from sayso.retrieval.dated import near, spoken
from sayso.retrieval.embedder import Encoded
from sayso.retrieval.index import Index, Meaning, Surface
from sayso.retrieval.late import word_scores
from sayso.retrieval.lexical import Standing
from sayso.retrieval.marks import MARKS
from sayso.retrieval.neighbours import PAIR, WINDOW, Sessions
from sayso.retrieval.products import product
from sayso.retrieval.spoken_of import among_many, spoken_of
from sayso.weights import AMONG_MANY, OF_PEOPLE, UNCOVERED, Form

SCREEN = (
    "own", "pair", "window", "session",
    "cosine", "pair_cosine", "window_cosine",
    "by_person", "first_person", "near_date",
    "answers_other", "ends_asking", "log_length",
    "when_has_time", "when_window", "when_window_cosine",
)  # fmt: skip
DETAIL = (
    "words", "pair_words", "window_words",
    "session_best", "before_cosine", "answer_cosine", "context_cosine",
    "answer_words", "in_category", "near_category",
    "where_place", "many_number", "who_name", "names_something", "spoken_date",
    "covered", "window_covered", "unheard", "bilinear",
    *OF_PEOPLE,
)  # fmt: skip
NAMES = SCREEN + DETAIL
# What a message shares with a long question, or with one that asks for a list, says something else
# than what it shares with a short one; and so it does where no neighbourhood has the question's words.
_FACTORS = (
    "own", "pair", "window", "session", "cosine", "words", "window_words", "by_person",
)  # fmt: skip
_UNCOVERED_FACTORS = (
    *_FACTORS,
    "pair_cosine", "window_cosine", "pair_words", "session_best", "before_cosine", "context_cosine",
    "first_person", "in_category", "near_category", "log_length",
)  # fmt: skip
# These tell whether there is an answer; as weights of the ranking they only fitted noise.
NOT_RANKED = ("covered", "window_covered", "unheard")
_AMONG_FACTORS = tuple(n for n in NAMES if n not in (*NOT_RANKED, "bilinear", *OF_PEOPLE))
OF_QUERY = (
    *(f"asked_long_{name}" for name in _FACTORS),
    *(f"asked_list_{name}" for name in _FACTORS),
    *(f"{UNCOVERED}_{name}" for name in _UNCOVERED_FACTORS),
)
# Where more than two people write all counts otherwise: nearness more, the words of a message less.
AMONG = tuple(f"{AMONG_MANY}_{name}" for name in _AMONG_FACTORS)
CROSSED = OF_QUERY + AMONG
RANKING = NAMES + CROSSED
# All that says something where no more than two people write, as places in RANKING.
OF_TWO = [i for i, name in enumerate(RANKING) if name not in (*OF_PEOPLE, *AMONG)]
# A development is ranked by its own weights: these were fitted on questions, and what they promote
# made the parts of a development worse.
NOT_OF_ARCS = frozenset({"bilinear", "context_cosine", *OF_PEOPLE, *CROSSED})
# What comes from the embedder: zero where it cannot read the language.
MEANT = (
    "cosine", "pair_cosine", "window_cosine", "when_window_cosine",
    "words", "pair_words", "window_words", "session_best", "before_cosine", "answer_cosine",
    "context_cosine", "answer_words", "bilinear",
)  # fmt: skip
# What comes of vectors, and says nothing where the embedder cannot read.
DENSE = frozenset(
    name
    for name in RANKING
    if "cosine" in name or "words" in name or name in ("session_best", "bilinear")
)
# What comes of the vectors of words, and of texts in their context, which few embedders give.
WORDED = frozenset(name for name in RANKING if "words" in name or "context" in name)

_AT_FACTORS = [NAMES.index(name) for name in _FACTORS]
_AT_UNCOVERED_FACTORS = [NAMES.index(name) for name in _UNCOVERED_FACTORS]
_AT_AMONG_FACTORS = [NAMES.index(name) for name in _AMONG_FACTORS]
_AT_COVERED = NAMES.index("window_covered")

# Equal vectors are equally like: a product of matrices rounds its last rows otherwise than the others.
_DECIMALS = 6
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
    ``develops`` that a development is asked for; ``among_many`` that more than two people write.
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
    among_many: bool


def sought(plan: Plan, query: str, probe: Encoded, surface: Surface) -> Sought:
    """The plan's view of one of its queries, which ``probe`` encodes, in the chat of ``surface``."""
    found = tuple(terms(query, surface.language))
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
        among_many=among_many(surface),
    )


@dataclass(frozen=True)
class Met:
    """What both stages go by of a query and a chat.

    ``alike`` is every message's cosine with the query, shape (messages,), and ``stands`` where its
    terms stand. ``by_person`` is +1 by somebody the question names, −1 by another; 0 where it names
    nobody who writes here, or all who do.
    """

    alike: Matrix
    stands: Standing
    by_person: Matrix


def meet(index: Index, query: Sought) -> Met:
    """What both stages go by."""
    return Met(
        alike=np.round(_cosines(index.meaning, query.probe.vectors[0]), _DECIMALS),
        stands=lexical.standing(index.surface.lexicon, query.terms),
        by_person=_by_person(index.surface, query.people),
    )


def speaks_to(index: Index, query: Sought, met: Met) -> bool:
    """Whether anything in the chat speaks to the query: a person, a time, a term or a meaning."""
    if query.since or query.until or any(p in index.surface.senders for p in query.people):
        return True
    if len(met.stands.own):
        return True
    return bool(met.alike.max() >= (_ALIKE_CENTRED if index.meaning.centre.size else _ALIKE))


def screen(index: Index, query: Sought, met: Met) -> Matrix:
    """Features of every message, shape (messages, len(SCREEN)); needs at least one message."""
    lexicon, meaning = index.surface.lexicon, index.meaning
    fields = {f: _relative(score) for f, score in lexical.bm25(lexicon, met.stands).items()}
    window = _summed(lexicon.sessions, met.alike, WINDOW, meaning.window_norm)
    mark = _marks(index.surface.marks)
    when = np.float32(query.asks_when)
    columns = {
        **fields,
        "cosine": _standard(met.alike),
        "pair_cosine": _summed(lexicon.sessions, met.alike, PAIR, meaning.pair_norm),
        "window_cosine": window,
        "by_person": met.by_person,
        "first_person": mark["first_person"] * np.maximum(met.by_person, 0),
        "near_date": near(index.surface, query.since, query.until),
        "answers_other": mark["answers_other"],
        "ends_asking": mark["ends_asking"],
        "log_length": mark["log_length"],
        "when_has_time": when * mark["has_time"],
        "when_window": when * fields["window"],
        "when_window_cosine": when * window,
    }
    # Column by column: written row by row, a long chat's table takes ten times as long.
    return _table(columns, SCREEN)


def detail(
    index: Index, query: Sought, met: Met, rows: NDArray[np.int64], form: Form | None = None
) -> Matrix:
    """The dearer features of the messages ``rows`` (ascending), shape (rows, len(DETAIL)).

    ``form`` is the one fitted on this embedder's vectors, if any.
    """
    sessions = index.surface.lexicon.sessions
    mark = _marks(index.surface.marks[rows])
    before = sessions.shifted(met.alike, (-1,))[rows]
    words, pair_words, window_words, before_words = word_scores(index, query.probe.tokens, rows)
    category, near_category = _categories(index, query.categories, rows)
    covered, window_covered, unheard = lexical.coverage(met.stands, rows)
    columns = {
        "words": words,
        "pair_words": pair_words,
        "window_words": window_words,
        "session_best": _session_best(met.alike, sessions)[rows],
        "before_cosine": before,
        "answer_cosine": before * mark["answers_other"],
        "context_cosine": _context_cosine(index.meaning, query.probe.vectors[0], rows),
        "answer_words": before_words * mark["answers_other"] * np.maximum(met.by_person[rows], 0),
        "in_category": category,
        "near_category": near_category,
        "where_place": float(asking.asks_where(query.text)) * mark["names_place"],
        "many_number": float(asking.asks_number(query.text)) * mark["counts"],
        "who_name": float(asking.asks_name(query.text)) * mark["names_something"],
        "names_something": mark["names_something"],
        "spoken_date": spoken(index.surface, query.since, query.until)[rows],
        "covered": covered,
        "window_covered": window_covered,
        "unheard": np.full(len(rows), unheard, dtype=np.float32),
        "bilinear": bilinear(index.meaning, query, rows, form),
        **spoken_of(index.surface, query.people, met.by_person, rows),
    }
    return _table(columns, DETAIL)


def crossed(found: NDArray[_F], query: Sought) -> NDArray[_F]:
    """Products of the features ``found``, shape (rows, len(NAMES)), of shape (rows, len(CROSSED)).

    With the length of the query, with whether it asks for a list, with how much of it even the best
    neighbourhood among them leaves uncovered, and with whether more than two people write.
    """
    factors = found[:, _AT_FACTORS]
    uncovered = 1 - found[:, _AT_COVERED].max(initial=0.0)
    return np.concatenate(
        [
            factors * query.length,
            factors * query.asks_list,
            found[:, _AT_UNCOVERED_FACTORS] * uncovered,
            found[:, _AT_AMONG_FACTORS] * query.among_many,
        ],
        axis=1,
    )


def with_products(found: NDArray[_F], query: Sought) -> NDArray[_F]:
    """What the ranking weighs: the features ``found`` and their products, in the order of RANKING."""
    return np.concatenate([found, crossed(found, query)], axis=1)


def bilinear(meaning: Meaning, query: Sought, rows: NDArray[np.int64], form: Form | None) -> Matrix:
    """The form's value for the query and each of the messages ``rows``; zeros without a form."""
    if form is None:
        return np.zeros(len(rows), dtype=np.float32)
    return _along(meaning, form.turned(centred(meaning, query.probe.vectors[0])), rows)


def centred(meaning: Meaning, probe: Matrix) -> Matrix:
    """A query's vector as the chat's are: where their mean is taken off, so is it off the query's."""
    if not meaning.centre.size or not probe.any():
        return probe
    away = probe - meaning.centre
    return np.asarray(away / max(float(np.linalg.norm(away)), 1e-9), dtype=np.float32)


def _context_cosine(meaning: Meaning, probe: Matrix, rows: NDArray[np.int64]) -> Matrix:
    if not meaning.contexts.size:
        return np.zeros(len(rows), dtype=np.float32)
    return np.round(product(meaning.contexts[rows], probe), _DECIMALS)


def _cosines(meaning: Meaning, probe: Matrix) -> Matrix:
    return _along(meaning, centred(meaning, probe), slice(None))


def _along(meaning: Meaning, query: Matrix, rows: NDArray[np.int64] | slice) -> Matrix:
    """The products of messages' vectors with the query's, both off the chat's mean where it has one."""
    along = product(meaning.vectors[rows], query)
    if not meaning.centre.size:
        return along
    # The messages' vectors stay as they are stored: (q · (m − c)) / |m − c| without a copy.
    return np.asarray((along - query @ meaning.centre) / meaning.lengths[rows], dtype=np.float32)


def _by_person(surface: Surface, people: tuple[str, ...]) -> Matrix:
    named = [who in people for who in surface.senders]
    if not any(named) or (all(named) and len(named) > 1):
        return np.zeros(len(surface.sender), dtype=np.float32)
    return np.where(named, np.float32(1), np.float32(-1))[surface.sender]


def _table(columns: Mapping[str, Matrix], names: Sequence[str]) -> Matrix:
    return np.concatenate([columns[name] for name in names]).reshape(len(names), -1).T


def _marks(marks: Matrix) -> dict[str, Matrix]:
    return dict(zip(MARKS, marks.T, strict=True))


def pair_nearness(index: Index, vector: Matrix) -> Matrix:
    """The cosine of each message with the one before it, together, with a text's vector (messages,)."""
    alike = np.round(_cosines(index.meaning, vector), _DECIMALS)
    return _summed(index.surface.lexicon.sessions, alike, PAIR, index.meaning.pair_norm)


def _summed(sessions: Sessions, cosine: Matrix, offsets: tuple[int, ...], norm: Matrix) -> Matrix:
    """The cosine with the unit sum of a neighbourhood's vectors."""
    total = sessions.shifted(cosine, offsets)
    return np.asarray(total / np.maximum(norm, 1e-9), dtype=np.float32)


def _categories(index: Index, asked: int, rows: NDArray[np.int64]) -> tuple[Matrix, Matrix]:
    """Whether the message, and whether one beside it, names a member of what is asked for."""
    if not asked:
        nothing = np.zeros(len(rows), dtype=np.float32)
        return nothing, nothing
    named = ((index.surface.categories & np.uint64(asked)) > 0).astype(np.float32)
    beside = index.surface.lexicon.sessions.shifted(named, (-1, 1))
    return named[rows], np.minimum(beside[rows], 1.0)


def _session_best(cosine: Matrix, sessions: Sessions) -> Matrix:
    best = np.maximum(np.maximum.reduceat(cosine, sessions.begins), -1.0)
    return best[sessions.number]


def _relative(scores: Matrix) -> Matrix:
    return np.asarray(scores / (scores.max() + 1e-9), dtype=np.float32)


def _standard(values: Matrix) -> Matrix:
    away = values - np.add.reduce(values) / np.float32(len(values))
    spread = np.sqrt(np.add.reduce(away * away) / np.float32(len(values)))
    return np.asarray(away / (spread + 1e-9), dtype=np.float32)
