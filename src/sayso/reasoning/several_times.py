"""Several times in one question, read together: "recently in May 2022", "spring break of 2024"."""

import re
from collections.abc import Sequence

from sayso.core.days import DayRange
from sayso.core.time_expressions import TimeMention

Read = tuple[TimeMention, list[DayRange]]
# What stands before the second of two times that are each meant: "from Easter to the next spring".
_AND = re.compile(
    r"(?:\b(?:and|or|to|until|till|through|into|with|than|by)|[-–—/&]|,|[和与跟或到至])\s*"
    r"(?:again\s+)?(?:(?:in|on|by|the|since|during)\s+)*$",
    re.IGNORECASE,
)


def together(question: str, read: Sequence[Read]) -> list[Read]:
    """The times that a question speaks of, each with what it can mean, without what others rule out.

    Where one tells the other more closely ("Christmas this year"), what both mean. Words that count from
    today ("recently", "last Friday") say nothing of their own beside a time that does not: who asks
    with both counts from that time. Times that are each meant stay, as do words that mean no days.
    """
    placed = any(found and mention.kind != "relative" for mention, found in read)
    kept: list[Read] = []
    for mention, ranges in read:
        if _AND.search(question[: mention.start]):
            kept.append((mention, ranges))
            continue
        others = [r for other, found in read if other is not mention for r in found]
        met = sorted({both for one in ranges for r in others if (both := _both(one, r))})
        if met or mention.kind != "relative" or not placed:
            kept.append((mention, met or ranges))
    return kept


def _both(one: DayRange, other: DayRange) -> DayRange | None:
    """The days of both."""
    if not one.meets(other):
        return None
    return DayRange(max(one.first, other.first), min(one.last, other.last))
