"""A stand-in for a language model, to see how tuning goes without one: a rule, no intelligence.

It takes the messages that the extractive engine ranks first. How well it answers depends on its
prompt in one known way: "at most N messages" is how many it cites, and twenty without such a
sentence. Its reflections lower that number where they are told of citations without support, and
raise it where evidence was left out. What it scores says nothing of any model.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from eval.config import file_digest
from eval.engine import Engine
from eval.tune.reflecting import STEP as REFLECT
from sayso.core.chat import Chat
from sayso.core.events import Listener, unheard
from sayso.core.metering import Meter
from sayso.core.models import Question
from sayso.core.seams import GRADER, PLANNER, Q1, Deps, Grading, Planning
from sayso.core.trail import Usage
from sayso.reasoning.calling import M, Request, Told
from sayso.reasoning.fencing import one_line
from sayso.reasoning.prompts import Prompts
from sayso.reasoning.thinking import ModelReasoner
from sayso.reasoning.token_estimate import estimate

NAME = "demo"
SAID = (
    "--demo: a rule stands in for a language model, citing as many messages as its prompt says; "
    "its figures show how tuning goes, and nothing of any model"
)
_MANY = 20
_STEPS = (1, 2, 3, 8, _MANY)
_LIMIT = re.compile(r"at most (\d+) messages", re.IGNORECASE)
_LINE = re.compile(r"^\[(\d+)\] \S+ \S+ [^:]*: (.*)$", re.MULTILINE)
_QUESTION = re.compile(r"^Question(?:, once more)?: (.*)$", re.MULTILINE)
_FENCED = re.compile(r"<<<DATA (\w+)\n(.*?)\n\1 DATA>>>", re.DOTALL)
_ALIKE = 60  # characters by which a shown line is known again
_POOL = 50


Ranked = Callable[[str], Sequence[str]]


class DemoCaller:
    """See the module. ``ranked`` gives the texts that may answer a question, best first."""

    name = NAME
    window: int | None = None
    completion = 4096

    def __init__(self, ranked: Ranked = lambda question: ()) -> None:
        self._ranked = cache(ranked)

    def ask(self, request: Request[M], meter: Meter, listen: Listener = unheard) -> Told[M]:
        """See :class:`sayso.reasoning.calling.Caller`."""
        value = request.schema.model_validate(self._reply(request))
        usage = Usage(
            model_calls=1,
            prompt_tokens=estimate(request.system) + estimate(request.user),
            completion_tokens=estimate(value.model_dump_json()),
        )
        meter.take(usage)
        return Told(value, usage)

    def _reply(self, request: Request[Any]) -> Mapping[str, Any]:
        if request.step == REFLECT:
            return _reflected(request.user)
        question = _QUESTION.findall(request.user)[-1]
        if request.step in (PLANNER.name, Q1.name):
            return {"intent": "fact", "queries": [{"kind": "message", "text": question}]}
        best = self._best(question, request.user)
        if request.step == GRADER.name:
            return {"grades": [{"n": n, "relevance": 3} for n, _ in best[:_MANY]]}
        found = _LIMIT.search(request.system)
        cited = best[: int(found.group(1)) if found else _MANY]
        if not cited:
            return {"nothing_found": True, "answer": "Nothing was found."}
        text = cited[0][1]
        return {"claims": [{"text": text, "cite": [n for n, _ in cited]}], "answer": text}

    def _best(self, question: str, shown: str) -> list[tuple[int, str]]:
        """The numbered lines that are ranked, best first."""
        lines = {text[:_ALIKE]: (int(n), text) for n, text in _LINE.findall(shown)}
        return [lines[text[:_ALIKE]] for text in self._ranked(question) if text[:_ALIKE] in lines]


def demo_engine(engine: Engine, prompts: Prompts) -> Engine:
    """The engine with the stand-in thinking in it."""

    def deps_for(chat: Chat) -> Deps:
        deps = engine.deps_for(chat)
        thinking = ModelReasoner(DemoCaller(_ranking(deps)), prompts, deps.reasoner)
        return replace(deps, reasoner=thinking, model=NAME)

    rule = file_digest(Path(__file__))
    settings = {**engine.settings, "reasoner": NAME, "model": NAME, "rule": rule}
    return replace(engine, deps_for=deps_for, settings=settings, notes=(SAID,))


def _ranking(deps: Deps) -> Ranked:
    def ranked(text: str) -> list[str]:
        question = Question(text=text, chat_id=deps.chat.chat_id)
        plan = deps.reasoner.think(PLANNER, Planning(question, deps.chat)).value
        pool = deps.retriever.search(plan, _POOL)
        verdict = deps.reasoner.think(GRADER, Grading(question, deps.chat, plan, pool, 0)).value
        return [one_line(deps.chat.by_id[g.local_id].text) for g in verdict.graded]

    return ranked


def _reflected(user: str) -> Mapping[str, Any]:
    present = next(text for _, text in _FENCED.findall(user))
    found = _LIMIT.search(present)
    now = int(found.group(1)) if found else _MANY
    too_many, too_few = user.count("cited without support"), user.count("did not cite it")
    steps = [s for s in _STEPS if (s < now if too_many >= too_few else s > now)]
    wanted = (max(steps) if too_many >= too_few else min(steps)) if steps else now
    rule = f"at most {wanted} messages"
    whole = _LIMIT.sub(rule, present) if found else f"{present}\n\nCite {rule}."
    return {
        "instructions": whole,
        "why": f"{too_many} citations without support, {too_few} left out",
    }
