"""What speaks for a phrase as an answer, measured: by its place, its words and its sentence."""

import re
from collections.abc import Mapping
from typing import Generic, TypeVar

from sayso.reasoning.answer_types import Asked
from sayso.reasoning.phrase_marks import listed
from sayso.reasoning.phrase_reading import Reading, Sentence

_MONEY = re.compile(
    r"[$€£¥元块万]|(?:dollar|buck|euro|pound|cent)s?|quid|usd|eur|yuan|grand|rupees?", re.IGNORECASE
)
_UNITS_OF_TIME = listed(
    "second seconds minute minutes hour hours day days week weeks month months year years times pm am"
)
_PLACES = listed("in at from to near on around into 在 到 去 从 往")
_NEGATIONS = listed("not no never isn't wasn't aren't don't 不 不是 没 没有 别")
_CLAUSES = frozenset({"clause", "sentence"})
_OF_NUMBER, _OF_TIME, _UNTOLD = frozenset({"unit", "time"}), frozenset({"time"}), frozenset[str]()
_NEAR = 4  # words
_FAR = 30
_LONG = 16


class Features(dict[str, float]):
    """Measured features by name, added and multiplied as the sums of their weights are."""

    def __mul__(self, value: float) -> "Features":
        """All of them, as many times."""
        return Features({name: held * value for name, held in self.items()})

    def __add__(self, other: "Features") -> "Features":
        """Both; they have no name in common."""
        return Features({**self, **other})


Worth = TypeVar("Worth", float, Features)
"""What a feature counts for: its weight where phrases are chosen, itself where weights are fitted."""


class Measures(Generic[Worth]):
    """What the phrases of one sentence are worth; ``worth`` has every feature by name.

    What speaks for a place to start or to end is the same for every phrase that does so there.
    """

    def __init__(
        self, reading: Reading, sentence: Sentence, asked: Asked, worth: Mapping[str, Worth]
    ) -> None:
        self._worth: Mapping[str, Worth] = worth
        self._words, self._marks, self._shared = reading.words, reading.marks, reading.shared
        self._reading, self._asked = reading, asked
        self._first, self._end, _ = sentence

    def opening(self, first: int) -> Worth:
        """Of a phrase that starts there: what stands before it."""
        worth, start, marks = self._worth, self._first, self._marks
        at = first - 1
        if at >= start and marks[at] == "D":
            at -= 1  # what governs "the"
        if at >= start:
            total = worth["after " + marks[at]]
            low = self._words[at].low
            if low in _PLACES:
                total += worth["place"]
            if low in _NEGATIONS:
                total += worth["negated"]
        else:
            total = worth["after ^"]
        left = self._shared.rfind(1, max(start, first - _FAR), first)
        if left >= 0:
            total += worth["left"] * (1.0 / (first - left))
        near = max(start, first - _NEAR)
        if self._reading.related.find(1, near, first) >= 0:
            total += worth["related"]
        if marks.find("G", near, first) >= 0:
            total += worth["naming"]
        return total + worth["late"] * ((first - start) / (self._end - start))

    def closing(self, last: int) -> Worth:
        """Of a phrase that ends there: what stands after it."""
        worth, after = self._worth, last + 1
        total = worth["before " + (self._marks[after] if after < self._end else "$")]
        right = self._shared.find(1, after, min(self._end, last + _FAR))
        if right >= 0:
            total += worth["right"] * (1.0 / (right - last))
        return total

    def within(self, first: int, last: int, made: str) -> Worth:
        """Of the phrase itself."""
        worth, shared = self._worth, self._shared
        end = last + 1
        total = worth[made]
        inside = shared.count(1, first, end)
        if made == "unit":
            if shared[last] and last > first:
                total += worth["counts what is asked"]
        elif inside and made not in _CLAUSES:  # a clause repeats what it answers
            told = self._reading.telling.count(1, first, end)
            total += worth["inside"] * (inside / told)
            total += worth["all shared"] * (inside == told)
            total += worth["starts shared"] * shared[first]
            total += worth["ends shared"] * shared[last]
        total += worth["length"] * (min(end - first, _LONG) / 4)
        if self._reading.capitals.find(1, first, end) >= 0:
            total += worth["capital"]
        if self._is_subject(first, end):
            total += worth["subject"]
        if made == "list":
            total += worth["several asked" if self._asked.several else "one asked"]
        if inside and self._asked.kind == "choice":
            total += worth["alternative"]
        if end - first < 3 and self._names_one(first, last):
            total += worth["participant"]
        if self._marks.find("N", first, end) >= 0:
            total = self._with_number(total, first, end)
        return total

    def _is_subject(self, first: int, end: int) -> bool:
        """Whether it stands first in its clause, and a verb after it."""
        marks = self._marks
        return (
            end < self._end
            and marks[end] in "BHMV"
            and (first == self._first or marks[first - 1] in ",C")
        )

    def _names_one(self, first: int, last: int) -> bool:
        people, words = self._asked.people, self._words
        return words[first].low in people or words[last].low in people

    def _with_number(self, total: Worth, first: int, end: int) -> Worth:
        worth, lows = self._worth, [word.low for word in self._words[first:end]]
        total += worth["number"]
        total += worth["number first"] * (self._marks[first] == "N")
        if self._asked.money:
            total += worth["money"] * any(map(_MONEY.search, lows))
        return total if _UNITS_OF_TIME.isdisjoint(lows) else total + worth["unit of time"]


def fitting(asked: Asked) -> frozenset[str]:
    """How phrases are made that are of the type that was asked for, beyond doubt."""
    if asked.kind == "number":
        return _OF_NUMBER
    return _OF_TIME if asked.of_time else _UNTOLD


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
