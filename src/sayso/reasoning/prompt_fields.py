"""What each step fills into its prompt: the variables that a prompt file may and must use."""

from collections.abc import Mapping
from dataclasses import dataclass

from sayso.core.seams import GENERATOR, GRADER, PLANNER, Q1, Q4


@dataclass(frozen=True)
class Field:
    """A variable: what stands in its place, and whether a prompt without it could not work."""

    meaning: str
    needed: bool = False


_QUESTION = Field("the question as it was asked, on one line", needed=True)
_CHAT = Field("people, days and limits of the chat, fenced as data")
_HISTORY = Field("earlier questions and answers of the thread, fenced as data, or 'none'")
_SCHEMA = Field("the JSON schema of the reply, on one line", needed=True)
_MESSAGES = Field("the numbered messages, fenced as data", needed=True)
_MARKER = Field("the code that opens and closes the fence; new for each request", needed=True)

_PLANNING: Mapping[str, Field] = {
    "question": _QUESTION,
    "chat": _CHAT,
    "history": _HISTORY,
    "reading": Field("what rules alone read from the question, fenced as data"),
    "marker": Field(_MARKER.meaning),
    "schema": _SCHEMA,
}
_GRADING: Mapping[str, Field] = {
    "question": _QUESTION,
    "chat": _CHAT,
    "history": _HISTORY,
    "intent": Field("the kind of answer: fact, when, list, count, first, last or arc"),
    "round": Field("how often the question's messages are graded, this time included"),
    "searched": Field("what has been searched for so far, fenced as data"),
    "held": Field("the best messages graded so far, fenced as data, or 'none'"),
    "messages": _MESSAGES,
    "marker": _MARKER,
    "schema": _SCHEMA,
}
_NARRATING: Mapping[str, Field] = {
    "question": _QUESTION,
    "chat": _CHAT,
    "history": _HISTORY,
    "intent": Field("the kind of answer: fact, when, list, count, first, last or arc"),
    "amount": Field("whether the reader wants few or many messages cited, in words"),
    "messages": _MESSAGES,
    "marker": _MARKER,
    "schema": _SCHEMA,
}
NO_MODEL: Mapping[str, Field] = {}

# Every prompt file of a set by its step; those without fields are told in prose, for no model.
FIELDS: Mapping[str, Mapping[str, Field]] = {
    PLANNER.name: _PLANNING,
    GRADER.name: _GRADING,
    GENERATOR.name: _NARRATING,
    Q1.name: _PLANNING,
    "oneshot/q2": NO_MODEL,
    "oneshot/q3": NO_MODEL,
    Q4.name: _NARRATING,
    "oneshot/q5": NO_MODEL,
}
