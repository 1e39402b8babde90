"""How texts lie in one pass through the model: one after the other, each looking at itself alone.

In the last layer parts of them are read: tokens that look at some others, each text at itself again, or its
words at what stands around it, too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
_NONE: Places = np.zeros(0, dtype=np.int64)


class Part(NamedTuple):
    """Places of tokens: of those that are read, and of those that these look at."""

    read: Places
    seen: Places


class Pass:
    """At least one text, each the ids of its tokens with a mark at either end, and the places of these."""

    def __init__(self, texts: Sequence[Sequence[int] | Places]) -> None:
        self._texts = texts
        self._lengths = np.asarray([len(ids) for ids in texts], dtype=np.int64)
        self._begins = np.cumsum(self._lengths) - self._lengths

    def alone(self, text: int) -> Part:
        """A text, marks and all, that looks at itself."""
        return Part(self._whole(text), self._whole(text))

    def among(
        self, before: Sequence[int], text: int, after: Sequence[int], *, own: int, beside: int
    ) -> Part:
        """A text's first words, at most ``own``, which look at all of it and at the nearest words of those
        before and after, ``beside`` on either side.
        """
        left = np.concatenate([_NONE, *(self._words(one) for one in before)])
        right = np.concatenate([_NONE, *(self._words(one) for one in after)])
        seen = [left[max(0, len(left) - beside) :], self._whole(text), right[:beside]]
        return Part(self._words(text)[:own], np.concatenate(seen))

    def given(self, parts: Sequence[Part] | None = None) -> dict[str, Places]:
        """What the model is given: see :func:`sayso.retrieval.int8_model.graph_session`.

        ``parts``, at least one, are what the last layer reads; None for a graph that reads all.
        """
        laid = {
            "ids": np.concatenate([np.asarray(ids, dtype=np.int64) for ids in self._texts])[None],
            "at": np.concatenate([np.arange(length) for length in self._lengths])[None],
            "lengths": self._lengths,
        }
        if parts is None:
            return laid
        return {
            **laid,
            "read": np.concatenate([part.read for part in parts]),
            "reads": np.asarray([len(part.read) for part in parts], dtype=np.int64),
            "seen": np.concatenate([part.seen for part in parts]),
            "sees": np.asarray([len(part.seen) for part in parts], dtype=np.int64),
        }

    def _whole(self, text: int) -> Places:
        begin = self._begins[text]
        return np.arange(begin, begin + self._lengths[text])

    def _words(self, text: int) -> Places:
        return self._whole(text)[1:-1]
