"""The agent: planner → retriever → grader, back while evidence is missing, then generator."""

from collections import deque
from functools import cache

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langsmith.run_helpers import tracing_context

from sayso.agent import nodes
from sayso.agent.state import State
from sayso.core.models import Question
from sayso.core.seams import Deps
from sayso.core.trail import Trail

RANKING = 50

Graph = CompiledStateGraph[State, Deps, State, State]


@cache
def agent_graph() -> Graph:
    """The compiled graph; it holds no chat and no model, those come with the context."""
    graph = StateGraph(State, context_schema=Deps)
    graph.add_node("planner", nodes.planner)
    graph.add_node("retriever", nodes.retriever)
    graph.add_node("grader", nodes.grader)
    graph.add_node("generator", nodes.generator)
    graph.add_edge(START, "planner")
    graph.add_edge("planner", "retriever")
    graph.add_edge("retriever", "grader")
    graph.add_conditional_edges("grader", nodes.after_grading, ["retriever", "generator"])
    graph.add_edge("generator", END)
    # As a node of the served graph it would keep its state, which is one question's, in the server's store.
    return graph.compile(name="sayso", checkpointer=False)


def run_agent(question: Question, deps: Deps) -> Trail:
    """The question through the graph; raises ReasoningError where a step cannot be thought."""
    # A round is two nodes; the budget ends the loop long before this limit could.
    limit = 2 * deps.budget.rounds + 8
    deps = deps.for_one_question()
    with tracing_context(enabled=None if deps.tracing else False):
        # ``invoke`` has the updates streamed too, only to look for interrupts: the last state will do.
        states = agent_graph().stream(
            {"question": question},
            context=deps,
            config={"recursion_limit": limit},
            stream_mode="values",
        )
        (state,) = deque(states, maxlen=1)
    rounds = state["rounds"]
    return Trail(
        question=question,
        mode="agent",
        plan=state["plan"],
        ranking=nodes.pool_of(deps, rounds)[:RANKING],
        rounds=tuple(rounds),
        graded=state["graded"],
        answer=state["answer"],
        steps=tuple(state["steps"]),
        stop_reason=state["stop_reason"],
        model=deps.model,
    )
