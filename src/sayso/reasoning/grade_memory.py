"""What the grader said of a question so far, so that later rounds read only what is new."""

import weakref
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from sayso.core.metering import Meter
from sayso.core.models import Gap

_MOST = 64


@dataclass
class Held:
    """Relevance by localId as the model gave it, what it asked for, what was searched with."""

    relevance: dict[int, float] = field(default_factory=dict)
    gap: Gap | None = None
    searched: list[str] = field(default_factory=list)


class GradeMemory:
    """One Held a question. The question is told by its meter, which it alone has.

    A question asked anew therefore remembers nothing of the time before. Of more questions at
    once than it holds, the oldest are graded again. Any number of threads may use it; what it
    gives belongs to the one that answers the question.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = Lock()
        self._held: OrderedDict[int, tuple[weakref.ref[Meter], Held]] = OrderedDict()

    def of(self, meter: Meter) -> Held:
        """What is held for the question of this meter; empty at first."""
        with self._lock:
            known = self._held.get(id(meter))
            if known is not None and known[0]() is meter:  # else another's that is gone
                self._held.move_to_end(id(meter))
                return known[1]
            fresh = Held()
            self._held[id(meter)] = (weakref.ref(meter), fresh)
            self._held.move_to_end(id(meter))
            while len(self._held) > self._most:
                self._held.popitem(last=False)
            return fresh
