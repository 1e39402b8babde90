"""What can be told of a message by looking at it, once, at index time."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sayso.core.models import Message
from sayso.core.time_expressions import days_spoken_of, has_time

MARKS = (
    "first_person", "asks", "ends_asking", "log_length", "has_time", "answers_other",
    "names_something", "names_place", "counts", "says_you", "short",
)  # fmt: skip

_FIRST_PERSON = re.compile(
    r"\b(?:i|i['’]\w+|im|my|me|mine|we|our|us|myself)\b|[我咱]", re.IGNORECASE
)
_QUESTION = re.compile(r"[?？]")
_CAPITALISED = re.compile(r"(?<![.!?\n]\s)(?<!^)\b[A-Z][a-z]{2,}")
_PLACE = re.compile(r"\b(?:in|at|to|from|near|around)\s+(?:the\s+)?[A-Z]\w+|[在去到]\w")
_NUMBER = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several)\b"
    r"|[两三四五六七八九十几]",
    re.IGNORECASE,
)
_YOU = re.compile(r"\byou(?:r|rs)?\b|[你您]", re.IGNORECASE)
_SHORT = 25
_UNSPOKEN = np.nan


def marks_of(messages: Sequence[Message], texts: Sequence[str]) -> NDArray[np.float32]:
    """One row a message, one column a mark; ``texts`` are the messages with their captions."""
    rows = np.zeros((len(messages), len(MARKS)), dtype=np.float32)
    for i, (message, text) in enumerate(zip(messages, texts, strict=True)):
        before = messages[i - 1] if i else None
        rows[i] = (
            bool(_FIRST_PERSON.search(message.text)),
            bool(_QUESTION.search(message.text)),
            message.text.rstrip().endswith(("?", "？")),
            np.log1p(len(text)),
            has_time(text),
            before is not None
            and before.sender != message.sender
            and bool(_QUESTION.search(before.text)),
            bool(_CAPITALISED.search(text)),
            bool(_PLACE.search(text)),
            bool(_NUMBER.search(text)),
            bool(_YOU.search(text)),
            len(message.text) < _SHORT,
        )
    return rows


def spoken_days(messages: Sequence[Message], timed: Sequence[bool]) -> NDArray[np.float32]:
    """First and last day (ordinals) of the first time a message speaks of, NaN where it has none.

    Shape (messages, 2); only the ``timed`` ones are read. Days are those of the message's own
    offset, so "yesterday" of 8 May is 7 May whenever it is asked for.
    """
    rows = np.full((len(messages), 2), _UNSPOKEN, dtype=np.float32)
    for i, (message, is_timed) in enumerate(zip(messages, timed, strict=True)):
        spoken = days_spoken_of(message.text, message.sent_at) if is_timed else ()
        if spoken:
            rows[i] = spoken[0].first.toordinal(), spoken[0].last.toordinal()
    return rows
