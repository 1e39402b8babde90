"""What a message has to do with the time that a question speaks of: when it was sent, what it names."""

from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from sayso.retrieval.index import Surface

_DAY = 86400.0
_NEAR_DAYS = 10.0

Matrix = NDArray[np.float32]


def near(surface: Surface, since: datetime | None, until: datetime | None) -> Matrix:
    """1 within the window that the question speaks of, falling to 0 over ten days outside."""
    if since is None and until is None:
        return np.zeros(len(surface.seconds), dtype=np.float32)
    low = since.timestamp() if since else -np.inf
    high = until.timestamp() if until else np.inf
    seconds = surface.seconds
    outside = np.maximum(np.maximum(low - seconds, seconds - high), 0.0) / _DAY
    inside: Matrix = np.clip(1.0 - outside / _NEAR_DAYS, 0.0, 1.0).astype(np.float32)
    return inside


def spoken(surface: Surface, since: datetime | None, until: datetime | None) -> Matrix:
    """1 where the message speaks of a day within the window, whenever it was sent."""
    if since is None and until is None:
        return np.zeros(len(surface.seconds), dtype=np.float32)
    low = since.date().toordinal() if since else -np.inf
    # The window ends before ``until``: at midnight the day that begins is outside, later it is not.
    high = (until - timedelta.resolution).date().toordinal() if until else np.inf
    first, last = surface.spoken.T
    # NaN compares false: a message that speaks of no day is never inside.
    inside: Matrix = ((first <= high) & (last >= low)).astype(np.float32)
    return inside
