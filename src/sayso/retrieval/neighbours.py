"""Which messages stand beside each other: a neighbourhood ends with its session.

A session is a run of messages. What follows from the runs alone is worked out once and kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]

WINDOW = (-2, -1, 0, 1, 2)
PAIR = (-1, 0)
NEXT = (0, 1)


@dataclass(frozen=True)
class Sessions:
    """The session of each message, numbered from 0, in message order."""

    number: Ints

    @property
    def size(self) -> int:
        """How many messages."""
        return len(self.number)

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """The first message of each session."""
        return np.flatnonzero(np.diff(self.number, prepend=-1))

    @cached_property
    def _together(self) -> dict[int, Floats]:
        # As numbers: a product with them is several times faster than one with booleans.
        of = self.number
        return {
            1: (of[1:] == of[:-1]).astype(np.float32),
            2: (of[2:] == of[:-2]).astype(np.float32),
        }

    def shifted(self, values: Floats, offsets: Sequence[int]) -> Floats:
        """Sums over neighbours at the offsets, from −2 to 2; the last axis is message order."""
        total = np.zeros_like(values)
        for offset in offsets:
            if offset == 0:
                total += values
            elif offset > 0:
                total[..., :-offset] += values[..., offset:] * self._together[offset]
            else:
                total[..., -offset:] += values[..., :offset] * self._together[-offset]
        return total

    def beside(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The window of each of the messages ``rows``, and which of it is in the same session.

        Both of shape (window, rows). What lies before the chat or after it is given as one of its
        messages, and is not in the session.
        """
        reach = rows + np.asarray(WINDOW)[:, None]
        near = np.minimum(np.maximum(reach, 0), self.size - 1)
        return near, (near == reach) & (self.number[near] == self.number[rows])
