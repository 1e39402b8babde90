"""A caller whose replies are kept apart from those of other repeats of the same questions."""

from dataclasses import replace

from sayso.core.events import Listener, unheard
from sayso.core.metering import Meter
from sayso.reasoning.calling import Caller, M, Request, Told


class Salted:
    """Asks as the caller it wraps, under a salt of its own in the cache."""

    def __init__(self, caller: Caller, salt: str) -> None:
        self._caller, self._salt = caller, salt
        self.name, self.window = caller.name, caller.window
        self.completion = caller.completion

    def ask(self, request: Request[M], meter: Meter, listen: Listener = unheard) -> Told[M]:
        """See :class:`sayso.reasoning.calling.Caller`."""
        salted = replace(request, salt=f"{self._salt} {request.salt}")
        return self._caller.ask(salted, meter, listen)
