"""Times that people speak of: where in a text, and which days are meant.

A message speaks from the day it was sent (``resolve``), a question from the span of its chat
(``resolve_on_timeline``); nothing is ever read against today. English and Chinese, and
the commonest words of Spanish, German and French. Weeks run from Monday, seasons are northern
and meteorological, an exact "two weeks ago" is that day and three on each side.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property, lru_cache

from sayso.core.days import DayRange
from sayso.core.time_beside import Found
from sayso.core.time_finding import found_in
from sayso.core.time_leaning import Sentence
from sayso.core.time_meanings import Kind, Lean, Meaning

__all__ = [
    "DayRange",
    "TimeMention",
    "days_spoken_of",
    "find_times",
    "has_time",
    "resolve",
    "resolve_on_timeline",
]

_SENTENCE_END = re.compile(r"[.!?\n。！？]+(?:\s|$)|[。！？\n]")
_STOPS = frozenset(".!?\n。！？")


@dataclass(frozen=True)
class TimeMention:
    """Words of time in a text: ``text`` is what stands at ``[start, end)``, in code points.

    Kinds: "date" (a day with its year), "partial" (month, day and month, year, weekday, season,
    holiday), "relative", "duration", "frequency", "clock". ``lean`` tells whether its sentence
    speaks of the past or of the future, "" where that is open.
    """

    start: int
    end: int
    text: str
    kind: Kind
    meaning: Meaning
    lean: Lean = ""


# One question looks at one message several times.
@lru_cache(maxsize=64)
def find_times(text: str) -> tuple[TimeMention, ...]:
    """The mentions in order, without overlaps, the longest where several are possible.

    What belongs together is one mention ("next Friday at 7pm", "May 3 to May 5").
    Prepositions belong to durations and clock times ("for 10 years", "at 5"), not to dates.
    """
    sentences = _Sentences(text)
    return tuple(_mention(text, found, sentences) for found in found_in(text))


def has_time(text: str) -> bool:
    """Whether :func:`find_times` finds anything."""
    return bool(found_in(text))


def resolve(mention: TimeMention, said_at: datetime) -> DayRange | None:
    """The days that a mention in a message means, said at that (aware) time in the chat's zone.

    What recurs ("in March", "Friday") is the occurrence nearest to the message, of two as near
    the earlier, within what its sentence leans to. None for durations, frequencies, bare clock
    times, what hangs on something told before ("the next day"), days that do not exist, and a
    numeric date of two readings unless only one of them is within a month.
    """
    try:
        return mention.meaning.near(said_at, mention.lean)
    except (ValueError, OverflowError):
        # Beyond the calendar: "9999 years ago".
        return None


def resolve_on_timeline(
    mention: TimeMention, first_day: date, last_day: date
) -> tuple[DayRange, ...]:
    """The days that a mention in a question means, about a chat from ``first_day`` to ``last_day``.

    In order of time. What recurs ("in January", "Christmas", "on the 2nd") is every occurrence
    that meets the chat; with a year it is that one, met or not. Relative words count from the
    last day. Empty for a bare weekday (too vague) and wherever :func:`resolve` has None.
    ValueError when the days are reversed.
    """
    chat = DayRange(first_day, last_day)
    try:
        return mention.meaning.within(chat)
    except (ValueError, OverflowError):
        return ()


def days_spoken_of(text: str, said_at: datetime) -> tuple[DayRange, ...]:
    """What the mentions of a message resolve to, in their order, without those that do not."""
    resolved = (resolve(mention, said_at) for mention in find_times(text))
    return tuple(days for days in resolved if days)


def _mention(text: str, found: Found, sentences: "_Sentences") -> TimeMention:
    return TimeMention(
        found.start,
        found.end,
        text[found.start : found.end],
        found.meaning.kind,
        found.meaning,
        sentences.lean(found) if found.meaning.kind == "partial" else "",
    )


class _Sentences:
    """The sentences of a text, found once: a message may hold thousands of mentions."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[tuple[int, int], Sentence] = {}

    def lean(self, found: Found) -> Lean:
        """What the sentence around the mention leans to."""
        start, end = around = self._around(found)
        if around not in self._known:
            self._known[around] = Sentence(self._text[start:end])
        return self._known[around].lean(found.start - start, found.end - start, found.meaning)

    def _around(self, found: Found) -> tuple[int, int]:
        starts, ends = self._breaks
        before = bisect_right(ends, found.start)
        start = ends[before - 1] if before else 0
        if self._text[max(0, found.start - 1) : found.start] in _STOPS:
            start = found.start  # "Done.Friday then"
        after = bisect_left(starts, found.end)
        return start, starts[after] if after < len(starts) else len(self._text)

    @cached_property
    def _breaks(self) -> tuple[list[int], list[int]]:
        """Where the ends of sentences begin and end, in order."""
        found = list(_SENTENCE_END.finditer(self._text))
        return [m.start() for m in found], [m.end() for m in found]
