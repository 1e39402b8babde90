"""The words of a text as leakage compares them, whatever letters they are written in."""

import re
import unicodedata
from dataclasses import dataclass

# Letters and digits; the vowel signs of Indic, Thai, Hebrew and Arabic script are no letters to ``\w``.
_WORD = re.compile(
    r"(?:[^\W_]|[\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff"
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])+(?:['’](?:[^\W_])+)*"
)
# Scripts that part no words with spaces, or (Korean) write endings onto names.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff\uf900-\ufaff]"
)
_CONTRACTED = re.compile(r"['’](?:s|m|d|ll|ve|re)$", re.IGNORECASE)
_SENTENCE_START = re.compile(r"(?:^|[.!?…:;\n\"“”«»(\[>|*#•–—-])\s*(?:\d+[.)]\s*)?$")
# Accents, and the points of Hebrew and Arabic, which many leave out.
_MARKS = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]")
# Where one word is written onto another: teamLena, lena42.
_SEAM = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])|(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)|['’]")
_LOOKED_BACK = 6


@dataclass(frozen=True)
class Word:
    """A word as it stands; ``first`` in its sentence, so that its capital says nothing."""

    text: str
    key: str
    first: bool = False

    @property
    def capital(self) -> bool:
        """Whether it has a capital letter that says something; where there are none, it has."""
        return self.text != self.text.lower() or self.text.lower() == self.text.upper()


def visible(text: str) -> str:
    """The text under NFKC, without characters that nobody sees."""
    return "".join(
        c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf"
    )


def key_of(word: str) -> str:
    """What a word is known by: no case, no accents."""
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", word.casefold()))
    return unicodedata.normalize("NFC", bare).replace("’", "'")


def words(text: str) -> list[Word]:
    """Words in order; in scripts without spaces every character is one."""
    found = []
    text = visible(text)
    for match in _WORD.finditer(text):
        word = match.group()
        if is_unspaced(word):
            found += [Word(c, c) for c in word]
        else:
            word = _CONTRACTED.sub("", word)
            before = text[max(0, match.start() - _LOOKED_BACK) : match.start()]
            found.append(Word(word, key_of(word), _SENTENCE_START.search(before) is not None))
    return found


def pieces(word: Word) -> list[Word]:
    """The word, and where it is several written as one, each of these."""
    parts = [part for part in _SEAM.split(word.text) if part]
    if len(parts) < 2:
        return [word]
    return [word, *(Word(p, key_of(p), word.first and not at) for at, p in enumerate(parts))]


def is_unspaced(text: str) -> bool:
    """Whether a text holds characters of a script that parts no words."""
    return _UNSPACED.search(text) is not None


def has_case(text: str) -> bool:
    """Whether its letters come in capitals as well."""
    return text.lower() != text.upper()
