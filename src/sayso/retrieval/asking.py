"""What a question's own words say about the message that would answer it."""

import re

_AUXILIARY = r"(?:did|does|do|is|are|was|were|has|have|had|will|would|can|could|should|might|may)"
_ASKING = re.compile(
    r"^(?:(?:in|on|at|for|to|from|with|by|of|about|since|until)\s+)?"
    r"(?:what|which|who|whom|whose|where|when|why|how)"
    r"(?:\s+(?:many|much|long|often|old|(?:kinds?|types?|sorts?)\s+of|time|date|day|month|year))?\s*",
    re.IGNORECASE,
)
_LEADING_AUXILIARY = re.compile(rf"^(?:{_AUXILIARY}(?:n['’]t)?\b|['’]s)\s*", re.IGNORECASE)
_THEIR = re.compile(r"\b(?:his|her|their)\b", re.IGNORECASE)
_THEMSELVES = re.compile(r"\b(?:himself|herself|themselves)\b", re.IGNORECASE)

_WHO = re.compile(r"\b(?:who|whose|whom|which|what|where)\b|谁|哪|什么", re.IGNORECASE)
_WHERE = re.compile(
    r"\bwhere\b|\b(?:which|what) (?:city|cities|country|countries|place|places|state|states)\b|哪里|哪儿|在哪",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow (?:many|much|old|long|often)\b|多少|几", re.IGNORECASE)


def statement(question: str) -> str:
    """The question turned towards its answer: "Where did go with his family?" → "I go with my family".

    A rough turn, for embedding only; a question it cannot turn stays as it is.
    """
    rest = question.strip().rstrip("?？").strip()
    rest = _LEADING_AUXILIARY.sub("", _ASKING.sub("", rest))
    rest = _THEMSELVES.sub("myself", _THEIR.sub("my", rest))
    return f"I {rest}" if rest else question


def asks_name(question: str) -> bool:
    """Whether a name of somebody or something could be the answer."""
    return bool(_WHO.search(question))


def asks_where(question: str) -> bool:
    """Whether a place is asked for."""
    return bool(_WHERE.search(question))


def asks_number(question: str) -> bool:
    """Whether a number is asked for."""
    return bool(_HOW_MANY.search(question))
