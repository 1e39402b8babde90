"""What can be told of a message by looking at it, once, at index time."""

import re
from collections.abc import Sequence
from datetime import tzinfo
from math import log1p

import numpy as np
from numpy.typing import NDArray

from sayso.core.chat import Message
from sayso.core.time_expressions import days_spoken_of, has_time

MARKS = (
    "first_person", "asks", "ends_asking", "log_length", "has_time", "answers_other",
    "names_something", "names_place", "counts", "says_you", "short",
)  # fmt: skip

_WORD = re.compile(r"\w+")
_FIRST_PERSON = frozenset({"i", "im", "my", "me", "mine", "we", "our", "us", "myself"})
_FIRST_PERSON_ZH = re.compile(r"[我咱]")
_QUESTION = re.compile(r"[?？]")
_CAPITALISED = re.compile(r"(?<![.!?\n]\s)(?<!^)\b[A-Z][a-z]{2,}")
_PLACE = re.compile(r"\b(?:in|at|to|from|near|around)\s+(?:the\s+)?[A-Z]\w+|[在去到]\w")
_NUMBER = frozenset(
    {
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "once", "twice", "couple", "few", "several",
    }
)  # fmt: skip
_NUMBER_ZH = re.compile(r"[两三四五六七八九十几]")
_YOU = frozenset({"you", "your", "yours"})
_YOU_ZH = re.compile(r"[你您]")
_SHORT = 25
_UNSPOKEN = np.nan


def marks_of(messages: Sequence[Message], texts: Sequence[str]) -> NDArray[np.float32]:
    """One row a message, one column a mark; ``texts`` are the messages with their captions."""
    rows: list[tuple[float, ...]] = []
    for i, (message, text) in enumerate(zip(messages, texts, strict=True)):
        before = messages[i - 1] if i else None
        # Words in a set once, not a pattern for each table: these are read of every message.
        words = frozenset(_WORD.findall(text.lower()))
        said = words if text is message.text else frozenset(_WORD.findall(message.text.lower()))
        rows.append(
            (
                not said.isdisjoint(_FIRST_PERSON) or bool(_FIRST_PERSON_ZH.search(message.text)),
                bool(_QUESTION.search(message.text)),
                message.text.rstrip().endswith(("?", "？")),
                log1p(len(text)),
                has_time(text),
                before is not None
                and before.sender != message.sender
                and bool(_QUESTION.search(before.text)),
                bool(_CAPITALISED.search(text)),
                bool(_PLACE.search(text)),
                not words.isdisjoint(_NUMBER)
                or any(map(str.isdecimal, words))
                or bool(_NUMBER_ZH.search(text)),
                not words.isdisjoint(_YOU) or bool(_YOU_ZH.search(text)),
                len(message.text) < _SHORT,
            )
        )
    return np.asarray(rows, dtype=np.float32).reshape(len(messages), len(MARKS))


def spoken_days(
    messages: Sequence[Message], timed: Sequence[bool], zone: tzinfo
) -> NDArray[np.float32]:
    """First and last day (ordinals) of the first time a message speaks of, NaN where it has none.

    Shape (messages, 2); only the ``timed`` ones are read. Days are those of the chat's zone,
    so "yesterday" of 8 May is 7 May whenever and wherever it is asked for.
    """
    rows = np.full((len(messages), 2), _UNSPOKEN, dtype=np.float32)
    for i, (message, is_timed) in enumerate(zip(messages, timed, strict=True)):
        spoken = days_spoken_of(message.text, message.sent_at.astimezone(zone)) if is_timed else ()
        if spoken:
            rows[i] = spoken[0].first.toordinal(), spoken[0].last.toordinal()
    return rows
