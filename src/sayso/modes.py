"""The modes by name; each is imported when it is first asked, so oneshot needs no LangGraph."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from sayso.core.models import Question
from sayso.core.seams import Deps, Mode
from sayso.core.trail import Trail
from sayso.errors import ConfigurationError

WHOLE = "whole"


def _agent(question: Question, deps: Deps) -> Trail:
    from sayso.agent.graph import run_agent

    return run_agent(question, deps)


def _oneshot(question: Question, deps: Deps) -> Trail:
    from sayso.oneshot.chain import run_oneshot

    return run_oneshot(question, deps)


def _whole(question: Question, deps: Deps) -> Trail:
    """The chain with all of the chat in place of what a search finds.

    Raises ConfigurationError without a model, InputError where the model cannot read so much, and
    ReasoningError where it fails: nothing that stands in for a model could answer from this.
    """
    from sayso.oneshot.chain import run_oneshot
    from sayso.reasoning.whole import ReadingAll
    from sayso.retrieval.whole import WholeChat

    if deps.model is None:
        raise ConfigurationError(
            f"mode {WHOLE} (--context all) gives all of the chat to a language model, and none is "
            "configured: name one with --model (SAYSO_MODEL)"
        )
    everything = replace(
        deps,
        retriever=WholeChat(deps.chat),
        reasoner=ReadingAll(deps.reasoner),
        budget=replace(deps.budget, pool=max(1, len(deps.chat.messages))),
    )
    trail = run_oneshot(question, everything)
    # Messages in their order are no ranking by relevance.
    return trail.model_copy(update={"mode": WHOLE, "ranking": ()})


# What a question and a benchmark are asked through unless told otherwise.
MODES: Mapping[str, Mode] = MappingProxyType({"agent": _agent, "oneshot": _oneshot})
EVERY_MODE: Mapping[str, Mode] = MappingProxyType({**MODES, WHOLE: _whole})
