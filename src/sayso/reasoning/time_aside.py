"""A question without the time that it is limited to: "How many photos did Ana send in March?"."""

import re

from sayso.core.time_expressions import TimeMention, find_times

_AROUND = re.compile(
    r"\b(?P<word>in|on|during|over|since|after|before|until|till|at|around|from|of|by)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_AT_AN_END = frozenset({"since", "after", "before", "until", "till"})
_HAN_BESIDE = re.compile(r"[在从自到]\s*$")
_HAN_BEHIND = re.compile(r"^(?:里面?|份|期间|的时候|[以之][前后来]|[，,])")
_HAN = re.compile(r"[\u3400-\u9fff]")


def without_time(text: str) -> str | None:
    """What is left of a question whose only time stands aside of it, at its end or before a comma.

    None where it names no time, or several, or where the time is part of what is asked for.
    "When …" asks for a time itself: "the trip in March" is a topic there.
    """
    times = find_times(text)
    if len(times) != 1:
        return None
    time = times[0]
    before, after = text[: time.start], text[time.end :]
    if _HAN.search(text):
        before, after = _HAN_BESIDE.sub("", before), _HAN_BEHIND.sub("", after)
        return before + after
    around = _AROUND.search(before)
    if not _stands_aside(time, around["word"].lower() if around else "", text):
        return None
    before = before[: around.start()] if around else before
    if not after.strip(" ?!."):
        return before.strip()
    if not before.strip() and after.lstrip().startswith(","):
        return after.lstrip(" ,")
    return None


def _stands_aside(time: TimeMention, preposition: str, text: str) -> bool:
    if preposition in _AT_AN_END or (time.kind == "relative" and not preposition):
        return True
    return bool(preposition) and not text.lower().startswith("when")
