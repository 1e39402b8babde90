"""What speaks for a phrase as an answer, measured: by its place, its words and its sentence."""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate

from sayso.reasoning.answer_types import Asked
from sayso.reasoning.phrase_marks import listed
from sayso.reasoning.phrase_reading import Place, Reading, Sentence

_MONEY = re.compile(
    r"[$€£¥元块万]|(?:dollar|buck|euro|pound|cent)s?|quid|usd|eur|yuan|grand|rupees?", re.IGNORECASE
)
_UNITS_OF_TIME = listed(
    "second seconds minute minutes hour hours day days week weeks month months year years times pm am"
)
_PLACES = listed("in at from to near on around into 在 到 去 从 往")
_NEGATIONS = listed("not no never isn't wasn't aren't don't 不 不是 没 没有 别")
_CLAUSES = frozenset({"clause", "sentence"})
_NEAR = 4  # words
_FAR = 30
_LONG = 16

Features = Iterator[tuple[str, float]]


class Measures:
    """The features of one sentence's phrases.

    What speaks for a place to start or to end is the same for every phrase that does so there.
    """

    def __init__(self, reading: Reading, sentence: Sentence, asked: Asked) -> None:
        self._words, self._shared, self._asked = reading.words, reading.shared, asked
        self._first, self._end, _ = sentence
        self._around = self._first - 1
        within = slice(self._first, self._end)
        ws = self._words[within]
        self._marks = ["^", *(w.mark for w in ws), "$", "$"]
        # How many there are before each word: of a stretch, the difference of two.
        self._told = _running(w.mark in "WNVG" for w in ws)
        self._inside = _running(reading.shared[within])
        self._relates = _running(reading.related[within])
        self._naming = _running(w.mark == "G" for w in ws)
        self._numbers = _running(w.mark == "N" for w in ws)
        # The first word has a capital whatever it is.
        self._capitals = _running(
            w.capital and w.mark in "WNVG" and n > 0 for n, w in enumerate(ws)
        )

    def opening(self, first: int) -> Features:
        """Of a phrase that starts there: what stands before it."""
        at = first - 1
        mark = self._marks[at - self._around]
        if mark == "D":
            at -= 1  # what governs "the"
            mark = self._marks[at - self._around]
        yield "after " + mark, 1.0
        if at >= self._first:
            if self._words[at].low in _PLACES:
                yield "place", 1.0
            if self._words[at].low in _NEGATIONS:
                yield "negated", 1.0
        start = first - self._first
        if self._inside[start]:
            back = range(first - 1, max(self._first, first - _FAR) - 1, -1)
            left = next((n for n in back if self._shared[n]), None)
            if left is not None:
                yield "left", 1.0 / (first - left)
        near = max(0, start - _NEAR)
        if self._relates[start] > self._relates[near]:
            yield "related", 1.0
        if self._naming[start] > self._naming[near]:
            yield "naming", 1.0
        yield "late", start / max(1, self._end - self._first)

    def closing(self, last: int) -> Features:
        """Of a phrase that ends there: what stands after it."""
        yield "before " + self._marks[last + 1 - self._around], 1.0
        if self._inside[-1] > self._inside[last + 1 - self._first]:
            on = range(last + 1, min(self._end, last + _FAR))
            right = next((n for n in on if self._shared[n]), None)
            if right is not None:
                yield "right", 1.0 / (right - last)

    def within(self, place: Place, made: str) -> Features:
        """Of the phrase itself."""
        first, last = place
        start, end = first - self._first, last + 1 - self._first
        yield made, 1.0
        inside = self._inside[end] - self._inside[start]
        if made == "unit":
            if self._shared[last] and last > first:
                yield "counts what is asked", 1.0
        elif inside and made not in _CLAUSES:  # a clause repeats what it answers
            told = self._told[end] - self._told[start]
            yield "inside", inside / told
            yield "all shared", float(inside == told)
            yield "starts shared", float(self._shared[first])
            yield "ends shared", float(self._shared[last])
        yield "length", min(end - start, _LONG) / 4
        if self._capitals[end] > self._capitals[start]:
            yield "capital", 1.0
        if (
            self._marks[first - 1 - self._around] in "^,C"
            and self._marks[last + 1 - self._around] in "BHMV"
        ):
            yield "subject", 1.0
        if made == "list":
            yield "several asked" if self._asked.several else "one asked", 1.0
        if inside and self._asked.kind == "choice":
            yield "alternative", 1.0
        if end - start < 3 and self._names_one(first, last):
            yield "participant", 1.0
        if self._numbers[end] > self._numbers[start]:
            yield from self._numeric(first, last)

    def _names_one(self, first: int, last: int) -> bool:
        people = self._asked.people
        return self._words[first].low in people or self._words[last].low in people

    def _numeric(self, first: int, last: int) -> Features:
        found = self._words[first : last + 1]
        yield "number", 1.0
        yield "number first", float(found[0].mark == "N")
        if self._asked.money:
            yield "money", float(any(_MONEY.search(w.low) for w in found))
        if any(w.low in _UNITS_OF_TIME for w in found):
            yield "unit of time", 1.0


def fits(asked: Asked, made: str) -> bool:
    """Whether a phrase of that making is of the type that was asked for, beyond doubt."""
    if asked.kind == "number":
        return made in ("unit", "time")
    return asked.of_time and made == "time"


def of_sentences(reading: Reading, asked: Asked) -> list[dict[str, float]]:
    """The features of each sentence, shared by its phrases."""
    overlaps = [
        len({reading.words[n].low for n in range(s.first, s.end) if reading.shared[n]}) / asked.size
        for s in reading.sentences
    ]
    best = max(overlaps, default=0.0) or None
    return [
        {
            "overlap": overlap,
            "alone": float(overlap == 0),
            "best": float(overlap == best),
            "after the best": float(n > 0 and overlaps[n - 1] == best),
            "asks": float(sentence.asks),
            "place in message": min(n, 5) / 5,
        }
        for n, (sentence, overlap) in enumerate(zip(reading.sentences, overlaps, strict=True))
    ]


def _running(counted: Iterable[bool]) -> list[int]:
    return list(accumulate(counted, initial=0))
