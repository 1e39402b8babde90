"""Which lines that look like a message's beginning are one, judged by the file's whole time line.

People paste lines out of other chats: such a line is text of the message before it. Times are in
seconds; there may be more of them than fits into memory.
"""

from dataclasses import dataclass, field
from pathlib import Path

from sayso.chats.importers.numbers_on_disk import Numbers

NOBODY = -1  # in place of a sender's number
# A message may arrive late and stand among later ones; a pasted line is older, or a stranger's.
ABSURD = 24 * 3600
ODD = 2 * 3600
_MOST = 3  # at most a third of the lines may be pasted; more is a file put together from several


@dataclass
class Marks:
    """Some positions, by a bit each; ``first`` is the lowest that was added."""

    count: int = 0
    first: int = 0
    _bits: bytearray = field(default_factory=bytearray)

    def add(self, at: int) -> None:
        """One position that is not there yet."""
        byte = at >> 3
        if byte >= len(self._bits):
            self._bits.extend(bytes(byte + 1 - len(self._bits)))
        self._bits[byte] |= 1 << (at & 7)
        self.first = at if not self.count else min(self.first, at)
        self.count += 1

    def __contains__(self, at: int) -> bool:
        byte = at >> 3
        return byte < len(self._bits) and bool(self._bits[byte] >> (at & 7) & 1)


NOTHING = Marks()


def backward_steps(walls: Numbers) -> Marks:
    """Positions of the times that are more than a day before the one in front of them."""
    found, before = Marks(), None
    for at, wall in enumerate(walls):
        if before is not None and before - wall > ABSURD:
            found.add(at)
        before = wall
    return found


def pasted(walls: Numbers, senders: Numbers, folder: Path | None) -> Marks:
    """Positions that are out of order beyond what phones do, or none where too many are.

    The longest run of times that never goes back is in order, beginning with the first line, which
    no one can have pasted. Off it, a time counts as pasted when it is more than a day away from its
    place, or more than two hours and from a sender who never speaks in order.
    """
    ordered = _longest_rising(walls, folder)
    known = {senders[at] for at in range(len(walls)) if at in ordered}
    found = Marks()
    before = walls[0]
    after = 0  # where the next time stands that is in order
    for at, wall in enumerate(walls):
        if at in ordered:
            before = wall
            continue
        after = max(after, at)
        while after < len(walls) and after not in ordered:
            after += 1
        beyond = wall - walls[after] if after < len(walls) else -ABSURD
        away = max(before - wall, beyond)
        stranger = senders[at] != NOBODY and senders[at] not in known
        if away > ABSURD or (away > ODD and stranger):
            found.add(at)
    return found if found.count * _MOST <= len(walls) else NOTHING


def _longest_rising(walls: Numbers, folder: Path | None) -> Marks:
    """Positions of a longest subsequence that never goes back and begins at position 0."""
    chosen = Marks()
    # The smallest last time of a run of each length, where that is, and what comes before each time.
    with Numbers(folder) as tails, Numbers(folder) as ends, Numbers(folder) as parents:
        first = walls[0]
        for at, wall in enumerate(walls):
            if wall < first:
                parents.append(-1)
                continue
            length = _runs_up_to(tails, wall)
            parents.append(ends[length - 1] if length else -1)
            if length == len(tails):
                tails.append(wall)
                ends.append(at)
            else:
                tails[length], ends[length] = wall, at
        at = ends[len(ends) - 1]
        while at >= 0:
            chosen.add(at)
            at = parents[at]
    return chosen


def _runs_up_to(tails: Numbers, wall: int) -> int:
    """How many of the rising times are not later, as ``bisect_right`` tells."""
    high = len(tails)
    if not high or tails[high - 1] <= wall:
        return high
    # Most that are late are late by little.
    step = 1
    while step < high and tails[high - 1 - step] > wall:
        high, step = high - step, step * 2
    low = max(0, high - 1 - step)
    while low < high:
        middle = (low + high) // 2
        if tails[middle] <= wall:
            low = middle + 1
        else:
            high = middle
    return low
