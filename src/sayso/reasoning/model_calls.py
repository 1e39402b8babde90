"""One structured call, come what may: ways down, retries, one repair, budgets, streaming, cost.

How a model is reached is behind ``Endpoint``; what can go wrong there and what is done about it is
here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Generic, NoReturn, TypeVar

from pydantic import BaseModel

from sayso.core.events import Listener, Notice
from sayso.core.metering import Meter
from sayso.core.trail import Usage
from sayso.reasoning.call_failures import CallFailed, Redaction, failure_of
from sayso.reasoning.calling import BudgetEnded, CallError, Request, Spent
from sayso.reasoning.model_endpoint import WAYS, Endpoint, Limiter, Turns, Way, way_of
from sayso.reasoning.replies import REPAIRABLE, Said, Unfit, read
from sayso.reasoning.reply_cache import Manner
from sayso.reasoning.reply_schemas import schema_text
from sayso.reasoning.retrying import Abandoned, Line, Waits, pause_before, within
from sayso.reasoning.token_estimate import estimate
from sayso.reasoning.writing import Writing

M = TypeVar("M", bound=BaseModel)
_CUT_REPLY = 4000  # characters of a bad reply that the model is shown again
_WHAT_TO_DO = {
    "truncated": "; raise completion (SAYSO_COMPLETION), the tokens that a reply may have",
}
# No tokenizer makes a token of more characters on average. A server that counts less than half of
# the tokens that this gives has not read the whole prompt.
_CHARACTERS_A_TOKEN = 6
_USUAL_CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class Conduct:
    """How calls are made: patience in seconds, retries, rate, cost."""

    retries: int
    call_seconds: float
    limiter: Limiter | None
    cost_of: Callable[[Usage], Usage]
    redact: Redaction
    waits: Waits


@dataclass
class Conversation(Generic[M]):
    """The calls that one request takes. ``manner`` ends as what has worked."""

    endpoint: Endpoint
    conduct: Conduct
    request: Request[M]
    meter: Meter
    listen: Listener
    manner: Manner
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    _spoke: bool = False

    @property
    def spent(self) -> Spent:
        """What it has taken so far."""
        return Spent(self.usage, tuple(self.raw), tuple(self.notes))

    def value(self) -> M:
        """The reply, after one repair at most. Raises CallError and BudgetEnded."""
        aside: Turns = ()
        repairs = 1
        while True:
            said = self._said(aside)
            try:
                value = read(said, self.request.schema)
            except Unfit as unfit:
                self.raw.append(self.conduct.redact(said.raw))
                if self._was_ignored(said, unfit):
                    continue
                if not repairs or unfit.kind not in REPAIRABLE:
                    self._fail(unfit.kind, f"{unfit}{_WHAT_TO_DO.get(unfit.kind, '')}")
                repairs -= 1
                self._note(f"asked once more: {unfit}")
                aside = self._repair(said, unfit)
            else:
                self._speak_whole(value)
                return value

    def _was_ignored(self, said: Said, unfit: Unfit) -> bool:
        """The server did not hold the model to the form; True where the next way is tried first.

        Where a schema or JSON mode is enforced there is no prose, so that form is not asked for
        any longer: the schema is shown in the prompt instead.
        """
        if unfit.kind not in ("prose", "empty"):
            return False
        if self.manner.way == "function_calling" and said.called is None:
            self._step_down("the model did not call the tool")
            return True
        if unfit.kind == "prose" and self.manner.way != "plain":
            self._take_way("plain", "the server does not enforce it")
        return False

    def _repair(self, said: Said, unfit: Unfit) -> Turns:
        shorter = " Be much shorter." if unfit.kind == "truncated" else ""
        story = (
            f"That reply cannot be used: {unfit}.{shorter} Reply again, with one JSON object that"
            f" fits this schema and nothing else:\n{schema_text(self.request.schema)}"
        )
        before = said.raw[:_CUT_REPLY]
        return (("assistant", before or "(nothing)"), ("user", story))

    def _turns(self, aside: Turns) -> Turns:
        system = self.request.system
        if self.manner.way in ("json_mode", "plain"):
            system += (
                "\n\nReply with one JSON object and nothing else: no prose, no fences. It fits this"
                f" JSON schema:\n{schema_text(self.request.schema)}"
            )
        return (("system", system), ("user", self.request.user), *aside)

    def _said(self, aside: Turns) -> Said:
        """A reply, after as many retries as it takes and may take."""
        failures, again = 0, False
        while True:
            turns = self._turns(aside)
            self._wait_for_leave(turns)
            self._take(Usage(retries=int(again)))
            again = True
            streamed = self._streams and not aside
            try:
                return self._once(turns, streamed=streamed)
            except CallFailed as failed:
                if streamed and failed.of_stream:
                    self.manner = replace(self.manner, streams=False)
                    self._note(f"the server does not stream: {failed}")
                elif failed.of_form and self.manner.way != WAYS[-1]:
                    self._step_down(str(failed))
                else:
                    failures += 1
                    self._pause(failures, failed)

    def _pause(self, failures: int, failed: CallFailed) -> None:
        """Wait before the call is made again; raises where it is not to be."""
        if not failed.again or failures > self.conduct.retries:
            tries = f" (tried {failures} times)" if failures > 1 else ""
            self._fail(failed.kind, f"{failed}{tries}")
        pause = pause_before(failures, failed.after, self.conduct.waits)
        left = self.meter.seconds_left
        if pause >= left > 0:
            story = f"the next try would be in {pause:.0f} s, the question has {left:.0f} s left"
            self._fail(failed.kind, f"{failed}; {story}")
        if left <= 0:  # the next look at the budget ends it
            self._note(str(failed))
        else:
            self._tell(f"{failed}; trying again in {pause:.1f} s")
            self.conduct.waits.sleep(pause)

    def _wait_for_leave(self, turns: Turns) -> None:
        """Return when a call may begin. Raises BudgetEnded, also where its prompt takes too much."""
        limiter, told = self.conduct.limiter, False
        if sum(estimate(text) for _, text in turns) > self.meter.tokens_left:
            raise BudgetEnded(self.meter.ended or "token budget", self.spent)
        while True:
            if reason := self.meter.ended:
                raise BudgetEnded(reason, self.spent)
            if limiter is None or limiter.acquire(blocking=False):
                return
            if not told:
                self._tell("waiting: requests are limited to so many a minute")
            told = True
            self.conduct.waits.sleep(min(0.1, self.meter.seconds_left))

    @property
    def _streams(self) -> bool:
        # What was told cannot be taken back: a second telling would only be put behind it. Nor is
        # a repair streamed: langchain's streams leave a refusal out, so that it looks empty.
        return self.request.written is not None and self.manner.streams and not self._spoke

    def _once(self, turns: Turns, *, streamed: bool) -> Said:
        writing, way = Writing(self.endpoint.parse_partial), self.manner.way
        schema, redact, step = self.request.schema, self.conduct.redact, self.request.step

        def call(line: Line[Said]) -> Said:
            piece = line.piece if streamed else None
            try:
                return self.endpoint.say(turns, way_of(way), schema, step=step, piece=piece)
            except Exception as error:  # any library's: each is given its name
                raise failure_of(error, redact) from None

        seconds, started = min(self.conduct.call_seconds, self.meter.seconds_left), monotonic()
        try:
            said = within(seconds, call, lambda piece: self._speak(writing.hear(piece)))
        except Abandoned:
            self._take(Usage(seconds=monotonic() - started))
            story = f"the model had not ended its reply after {round(seconds, 1):g} s"
            raise CallFailed("timeout", story, again=True) from None
        except CallFailed:
            self._take(Usage(seconds=monotonic() - started))
            raise
        if streamed:
            self._speak(writing.hear("", last=True))
        usage = said.usage.model_copy(update={"model_calls": 1, "seconds": monotonic() - started})
        usage = self.conduct.cost_of(usage)
        self.usage += usage
        self.meter.take(usage, uncounted=self._uncounted(turns, said))
        self._compare_counts(turns, said.usage.prompt_tokens)
        return said

    def _uncounted(self, turns: Turns, said: Said) -> int:
        """An estimate of the call's tokens where the server counts none, else 0."""
        if said.usage.prompt_tokens:
            return 0
        told = "the server counts no tokens: the budget goes by an estimate"
        if told not in self.notes:  # nobody who waits need hear of it
            self.notes.append(told)
        return sum(estimate(text) for _, text in turns) + estimate(said.raw)

    def _compare_counts(self, turns: Turns, counted: int) -> None:
        characters = sum(len(text) for _, text in turns)
        if 0 < counted < characters / _CHARACTERS_A_TOKEN / 2:
            about = characters // _USUAL_CHARACTERS_A_TOKEN
            self._note(
                f"the server read {counted} of about {about} tokens: its window is smaller than"
                " the prompt"
            )

    def _speak(self, text: str) -> None:
        if text and self.request.written:
            self._spoke = True
            self.request.written(text)

    def _speak_whole(self, value: BaseModel) -> None:
        """Tell an answer that was not told while it was written."""
        answer = getattr(value, "answer", None)
        if not self._spoke and isinstance(answer, str):
            self._speak(answer)

    def _step_down(self, why: str) -> None:
        self._take_way(WAYS[WAYS.index(way_of(self.manner.way)) + 1], why)

    def _take_way(self, way: Way, why: str) -> None:
        self._note(f"{self.manner.way} does not work here, {way} is used: {why}")
        self.manner = replace(self.manner, way=way)

    def _take(self, usage: Usage) -> None:
        self.usage += usage
        self.meter.take(usage)

    def _note(self, text: str) -> None:
        text = self.conduct.redact(text)
        if text not in self.notes:
            self.notes.append(text)
            self._tell(text)

    def _tell(self, text: str) -> None:
        self.listen(Notice(step=self.request.step, text=self.conduct.redact(text)))

    def _fail(self, kind: str, story: str) -> NoReturn:
        told = self.conduct.redact(f"{self.request.step}: {story}")
        raise CallError(kind, told, self.spent) from None
