"""A development parted where it changes: at silences, and where the talk turns to something new."""

import itertools
import math
from collections.abc import Sequence

from sayso.core.chat import Message
from sayso.reasoning.arc_words import stems, words_of

MOST_PHASES = 5
_FORTNIGHT_HOURS = 14 * 24
_BESIDE = 2  # messages on each side whose words are compared
# Measured on phases that people marked: silence says nearly all, new words add a little.
_NEWNESS = 0.6
_LEAST_CHANGE = 0.78


def parts(messages: Sequence[Message]) -> list[list[Message]]:
    """Messages in order of time, cut at the strongest changes into at most five runs.

    A change grows with the silence before it (a fortnight or more counts in full) and with how few
    words both sides share. Where no change is strong, the strongest alone cuts.
    """
    words = [stems(words_of(m)) for m in messages]
    changes = [
        (_silence(before, after) + _NEWNESS * _newness(words, at), at)
        for at, (before, after) in enumerate(itertools.pairwise(messages), start=1)
    ]
    changes.sort(key=lambda c: (-c[0], c[1]))
    strong = [at for strength, at in changes if strength >= _LEAST_CHANGE]
    cuts = sorted(strong[: MOST_PHASES - 1] or [at for _, at in changes[:1]])
    return [list(messages[a:b]) for a, b in itertools.pairwise([0, *cuts, len(messages)])]


def _silence(before: Message, after: Message) -> float:
    """The time between two messages, in [0, 1], on a log scale."""
    hours = (after.sent_at - before.sent_at).total_seconds() / 3600
    return min(1.0, math.log1p(hours) / math.log1p(_FORTNIGHT_HOURS))


def _newness(words: Sequence[frozenset[str]], at: int) -> float:
    """How few words the messages before and from ``at`` share, in [0, 1] (cosine of the sets)."""
    left = frozenset[str]().union(*words[max(0, at - _BESIDE) : at])
    right = frozenset[str]().union(*words[at : at + _BESIDE])
    if not left or not right:
        return 0.0
    return 1.0 - len(left & right) / math.sqrt(len(left) * len(right))
