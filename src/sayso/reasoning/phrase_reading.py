"""A message read against a question: its words, its sentences, and what it shares with it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from sayso.core.time_expressions import find_times
from sayso.reasoning.answer_types import Asked
from sayso.reasoning.phrase_words import Word, words

Place = tuple[int, int]  # words [first, last] of a message

# 星期天 and 明年 are one word each, whatever day or year the question asks for.
_DAYS = frozenset("天日年月")
_SENTENCE = re.compile(r"[^.]+")
_TELLING = bytes(chr(mark) in "WNVG" for mark in range(256))


class Sentence(NamedTuple):
    """Words ``[first, end)`` of a message, without the mark that ends them."""

    first: int
    end: int
    asks: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A message read against a question, word by word.

    ``marks`` has the mark of each word. The rest is 1 for a word that is so, else 0: ``telling``,
    of the words of content; ``shared``, it stands in the question; ``related``, it may stand for
    a word of it; ``capitals``, it has a capital that its sentence did not give it.
    ``times``: what the message says of the time, or the frequency, that is asked for.
    """

    words: Sequence[Word]
    marks: str
    telling: bytes
    shared: bytes
    related: bytes
    capitals: bytes
    sentences: list[Sentence]
    times: list[Place]


def read(text: str, asked: Asked) -> Reading:
    """The message read; no sentences where it has no words."""
    found: Sequence[Word] = words(text)
    if asked.pieces:
        found = [part for word in found for part in _parted(word, asked)]
    marks = "".join([word.mark for word in found])
    telling = marks.encode("ascii").translate(_TELLING)
    shared, related, capitals = (bytearray(len(found)) for _ in range(3))
    for at, word in enumerate(found):
        if telling[at]:
            capitals[at] = word.capital
            # Most words are refused by their first letter.
            if word.han:
                shared[at] = asked.shares(word)
            elif asked.may_hold(word):
                shared[at], related[at] = asked.shares(word), asked.relates(word)
    sentences = _sentences(found, marks)
    for sentence in sentences:
        capitals[sentence.first] = False
    return Reading(
        found,
        marks,
        telling,
        bytes(shared),
        bytes(related),
        bytes(capitals),
        sentences,
        _times(text, found, asked),
    )


def _parted(word: Word, asked: Asked) -> list[Word]:
    """A Chinese run parted from a piece of the question at either end: 弹古筝 to 弹, 古筝."""
    low = word.low
    if not word.han or word.mark != "W" or len(low) < 2 or asked.shares(word):
        return [word]
    sizes = range(len(low) - 1, 0, -1)
    head = next((n for n in sizes if low[:n] in asked.pieces), 0)
    tails = (n for n in sizes if n + head < len(low) and low[-n:] in asked.pieces)
    tail = next((n for n in tails if low[-n:] not in _DAYS), 0)
    return [
        word._replace(start=word.start + a, end=word.start + b, low=low[a:b])
        for a, b in pairwise(sorted({0, head, len(low) - tail, len(low)}))
    ]


def _sentences(found: Sequence[Word], marks: str) -> list[Sentence]:
    sentences = []
    for stretch in _SENTENCE.finditer(marks):
        first, end = stretch.span()
        ended_by = found[end].low if end < len(found) else ""
        sentences.append(Sentence(first, end, "?" in ended_by or "？" in ended_by))
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
