"""How a model is reached: what every endpoint offers, and the ways of asking it for a form."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, get_args

from pydantic import BaseModel

from sayso.reasoning.replies import Said

# Best first. The first two hand the schema to the server, the last two show it in the prompt.
Way = Literal["json_schema", "function_calling", "json_mode", "plain"]
WAYS: tuple[Way, ...] = get_args(Way)
Role = Literal["system", "user", "assistant"]
Turns = Sequence[tuple[Role, str]]


class Endpoint(Protocol):
    """A model as it is reached: says one thing, once, and raises whatever its library raises.

    ``address`` and ``parameters`` are what its replies depend on beside the model's name.
    """

    address: str
    parameters: dict[str, Any]  # Any: JSON

    def say(
        self,
        turns: Turns,
        way: Way,
        schema: type[BaseModel],
        *,
        step: str,
        piece: Callable[[str], None] | None,
    ) -> Said:
        """One reply; streamed where ``piece`` is given, which hears the text grow."""

    def parse_partial(self, text: str) -> Any:  # Any: JSON
        """What unfinished JSON says so far."""

    def models(self) -> tuple[str, ...]:
        """The names of the models that the server has; () where it cannot say."""


class Limiter(Protocol):
    """Says whether a request may be made now."""

    def acquire(self, *, blocking: bool = True) -> bool:
        """True, and counted, where it may."""


def way_of(name: str) -> Way:
    """The way of that name; a remembered one that is no longer known is the first."""
    return next((way for way in WAYS if way == name), WAYS[0])
