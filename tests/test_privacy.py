"""Nothing leaves the machine: what an endpoint for traces hears while a question is answered."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

ANSWER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from sayso.assembly import deps_for
from sayso.core.chat import Chat, Message
from sayso.core.models import Question
from sayso.modes import MODES
from sayso.settings import Settings
said = Message(local_id=1, sender="Ana", sent_at=datetime(2024, 3, 2, tzinfo=UTC), text="I bought a kayak")
chat = Chat(chat_id="c", title="c", platform="invented", participants=("Ana",), messages=(said,))
asked = dict(given.split("=", 1) for given in sys.argv[3:])
deps = deps_for(chat, Settings(**asked), home=Path(sys.argv[1]))
trail = MODES[sys.argv[2]](Question(text="What did Ana buy?", chat_id="c"), deps)
assert trail.answer.local_ids == (1,), trail.answer
"""
SERVED = """
import asyncio, os, sys
from pathlib import Path
os.environ["SAYSO_HOME"] = sys.argv[1]
from sayso.assembly import agent_graph, import_export
from sayso.chats.importers.report import ImportOptions
Path("ana.txt").write_text("[2024-03-02, 09:00:00] Ana: I bought a kayak\\n" * 3)
import_export(Path("ana.txt"), ImportOptions(), home=Path(sys.argv[1]))
asked = {"messages": [("user", "What did Ana buy?")]}
context = dict(given.split("=", 1) for given in sys.argv[2:])
assert agent_graph().invoke(asked, context=context)["answer"]["evidence"]
assert asyncio.run(agent_graph().ainvoke(asked, context=context))["answer"]["evidence"]
"""
SEARCHED = """
import sys
from pathlib import Path
from sayso.cli.main import run
Path("ana.txt").write_text("[2024-03-02, 09:00:00] Ana: I bought a kayak\\n" * 3)
assert run(["search", "What did Ana buy?", "--chat", "ana.txt"]) == 0
"""
PLAIN_CHAIN = """
from langchain_core.runnables import RunnableLambda
RunnableLambda(lambda question: question).invoke("What did Ana buy?")
"""
# Traces are sent by a thread: wait until it has nothing left before the process ends.
WAIT = """
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


@pytest.fixture
def traced(httpserver: HTTPServer, tmp_path: Path):
    """Runs a program with tracing on by the environment; returns the requests that were made."""
    httpserver.expect_request(re.compile(".*")).respond_with_json({})

    def ran(program: str, *arguments: str) -> list[str]:
        environment = {
            **os.environ,
            "LANGSMITH_TRACING": "true", "LANGCHAIN_TRACING_V2": "true",
            "LANGSMITH_API_KEY": "none", "LANGCHAIN_API_KEY": "none",
            "LANGSMITH_ENDPOINT": httpserver.url_for(""),
            "LANGCHAIN_ENDPOINT": httpserver.url_for(""),
        }  # fmt: skip
        subprocess.run(
            [sys.executable, "-c", program + WAIT, *arguments],
            env=environment, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120,
        )  # fmt: skip
        return [f"{request.method} {request.path}" for request, _ in httpserver.log]

    return ran


@pytest.mark.parametrize("mode", ["agent", "oneshot"])
def test_with_tracing_on_in_the_environment_an_answer_sends_nothing(mode, traced, tmp_path):
    assert traced(ANSWER, str(tmp_path), mode) == []


def test_the_same_endpoint_does_hear_of_an_ordinary_chain(traced):
    requests = traced(PLAIN_CHAIN)

    assert any(request.startswith("POST") for request in requests)


@pytest.mark.parametrize("mode", ["agent", "oneshot"])
def test_with_a_model_the_environments_tracing_hears_of_the_steps_unless_offline(
    mode, traced, tmp_path, model_server
):
    model_server.will("no JSON at all")  # quoted messages stand in, after calls that are traced
    model = ["model=scripted", f"base_url={model_server.url}", "cache=false"]

    assert traced(ANSWER, str(tmp_path), mode, *model, "offline=true") == []
    assert model_server.asked
    assert any(r.startswith("POST") for r in traced(ANSWER, str(tmp_path), mode, *model))


def test_the_served_graph_sends_nothing_without_a_model_or_offline(
    traced, tmp_path, model_server, monkeypatch
):
    model_server.will("no JSON at all")

    assert traced(SERVED, str(tmp_path / "home")) == []
    monkeypatch.setenv("SAYSO_OFFLINE", "true")
    model = ["model=scripted", f"base_url={model_server.url}"]
    assert traced(SERVED, str(tmp_path / "home"), *model) == []
    assert model_server.asked


def test_the_served_graph_is_traced_where_a_model_thinks(traced, tmp_path, model_server):
    model_server.will("no JSON at all")
    model = ["model=scripted", f"base_url={model_server.url}"]

    assert any(r.startswith("POST") for r in traced(SERVED, str(tmp_path / "home"), *model))


def test_offline_a_search_that_a_model_plans_is_not_traced_either(
    traced, tmp_path, model_server, monkeypatch
):
    model_server.will("no JSON at all")
    settings = {"HOME": str(tmp_path / "home"), "MODEL": "scripted", "OFFLINE": "true"}
    for name, value in (settings | {"BASE_URL": model_server.url}).items():
        monkeypatch.setenv(f"SAYSO_{name}", value)

    assert traced(SEARCHED) == []
    assert model_server.asked
