"""People in a follow-up: a new name in the earlier one's place, earlier names for pronouns."""

import re
from collections.abc import Mapping, Sequence

from sayso.core.people import UNSPACED, named, standing

_LETTER = rf"[^\W\d_{UNSPACED}]"
_WORD = re.compile(rf"{_LETTER}(?:[^\W{UNSPACED}]|[.-])*[^\W_{UNSPACED}]|{_LETTER}")
_JOINED = re.compile(r"\s*(?:,|and|&|or|和|跟|与|、)?\s*", re.IGNORECASE)
_PRONOUN = re.compile(
    r"\b(?:(?P<own>his|their|her(?=\s+(?!with|in|at|on|to|from|about|for|then|there|now|before|after)[a-z]))"
    r"|he|she|him|her|they|them)\b|(?:他们|她们|他|她)", re.IGNORECASE
)  # fmt: skip

_SEVERAL = {"they", "them", "their", "他们", "她们"}


def put_in_place(question: str, names: Mapping[str, str], people: Sequence[str]) -> str:
    """The question asked of other people: they stand where the first of its people stood."""
    chinese = any("\u3400" <= char <= "\u9fff" for char in question)
    told = ("和" if chinese else " and ").join(people)
    places = _places(question, names)
    if not places:
        asked = question.rstrip(" ?？.!。！")
        return f"{told}{asked}？" if chinese else f"{asked} {told}?"
    start, end = places[0]
    for following in places[1:]:
        if not _JOINED.fullmatch(question[end : following[0]]):
            break
        end = following[1]
    return question[:start] + told + question[end:]


def filled_in(question: str, people: Sequence[str]) -> str:
    """The question with its first pronoun for a person named; unchanged without either."""
    match = _PRONOUN.search(question)
    if match is None or not people:
        return question
    several = match.group().lower() in _SEVERAL
    if several != (len(people) > 1):  # "they" are not one, nor is "she" two
        return question
    own = bool(match["own"])
    chinese = not match.group().isascii()
    told = ("和" if chinese else " and ").join(people) + ("'s" if own else "")
    return question[: match.start()] + told + question[match.end() :]


def _places(question: str, names: Mapping[str, str]) -> list[tuple[int, int]]:
    """Where participants are named, without a possessive's ending, in order."""
    found: list[tuple[int, int]] = []
    for full in sorted((n for n in names if " " in n or not n.isascii()), key=len, reverse=True):
        found += [
            m.span()
            for m in re.finditer(standing(full), question, re.IGNORECASE)
            if not any(s < m.end() and m.start() < e for s, e in found)
        ]
    for match in _WORD.finditer(question):
        inside = any(s < match.end() and match.start() < e for s, e in found)
        # A word before it, so that it is read as one within a sentence.
        first = match.start() == 0
        if not inside and named(match.group() if first else f", {match.group()}", names).people:
            found.append(match.span())
    return sorted(found)
