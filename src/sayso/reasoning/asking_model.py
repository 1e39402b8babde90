"""The calls of one step: what they cost, what they said, and which of them came to nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel

from sayso.core.events import Listener, Notice
from sayso.core.metering import Meter
from sayso.core.seams import Reply
from sayso.core.trail import StopReason, Usage
from sayso.errors import ReasoningError
from sayso.reasoning.calling import BudgetEnded, Caller, CallError, Request
from sayso.reasoning.filling import without_messages
from sayso.reasoning.prompts import Prompt

M = TypeVar("M", bound=BaseModel)
R = TypeVar("R")
_UNKNOWN_WINDOW = 16_384
_SPARE = 64  # what a chat template adds around two messages


@dataclass
class Calls:
    """Asks the model on behalf of one step and adds up; made anew for each step."""

    step: str
    caller: Caller
    meter: Meter
    listen: Listener
    strict: bool
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    fell_back: bool = False
    ended: StopReason | None = None

    def ask(self, request: Request[M]) -> M | None:
        """The model's reply, or None where another has to stand in.

        Raises ReasoningError for a call that failed, where that is wished.
        """
        try:
            told = self.caller.ask(request, self.meter, self.listen)
        except BudgetEnded as end:
            self.usage += end.spent.usage
            self.raw += end.spent.raw
            self._note(end.spent.notes)
            self.ended, self.fell_back = end.reason, True
            self.tell(f"the model is not asked: {end.reason}")
            return None
        except CallError as failed:
            self.usage += failed.spent.usage
            self.raw += failed.spent.raw
            self._note(failed.spent.notes)
            if self.strict:
                story = str(failed).removeprefix(f"{self.step}: ")  # some callers name it
                raise ReasoningError(f"{self.step}: {story}") from failed
            self.fell_back = True
            self.tell(f"the model failed ({failed.kind}): {failed}")
            return None
        self.usage += told.usage
        self.raw += told.raw
        self._note(told.notes)
        return told.value

    def tell(self, story: str) -> None:
        """Note it in the trail, and let whoever waits know."""
        self.notes += (story,)
        self.listen(Notice(step=self.step, text=story))

    def _note(self, stories: tuple[str, ...]) -> None:
        """What several calls of a step say is noted once."""
        self.notes += tuple(story for story in stories if story not in self.notes)

    @property
    def window(self) -> int:
        """Tokens that the next request and its reply may take together."""
        return min(self.caller.window or _UNKNOWN_WINDOW, max(self.meter.tokens_left, 1024))

    @property
    def _kept(self) -> int:
        """Tokens of the window for the reply; fewer where the budget is what makes it small."""
        whole, window = self.caller.window or _UNKNOWN_WINDOW, self.window
        return min(self.caller.completion, whole // 2 if window == whole else window // 4)

    def room_for_messages(
        self, prompt: Prompt, values: Mapping[str, str], blocks: Mapping[str, str]
    ) -> int:
        """Tokens that a request leaves for messages, with room kept for its completion."""
        window = self.window
        left = window - self._kept - _SPARE
        left -= without_messages(prompt, values, blocks)
        story = f"the prompt alone fills the {window} tokens that the model may be given"
        if left <= 0 and story not in self.notes:
            self.tell(story)
        return left

    def reply(self, value: R, digest: str | None) -> Reply[R]:
        """The step's reply with all that the calls left behind."""
        return Reply(
            value,
            self.usage,
            prompt_digest=digest,
            notes=self.notes,
            raw=self.raw,
            fell_back=self.fell_back,
            ended=self.ended,
        )
