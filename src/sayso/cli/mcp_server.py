"""The MCP server: ask, search, show and chats, over the imported chats alone.

Only ``sayso mcp`` imports this module, and only where the SDK is installed.
"""

import json
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any

import click
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError

from sayso.assembly import open_chats
from sayso.chats.store import ChatStore
from sayso.cli.answers import failed_steps, without_model
from sayso.cli.asking import question_text
from sayso.cli.chats import chat_json
from sayso.cli.limits import Limits
from sayso.cli.mcp_results import NOTICE, Answered, Found, Listed, Shown, message_json
from sayso.cli.mcp_words import as_arguments, unknown_arguments, wrong_arguments
from sayso.cli.search import ranked
from sayso.cli.show import neighbourhood
from sayso.core.answer_json import answer_json, without_trail
from sayso.core.models import Question
from sayso.core.trail import ModeName
from sayso.errors import SaysoError
from sayso.modes import MODES
from sayso.settings import Settings

INSTRUCTIONS = f"""\
Questions about chats that the person here imported, answered with the exact messages that say so.
Begin with `chats`; `ask` answers with evidence; `search` ranks messages; `show` reads around one.
Cite messages by chat and localId. {NOTICE}"""

ChatId = Annotated[str | None, Field(description="A chatId from `chats`; none: the only chat.")]
Senders = Annotated[list[str], Field(description="Only messages by these people.")]
Since = Annotated[date | None, Field(description="Only messages from this day on.")]
Until = Annotated[date | None, Field(description="Only messages up to this day, inclusive.")]
Asked = Annotated[str, Field(min_length=1, max_length=4000, description="The question, in words.")]


class Server(MCPServer[Any]):
    """The SDK's server, which tells in our words what is wrong with the arguments of a call."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """See ``MCPServer.call_tool``, whose own types are taken and given."""
        tool = next((tool for tool in await self.list_tools() if tool.name == name), None)
        takes = tool.input_schema["properties"] if tool else arguments
        if fault := unknown_arguments(name, arguments, takes):
            return _failed(fault)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            return _failed(wrong_arguments(name, error.__cause__))


def mcp_server(home: Path, settings: Settings) -> Server:
    """The server over the chats of a data folder; it reads no other file, whoever asks."""
    server = Server(
        "sayso",
        title="sayso",
        description="Answers from chat history, with the exact messages that say so.",
        instructions=INSTRUCTIONS,
        version=version("sayso"),
        log_level="WARNING",
    )
    reads = ToolAnnotations(
        read_only_hint=True, idempotent_hint=True, open_world_hint=settings.model is not None
    )
    tools = Tools(home, settings)
    for tool in (tools.ask, tools.search, tools.show, tools.chats):
        server.tool(description=cleandoc(tool.__doc__ or ""), annotations=reads)(tool)
    return server


class Tools:
    """The tools; what a tool says of itself is what an assistant reads. Threads may share them."""

    def __init__(self, home: Path, settings: Settings) -> None:
        self._home, self._settings = home, settings
        self._open = open_chats(home)

    def ask(
        self,
        question: Asked,
        chat: ChatId = None,
        mode: Annotated[
            ModeName, Field(description="agent searches again while evidence is missing.")
        ] = "agent",
        recall: Annotated[bool, Field(description="Cite more: fewer messages are missed.")] = False,
        senders: Senders = [],  # noqa: B006 - read only; the schema shows it
        since: Since = None,
        until: Until = None,
    ) -> Annotated[CallToolResult, Answered]:
        """Answer a question about a chat with the exact messages that say so.

        Returns the answer and its evidence: for each citation localId, sender, sentAt and the
        quote with its offsets (code points) in the message. abstained: nothing there supports one.
        """

        def answered() -> dict[str, Any]:
            deps = self._open.deps(chat, self._settings)
            limits = Limits(tuple(senders), since, until).within(deps.chat)
            text = question_text((question,))
            asked = Question(text=text, chat_id=deps.chat.chat_id, limits=limits, recall=recall)
            trail = MODES[mode](asked, deps)
            failed = failed_steps(trail)
            notes = (*deps.notes, *((without_model(failed),) if failed else ()))
            return {"notes": notes, **without_trail(answer_json(trail))}

        return _told(answered)

    def search(
        self,
        question: Asked,
        chat: ChatId = None,
        k: Annotated[int, Field(ge=1, le=100, description="How many.")] = 10,
        senders: Senders = [],  # noqa: B006 - read only; the schema shows it
        since: Since = None,
        until: Until = None,
    ) -> Annotated[CallToolResult, Found]:
        """Rank the messages of a chat for a question, best first; nothing is answered.

        Returns at most k messages, each whole and with its score.
        """

        def found() -> dict[str, Any]:
            deps = self._open.deps(chat, self._settings)
            limits = Limits(tuple(senders), since, until).within(deps.chat)
            text = question_text((question,))
            asked = Question(text=text, chat_id=deps.chat.chat_id, limits=limits)
            hits = ranked(asked, deps, k)
            by_id = deps.chat.by_id
            return {
                "notes": deps.notes,
                "chatId": deps.chat.chat_id,
                "found": [
                    {"score": c.score, "message": message_json(by_id[c.local_id])} for c in hits
                ],
            }

        return _told(found)

    def show(
        self,
        local_id: Annotated[int, Field(ge=1, description="The message's localId.")],
        chat: ChatId = None,
        around: Annotated[int, Field(ge=0, le=50, description="Neighbours on each side.")] = 5,
    ) -> Annotated[CallToolResult, Shown]:
        """Read a message among its neighbours.

        Returns the messages in order, each whole: localId, sender, sentAt, text, kind.
        """

        def shown() -> dict[str, Any]:
            held = self._open.chat(chat)
            messages = neighbourhood(held, local_id, around)
            return {
                "chatId": held.chat_id,
                "localId": local_id,
                "messages": [message_json(m) for m in messages],
            }

        return _told(shown)

    def chats(self) -> Annotated[CallToolResult, Listed]:
        """List the imported chats.

        Returns of each: chatId, title, people, how many messages, when the first and the last.
        """

        def listed() -> dict[str, Any]:
            store, chats, faults = ChatStore(self._home), [], []
            for chat_id in store.ids():
                try:
                    chats.append(chat_json(store.load(chat_id)))
                except SaysoError as fault:  # one broken file must not hide the others
                    faults.append(str(fault))
            return {"chats": chats, "unreadable": faults}

        return _told(listed)


def _told(work: Callable[[], dict[str, Any]]) -> CallToolResult:
    """The result as text and as JSON; an error of ours is the tool's error, in our words."""
    try:
        document = {"notice": NOTICE, **work()}
    except SaysoError as error:
        return _failed(as_arguments(str(error)))
    except click.ClickException as error:
        return _failed(as_arguments(error.format_message()))
    text = json.dumps(document, ensure_ascii=False)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=document
    )


def _failed(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
