"""Step records: what a step did, how long it took, what it cost."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from sayso.core.events import Listener, StepEnded, StepStarted, unheard
from sayso.core.models import Plan
from sayso.core.seams import Reply
from sayso.core.trail import StepRecord, StopReason, Usage


@dataclass
class Recorder:
    """Filled in while a step runs; becomes its record."""

    name: str
    changed: str = ""
    usage: Usage = field(default_factory=Usage)
    prompt_digest: str | None = None
    notes: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    fell_back: bool = False
    ended: StopReason | None = None
    records: list[StepRecord] = field(default_factory=list)

    def take(self, reply: Reply[Any]) -> None:  # only the cost is read, whatever the value
        """Note what a reply cost, and how it came."""
        self.usage += reply.usage
        self.prompt_digest = reply.prompt_digest or self.prompt_digest
        self.notes += reply.notes
        self.raw += reply.raw
        self.fell_back |= reply.fell_back
        self.ended = reply.ended or self.ended


@contextmanager
def recording(name: str, listen: Listener = unheard) -> Iterator[Recorder]:
    """A recorder whose ``records`` holds the one finished record after the block.

    ``listen`` hears that the step begins, and then its record.
    """
    recorder, started = Recorder(name), perf_counter()
    listen(StepStarted.unchecked(event="started", step=name))
    yield recorder
    record = StepRecord(
        name=name,
        changed=recorder.changed,
        milliseconds=round((perf_counter() - started) * 1000, 3),
        prompt_digest=recorder.prompt_digest,
        usage=recorder.usage,
        notes=recorder.notes,
        raw=recorder.raw,
        fell_back=recorder.fell_back,
    )
    recorder.records.append(record)
    listen(StepEnded.unchecked(event="ended", step=name, record=record))


def planned(plan: Plan) -> str:
    """What a step that plans did, in a line of the trail."""
    queries = len(plan.queries) + len(plan.aspects)
    people = ", ".join(plan.people) or "none named"
    return f"{plan.intent}; queries: {queries}; people: {people}"
