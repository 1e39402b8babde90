"""Text to search terms: NFKC, casefold, words stemmed, stop words dropped, CJK as 1- and 2-grams.

The index and every query go through the same function with the chat's language, so any engine
below gives the same hits.
Nothing in the text is syntax: quotes, parentheses and operators are separators.
"""

import itertools
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from sayso.core.stopwords import CHINESE_FUNCTION_CHARACTERS, STOPWORDS_BY_LANGUAGE
from sayso.stemming import stemmed

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f"
# Vowel signs and accents that no composed letter holds belong to the word they stand in.
_MARK = "\u0300-\u036f\u0591-\u05c7\u064b-\u0652\u0670\u0900-\u0963\u0966-\u0dff"
_LETTER = rf"(?:(?![{_CJK}])[^\W_]|[{_MARK}])"
_TOKEN = re.compile(
    rf"(?P<cjk>[{_CJK}]+)"
    rf"|(?P<word>{_LETTER}+(?:['’]{_LETTER}+)*)"
    r"|(?P<emoji>[\U0001F300-\U0001FAFF\u2600-\u27BF])"
)
_UNSPACED = re.compile(f"[{_CJK}]")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_STEMMED = {
    "en": "english", "es": "spanish", "de": "german", "fr": "french", "it": "italian",
    "pt": "portuguese", "nl": "dutch", "sv": "swedish", "da": "danish", "no": "norwegian",
    "fi": "finnish", "hu": "hungarian", "ro": "romanian", "tr": "turkish", "id": "indonesian",
    "ru": "russian", "ar": "arabic", "el": "greek", "hi": "hindi",
}  # fmt: skip
_KANA = re.compile("[\u3040-\u309f]+")
# "l'amour", "dell'arte": what stands before the apostrophe is an article.
_ELIDING = frozenset({"fr", "it"})


def terms(text: str, language: str = "en") -> list[str]:
    """The search terms of a text in their order, with repeats; empty for a text without any.

    ``language`` is the chat's (see :mod:`sayso.core.language`); one without a stemmer, or several
    mixed, stem as English. A run of n CJK characters gives its characters and its n − 1 pairs,
    but for those made of function characters alone.
    """
    if text.isascii():  # most messages; the same words, found in half the time
        return [t for w in _ASCII_WORD.findall(text.lower()) if (t := _term(w, language))]
    found: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        run = match.group()
        if match.lastgroup == "cjk":
            grams = itertools.chain(run, (a + b for a, b in itertools.pairwise(run)))
            found.extend(g for g in grams if not _says_nothing(g, language))
        elif match.lastgroup == "emoji":
            found.append(run)
        else:
            term = _term(run, language)
            if term:
                found.append(term)
    return found


def words(text: str) -> list[str]:
    """The words of a text, casefolded, unstemmed, stop words kept; CJK runs as single characters."""
    found: list[str] = []
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        found.extend(match.group() if match.lastgroup == "cjk" else [match.group()])
    return found


def word_count(found: Iterable[str]) -> float:
    """How many words the :func:`terms` ``found`` come from.

    Two characters of a language without spaces count as one word, their pairs as none.
    """
    return sum((0.5 if len(t) == 1 else 0.0) if _UNSPACED.match(t) else 1.0 for t in found)


def _says_nothing(gram: str, language: str) -> bool:
    """Whether one or two characters only hold a sentence together."""
    if language == "ja":
        return len(gram) == 1 and bool(_KANA.match(gram))
    return all(c in CHINESE_FUNCTION_CHARACTERS for c in gram)


@lru_cache(maxsize=200_000)
def _term(word: str, language: str) -> str:
    """The stem of a word, or the empty string for a stop word."""
    known = language if language in _STEMMED else "en"
    bare = word.replace("’", "'")
    if known in _ELIDING:
        bare = bare.rpartition("'")[2] or bare
    stem_of = bare.removesuffix("'s").replace("'", "")
    stop = STOPWORDS_BY_LANGUAGE.get(known, frozenset())
    if bare in stop or stem_of in stop:
        return ""
    return stemmed(stem_of, _STEMMED[known])
