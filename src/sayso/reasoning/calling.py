"""One structured call to a language model, as the steps see it; no model library is named here."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from sayso.core.events import Listener, unheard
from sayso.core.metering import Meter
from sayso.core.trail import StopReason, Usage
from sayso.errors import ReasoningError

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class Request(Generic[M]):
    """What is asked of the model: two messages, the reply's schema, and what marks it in a cache.

    ``salt`` tells votes and repeats apart, so that none is answered with another's reply.
    ``written`` hears the growing text of the reply's ``answer`` field, piece by piece.
    """

    step: str
    system: str
    user: str
    schema: type[M]
    prompt_digest: str
    salt: str = ""
    written: Callable[[str], None] | None = None


@dataclass(frozen=True)
class Told(Generic[M]):
    """A reply that fits its schema, what it cost, and what there is to say of how it came.

    ``raw`` holds the texts that did not fit before one did.
    """

    value: M
    usage: Usage
    notes: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()


class Caller(Protocol):
    """Something that asks a model. ``name`` says which.

    ``window`` is the tokens that prompt and reply have together, None unknown; ``completion`` those
    that a reply may have.
    """

    name: str
    window: int | None
    completion: int

    def ask(self, request: Request[M], meter: Meter, listen: Listener = unheard) -> Told[M]:
        """The reply; every call made is counted in ``meter``.

        Raises CallError with the failure's kind, or BudgetEnded before a call that may not begin.
        """


class BudgetEnded(ReasoningError):  # the budget ending is no fault
    """A call was not begun, because the question's budget has ended.

    ``spent`` is what earlier attempts at the same request took.
    """

    def __init__(self, reason: StopReason, spent: "Spent | None" = None) -> None:
        super().__init__(f"no further call to the model: {reason}")
        self.reason: StopReason = reason
        self.spent = spent or Spent()


@dataclass
class Spent:
    """What a failed call cost and left behind."""

    usage: Usage = field(default_factory=Usage)
    raw: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class CallError(ReasoningError):
    """The model gave no usable reply. ``kind`` names the failure; ``spent`` what it took."""

    def __init__(self, kind: str, story: str, spent: Spent | None = None) -> None:
        super().__init__(story)
        self.kind = kind
        self.spent = spent or Spent()
