"""Character spans: half-open ``[start, end)`` in Unicode code points of one document's text."""

from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class SpanRange:
    """A range of characters of one document.

    Raises ValueError for a negative start or an end before the start.
    """

    doc_id: str
    start: int
    end: int

    def __post_init__(self) -> None:
        _check(self.start, self.end)


@dataclass(frozen=True, order=True)
class CharacterSpan:
    """A span of one document, with its text where that is known.

    Raises ValueError for a negative start, an end before the start, or a text whose length
    in code points is not ``end - start``.
    """

    doc_id: str
    start: int
    end: int
    # Left out of comparing: the place says which text it is, and None has no order with a text.
    text: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _check(self.start, self.end)
        if self.text is not None and len(self.text) != self.end - self.start:
            raise ValueError(
                f"span [{self.start}, {self.end}) of {self.doc_id!r} holds "
                f"{self.end - self.start} characters, but its text has {len(self.text)}"
            )


def document_id(chat_id: str, local_id: int) -> str:
    """The name of a message as a document: ``{chatId}#{localId}``."""
    return f"{chat_id}#{local_id}"


def _check(start: int, end: int) -> None:
    if start < 0:
        raise ValueError(f"a span starts at 0 or later, not at {start}")
    if end < start:
        raise ValueError(f"a span ends at its start or later: start {start}, end {end}")
