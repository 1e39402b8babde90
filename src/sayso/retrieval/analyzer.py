"""Text to search terms: NFKC, casefold, words stemmed, stop words dropped, CJK as 1- and 2-grams.

The index and every query go through the same function, so any engine below gives the same hits.
Nothing in the text is syntax: quotes, parentheses and operators are separators.
"""

import itertools
import re
import unicodedata
from functools import lru_cache

import snowballstemmer

from sayso.core.stopwords import STOPWORDS

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    rf"|(?P<word>(?:(?![{_CJK}])[^\W_])+(?:['’](?:(?![{_CJK}])[^\W_])+)*)"
    r"|(?P<emoji>[\U0001F300-\U0001FAFF\u2600-\u27BF])"
)
_STEMMER = snowballstemmer.stemmer("english")


def terms(text: str) -> list[str]:
    """The search terms of a text in their order, with repeats; empty for a text without any.

    A run of n CJK characters gives its n characters and its n − 1 pairs.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        run = match.group()
        if match.lastgroup == "cjk":
            found.extend(run)
            found.extend(a + b for a, b in itertools.pairwise(run))
        elif match.lastgroup == "emoji":
            found.append(run)
        else:
            term = _term(run)
            if term:
                found.append(term)
    return found


def words(text: str) -> list[str]:
    """The words of a text, casefolded, unstemmed, stop words kept; CJK runs as single characters."""
    found: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        found.extend(match.group() if match.lastgroup == "cjk" else [match.group()])
    return found


@lru_cache(maxsize=200_000)
def _term(word: str) -> str:
    """The stem of a word, or the empty string for a stop word."""
    bare = word.replace("’", "'")
    stem_of = bare.removesuffix("'s").replace("'", "")
    if bare in STOPWORDS or stem_of in STOPWORDS:
        return ""
    return str(_STEMMER.stemWord(stem_of))
