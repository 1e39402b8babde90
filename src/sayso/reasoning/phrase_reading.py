"""A message read against a question: its words, its sentences, and what it shares with it."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from sayso.core.time_expressions import find_times
from sayso.reasoning.answer_types import Asked
from sayso.reasoning.phrase_words import Word, words

Place = tuple[int, int]  # words [first, last] of a message


class Sentence(NamedTuple):
    """Words ``[first, end)`` of a message, without the mark that ends them."""

    first: int
    end: int
    asks: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A message read against a question, word by word.

    ``shared``: the word stands in the question; ``related``: it may stand for a word of it.
    ``times``: what the message says of the time, or the frequency, that is asked for.
    """

    words: list[Word]
    shared: list[bool]
    related: list[bool]
    sentences: list[Sentence]
    times: list[Place]


def read(text: str, asked: Asked) -> Reading:
    """The message read; no sentences where it has no words."""
    found = words(text)
    if asked.pieces:
        found = [part for word in found for part in _parted(word, asked)]
    # Most words are refused by their first letter.
    near = [w.mark in "WVGN" and (w.han or asked.may_hold(w)) for w in found]
    return Reading(
        found,
        [n and asked.shares(w) for n, w in zip(near, found, strict=True)],
        [n and asked.relates(w) for n, w in zip(near, found, strict=True)],
        _sentences(found),
        _times(text, found, asked),
    )


def _parted(word: Word, asked: Asked) -> list[Word]:
    """A Chinese run parted from a piece of the question at either end: 弹古筝 to 弹, 古筝."""
    low = word.low
    if not word.han or word.mark != "W" or len(low) < 2 or asked.shares(word):
        return [word]
    sizes = range(len(low) - 1, 0, -1)
    head = next((n for n in sizes if low[:n] in asked.pieces), 0)
    tail = next((n for n in sizes if n + head < len(low) and low[-n:] in asked.pieces), 0)
    return [
        word._replace(start=word.start + a, end=word.start + b, low=low[a:b])
        for a, b in pairwise(sorted({0, head, len(low) - tail, len(low)}))
    ]


def _sentences(found: Sequence[Word]) -> list[Sentence]:
    sentences, first = [], 0
    for i, word in enumerate(found):
        if word.mark == ".":
            if i > first:
                sentences.append(Sentence(first, i, "?" in word.low or "？" in word.low))
            first = i + 1
    if len(found) > first:
        sentences.append(Sentence(first, len(found), asks=False))
    return sentences


def _times(text: str, found: Sequence[Word], asked: Asked) -> list[Place]:
    if not asked.of_time and asked.kind != "number":
        return []
    starts, ends = [w.start for w in found], [w.end for w in found]
    places = []
    for mention in find_times(text):
        first = bisect_left(starts, mention.start)
        last = bisect_right(ends, mention.end) - 1
        if first <= last and (asked.of_time or mention.kind == "frequency"):
            places.append((_hour(found, first, last) if asked.kind == "clock" else first, last))
    return places


def _hour(found: Sequence[Word], first: int, last: int) -> int:
    """Where the hour begins in "today at 5"; in Chinese, the part of the day belongs to it."""
    numbers = (i for i in range(first, last + 1) if found[i].mark == "N" and not found[i].han)
    return next(numbers, first)
