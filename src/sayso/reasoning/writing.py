"""The text of a reply's ``answer`` field, while the reply is still being written."""

import re
from collections.abc import Callable
from typing import Any

from sayso.reasoning.replies import without_thinking


class Writing:
    """Hears a reply grow and gives back what its ``answer`` field has gained.

    Reading the whole text anew at each piece would be quadratic: it is read again once it has
    grown by a fiftieth. ``parse`` reads unfinished JSON.
    """

    def __init__(self, parse: Callable[[str], Any], name: str = "answer") -> None:
        self._parse, self._name = parse, name
        self._text = self._told = ""
        self._next = 0

    def hear(self, piece: str, *, last: bool = False) -> str:
        """What there is to tell now; "" while there is nothing, or what was told is taken back."""
        self._text += piece
        if len(self._text) < self._next and not last:
            return ""
        self._next = len(self._text) + max(8, len(self._text) // 50)
        body = without_thinking(self._text)
        start = body.find("{")
        try:
            value = self._parse(body[start:]) if start >= 0 else None
        except (ValueError, RecursionError):
            return ""
        answer = value.get(self._name) if isinstance(value, dict) else None
        # Half of an astral character waits for its other half.
        answer = re.sub("[\ud800-\udfff]$", "", answer) if isinstance(answer, str) else ""
        if not answer.startswith(self._told):
            return ""
        gained, self._told = answer[len(self._told) :], answer
        return gained
