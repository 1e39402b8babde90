"""Everyday categories: "which sports" is answered by "jiu-jitsu", which shares no word with it.

The lexicon is general knowledge, written by hand, in English and Chinese.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sayso.retrieval.analyzer import terms
from sayso.retrieval.verifying import verified

_LEXICON = Path(__file__).parent / "data" / "categories.json"
_LEXICON_SHA256 = "f60f0ffa6af700582349aa980fa412b060ed019253f2993418b3fc141301fdd7"
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Lexicon:
    """Bits by term: which categories a question's word asks for, and which a message's is of.

    Keys are tuples of search terms; ``longest`` is the length of the longest, ``first`` holds
    the first term of each.
    """

    asked: dict[tuple[str, ...], int]
    members: dict[tuple[str, ...], int]
    longest: int
    first: frozenset[str]


def asked_for(question: str) -> int:
    """The categories that a question asks for, as bits. Raises StoreError where the lexicon's file is
    missing or damaged.
    """
    lexicon = _lexicon()
    return _bits(terms(question), lexicon.asked, lexicon.longest)


def mentioned(found: list[str]) -> int:
    """The categories of which a message, given as its search terms, names a member, as bits."""
    lexicon = _lexicon()
    return _bits(found, lexicon.members, lexicon.longest)


def lexicon_digest() -> str:
    """The sha256 of the lexicon's file: an index holds what the lexicon made of its messages."""
    return _LEXICON_SHA256


def files() -> list[tuple[Path, str]]:
    """What is read here, with the digest."""
    return [(_LEXICON, _LEXICON_SHA256)]


def _bits(found: list[str], table: dict[tuple[str, ...], int], longest: int) -> int:
    bits = 0
    first = _lexicon().first
    for i, term in enumerate(found):
        # Most terms begin no word of the lexicon.
        if term not in first:
            continue
        for n in range(1, min(longest, len(found) - i) + 1):
            bits |= table.get(tuple(found[i : i + n]), 0)
    return bits


@cache
def _lexicon() -> Lexicon:
    held = json.loads(verified(_LEXICON, _LEXICON_SHA256))["categories"]
    asked: dict[tuple[str, ...], int] = {}
    members: dict[tuple[str, ...], int] = {}
    for number, category in enumerate(held.values()):
        for table, words in ((asked, category["ask"]), (members, category["members"])):
            for word in words:
                key = _key(word)
                if key:
                    table[key] = table.get(key, 0) | 1 << number
    keys = (*asked, *members)
    return Lexicon(asked, members, max(map(len, keys)), frozenset(key[0] for key in keys))


def _key(word: str) -> tuple[str, ...]:
    """As the word stands among a message's terms: stems in a row, or the pairs of a Chinese word."""
    found = terms(word)
    pairs = tuple(t for t in found if len(t) > 1) if _HAN.search(word) else ()
    return pairs or tuple(found)
