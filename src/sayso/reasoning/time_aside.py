"""A question without the time that it is limited to: "How many photos did Ana send in March?"."""

import re

from sayso.core.time_expressions import TimeMention, find_times

_AROUND = re.compile(
    r"\b(?P<word>in|on|during|over|since|after|before|until|till|at|around|from|of|by"
    r"|between)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_AT_AN_END = frozenset({"since", "after", "before", "until", "till"})
# "By 20 February" and "from 20 February" reach further than that day; of a stretch both ends are told.
_STRETCH = re.compile(r"\b(?:to|until|till|through)\b|[-–—到至]", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:and|to)\b|&", re.IGNORECASE)
_LEFT_OUT = re.compile(
    r"\b(?:not|never|except|excluding|but|outside|besides|as|or|and)\s*$", re.IGNORECASE
)
_HAN_BESIDE = re.compile(r"(?P<word>[在从自])\s*$")
_HAN_BEHIND = re.compile(r"^(?:里面?|份|期间|的时候|[以之][前后後来來]|[，,])")
_HAN_SINCE = re.compile(r"^[以之][后後来來]")
_HAN_LEFT_OUT = re.compile(r"(?:[到至了于非外或和与跟及]|除|截止)\s*$")
_HAN_REACHES = re.compile(r"^(?:[起止后後前内外到至或和与跟及、左]|为止|開始|开始)")
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
        return _without_han(time, before, after)
    around = _AROUND.search(before)
    if not _stands_aside(time, around["word"].lower() if around else "", text):
        return None
    before = before[: around.start()] if around else before
    if _LEFT_OUT.search(before):
        return None
    if not after.strip(" ?!."):
        return before.strip()
    if not before.strip() and after.lstrip().startswith(","):
        return after.lstrip(" ,")
    return None


def _without_han(time: TimeMention, before: str, after: str) -> str | None:
    """What stands around a time in Chinese; None where it reaches further than its words tell."""
    beside = _HAN_BESIDE.search(before)
    told = _STRETCH.search(time.text) or _HAN_SINCE.match(after)
    if beside and beside["word"] != "在" and not told:
        return None
    before, after = _HAN_BESIDE.sub("", before), _HAN_BEHIND.sub("", after)
    if _HAN_LEFT_OUT.search(before) or _HAN_REACHES.match(after):
        return None
    return before + after


def _stands_aside(time: TimeMention, preposition: str, text: str) -> bool:
    if preposition in _AT_AN_END or (time.kind == "relative" and not preposition):
        return True
    if preposition == "by" or (preposition == "from" and not _STRETCH.search(time.text)):
        return False
    if preposition == "between" and not _BETWEEN.search(time.text):
        return False
    return bool(preposition) and not text.lower().startswith("when")
