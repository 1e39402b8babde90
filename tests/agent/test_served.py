import asyncio
import warnings

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langsmith.utils import tracing_is_enabled

from sayso.agent.served import EVIDENCE, AskContext, served_graph
from sayso.core.models import Turn
from sayso.core.seams import Deps
from sayso.errors import InputError

ASKED = {"messages": [HumanMessage("Where is the kayak?")]}


@pytest.fixture
def served(shared_deps):
    return served_graph(lambda context: shared_deps, may_trace=lambda context: False)


def test_the_answer_comes_as_a_message_that_carries_its_evidence(served):
    said = served.invoke(ASKED)

    message = said["messages"][-1]
    assert isinstance(message, AIMessage)
    assert message.content == "so it is"
    assert [e["localId"] for e in message.additional_kwargs[EVIDENCE]["evidence"]] == [1, 2, 3]
    assert "trail" not in message.additional_kwargs[EVIDENCE]
    assert said["answer"]["trail"]["rounds"]


def test_earlier_messages_become_the_questions_history(served):
    evidence = {"chatId": "c", "evidence": [{"localId": 7}, {"localId": 7}, {"localId": 9}]}
    messages = [
        SystemMessage("be kind"),
        HumanMessage("Who has a kayak?"),
        AIMessage("Bo.", additional_kwargs={EVIDENCE: evidence}),
        HumanMessage("unanswered"),
        HumanMessage([{"type": "text", "text": "Since when?"}]),
        AIMessage("March."),
        HumanMessage("And where is it?"),
    ]

    question = served.invoke({"messages": messages})["answer"]["trail"]["question"]

    assert question["text"] == "And where is it?"
    assert question["history"] == [
        Turn(question="Who has a kayak?", answer="Bo.", cited=(7, 9)).model_dump(mode="json"),
        Turn(question="Since when?", answer="March.").model_dump(mode="json"),
    ]


@pytest.mark.parametrize(
    "told",
    [
        None, "x", {"chatId": "other", "evidence": [{"localId": 7}]}, {"chatId": "c"},
        {"chatId": "c", "evidence": "x"}, {"chatId": "c", "evidence": [1, {"localId": "7"}]},
        {"chatId": "c", "evidence": [{"localId": 999}, {"localId": True}]},
    ],
)  # fmt: skip
def test_evidence_that_a_client_made_up_is_not_believed(told, served):
    messages = [
        HumanMessage("Who?"),
        AIMessage("Bo.", additional_kwargs={EVIDENCE: told}),
        HumanMessage("Where?"),
    ]

    (turn,) = served.invoke({"messages": messages})["answer"]["trail"]["question"]["history"]

    assert turn["cited"] == []


@pytest.mark.parametrize("messages", [[], [AIMessage("hello")], [HumanMessage(" ")]])
def test_without_a_question_a_run_is_refused(messages, served):
    with pytest.raises(InputError, match="no question"):
        served.invoke({"messages": messages})


def test_half_a_character_in_a_question_becomes_a_question_mark(served):
    said = served.invoke({"messages": [HumanMessage("kayak \ud83d here")]})

    assert said["answer"]["question"] == "kayak ? here"


def test_the_context_is_handed_over_whole_and_other_keys_are_let_be(shared_deps):
    seen: list[AskContext] = []

    def deps_for(context: AskContext) -> Deps:
        seen.append(context)
        return shared_deps

    served = served_graph(deps_for, may_trace=lambda context: False)
    served.invoke(ASKED)
    served.invoke(ASKED, context={"chat": "c", "recall": True, "thread_id": "t"})

    assert seen == [AskContext(), AskContext(chat="c", recall=True)]


def test_an_async_stream_shows_the_same_nodes(served):
    async def names() -> list[str]:
        stream = served.astream(ASKED, stream_mode="updates", subgraphs=True)
        return [name async for _, part in stream for name in part]

    assert asyncio.run(names()) == [
        "planner", "retriever", "grader", "retriever", "grader", "generator", "ask",
    ]  # fmt: skip


def test_a_stream_that_is_left_early_ends(served):
    stream = served.stream(ASKED, stream_mode="updates", subgraphs=True)

    assert list(next(stream)[1]) == ["planner"]
    stream.close()


def test_a_store_of_threads_keeps_plain_values_alone(served, monkeypatch):
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    kept = served.copy(update={"checkpointer": InMemorySaver()})
    thread = {"configurable": {"thread_id": "1"}}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept.invoke(ASKED, thread)
        kept.invoke({"messages": [HumanMessage("Since when?")]}, thread)
        state = kept.get_state(thread).values

    assert len(state["messages"]) == 4
    assert len(state["answer"]["trail"]["question"]["history"]) == 1
    assert set(kept.checkpointer.storage["1"]) == {""}, "nothing of the agent's own graph"


@pytest.mark.parametrize("allowed", [True, False])
def test_tracing_by_the_environment_is_for_the_run_alone_and_where_it_may(
    allowed, shared_deps, monkeypatch
):
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setattr("langchain_core.tracers.langchain.LangChainTracer", _no_tracer)
    within: list[object] = []

    def deps_for(context: AskContext) -> Deps:
        within.append(tracing_is_enabled())
        return shared_deps

    served = served_graph(deps_for, may_trace=lambda context: allowed)
    from langsmith.utils import get_env_var

    get_env_var.cache_clear()
    for _ in served.stream(ASKED):
        assert tracing_is_enabled(), "the caller's own tracing is as it was"
    get_env_var.cache_clear()

    assert within == [allowed]


def _no_tracer(*_: object, **__: object) -> None:
    raise ValueError("a test posts nothing")


def test_the_contexts_schema_is_plain_json(served):
    schema = served.get_context_jsonschema()

    assert set(schema["properties"]) == {
        "chat", "model", "base_url", "rounds", "seconds", "pool", "recall",
    }  # fmt: skip
    assert all("description" in field for field in schema["properties"].values())
