"""Step records: what a step did, how long it took, what it cost."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from sayso.core.models import StepRecord, Usage
from sayso.core.seams import Reply


@dataclass
class Recorder:
    """Filled in while a step runs; becomes its record."""

    name: str
    changed: str = ""
    usage: Usage = field(default_factory=Usage)
    prompt_digest: str | None = None
    records: list[StepRecord] = field(default_factory=list)

    def take(self, reply: Reply[Any]) -> None:  # only the cost is read, whatever the value
        """Note what a reply cost."""
        self.usage += reply.usage
        self.prompt_digest = reply.prompt_digest or self.prompt_digest


@contextmanager
def recording(name: str) -> Iterator[Recorder]:
    """A recorder whose ``records`` holds the one finished record after the block."""
    recorder, started = Recorder(name), perf_counter()
    yield recorder
    recorder.records.append(
        StepRecord(
            name=name,
            changed=recorder.changed,
            milliseconds=round((perf_counter() - started) * 1000, 3),
            prompt_digest=recorder.prompt_digest,
            usage=recorder.usage,
        )
    )
