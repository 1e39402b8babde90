"""A plain ranking to tell by how hard a chat is: sixteen features, one weight each, the model as it comes.

It is what an afternoon gives: BM25 over a message, with the one before it, with its neighbours and over
its session; MiniLM's cosines; who speaks, dates, questions, length. The weights were fitted by softmax on
REALTALK and LoCoMo, and the features named, in an experiment of November 2026 that this project began
from; there it had recall@5/10/20 58 / 68 / 76 and 77 / 83 / 88 in %.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from difflib import SequenceMatcher
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sayso.core.chat import Chat
from sayso.retrieval.analyzer import terms
from sayso.retrieval.embedder import MiniLM
from sayso.retrieval.index import searchable, sessions

Floats = NDArray[np.float64]

# BM25 of the message, with the one before, with two on either side, of the session; cosine of the message
# (standardised over the chat), with the one before, with two on either side; by the person asked about;
# in the first person, of theirs; the date's nearness; after a question; a question; log length
# (standardised); for a question for a time: words of time, and two and the session once more.
_WEIGHTS = (
    0.7577, 0.6718, 1.5106, 1.1206, 0.4155, 2.3729, 2.602, 1.0566, 1.0233, 6.1995, 0.3981, -0.5009, 0.3898,
    1.0324, 0.9836, 1.6865,
)  # fmt: skip
_K1 = 0.9
_ALIKE = 0.75
_DAYS = 10
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_FIRST = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|im|ive|my|me|mine|we|our|us)\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|week|weekend|month|year|morning|evening|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{4}|\d+(?:st|nd|rd|th)|"
    + "|".join(_MONTHS)
    + r")\b",
    re.IGNORECASE,
)
_FOR_A_TIME = re.compile(r"\s*(?:when|how long|what (?:day|date|month|year|time))\b", re.IGNORECASE)


class Bm25:
    """Lucene's BM25 over lists of terms, as shares of the best."""

    def __init__(self, documents: Sequence[Sequence[str]], b: float) -> None:
        lengths = np.asarray([len(terms) for terms in documents], dtype=np.float64)
        self._norm = _K1 * (1 - b + b * lengths / max(lengths.mean(), 1e-9))
        self._counts: defaultdict[str, dict[int, int]] = defaultdict(dict)
        for row, held in enumerate(documents):
            for term, count in Counter(held).items():
                self._counts[term][row] = count

    def shares(self, query: Sequence[str]) -> Floats:
        """The score of each document, divided by the highest; 0 where nothing is met."""
        total = len(self._norm)
        found = np.zeros(total)
        for counts in (self._counts[term] for term in query if term in self._counts):
            rows = np.fromiter(counts, dtype=np.int64)
            count = np.fromiter(counts.values(), dtype=np.float64)
            idf = math.log(1 + (total - len(rows) + 0.5) / (len(rows) + 0.5))
            found[rows] += idf * count / (count + self._norm[rows])
        return found / (found.max() or 1.0)


class LinearRanking:
    """A chat of one message or more, ready to be ranked."""

    def __init__(self, chat: Chat, embedder: MiniLM) -> None:
        messages = chat.messages
        texts = [searchable(m) for m in messages]
        held = [terms(text) for text in texts]
        self._session = np.asarray(sessions([m.sent_at.timestamp() for m in messages]))
        before, around = self._spans(-1, 0), self._spans(-2, 2)
        of_session: list[list[str]] = [[] for _ in range(self._session[-1] + 1)]
        for row, words in enumerate(held):
            of_session[self._session[row]] += words
        self._words = (
            Bm25(held, 0.4),
            Bm25([[t for at in span for t in held[at]] for span in before], 0.6),
            Bm25([[t for at in span for t in held[at]] for span in around], 0.6),
        )
        self._of_session = Bm25(of_session, 0.75)
        vectors = _units(embedder.encode(texts).vectors)
        self._vectors = (
            vectors,
            _units(np.asarray([vectors[span].mean(axis=0) for span in before])),
            _units(np.asarray([vectors[span].mean(axis=0) for span in around])),
        )
        self._embedder = embedder
        self._senders = [m.sender for m in messages]
        self._sent_at = [m.sent_at for m in messages]
        asks = np.asarray([text.rstrip().endswith("?") for text in texts])
        other = np.asarray(
            [a != b for a, b in zip(self._senders, self._senders[1:], strict=False)], bool
        )
        together = self._session[1:] == self._session[:-1]
        self._told = np.column_stack(
            [
                np.concatenate([[False], asks[:-1] & other & together]),
                asks,
                _standard(np.log1p([len(text) for text in texts])),
            ]
        ).astype(np.float64)
        self._first_person = np.asarray([bool(_FIRST.search(text)) for text in texts])
        self._of_time = np.asarray([bool(_TIME.search(text)) for text in texts])

    def rank(self, question: str) -> list[int]:
        """All rows, best first."""
        found = self._features(question) @ np.asarray(_WEIGHTS)
        return [int(row) for row in np.argsort(-found, kind="stable")]

    def _features(self, question: str) -> Floats:
        words = re.findall(r"\w+", question)
        people = sorted(set(self._senders))
        meant = {p for w in words if w[0].isupper() for p in people if terms(w) and _like(w, p)}
        named = {w for w in words if w[0].isupper() and any(_like(w, p) for p in meant)}
        rest = " ".join(w for w in words if w not in named and w != "s")
        query = terms(rest)
        lexical = [one.shares(query) for one in self._words]
        lexical.append(self._of_session.shares(query)[self._session])
        vector = _units(self._embedder.encode_queries([rest]).vectors)[0]
        own, *others = (vectors @ vector for vectors in self._vectors)
        by = np.asarray([sender in meant for sender in self._senders])
        one_person = len(meant) == 1
        time = float(_FOR_A_TIME.match(question) is not None)
        return np.column_stack(
            [
                *lexical,
                _standard(own),
                *others,
                np.where(by, 1.0, -1.0) * one_person,
                self._first_person * by * one_person,
                [_near(question, at) for at in self._sent_at],
                self._told,
                self._of_time * time,
                lexical[2] * time,
                lexical[3] * time,
            ]
        )

    def _spans(self, first: int, last: int) -> list[list[int]]:
        size = len(self._session)
        return [
            [
                at
                for at in range(max(0, row + first), min(size, row + last + 1))
                if self._session[at] == self._session[row]
            ]
            for row in range(size)
        ]


def _units(rows: NDArray[np.float32]) -> Floats:
    wide = np.asarray(rows, dtype=np.float64)
    units: Floats = wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-9)
    return units


def _standard(values: Floats) -> Floats:
    standard: Floats = (values - values.mean()) / (values.std() or 1.0)
    return standard


@cache
def _like(word: str, person: str) -> bool:
    """Whether a word of the question is a part of the person's name, or a misspelling of one."""
    said = word.casefold()
    return any(
        said == part
        or (len(said) > 2 and part.startswith(said))
        or SequenceMatcher(None, said, part).ratio() >= _ALIKE
        for part in re.findall(r"\w\w+", person.casefold())
    )


def _near(question: str, at: datetime) -> float:
    """How near a message is to a day of the question (1 on it, 0 ten days off), or 1 within its month."""
    year, months = _dated(question)
    if not (year or months):
        return 0.0
    day = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)?\b", question)
    if months and day:
        try:
            asked = date(year or at.year, months[0], int(day[1]))
        except ValueError:  # 31 April
            return 0.0
        return max(0.0, 1 - abs((at.date() - asked).days) / _DAYS)
    return float((not months or at.month in months) and (not year or at.year == year))


@cache
def _dated(question: str) -> tuple[int, tuple[int, ...]]:
    year = re.search(r"\b(20\d\d)\b", question)
    months = [n for n, name in enumerate(_MONTHS, 1) if re.search(rf"\b{name.title()}\b", question)]
    return int(year[1]) if year else 0, tuple(months)
