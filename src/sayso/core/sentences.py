"""Sentences and content words of a message, with their offsets."""

import itertools
import re

from sayso.core.stopwords import STOPWORDS

# A mark inside a number, an abbreviation or an address ends no sentence; 好吗?好 has two.
# What it begins with is told first: most characters end nothing.
_END = re.compile(
    r"(?=[.!?…。！？\n])(?:"
    r"[.!?…]+[\"”’')\]]*(?=\s|$)|(?:[。！？]|[!?](?=[^\x00-\x7f]))+[”’」』）]*|\n+)"
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"(?P<han>[{_HAN}]+)|(?:(?![{_HAN}])[^\W_])+(?:['’](?:(?![{_HAN}])[^\W_])+)*")


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences as ``[start, end)`` without the white space around them, in order.

    A text without an end mark is one sentence; an empty or blank text has none.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        _add(found, text, start, match.end())
        start = match.end()
    _add(found, text, start, len(text))
    return tuple(found)


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry content, casefolded, each once, in their order.

    A run of Chinese characters, which marks no words, gives its pairs.
    """
    words = (w.casefold().replace("’", "'") for m in _WORD.finditer(text) for w in _parts(m))
    return tuple(
        dict.fromkeys(
            w for w in words if w not in STOPWORDS and w.replace("'", "") not in STOPWORDS
        )
    )


def _parts(match: re.Match[str]) -> list[str]:
    run = match.group()
    if match.lastgroup != "han" or len(run) < 3:
        return [run]
    return [a + b for a, b in itertools.pairwise(run)]


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if piece.strip():
        lead = len(piece) - len(piece.lstrip())
        found.append((start + lead, start + len(piece.rstrip())))
