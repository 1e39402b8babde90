"""Which lines that look like a message's beginning are one, judged by the file's whole time line.

People paste lines out of other chats: such a line is text of the message before it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

# A message may arrive late and stand among later ones; a pasted line is older, or a stranger's.
_ABSURD = timedelta(hours=24)
_ODD = timedelta(hours=2)
_MOST = 3  # at most a third of the lines may be pasted; more is a file put together from several


def backward_steps(walls: Sequence[datetime]) -> list[int]:
    """Positions of the times that are more than a day before the one in front of them."""
    return [i for i in range(1, len(walls)) if walls[i - 1] - walls[i] > _ABSURD]


def pasted(walls: Sequence[datetime], senders: Sequence[str | None]) -> frozenset[int]:
    """Positions that are out of order beyond what phones do, or empty where too many are.

    The longest run of times that never goes back is in order, beginning with the first line, which
    no one can have pasted. Off it, a time counts as pasted when it is more than a day away from its
    place, or more than two hours and from a sender who never speaks in order.
    """
    if all(earlier - later <= _ODD for earlier, later in pairwise(walls)):
        return frozenset()
    ordered = _longest_rising(walls)
    in_order = set(ordered)
    known = {senders[i] for i in ordered}
    found = set()
    place = 0
    for i, wall in enumerate(walls):
        if i in in_order:
            place += 1
            continue
        before = walls[ordered[place - 1]] - wall
        after = wall - walls[ordered[place]] if place < len(ordered) else -_ABSURD
        away = max(before, after)
        stranger = senders[i] is not None and senders[i] not in known
        if away > _ABSURD or (away > _ODD and stranger):
            found.add(i)
    return frozenset(found) if len(found) * _MOST <= len(walls) else frozenset()


def _longest_rising(walls: Sequence[datetime]) -> list[int]:
    """Positions of a longest subsequence that never goes back and begins at position 0."""
    tails: list[datetime] = []  # the smallest last time of a run of each length
    ends: list[int] = []
    parent: list[int] = [-1] * len(walls)
    for i, wall in enumerate(walls):
        if wall < walls[0]:
            continue
        length = bisect_right(tails, wall)
        if length == 0 and i > 0:
            continue
        parent[i] = ends[length - 1] if length else -1
        if length == len(tails):
            tails.append(wall)
            ends.append(i)
        else:
            tails[length], ends[length] = wall, i
    chosen = []
    at = ends[-1]
    while at >= 0:
        chosen.append(at)
        at = parent[at]
    return chosen[::-1]
