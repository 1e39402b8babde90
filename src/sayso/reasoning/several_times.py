"""Two times in one question, read together: "recently in May 2022", "this year at Easter"."""

import re
from collections.abc import Callable, Sequence

from sayso.core.days import DayRange
from sayso.core.time_expressions import TimeMention

Read = tuple[TimeMention, list[DayRange]]
# Whatever else is asked, these add nothing to a time that does not count from today.
_LOOSE = frozenset({"recently", "lately", "recientemente", "neulich", "récemment", "最近"})
# What stands between two times of which one tells the other more closely: "last Friday on 23 January".
_CLOSELY = re.compile(
    r"[\s,]*(?:as\s+(?:\w+\s+){0,2}(?:mentioned|said|told|discussed|stated|reported|written|noted)\s+)?"
    r"(?:(?:on|in|at|of)\s+)?(?:the\s+)?",
    re.IGNORECASE,
)
# Two times that are each meant, or one that is spoken of at the other.
_EACH = (
    r"(?:\b(?:and|or|but|not|than|vs\.?|versus|with|to|until|till|through|about|for|regarding|besides"
    r"|und|oder|aber|bis|als|über|für|et|ou|mais|que|pour|sur|y|o|hasta|para|sobre)\b"
    r"|[-–—/&;、和与與跟或到至比]|以及|或者|还是|還是|还有|還有|关于|關於)"
)
_TOO = r"\b(?:and|or|but|not|than|vs\.?|versus|besides|und|oder|als|et|ou|mais|que|y|o)\b"
# After "to" or "with" another word before a time is left of a name that was cut: "lent to Ben on 2 May".
_TIED = re.compile(
    rf"^\W*{_EACH}|(?:{_EACH}|{_TOO}\s+(?:in|on|by|since|during|im|am|en))\s*(?:(?:the|el|la|le)\s+)*$"
    rf"|[?;？；]|{_EACH}.*\b(?:what|when|where|who|how|which|why|did|does|was|were|is|are)\b",
    re.IGNORECASE | re.DOTALL,
)


def together(
    question: str, read: Sequence[Read], written: Callable[[DayRange], bool]
) -> list[Read]:
    """The times that a question speaks of, each with what it can mean, two of them read together.

    Where one tells the other more closely ("Christmas this year"), what both mean. Beside a time that
    does not count from today and on which somebody wrote (``written``), "recently" says nothing, nor
    does "last Friday" right before it: who asks so counts from that time. All else stays.
    """
    told = [one for one in read if one[1]]
    if len(told) != 2:
        return list(read)
    (first, _), (second, _) = told
    between = question[first.end : second.start]
    closely = _CLOSELY.fullmatch(between) is not None
    relative, placed = sorted(told, key=lambda one: one[0].kind != "relative")
    if closely and (met := _met(relative[1], placed[1])):
        return [(placed[0], met) if one is placed else one for one in read if one is not relative]
    if relative[0].kind != "relative" or placed[0].kind == "relative":
        return list(read)
    loose = relative[0].text.casefold() in _LOOSE and not _TIED.search(between)
    before = closely and relative[0] is first
    if (loose or before) and any(written(days) for days in placed[1]):
        return [one for one in read if one is not relative]
    return list(read)


def _met(some: Sequence[DayRange], others: Sequence[DayRange]) -> list[DayRange]:
    """The days that both have."""
    return sorted(
        {
            DayRange(max(one.first, other.first), min(one.last, other.last))
            for one in some
            for other in others
            if one.meets(other)
        }
    )
