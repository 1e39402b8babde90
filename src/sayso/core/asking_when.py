"""Whether a question asks for a time."""

import re

from sayso.core.simplified import simplified

# "when" asks where no other question word stands before it in its sentence ("Do you know when …?");
# in "How did she feel when …" it does not, unless it is joined on ("What was it, and when?").
WHEN_ASKED = re.compile(
    r"(?:^|[.!?;])(?:(?!\b(?:what|which|who|whom|whose|where|why|how)\b)[^.!?;])*?\bwhen\b"
    r"|(?:,|\band|\bor)\s+when\b"
    r"|\b(?:what|which) (?:date|day|month|year|time|week)\b|\bhow long\b"
    r"|(?:^|[.!?¿,;]\s*|\b(?:ab|bis|seit|desde|hasta|depuis) )(?:wann|cuándo|quand est-ce)\b|¿cuando\b"
    r"|什么时候|哪天|哪一天|几号|几点|几月|哪年|何时|多久",
    re.IGNORECASE,
)
_READ = 400  # characters; the pattern looks ahead, and a question is short


def asks_when(question: str) -> bool:
    """Whether a day, a time or a length of time is asked for; of a long question, its start."""
    return bool(WHEN_ASKED.search(simplified(question[:_READ])))
