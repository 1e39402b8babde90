"""Asks a model for better instructions, within a budget; what it said is kept in the run's folder.

Every proposal stands in ``reflections.jsonl`` under the digest of its request, so that a run that
is resumed hears the same again, pays nothing for it, and goes the way it would have gone.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated

from pydantic import Field as Limit
from pydantic import TypeAdapter, ValidationError

from eval.tune.feedback import as_text
from eval.tune.keeping import digest_of
from eval.tune.leakage import Known
from eval.tune.points import PASSING
from eval.tune.spending import cost, tokens
from eval.tune.versions import faults, longest, size, with_system
from sayso.core.metering import Budget, Meter
from sayso.core.trail import Usage
from sayso.errors import StoreError
from sayso.paths import prompts_dir
from sayso.reasoning.calling import BudgetEnded, Caller, CallError, Request
from sayso.reasoning.fencing import fenced, one_line
from sayso.reasoning.prompt_fields import Field
from sayso.reasoning.prompts import Prompt, load_prompt
from sayso.reasoning.replies_wire import Text, Wire, schema_line

STEP, FILE = "tune/reflect", "reflections.jsonl"
FIELDS: Mapping[str, Field] = {
    "step": Field("the step whose instructions are improved", needed=True),
    "tunable": Field("what of its prompt may be tuned, in words"),
    "instructions": Field("the present instructions, fenced as data", needed=True),
    "cases": Field("what the step did and what was wrong, fenced as data", needed=True),
    "refused": Field("why the last proposal was refused, fenced as data, or 'none'", needed=True),
    "longest": Field("how many tokens the new instructions may have", needed=True),
    "marker": Field("the code that opens and closes the fence", needed=True),
    "schema": Field("the JSON schema of the reply, on one line", needed=True),
}
_TRIES = 2
_SECONDS = 600.0
_CALLS = 3  # of one proposal: a reply that does not fit its schema is asked for again


class Proposal(Wire):
    """What the model replies."""

    why: Text = ""
    instructions: Annotated[str, Limit(min_length=1)]


@dataclass(frozen=True)
class Allowed:
    """How much reflection a run may take: calls, tokens and money; None is no limit."""

    calls: int = 50
    tokens: int | None = 500_000
    cost: float | None = None


@dataclass(frozen=True)
class Said:
    """One reply as it was kept: the instructions, or the failure that left none."""

    instructions: str | None
    why: str
    usage: Usage


@dataclass(frozen=True)
class _Kept:
    key: str
    instructions: str | None
    why: str
    usage: Usage


_KEPT = TypeAdapter(_Kept)


def load_reflection(folder: Path) -> Prompt:
    """The prompt of that set which asks for proposals; ours where the set has none.

    PromptError where it does not fit.
    """
    own = (folder / f"{STEP}.md").is_file()
    return load_prompt(folder if own else prompts_dir(), STEP, FIELDS)


@dataclass
class Reflector:
    """Proposes instructions. ``spent`` counts all replies of the run, those kept from before too.

    ``known`` is what no proposal may say; ``on_refused`` hears of each that was refused, and why.
    """

    caller: Caller
    prompt: Prompt
    folder: Path
    known: Known
    allowed: Allowed = field(default_factory=Allowed)
    on_refused: Callable[[str, tuple[str, ...]], None] = lambda text, why: None
    spent: Usage = field(default_factory=Usage)
    asked: int = 0
    failed: str | None = None

    def ended(self) -> str | None:
        """Which limit has been reached, in words; None while another call may begin."""
        used, paid = tokens(self.spent), cost(self.spent) or 0.0
        if self.failed is not None:
            return self.failed
        if self.asked >= self.allowed.calls:
            return f"{self.allowed.calls} reflections were made"
        if self.allowed.tokens is not None and used >= self.allowed.tokens:
            return f"reflection took {used} tokens"
        if self.allowed.cost is not None and paid >= self.allowed.cost:
            return f"reflection cost {paid:.2f}"
        return None

    def propose(
        self, parent: Prompt, seed: Prompt, records: Sequence[Mapping[str, str]], salt: str
    ) -> Prompt | None:
        """A child of the parent that may be tried, or None where none came.

        It is held against the ``seed``, the prompt that the run began with: its variables and
        length, and what of the cases it says.
        """
        refused: tuple[str, ...] = ()
        for attempt in range(_TRIES):
            if self.ended() is not None:
                return None
            said = self._say(self._request(parent, seed, records, refused, f"{salt}-{attempt}"))
            if said is None:
                return None
            if said.instructions is None:
                self.on_refused("", (said.why,))
                return None
            child = with_system(parent, said.instructions)
            refused = self._refusal(child, seed)
            if not refused:
                return child if child.system != parent.system else None
            self.on_refused(said.instructions, refused)
        return None

    def _refusal(self, child: Prompt, seed: Prompt) -> tuple[str, ...]:
        leaks = self.known.leaks(child.system, seed.system)
        told = tuple(f"it says {leak.words!r}, a {leak.kind} of the cases" for leak in leaks[:8])
        return (*faults(child, seed), *told)

    def _request(
        self,
        parent: Prompt,
        seed: Prompt,
        records: Sequence[Mapping[str, str]],
        refused: Sequence[str],
        salt: str,
    ) -> Request[Proposal]:
        inside, marker = fenced(
            {
                "instructions": parent.system,
                "cases": as_text(records),
                "refused": "\n".join(f"- {one_line(why, 300)}" for why in refused),
            }
        )
        values = {
            "step": parent.step,
            "tunable": one_line(parent.tunable),
            "longest": str(max(100, longest(seed) - size(replace(seed, system="")))),
            "schema": schema_line(Proposal),
            "marker": marker,
        }
        system, user = self.prompt.filled({**values, **inside})
        return Request(STEP, system, user, Proposal, self.prompt.digest, salt)

    def _say(self, request: Request[Proposal]) -> Said | None:
        """What the model says, now or before; None where it cannot be reached, which ends the run."""
        key = digest_of([self.caller.name, request.system, request.user, request.salt])
        said = self._kept().get(key) or self._ask(request)
        if said is None:
            return None
        self._keep(key, said)
        self.asked += 1
        self.spent += said.usage
        return said

    def _ask(self, request: Request[Proposal]) -> Said | None:
        meter = Meter(Budget(seconds=_SECONDS, model_calls=_CALLS))
        try:
            told = self.caller.ask(request, meter)
        except CallError as error:
            if error.kind.startswith(PASSING):
                self.failed = f"the model that reflects cannot be reached: {error}"
                return None
            return Said(None, f"the reflection failed ({error.kind}): {error}", error.spent.usage)
        except BudgetEnded as end:
            return Said(None, f"the reflection ended: {end.reason}", end.spent.usage)
        return Said(told.value.instructions, told.value.why, told.usage)

    def _kept(self) -> dict[str, Said]:
        path, found = self.folder / FILE, {}
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from error
        for line in lines:
            try:
                kept = _KEPT.validate_json(line)
            except ValidationError:
                continue  # half a line, as a kill leaves it: asked again
            found[kept.key] = Said(kept.instructions, kept.why, kept.usage)
        return found

    def _keep(self, key: str, said: Said) -> None:
        if key in self._kept():
            return
        record = {"key": key, **asdict(replace(said, usage=Usage()))}
        record["usage"] = said.usage.model_dump()
        path = self.folder / FILE
        try:
            with path.open("a", encoding="utf-8", errors="replace") as file:
                # The line break before parts it from half a line that a kill left.
                file.write("\n" + json.dumps(record, ensure_ascii=True))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(f"{path}: cannot be written: {error.strerror}") from error
