"""Evidence metrics: the localIds that an answer cites against those that were expected.

Both sides are sets: order and duplicates change nothing.
"""

from bisect import bisect_left
from collections.abc import Iterable


def evidence_recall(returned: Iterable[int], expected: Iterable[int]) -> float:
    """Share of the expected ids that were returned, in [0, 1]; 1.0 when nothing is expected."""
    wanted = set(expected)
    return len(wanted.intersection(returned)) / len(wanted) if wanted else 1.0


def evidence_precision(returned: Iterable[int], expected: Iterable[int]) -> float:
    """Share of the returned ids that were expected, in [0, 1]; 0.0 when nothing is returned."""
    given = set(returned)
    return len(given.intersection(expected)) / len(given) if given else 0.0


def evidence_f1(returned: Iterable[int], expected: Iterable[int]) -> float:
    """Harmonic mean of evidence precision and recall, in [0, 1]; 0.0 when no id is shared."""
    given, wanted = set(returned), set(expected)
    both = len(given) + len(wanted)
    return 2 * len(given & wanted) / both if both else 0.0


def fuzzy_recall(returned: Iterable[int], expected: Iterable[int], *, window: int = 3) -> float:
    """Share of the expected ids with a returned id at most ``window`` away, in [0, 1].

    Distance is between the localId numbers. One returned id may serve several expected ones;
    1.0 when nothing is expected. Raises ValueError for a negative window.
    """
    if window < 0:
        raise ValueError(f"a window is 0 or more ids wide, not {window}")
    wanted, given = set(expected), sorted(set(returned))

    def near(local_id: int) -> bool:
        at = bisect_left(given, local_id - window)
        return at < len(given) and given[at] <= local_id + window

    return sum(map(near, wanted)) / len(wanted) if wanted else 1.0


def all_hit(returned: Iterable[int], expected: Iterable[int]) -> float:
    """1.0 when every expected id was returned (also when none is expected), else 0.0."""
    return float(set(expected).issubset(returned))
