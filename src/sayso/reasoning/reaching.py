"""Days that reach to an end of the chat: "since May", "before Easter"."""

import re
from dataclasses import replace
from datetime import timedelta

from sayso.core.days import DayRange
from sayso.core.time_expressions import TimeMention

# "Shortly after Easter" is at Easter.
_NEAR = r"(?<!right )(?<!just )(?<!soon )(?<!shortly )(?<!immediately )(?<!day )"
_SINCE = re.compile(r"\bsince\s+(?:the\s+)?$", re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till)\s+(?:the\s+)?$", re.IGNORECASE)
_AFTER = re.compile(rf"{_NEAR}\bafter\s+(?:the\s+)?$", re.IGNORECASE)
_BEFORE = re.compile(rf"{_NEAR}\bbefore\s+(?:the\s+)?$", re.IGNORECASE)
# In Chinese the word stands behind.
_SINCE_HAN = re.compile("以[来來]")
_AFTER_HAN = re.compile("[以之][后後]")
_BEFORE_HAN = re.compile("[以之]前")


def reaching(question: str, mention: TimeMention, days: DayRange, chat: DayRange) -> DayRange:
    """The ``days`` of a mention, drawn out to the end or the start of the ``chat`` where words say so.

    "Since" and "until" include the days, "after" and "before" do not; unchanged where nothing
    of the chat would be left.
    """
    before, after = question[: mention.start], question[mention.end :]
    if _SINCE.search(before) or _SINCE_HAN.match(after):
        return replace(days, last=max(days.last, chat.last))
    if _UNTIL.search(before):
        return replace(days, first=min(days.first, chat.first))
    if (_AFTER.search(before) or _AFTER_HAN.match(after)) and days.last < chat.last:
        return DayRange(days.last + timedelta(days=1), chat.last)
    if (_BEFORE.search(before) or _BEFORE_HAN.match(after)) and days.first > chat.first:
        return DayRange(chat.first, days.first - timedelta(days=1))
    return days
