"""The chain: Q1 understand, Q2 anchor, Q3 expand, Q4 narrate, Q5 verify; one pass, no loop."""

from dataclasses import dataclass, replace
from functools import cache

from langchain_core.runnables import Runnable
from langsmith.run_helpers import tracing_context

from sayso.core.citing import resolve
from sayso.core.models import Answer, Candidate, Draft, Graded, Plan, Question
from sayso.core.pooling import expand, gather
from sayso.core.recording import planned, recording
from sayso.core.seams import Q1, Q3, Q4, Deps, Grading, Narrating, Planning
from sayso.core.trail import Round, StepRecord, StopReason, Trail
from sayso.oneshot.step import Step

RANKING = 50


@dataclass(frozen=True)
class Pass:
    """What has been worked out so far on the way through the chain."""

    question: Question
    deps: Deps
    plan: Plan | None = None
    anchors: tuple[Candidate, ...] = ()
    pool: tuple[Candidate, ...] = ()
    graded: tuple[Graded, ...] = ()
    draft: Draft | None = None
    answer: Answer | None = None
    steps: tuple[StepRecord, ...] = ()
    ended: StopReason | None = None


def run_oneshot(question: Question, deps: Deps) -> Trail:
    """The question through the chain; raises ReasoningError where a step cannot be thought."""
    deps = deps.for_one_question()
    with tracing_context(enabled=None if deps.tracing else False):
        end = chain().invoke(Pass(question, deps))
    assert end.plan is not None
    assert end.answer is not None
    return Trail(
        question=question,
        mode="oneshot",
        plan=end.plan,
        ranking=end.anchors[:RANKING],
        rounds=(Round(plan=end.plan, candidates=end.pool),),
        graded=end.graded,
        answer=end.answer,
        steps=end.steps,
        stop_reason=end.ended or ("single pass" if end.pool else "nothing found"),
        model=deps.model,
    )


@cache
def chain() -> Runnable[Pass, Pass]:
    """The five steps as one LCEL sequence; it holds no chat and no model, those come with the pass."""
    return (
        Step(_understand, "Q1 understand")
        | Step(_anchor, "Q2 anchor")
        | Step(_widen, "Q3 expand")
        | Step(_narrate, "Q4 narrate")
        | Step(_verify, "Q5 verify")
    )


def _understand(at: Pass) -> Pass:
    """Q1: the question → a plan."""
    with recording("oneshot/q1", at.deps.listen) as record:
        reply = at.deps.reasoner.think(
            Q1, Planning(at.question, at.deps.chat, at.deps.meter, at.deps.listen)
        )
        record.take(reply)
        plan = reply.value
        record.changed = planned(plan)
    return replace(at, plan=plan, ended=reply.ended, steps=(*at.steps, *record.records))


def _anchor(at: Pass) -> Pass:
    """Q2: the plan → the messages that it finds."""
    with recording("oneshot/q2", at.deps.listen) as record:
        anchors = gather(at.deps.chat, at.deps.retriever.search, _plan(at), at.deps.budget.pool)
        record.changed = f"{len(anchors)} anchors"
    return replace(at, anchors=anchors, steps=(*at.steps, *record.records))


def _widen(at: Pass) -> Pass:
    """Q3: these and what they are linked with, graded."""
    with recording("oneshot/q3", at.deps.listen) as record:
        pool = expand(at.deps.chat, _plan(at), at.anchors)
        given = Grading(
            at.question, at.deps.chat, _plan(at), pool, 0, at.deps.meter, at.deps.listen
        )
        reply = at.deps.reasoner.think(Q3, given)
        record.take(reply)
        record.changed = f"{len(pool) - len(at.anchors)} linked messages joined"
    return replace(
        at,
        pool=pool,
        graded=reply.value.graded,
        ended=reply.ended or at.ended,
        steps=(*at.steps, *record.records),
    )


def _narrate(at: Pass) -> Pass:
    """Q4: the graded messages → a draft."""
    with recording("oneshot/q4", at.deps.listen) as record:
        given = Narrating(
            at.question, at.deps.chat, _plan(at), at.graded, at.deps.meter, at.deps.listen
        )
        reply = at.deps.reasoner.think(Q4, given)
        record.take(reply)
        draft = reply.value
        record.changed = (
            "abstained" if draft.abstained else f"{len(draft.claims or draft.phases)} statements"
        )
    return replace(
        at, draft=draft, ended=reply.ended or at.ended, steps=(*at.steps, *record.records)
    )


def _verify(at: Pass) -> Pass:
    """Q5: the draft → an answer whose citations hold."""
    with recording("oneshot/q5", at.deps.listen) as record:
        draft = at.draft or Draft(answer="", abstained=True)
        shown = {c.local_id for c in at.pool} | {g.local_id for g in at.graded}
        answer = resolve(draft, at.deps.chat, shown)
        record.changed = f"{len(answer.evidence)} citations, {len(answer.unsupported)} unsupported"
    return replace(at, answer=answer, steps=(*at.steps, *record.records))


def _plan(at: Pass) -> Plan:
    """The plan, which every step after Q1 has."""
    if at.plan is None:
        raise ValueError("Q1 runs first")
    return at.plan
