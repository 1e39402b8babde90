"""What a question tells while it is being answered: steps that begin and end, words, notices."""

from collections.abc import Callable
from typing import Literal

from sayso.core.trail import StepRecord
from sayso.core.value import Value


class StepStarted(Value):
    """A step of a mode begins."""

    event: Literal["started"] = "started"
    step: str


class StepEnded(Value):
    """A step has ended; its record says what it changed."""

    event: Literal["ended"] = "ended"
    step: str
    record: StepRecord


class Words(Value):
    """The next piece of the answer, as a model writes it. Its citations are not checked yet."""

    event: Literal["words"] = "words"
    step: str
    text: str


class Notice(Value):
    """Something a person who waits would want to know: a retry, a fallback, a cut."""

    event: Literal["notice"] = "notice"
    step: str
    text: str


Event = StepStarted | StepEnded | Words | Notice
Listener = Callable[[Event], None]


def unheard(event: Event) -> None:
    """The listener where nobody listens."""
