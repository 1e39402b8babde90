"""Sentences and content words of a message, with their offsets."""

import re

from sayso.core.stopwords import STOPWORDS

# A full stop inside a number, an abbreviation or an address ends no sentence.
_END = re.compile(r"[.!?…]+[\"”’')\]]*(?=\s|$)|[。！？!?]+[”’」』）]*|\n+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


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
    """The words that carry content, casefolded, each once, in their order."""
    words = (w.casefold().replace("’", "'") for w in _WORD.findall(text))
    return tuple(
        dict.fromkeys(
            w for w in words if w not in STOPWORDS and w.replace("'", "") not in STOPWORDS
        )
    )


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if piece.strip():
        lead = len(piece) - len(piece.lstrip())
        found.append((start + lead, start + len(piece.rstrip())))
