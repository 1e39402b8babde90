"""What a question's own words say about the message that would answer it."""

import re

_WHO = re.compile(r"\b(?:who|whose|whom|which|what|where)\b|谁|哪|什么", re.IGNORECASE)
_WHERE = re.compile(
    r"\bwhere\b|\b(?:which|what) (?:city|cities|country|countries|place|places|state|states)\b|哪里|哪儿|在哪",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow (?:many|much|old|long|often)\b|多少|几", re.IGNORECASE)


def asks_name(question: str) -> bool:
    """Whether a name of somebody or something could be the answer."""
    return bool(_WHO.search(question))


def asks_where(question: str) -> bool:
    """Whether a place is asked for."""
    return bool(_WHERE.search(question))


def asks_number(question: str) -> bool:
    """Whether a number is asked for."""
    return bool(_HOW_MANY.search(question))
