"""The mark of a message that is shown because all are, and not because something speaks for it."""

from collections.abc import Iterable

from sayso.core.models import Candidate, Graded

UNKNOWN = 0.5  # the relevance of a message that nobody has graded
_MARK = "whole"


def marked(candidate: Candidate) -> Candidate:
    """The candidate with the mark."""
    return candidate.model_copy(update={"why": {**candidate.why, _MARK: 1.0}})


def is_whole(graded: Iterable[Graded]) -> bool:
    """Whether these are all messages of a chat."""
    first = next(iter(graded), None)
    return first is not None and _MARK in first.candidate.why
