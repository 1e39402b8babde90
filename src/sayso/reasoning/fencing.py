"""Chat text as data: every piece on one line, inside a fence that no message can close."""

import hashlib
import re
import unicodedata
from collections.abc import Mapping

# What a server's own chat template might take for a turn of the conversation.
_TURN = re.compile(
    r"<(?=[|｜])|<(?=/?s>)|<(?=(?:start|end)_of_turn>)|\[(?=/?INST\])|<(?=/?think>)", re.IGNORECASE
)
_OPEN, _CLOSE = "<<<DATA", "DATA>>>"
_MARK = 12
_APART = "\N{WORD JOINER}"
_UNSAYABLE = {"Cc": " ", "Cs": "\N{REPLACEMENT CHARACTER}"}


def one_line(text: str, most: int | None = None) -> str:
    """The text on one line, white space collapsed, at most ``most`` characters and an ellipsis.

    Control characters become spaces; marks that could begin a turn are put apart by an invisible
    character, which :func:`as_stored` takes out again.
    """
    if not text.isascii() or not text.isprintable():
        text = "".join(_UNSAYABLE.get(unicodedata.category(char), char) for char in text)
    line = " ".join(text.split())
    if most is not None and len(line) > most:
        line = line[:most].rstrip() + " […]"
    return _TURN.sub(lambda found: found.group() + _APART, line)


def as_stored(shown: str) -> str:
    """Words copied from a shown line as they stand in the message."""
    return re.sub(rf"([<\[]){_APART}", r"\1", shown)


def marker_for(*texts: str) -> str:
    """A code that stands in none of the texts, the same for the same texts."""
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()
    while any(digest[:_MARK] in text.casefold() for text in texts):
        digest = hashlib.sha256(digest.encode()).hexdigest()
    return digest[:_MARK]


def fenced(blocks: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Each block between an opening and a closing line, and the code on those lines.

    An empty block is no data but the word "none".
    """
    marker = marker_for(*blocks.values())
    inside = {
        name: f"{_OPEN} {marker}\n{text}\n{marker} {_CLOSE}" if text else "none"
        for name, text in blocks.items()
    }
    return inside, marker
