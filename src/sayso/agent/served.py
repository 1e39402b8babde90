"""The agent as a graph server runs it: messages in, an answer out, a context that is plain JSON."""

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langsmith.run_helpers import tracing_context
from pydantic import BaseModel, ConfigDict, Field

from sayso.agent.graph import run_agent
from sayso.core.answer_json import answer_json, without_trail
from sayso.core.chat import Chat
from sayso.core.models import Question, Turn
from sayso.core.seams import Deps
from sayso.errors import InputError
from sayso.settings import Address, Settings

# Where a reply's AIMessage carries its evidence.
EVIDENCE = "sayso"
_NO_MORE = object()


class AskContext(BaseModel):
    """Which chat a run asks, and how; what is left out is as the server's own settings have it."""

    # A server adds keys of its own.
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    chat: str | None = Field(None, description="An imported chat's id; none: the only one.")
    model: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="The language model; none: the configured one, or quoted messages."
    )
    base_url: Address | None = Field(
        None, description="The model's OpenAI-compatible server. The server's own key stays home."
    )
    rounds: Annotated[int, Field(ge=1, le=20)] | None = Field(
        None, description="Searches a question may take."
    )
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="No search starts after that time."
    )
    pool: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        None, description="Messages a search brings."
    )
    recall: bool = Field(False, description="Cite more: fewer messages are missed.")

    def over(self, settings: Settings) -> Settings:
        """The settings with what the run asks for in place of theirs."""
        asked = self.model_dump(exclude={"chat", "recall"}, exclude_none=True)
        return settings.model_copy(update=asked)


class Conversation(MessagesState, total=False):
    """The messages, and ``answer``: the last answer as ``ask --json`` prints it."""

    answer: dict[str, Any]  # JSON


Served = CompiledStateGraph[Conversation, AskContext, MessagesState, Conversation]


class ServedGraph(Served):
    """A compiled graph that lets the environment's tracing see a run only where it may.

    The run of the whole graph begins before any node could decide that.
    """

    def __init__(self, *, may_trace: Callable[[AskContext], bool], **compiled: Any) -> None:
        super().__init__(**compiled)
        self.may_trace = may_trace

    def stream(self, *given: Any, context: Any = None, **options: Any) -> Iterator[Any]:
        """See ``Pregel.stream``."""
        parts = super().stream(*given, context=context, **options)
        enabled = None if self.may_trace(_context(context)) else False
        while True:
            with tracing_context(enabled=enabled):  # not around the yield: that is the caller's
                part = next(parts, _NO_MORE)
            if part is _NO_MORE:
                return
            yield part

    async def astream(self, *given: Any, context: Any = None, **options: Any) -> AsyncIterator[Any]:
        """See ``Pregel.astream``."""
        parts = super().astream(*given, context=context, **options)
        enabled = None if await to_thread(self.may_trace, _context(context)) else False
        while True:
            with tracing_context(enabled=enabled):
                part = await anext(parts, _NO_MORE)
            if part is _NO_MORE:
                return
            yield part


def served_graph(
    deps_for: Callable[[AskContext], Deps], *, may_trace: Callable[[AskContext], bool]
) -> ServedGraph:
    """The graph over whatever chats ``deps_for`` can give; one node, with the agent's within it.

    ``may_trace`` says of a run, before it begins, what ``Deps.tracing`` says within it. A run
    raises what ``deps_for`` raises, and InputError where no human message asks anything.
    """

    def ask(state: MessagesState, runtime: Runtime[AskContext]) -> Conversation:
        context = _context(runtime.context)
        deps = deps_for(context)
        question = _question(state["messages"], deps.chat, recall=context.recall)
        # The agent's graph finds this run's config in its context, and so streams through it.
        document = answer_json(run_agent(question, deps))
        said = AIMessage(
            document["answer"], name="sayso", additional_kwargs={EVIDENCE: without_trail(document)}
        )
        return {"messages": [said], "answer": document}

    graph = StateGraph(Conversation, context_schema=AskContext, input_schema=MessagesState)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    graph.add_edge("ask", END)
    return ServedGraph(may_trace=may_trace, **vars(graph.compile(name="sayso")))


def _context(given: Any) -> AskContext:  # what a caller hands over: one, a dict of it, or None
    return given if isinstance(given, AskContext) else AskContext.model_validate(given or {})


def _question(messages: Sequence[AnyMessage], chat: Chat, *, recall: bool) -> Question:
    asked = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)]
    text = _text(messages[asked[-1]]) if asked else ""
    if not text:
        raise InputError("messages: no question: the last message of a human has to hold one")
    history = _turns(messages[: asked[-1]], chat)
    return Question(text=text, chat_id=chat.chat_id, history=history, recall=recall)


def _turns(messages: Sequence[AnyMessage], chat: Chat) -> tuple[Turn, ...]:
    """Each earlier question that was answered; a message between the two is nobody's."""
    turns, question = [], ""
    for message in messages:
        if isinstance(message, HumanMessage):
            question = _text(message)
        elif isinstance(message, AIMessage) and question:
            cited = _cited(message, chat)
            turns.append(Turn(question=question, answer=_text(message), cited=cited))
            question = ""
    return tuple(turns)


def _cited(message: AIMessage, chat: Chat) -> tuple[int, ...]:
    """What an earlier answer cited in this chat. It comes back from a client: any JSON may."""
    told = message.additional_kwargs.get(EVIDENCE)
    if not isinstance(told, dict) or told.get("chatId") != chat.chat_id:
        return ()
    evidence = told.get("evidence")
    items = [e for e in evidence if isinstance(e, dict)] if isinstance(evidence, list) else []
    ids = [e.get("localId") for e in items]
    return tuple(dict.fromkeys(i for i in ids if type(i) is int and i in chat.by_id))


def _text(message: AnyMessage) -> str:
    # JSON may hold half a character, which nothing after this could write.
    return str(message.text).encode("utf-8", "replace").decode("utf-8").strip()
