"""The two modes by name; each is imported when it is first asked, so oneshot needs no LangGraph."""

from collections.abc import Mapping
from types import MappingProxyType

from sayso.core.models import Question
from sayso.core.seams import Deps, Mode
from sayso.core.trail import Trail


def _agent(question: Question, deps: Deps) -> Trail:
    from sayso.agent.graph import run_agent

    return run_agent(question, deps)


def _oneshot(question: Question, deps: Deps) -> Trail:
    from sayso.oneshot.chain import run_oneshot

    return run_oneshot(question, deps)


MODES: Mapping[str, Mode] = MappingProxyType({"agent": _agent, "oneshot": _oneshot})
