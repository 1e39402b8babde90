"""Models for tests: a loopback OpenAI server and a chat model, both saying what they are told to.

``model_server`` and ``scripted_model`` are fixtures that ``tests/conftest.py`` offers to all::

    def test_something(model_server):
        model_server.will({"answer": "A kayak", "cited": [1]}, Says(status=429), "prose")
        model_server.url            # what goes into OPENAI_BASE_URL / Settings(base_url=…)
        model_server.requests[0].body["messages"]

A reply is a dict (sent as JSON text), a text, or ``Says(…)`` for everything else. Once the
replies are used up the last one is said again; ``model_server.answers = function`` decides from a
request instead (it gets a ``Heard`` and returns any of the three).
"""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

USAGE = {
    "prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020,
    "prompt_tokens_details": {"cached_tokens": 400},
}  # fmt: skip


@dataclass(frozen=True)
class Says:
    """One reply of the server.

    ``content`` is the model's text (a dict is written as JSON), ``tool`` the arguments of a call of
    the first tool that the request offers. ``error`` makes an OpenAI error body. ``body`` is sent
    as it is, in place of everything else. ``hangs``: nothing is sent before the server closes;
    ``trickles``: a piece of the text again and again, without an end. ``drops``: the connection is
    closed without a reply, ``drops_after``: after so many pieces of a stream. ``streams`` False: a
    request for a stream gets a whole reply, as from servers that do not know the word.
    """

    content: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    finish: str | None = "stop"
    tool: Any = None
    refusal: str | None = None
    error: str | None = None
    body: str | None = None
    content_type: str = "application/json"
    usage: dict[str, Any] | None = field(default_factory=lambda: dict(USAGE))
    hangs: bool = False
    trickles: bool = False
    drops: bool = False
    drops_after: int | None = None
    streams: bool = True
    piece: int = 7


@dataclass(frozen=True)
class Heard:
    """One request: ``body`` is None for a GET; the headers' names are in small letters."""

    path: str
    headers: dict[str, str]
    body: Any

    @property
    def prompt(self) -> str:
        """The text of every message, one below the other."""
        return "\n".join(str(m.get("content") or "") for m in self.body["messages"])

    @property
    def way(self) -> str:
        """How the reply's form is asked for: json_schema, function_calling, json_mode or plain."""
        if self.body.get("tools"):
            return "function_calling"
        kind = (self.body.get("response_format") or {}).get("type")
        return {"json_schema": "json_schema", "json_object": "json_mode"}.get(kind, "plain")


Answers = Callable[[Heard], Any]


class ModelServer:
    """The server; ``url`` ends in ``/v1``. See the module."""

    def __init__(self) -> None:
        self.requests: list[Heard] = []
        self.models = ["scripted"]
        self.answers: Answers | None = None
        self.closing = threading.Event()
        self._replies: list[Any] = []
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def will(self, *replies: Any) -> None:
        """Say these next, in this order; what was still to be said is forgotten."""
        self._replies = list(replies)

    @property
    def asked(self) -> list[Heard]:
        """The requests for a completion."""
        return [heard for heard in self.requests if heard.path.endswith("/chat/completions")]

    def close(self) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.server_close()

    def reply_to(self, heard: Heard) -> Says:
        with self._lock:
            self.requests.append(heard)
            if self.answers:
                reply = self.answers(heard)
            elif not self._replies:
                reply = Says(status=500, error="the test has given this server nothing to say")
            else:
                reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        return reply if isinstance(reply, Says) else Says(reply)


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Tests print nothing."""

        def _named(self) -> dict[str, str]:
            return {name.lower(): value for name, value in self.headers.items()}

        def do_GET(self) -> None:
            server.requests.append(Heard(self.path, self._named(), None))
            models = [{"id": m, "object": "model"} for m in server.models]
            self._send(200, {}, json.dumps({"object": "list", "data": models}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            says = server.reply_to(Heard(self.path, self._named(), body))
            try:
                self._say(says, body)
            except OSError:  # the other side has gone
                self.close_connection = True

        def _say(self, says: Says, asked: Any) -> None:
            if says.hangs:
                server.closing.wait(60)
            if says.drops or says.hangs:
                self.close_connection = True
            elif says.body is not None:
                self._send(says.status, says.headers, says.body, says.content_type)
            elif says.status != 200:
                error = {"message": says.error or f"status {says.status}", "type": "scripted"}
                self._send(says.status, says.headers, json.dumps({"error": error}))
            elif asked.get("stream") and says.streams:
                self._stream(says, asked)
            else:
                self._send(200, says.headers, json.dumps(_completion(says, asked)))

        def _send(
            self, status: int, headers: dict[str, str], body: str, kind: str = "application/json"
        ) -> None:
            data = body.encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Type": kind}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, says: Says, asked: Any) -> None:
            self.send_response(200)
            for name, value in says.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for number, chunk in enumerate(_chunks(says, asked)):
                if says.drops_after is not None and number >= says.drops_after:
                    self.close_connection = True
                    return
                self._event(json.dumps(chunk))
            while says.trickles and not server.closing.wait(0.02):
                self._event(json.dumps(_chunk({"content": " "})))
            self._event("[DONE]")
            self.wfile.write(b"0\r\n\r\n")

        def _event(self, data: str) -> None:
            event = f"data: {data}\n\n".encode()
            self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
            self.wfile.flush()

    return Handler


def _text(says: Says) -> str | None:
    if says.content is None or isinstance(says.content, str):
        return says.content
    return json.dumps(says.content, ensure_ascii=False)


def _called(says: Says, asked: Any) -> list[dict[str, Any]] | None:
    if says.tool is None:
        return None
    name = (asked.get("tools") or [{"function": {"name": "none"}}])[0]["function"]["name"]
    arguments = says.tool if isinstance(says.tool, str) else json.dumps(says.tool)
    call = {"name": name, "arguments": arguments}
    return [{"index": 0, "id": "call_1", "type": "function", "function": call}]


def _completion(says: Says, asked: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": _text(says), "refusal": says.refusal}
    if calls := _called(says, asked):
        message["tool_calls"] = calls  # type: ignore[assignment]
    choice = {"index": 0, "message": message, "finish_reason": says.finish}
    whole = {"id": "c", "object": "chat.completion", "created": 0, "model": "scripted"}
    return {**whole, "choices": [choice], **({"usage": says.usage} if says.usage else {})}


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    piece = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
    return {**piece, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _chunks(says: Says, asked: Any) -> Iterator[dict[str, Any]]:
    yield _chunk({"role": "assistant", "content": ""})
    text = _text(says) or ""
    for start in range(0, len(text), says.piece):
        yield _chunk({"content": text[start : start + says.piece]})
    if says.refusal:
        yield _chunk({"refusal": says.refusal})
    for call in _called(says, asked) or ():
        arguments = call["function"]["arguments"]
        yield _chunk({"tool_calls": [{**call, "function": {**call["function"], "arguments": ""}}]})
        for start in range(0, len(arguments), says.piece):
            part = {"index": 0, "function": {"arguments": arguments[start : start + says.piece]}}
            yield _chunk({"tool_calls": [part]})
    if not says.trickles:
        yield _chunk({}, says.finish)
    if says.usage and (asked.get("stream_options") or {}).get("include_usage"):
        yield {**_chunk({}), "choices": [], "usage": says.usage}


class ScriptedModel(BaseChatModel):
    """A langchain chat model without tools or schemas: says its replies, the last one for ever.

    A reply may be an exception, which is raised, a dict, a text or an AIMessage.
    """

    replies: list[Any]
    heard: list[list[BaseMessage]] = []  # noqa: RUF012 - pydantic copies it for each model

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.heard.append(messages)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, dict):
            reply = json.dumps(reply, ensure_ascii=False)
        message = AIMessage(reply) if isinstance(reply, str) else reply
        return ChatResult(generations=[ChatGeneration(message=message)])


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A scriptable OpenAI server on loopback; see ``tests/model_server.py``."""
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
def says() -> type[Says]:
    """The class of a scripted reply."""
    return Says


@pytest.fixture
def scripted_model() -> Callable[..., ScriptedModel]:
    """Makes a langchain chat model that says these replies."""
    return lambda *replies: ScriptedModel(replies=list(replies))
