"""Which localIds are free."""

from collections.abc import Iterable, Iterator
from itertools import islice

# The largest whole number that every reader of JSON keeps exact.
LARGEST_ID = 2**53


def free_ids(taken: Iterable[int], count: int) -> list[int]:
    """The ``count`` next localIds: those after the largest taken, where they run out the lowest."""
    used = sorted(set(taken))
    return list(islice(next_ids(used[-1] if used else 0, used), count))


def next_ids(largest: int, taken: Iterable[int]) -> Iterator[int]:
    """Free localIds without end: after the largest taken, then the lowest.

    ``taken`` are in ascending order, and looked at where the numbers run out.
    """
    yield from range(largest + 1, LARGEST_ID + 1)
    last = 0
    for number in taken:
        yield from range(last + 1, number)
        last = number
