"""The chain: Q1 understand, Q2 anchor, Q3 expand, Q4 narrate, Q5 verify; one pass, no loop."""

from dataclasses import dataclass, replace

from langchain_core.runnables import Runnable, RunnableLambda
from langsmith.run_helpers import tracing_context

from sayso.core.citing import resolve
from sayso.core.models import (
    Answer,
    Candidate,
    Draft,
    Graded,
    Plan,
    Question,
    Round,
    StepRecord,
    Trail,
)
from sayso.core.pooling import expand
from sayso.core.recording import recording
from sayso.core.seams import Q1, Q3, Q4, Deps, Grading, Narrating, Planning

RANKING = 50


@dataclass(frozen=True)
class Pass:
    """What has been worked out so far on the way through the chain."""

    question: Question
    plan: Plan | None = None
    anchors: tuple[Candidate, ...] = ()
    pool: tuple[Candidate, ...] = ()
    graded: tuple[Graded, ...] = ()
    draft: Draft | None = None
    answer: Answer | None = None
    steps: tuple[StepRecord, ...] = ()


def run_oneshot(question: Question, deps: Deps) -> Trail:
    """The question through the chain; raises ReasoningError where a step cannot be thought."""
    with tracing_context(enabled=False):
        end = chain(deps).invoke(Pass(question))
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
        stop_reason="single pass" if end.pool else "nothing found",
    )


def chain(deps: Deps) -> Runnable[Pass, Pass]:
    """The five steps as one LCEL sequence, bound to what they work with."""

    def understand(at: Pass) -> Pass:
        with recording("oneshot/q1") as record:
            reply = deps.reasoner.think(Q1, Planning(at.question, deps.chat))
            record.take(reply)
            plan = reply.value
            record.changed = (
                f"{plan.intent}; queries: {len(plan.queries)}; "
                f"people: {', '.join(plan.people) or 'none named'}"
            )
        return replace(at, plan=plan, steps=(*at.steps, *record.records))

    def anchor(at: Pass) -> Pass:
        with recording("oneshot/q2") as record:
            anchors = deps.retriever.search(_plan(at), deps.budget.pool)
            record.changed = f"{len(anchors)} anchors"
        return replace(at, anchors=anchors, steps=(*at.steps, *record.records))

    def widen(at: Pass) -> Pass:
        with recording("oneshot/q3") as record:
            pool = expand(deps.chat, _plan(at), at.anchors)
            reply = deps.reasoner.think(Q3, Grading(at.question, deps.chat, _plan(at), pool, 0))
            record.take(reply)
            record.changed = f"{len(pool) - len(at.anchors)} linked messages joined"
        return replace(at, pool=pool, graded=reply.value.graded, steps=(*at.steps, *record.records))

    def narrate(at: Pass) -> Pass:
        with recording("oneshot/q4") as record:
            reply = deps.reasoner.think(Q4, Narrating(at.question, deps.chat, _plan(at), at.graded))
            record.take(reply)
            draft = reply.value
            record.changed = (
                "abstained"
                if draft.abstained
                else f"{len(draft.claims or draft.phases)} statements"
            )
        return replace(at, draft=draft, steps=(*at.steps, *record.records))

    def verify(at: Pass) -> Pass:
        with recording("oneshot/q5") as record:
            draft = at.draft or Draft(answer="", abstained=True)
            answer = resolve(draft, deps.chat, {c.local_id for c in at.pool})
            record.changed = (
                f"{len(answer.evidence)} citations, {len(answer.unsupported)} unsupported"
            )
        return replace(at, answer=answer, steps=(*at.steps, *record.records))

    return (
        RunnableLambda(understand).with_config(run_name="Q1 understand")
        | RunnableLambda(anchor).with_config(run_name="Q2 anchor")
        | RunnableLambda(widen).with_config(run_name="Q3 expand")
        | RunnableLambda(narrate).with_config(run_name="Q4 narrate")
        | RunnableLambda(verify).with_config(run_name="Q5 verify")
    )


def _plan(at: Pass) -> Plan:
    """The plan, which every step after Q1 has."""
    if at.plan is None:
        raise ValueError("Q1 runs first")
    return at.plan
