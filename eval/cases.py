"""What a run asks and expects: question cases, arc cases, and each beside its chat.

Files carry camelCase or snake_case keys; an unknown key is an error that names it. An id is a
localId (int) or the platform's own id (string), resolved in :mod:`eval.gold`.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import (
    AwareDatetime,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    field_validator,
    model_validator,
)

from sayso.core.chat import Chat
from sayso.core.value import Value

CaseKind = Literal["qa", "arc"]
Split = Literal["train", "valid", "test"]
Id = StrictInt | StrictStr


class GivenSpan(Value):
    """Characters ``[start, end)`` of one message, named by localId or sourceId.

    ``quote`` are the words that stood there, so that an edit of the message is noticed.
    """

    local_id: StrictInt | None = None
    source_id: StrictStr | None = None
    start: StrictInt
    end: StrictInt
    quote: StrictStr | None = None

    @model_validator(mode="after")
    def _one_name_and_a_range(self) -> "GivenSpan":
        if (self.local_id is None) == (self.source_id is None):
            raise ValueError("a span names its message by localId or by sourceId, one of the two")
        if not 0 <= self.start < self.end:
            raise ValueError(f"a span needs 0 <= start < end, not [{self.start}, {self.end})")
        if self.quote is not None and len(self.quote) != self.end - self.start:
            raise ValueError(
                f"the quote of a span has its length, {self.end - self.start}, not {len(self.quote)}"
            )
        return self

    @property
    def message(self) -> Id:
        """The message's id as the file gives it."""
        return self.source_id if self.local_id is None else self.local_id  # type: ignore[return-value]  # one is set


class QaCase(Value):
    """A question, the messages that answer it and, for some, the characters that do.

    ``asked_at`` is when it was asked, where that matters: "last week" counts from then.
    """

    case_id: StrictStr
    chat: StrictStr
    question: StrictStr
    answer: StrictStr | StrictInt | StrictFloat | StrictBool | None = None
    evidence: tuple[Id, ...] = ()
    spans: tuple[GivenSpan, ...] = ()
    category: StrictStr | None = None
    answerable: StrictBool = True
    split: Split | None = None
    asked_at: AwareDatetime | None = None

    @field_validator("case_id", "chat", "question")
    @classmethod
    def _says_something(cls, text: str) -> str:
        return _written(text)


class ExpectedPhase(Value):
    """One phase of an arc; ``time_range`` is two calendar days, ``first/last``."""

    title: StrictStr
    time_range: StrictStr | None = None
    evidence: tuple[Id, ...] = ()


class ArcCase(Value):
    """A question about a development and its phases; no phases = the right answer is to abstain."""

    case_id: StrictStr
    chat: StrictStr
    question: StrictStr
    phases: tuple[ExpectedPhase, ...]
    category: StrictStr | None = None
    split: Split | None = None
    asked_at: AwareDatetime | None = None

    @field_validator("case_id", "chat", "question")
    @classmethod
    def _says_something(cls, text: str) -> str:
        return _written(text)

    @property
    def answerable(self) -> bool:
        """Whether the chat supports the development at all."""
        return bool(self.phases)


Case = QaCase | ArcCase


@dataclass(frozen=True)
class FiledCase:
    """A case with the file it came from; ``dataset`` is the name its scores stand under.

    ``holds_chat``: the file holds the chat too; where it holds several, ``chat_within`` is its id.
    """

    case: Case
    file: Path
    dataset: str
    holds_chat: bool = False
    chat_within: str | None = None


@dataclass(frozen=True)
class ReadyCase:
    """A case beside its chat: all that a replay needs.

    ``group`` is the conversation for statistics: chats that share people are one group.
    """

    case: Case
    chat: Chat
    dataset: str = ""
    group: str = ""


def kind_of(case: Case) -> CaseKind:
    """``qa`` or ``arc``."""
    return "arc" if isinstance(case, ArcCase) else "qa"


def _written(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    # JSON can spell half of a surrogate pair, which no file or terminal can.
    return re.sub("[\ud800-\udfff]", "\ufffd", text)
