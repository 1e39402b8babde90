"""The chain: Q1 understand, Q2 anchor, Q3 expand, Q4 narrate, Q5 verify; one pass, no loop."""

from dataclasses import dataclass, replace

from langchain_core.runnables import Runnable, RunnableLambda
from langsmith.run_helpers import tracing_context

from sayso.core.citing import resolve
from sayso.core.models import Answer, Candidate, Draft, Graded, Plan, Question
from sayso.core.pooling import expand, gather
from sayso.core.recording import recording
from sayso.core.seams import Q1, Q3, Q4, Deps, Grading, Narrating, Planning
from sayso.core.trail import Round, StepRecord, StopReason, Trail

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
    ended: StopReason | None = None


def run_oneshot(question: Question, deps: Deps) -> Trail:
    """The question through the chain; raises ReasoningError where a step cannot be thought."""
    deps = deps.for_one_question()
    with tracing_context(enabled=None if deps.tracing else False):
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
        stop_reason=end.ended or ("single pass" if end.pool else "nothing found"),
        model=deps.model,
    )


def chain(deps: Deps) -> Runnable[Pass, Pass]:
    """The five steps as one LCEL sequence, bound to what they work with."""

    def understand(at: Pass) -> Pass:
        with recording("oneshot/q1", deps.listen) as record:
            reply = deps.reasoner.think(
                Q1, Planning(at.question, deps.chat, deps.meter, deps.listen)
            )
            record.take(reply)
            plan = reply.value
            record.changed = (
                f"{plan.intent}; queries: {len(plan.queries)}; "
                f"people: {', '.join(plan.people) or 'none named'}"
            )
        return replace(at, plan=plan, ended=reply.ended, steps=(*at.steps, *record.records))

    def anchor(at: Pass) -> Pass:
        with recording("oneshot/q2", deps.listen) as record:
            anchors = gather(deps.chat, deps.retriever.search, _plan(at), deps.budget.pool)
            record.changed = f"{len(anchors)} anchors"
        return replace(at, anchors=anchors, steps=(*at.steps, *record.records))

    def widen(at: Pass) -> Pass:
        with recording("oneshot/q3", deps.listen) as record:
            pool = expand(deps.chat, _plan(at), at.anchors)
            given = Grading(at.question, deps.chat, _plan(at), pool, 0, deps.meter, deps.listen)
            reply = deps.reasoner.think(Q3, given)
            record.take(reply)
            record.changed = f"{len(pool) - len(at.anchors)} linked messages joined"
        return replace(
            at,
            pool=pool,
            graded=reply.value.graded,
            ended=reply.ended or at.ended,
            steps=(*at.steps, *record.records),
        )

    def narrate(at: Pass) -> Pass:
        with recording("oneshot/q4", deps.listen) as record:
            given = Narrating(at.question, deps.chat, _plan(at), at.graded, deps.meter, deps.listen)
            reply = deps.reasoner.think(Q4, given)
            record.take(reply)
            draft = reply.value
            record.changed = (
                "abstained"
                if draft.abstained
                else f"{len(draft.claims or draft.phases)} statements"
            )
        return replace(
            at, draft=draft, ended=reply.ended or at.ended, steps=(*at.steps, *record.records)
        )

    def verify(at: Pass) -> Pass:
        with recording("oneshot/q5", deps.listen) as record:
            draft = at.draft or Draft(answer="", abstained=True)
            shown = {c.local_id for c in at.pool} | {g.local_id for g in at.graded}
            answer = resolve(draft, deps.chat, shown)
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
