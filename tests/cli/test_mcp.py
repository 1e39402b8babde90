"""``sayso mcp`` as an assistant meets it: a process, spoken to by the SDK's own client."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.cli.mcp_results import NOTICE

mcp = pytest.importorskip("mcp")


@pytest.fixture
def talk(home: Path, imported, tmp_path: Path) -> Callable[[Callable[[Any], Awaitable[Any]]], Any]:
    """Starts the server, lets the function talk with it, and returns what that returns."""

    def talked(work: Callable[[Any], Awaitable[Any]]) -> Any:
        async def over_stdio() -> Any:
            server = mcp.StdioServerParameters(
                command=sys.executable, args=["-m", "sayso", "mcp"], env=dict(os.environ),
                cwd=tmp_path,
            )  # fmt: skip
            async with mcp.Client(server) as client:
                return await work(client)

        return asyncio.run(over_stdio())

    return talked


def test_the_tools_say_what_they_take_and_what_comes_back(talk):
    async def listed(client):
        return (await client.list_tools()).tools

    tools = {tool.name: tool for tool in talk(listed)}

    assert list(tools) == ["ask", "search", "show", "chats"]
    assert all("Returns" in tool.description for tool in tools.values())
    assert all(tool.annotations.read_only_hint for tool in tools.values())
    assert tools["ask"].input_schema["required"] == ["question"]
    assert {"answer", "evidence", "notice"} <= set(tools["ask"].output_schema["properties"])


def test_each_tool_gives_what_the_command_prints_as_json(talk, imported):
    async def all_of_them(client):
        calls = [
            ("ask", {"question": "Who bought a kayak?"}),
            ("search", {"question": "Who bought a kayak?", "k": 3}),
            ("show", {"local_id": 3, "around": 1}),
            ("chats", {}),
        ]
        return [await client.call_tool(name, given) for name, given in calls]

    results = talk(all_of_them)
    asked, found, shown, listed = (result.structured_content for result in results)

    printed = json.loads(imported("ask", "Who bought a kayak?", "--json").out)
    assert {k: v for k, v in asked.items() if k not in ("notice", "notes")} == {
        k: v for k, v in printed.items() if k != "trail"
    }
    assert asked["evidence"][0]["localId"] == 3
    ranks = json.loads(imported("search", "Who bought a kayak?", "-k", "3", "--json").out)
    assert [r["message"]["localId"] for r in found["found"]] == [r["localId"] for r in ranks]
    assert found["found"][0]["message"]["text"] == "I bought a red kayak for the lake"
    showed = json.loads(imported("show", "trip", "3", "--around", "1", "--json").out)
    assert shown == {"notice": NOTICE, **showed}
    assert listed["chats"] == json.loads(imported("chats", "--json").out)
    for result in results:
        assert result.structured_content["notice"] == NOTICE, "chat text is marked as data"
        assert json.loads(result.content[0].text) == result.structured_content


def test_errors_are_the_tools_errors_in_our_words(talk, trip):
    calls = {
        "no imported chat": ("ask", {"question": "Who?", "chat": str(trip)}),
        "senders 'Zed' is nobody in chat trip": ("search", {"question": "Who?", "senders": ["Zed"]}),
        "since 2024-05-02 is after until 2024-05-01": (
            "ask", {"question": "Who?", "since": "2024-05-02", "until": "2024-05-01"},
        ),
        "question is empty; ask something": ("ask", {"question": " "}),
        "has no message 99": ("show", {"local_id": 99}),
        "show: local_id: Input should be greater than or equal to 1, found 0": (
            "show", {"local_id": 0},
        ),
        "ask: question is missing": ("ask", {}),
        "ask: mode: Input should be 'agent' or 'oneshot', found 'whole'": (
            "ask", {"question": "Who?", "mode": "whole"},
        ),
        "search: senders: Input should be a valid list, found 'Bo'": (
            "search", {"question": "Who?", "senders": "Bo"},
        ),
        "search takes no 'sender'; it takes question, chat, k, senders, since, until": (
            "search", {"question": "Who?", "sender": ["Bo"]},
        ),
        "chats takes no 'chat' and no other argument": ("chats", {"chat": "trip"}),
    }  # fmt: skip

    async def failing(client):
        return [await client.call_tool(name, given) for name, given in calls.values()]

    for expected, result in zip(calls, talk(failing), strict=True):
        assert result.is_error
        assert expected in result.content[0].text


def test_a_long_argument_is_told_by_its_beginning(talk):
    async def asked(client):
        return await client.call_tool("ask", {"question": "x" * 5000})

    told = talk(asked).content[0].text

    assert told.startswith("ask: question: String should have at most 4000 characters, found 'xxx")
    assert len(told) < 200


def test_nothing_but_the_protocol_is_on_stdout(home, imported):
    asked = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "chats", "arguments": {}}},
    ]  # fmt: skip
    server = subprocess.Popen(
        [sys.executable, "-m", "sayso", "mcp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with server:
        server.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        server.stdin.flush()
        said = [json.loads(server.stdout.readline()) for _ in (1, 2)]
        rest, _ = server.communicate(timeout=60)

    assert [one["id"] for one in said] == [1, 2]
    assert said[0]["result"]["serverInfo"]["name"] == "sayso"
    assert NOTICE in said[0]["result"]["instructions"]
    assert rest == ""
    assert server.returncode == 0


def test_a_missing_sdk_is_told_with_what_installs_it(sayso, monkeypatch):
    monkeypatch.setattr("sayso.cli.mcp.find_spec", lambda name: None)

    ran = sayso("mcp")

    assert ran.code == 2
    assert "pip install 'sayso[mcp]'" in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--model", "m"), "OPENAI_API_KEY is not set"),
        (("--model", "m", "--base-url", "http://models.example/v1", "--offline"), "offline: the model"),
        (("--model", "m", "--base-url", "models.example"), "base_url: expected an address"),
    ],
)  # fmt: skip
def test_a_model_that_could_not_be_asked_is_told_before_the_server_starts(
    sayso, monkeypatch, flags, told
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    ran = sayso("mcp", *flags)

    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err
