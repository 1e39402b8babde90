"""The reasoner with a language model behind it; another one stands in where the model fails."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from sayso.core.chat import Chat
from sayso.core.language import MIXED, NAMES, OTHER
from sayso.core.models import Draft, Plan, Verdict
from sayso.core.people import known_names
from sayso.core.seams import (
    GENERATOR,
    GRADER,
    PLANNER,
    Q1,
    Q3,
    Q4,
    G,
    Grading,
    Narrating,
    Planning,
    R,
    Reasoner,
    Reply,
    Step,
)
from sayso.errors import ReasoningError
from sayso.reasoning.asking_model import Calls
from sayso.reasoning.calling import Caller, Request
from sayso.reasoning.fencing import fenced, one_line
from sayso.reasoning.filling import shared
from sayso.reasoning.grade_memory import GradeMemory
from sayso.reasoning.model_grading import READ, grade_with_model
from sayso.reasoning.model_narrating import (
    narrate_with_model,
    nothing,
    refuse_what_does_not_fit,
)
from sayso.reasoning.neighbourhood import is_beside, with_neighbours
from sayso.reasoning.prompts import Prompt, Prompts
from sayso.reasoning.replies_wire import PlanReply, schema_line
from sayso.reasoning.salting import Salted
from sayso.reasoning.surveying import is_surveyed
from sayso.reasoning.whole import all_of
from sayso.reasoning.wire_reading import Reader

_NO_TIME = re.compile(
    r"\b(?:recent(?:ly)?|lately|currently|nowadays|these days|recientemente|neulich|récemment)\b|最近|近来",
    re.IGNORECASE,
)
_READ_ONESHOT, _READ_ONESHOT_ARC = 40, 60


class ModelReasoner:
    """Answers every step with a model's help; Q3 needs none, nor does what the whole chat decides.

    ``standing_in`` gives the plan and the grades that the model betters, and answers a step that
    the model fails at or for which no budget is left; with ``strict`` such a failure (not the
    budget's end) is a ReasoningError. ``votes``: how often the grader reads. A prompt with
    ``model: false`` leaves its step to ``standing_in``.
    """

    def __init__(
        self,
        caller: Caller,
        prompts: Prompts,
        standing_in: Reasoner,
        *,
        votes: int = 1,
        strict: bool = False,
    ) -> None:
        self._caller, self._prompts, self._standing_in = caller, prompts, standing_in
        self._votes, self._strict = votes, strict
        self._memory = GradeMemory()
        self._known: tuple[Chat, Mapping[str, str]] | None = None
        # Steps are told apart by name; their types were checked where they are declared.
        self._thinking: dict[str, Callable[[Any, Any], Reply[Any]]] = {
            PLANNER.name: self._plan,
            Q1.name: self._plan,
            GRADER.name: self._grade,
            Q3.name: self._expand,
            GENERATOR.name: self._narrate,
            Q4.name: self._narrate,
        }

    def with_prompts(self, prompts: Prompts) -> "ModelReasoner":
        """The same reasoner with another set of prompts."""
        return ModelReasoner(
            self._caller, prompts, self._standing_in, votes=self._votes, strict=self._strict
        )

    def think(self, step: Step[G, R], given: G) -> Reply[R]:
        """See :class:`sayso.core.seams.Reasoner`."""
        if step.name not in self._thinking:
            known = ", ".join(sorted(self._thinking))
            raise ReasoningError(f"the model's reasoner has no step {step.name!r}; it has {known}")
        return cast("Reply[R]", self._thinking[step.name](step, given))

    def refuse_too_long(self, given: Planning) -> None:
        """InputError where all that the question may be answered from does not fit into a call."""
        prompt = self._prompts[Q4.name]
        if not prompt.model:
            return
        plan = self._standing_in.think(Q1, given).value
        graded = all_of(given.chat, plan.limits)
        whole = Narrating(given.question, given.chat, plan, graded, given.meter)
        names = self._reader(given.chat).names
        refuse_what_does_not_fit(whole, prompt, names, self._calls(Q4.name, whole))

    def _plan(self, step: Step[Planning, Plan], given: Planning) -> Reply[Plan]:
        base = self._standing_in.think(step, given)
        prompt = self._prompts[step.name]
        if not prompt.model:
            return base
        calls = self._calls(step.name, given)
        calls.notes += base.notes
        reader = self._reader(given.chat)
        reply = calls.ask(_planning_request(given, prompt, base.value, reader.names))
        plan = base.value if reply is None else reader.plan(reply, base.value, given)
        return calls.reply(plan, prompt.digest)

    def _grade(self, step: Step[Grading, Verdict], given: Grading) -> Reply[Verdict]:
        base = self._standing_in.think(step, given)
        if is_surveyed(base.value.graded):
            return base
        prompt = self._prompts[step.name]
        if not prompt.model:
            anchors = base.value.graded[:READ]
            return replace(base, value=with_neighbours(given, base.value, anchors))
        calls = self._calls(step.name, given)
        calls.notes += base.notes
        verdict = grade_with_model(
            given,
            prompt,
            base.value,
            self._memory.of(given.meter),
            reader=self._reader(given.chat),
            calls=calls,
            votes=self._votes,
        )
        return calls.reply(verdict, prompt.digest)

    def _expand(self, step: Step[Grading, Verdict], given: Grading) -> Reply[Verdict]:
        """Measured grades, with the neighbours that Q4 will show among the best."""
        base = self._standing_in.think(step, given)
        if is_surveyed(base.value.graded):
            return base
        read = _READ_ONESHOT_ARC if given.plan.intent == "arc" else _READ_ONESHOT
        verdict = with_neighbours(given, base.value, base.value.graded[:read])
        return replace(base, value=verdict)

    def _narrate(self, step: Step[Narrating, Draft], given: Narrating) -> Reply[Draft]:
        prompt = self._prompts[step.name]
        # What no search found carries no measured features: the one who stands in needs them.
        found = replace(given, graded=tuple(g for g in given.graded if not is_beside(g)))
        if not prompt.model or is_surveyed(found.graded):
            return self._standing_in.think(step, found)
        calls = self._calls(step.name, given)
        draft = narrate_with_model(given, prompt, self._reader(given.chat).names, calls)
        if draft is None:
            instead = self._standing_in.think(step, found) if found.graded else None
            draft = instead.value if instead else nothing(given)
            calls.notes += instead.notes if instead else ()
        return calls.reply(draft, prompt.digest)

    def _calls(self, step: str, given: Planning | Grading | Narrating) -> Calls:
        again = given.question.repeat
        caller = Salted(self._caller, f"repeat {again}") if again else self._caller
        return Calls(step, caller, given.meter, given.listen, self._strict)

    def _reader(self, chat: Chat) -> Reader:
        """Reads replies about the chat; its names take a pass over it, so the last are kept."""
        known = self._known
        if known is None or known[0] is not chat:
            # Set at once and read from the local name: other threads may ask about other chats.
            known = self._known = (chat, known_names(chat))
        return Reader(chat, known[1])


def _planning_request(
    given: Planning, prompt: Prompt, base: Plan, names: Mapping[str, str]
) -> Request[PlanReply]:
    blocks = shared(given.question, given.chat, names)
    language = given.chat.language
    if language not in (MIXED, OTHER):
        blocks["chat"] += f"\nLanguage: {NAMES[language]}"
    inside, marker = fenced({**blocks, "reading": _reading(base, given)})
    values = {
        "question": one_line(given.question.text),
        "schema": schema_line(PlanReply),
        "marker": marker,
    }
    system, user = prompt.filled({**values, **inside})
    return Request(prompt.step, system, user, PlanReply, prompt.digest)


def _reading(base: Plan, given: Planning) -> str:
    """What rules alone made of the question; a hint.

    "recently" is none: the days that the rules search for it are no days that the question names.
    """
    zone = given.chat.zone
    said = [f"intent {base.intent}"]
    said.append(f"people {', '.join(map(one_line, base.people)) or 'none'}")
    if base.since and base.until and not _NO_TIME.search(given.question.text):
        first, last = (f"{d.astimezone(zone):%Y-%m-%d %H:%M}" for d in (base.since, base.until))
        said.append(f"time from {first} to {last}")
    else:
        said.append("time none")
    return "; ".join(said)
