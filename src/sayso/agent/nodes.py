"""The four nodes. Each returns only what it adds; none knows which reasoner thinks."""

from langgraph.runtime import Runtime

from sayso.agent.state import State
from sayso.core.citing import resolve
from sayso.core.models import Candidate, Gap, Plan
from sayso.core.pooling import expand, gather, merge
from sayso.core.recording import planned, recording
from sayso.core.seams import GENERATOR, GRADER, PLANNER, Deps, Grading, Narrating, Planning
from sayso.core.trail import Round, StopReason


def planner(state: State, runtime: Runtime[Deps]) -> State:
    """Question → plan, which is also the first search."""
    deps = runtime.context
    with recording(PLANNER.name, deps.listen) as record:
        given = Planning(state["question"], deps.chat, deps.meter, deps.listen)
        reply = deps.reasoner.think(PLANNER, given)
        record.take(reply)
        plan = reply.value
        record.changed = planned(plan)
    return {"plan": plan, "search": plan, "steps": record.records}


def retriever(state: State, runtime: Runtime[Deps]) -> State:
    """Search → one more round of candidates."""
    deps = runtime.context
    with recording("agent/retriever", deps.listen) as record:
        search = state["search"]
        found = gather(deps.chat, deps.retriever.search, search, deps.budget.pool)
        found = expand(deps.chat, search, found)
        known = {c.local_id for r in state.get("rounds", []) for c in r.candidates}
        fresh = sum(c.local_id not in known for c in found)
        record.changed = f"{len(found)} candidates, {fresh} of them new"
    return {"rounds": [Round(plan=search, candidates=found)], "steps": record.records}


def grader(state: State, runtime: Runtime[Deps]) -> State:
    """Candidates → graded, and either a gap to search for or the reason to stop."""
    deps, rounds = runtime.context, state["rounds"]
    with recording(GRADER.name, deps.listen) as record:
        pool = pool_of(deps, rounds)
        given = Grading(
            state["question"], deps.chat, state["plan"], pool, len(rounds) - 1,
            deps.meter, deps.listen,
        )  # fmt: skip
        reply = deps.reasoner.think(GRADER, given)
        record.take(reply)
        verdict = reply.value
        stop = reply.ended or _stop(state, deps, verdict.gap)
        record.changed = f"{len(verdict.graded)} graded; {verdict.why}" + (
            f"; stops: {stop}" if stop else ""
        )
    added: State = {"graded": verdict.graded, "gap": verdict.gap, "steps": record.records}
    if stop:
        return {**added, "stop_reason": stop}
    return {**added, "search": _search_for(verdict.gap, state["plan"])}


def generator(state: State, runtime: Runtime[Deps]) -> State:
    """Graded → the answer, its citations checked against what was retrieved."""
    deps = runtime.context
    with recording(GENERATOR.name, deps.listen) as record:
        graded = state["graded"]
        given = Narrating(
            state["question"], deps.chat, state["plan"], graded, deps.meter, deps.listen
        )
        reply = deps.reasoner.think(GENERATOR, given)
        record.take(reply)
        retrieved = {c.local_id for r in state["rounds"] for c in r.candidates}
        retrieved |= {g.local_id for g in graded}  # the neighbours that a grader read with them
        answer = resolve(reply.value, deps.chat, retrieved)
        record.changed = (
            "abstained"
            if answer.abstained
            else f"{len(answer.evidence)} citations, {len(answer.unsupported)} unsupported"
        )
    added: State = {"answer": answer, "steps": record.records}
    if reply.ended:
        return {**added, "stop_reason": reply.ended}
    if answer.abstained and state["stop_reason"] == "enough evidence":
        # Enough to tell that there is none: the other words would be taken for the contrary.
        return {**added, "stop_reason": "nothing found"}
    return added


def after_grading(state: State) -> str:
    """Back to the retriever while a gap is open, else on to the generator."""
    return "generator" if "stop_reason" in state else "retriever"


def pool_of(deps: Deps, rounds: list[Round]) -> tuple[Candidate, ...]:
    """The rounds' candidates merged, best first."""
    return merge(deps.chat, (r.candidates for r in rounds))


def _stop(state: State, deps: Deps, gap: Gap | None) -> StopReason | None:
    """Why the loop ends here, or None to go on; the first reason that holds."""
    rounds = state["rounds"]
    found = any(r.candidates for r in rounds)
    before = {c.local_id for r in rounds[:-1] for c in r.candidates}
    fresh = any(c.local_id not in before for c in rounds[-1].candidates)
    is_last = len(rounds) >= deps.budget.rounds
    reasons: tuple[tuple[bool, StopReason], ...] = (
        (not found and (gap is None or len(rounds) > 1 or is_last), "nothing found"),
        (gap is None, "enough evidence"),
        (len(rounds) > 1 and not (fresh and gap and gap.queries), "no new evidence"),
        (is_last, "round budget"),
    )
    return next((reason for holds, reason in reasons if holds), deps.meter.ended)


def _search_for(gap: Gap | None, plan: Plan) -> Plan:
    """The plan of the next search: the gap's queries within the question's own limits."""
    if gap is None:
        return plan
    return plan.model_copy(
        update={
            "queries": gap.queries,
            "aspects": (),
            "people": gap.people,
            "since": gap.since,
            "until": gap.until,
            "notes": (gap.missing,),
        }
    )
