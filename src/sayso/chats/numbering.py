"""Which localIds are free."""

from collections.abc import Iterable

# The largest whole number that every reader of JSON keeps exact.
LARGEST_ID = 2**53


def free_ids(taken: Iterable[int], count: int) -> list[int]:
    """The ``count`` next localIds: those after the largest taken, where they run out the lowest."""
    used = set(taken)
    first = max(used, default=0) + 1
    after = list(range(first, min(first + count, LARGEST_ID + 1)))
    lowest = (n for n in range(1, LARGEST_ID) if n not in used)
    return after + [next(lowest) for _ in range(count - len(after))]
