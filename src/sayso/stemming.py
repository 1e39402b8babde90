"""Stems of words, by Snowball's algorithms in C."""

from threading import local
from typing import Any

import Stemmer

_HELD = local()


def stemmed(word: str, algorithm: str) -> str:
    """The stem of a casefolded word; ``algorithm`` is Snowball's name of a language ("english").

    Raises KeyError for a name that Snowball does not have.
    """
    # A stemmer holds the word it is at work on: threads that shared one would cut each other's.
    held: dict[str, Any] = _HELD.__dict__
    stemmer = held.get(algorithm)
    if stemmer is None:
        # Callers remember the stems they need; 0 is no second memory.
        stemmer = held[algorithm] = Stemmer.Stemmer(algorithm, 0)
    return str(stemmer.stemWord(word))
