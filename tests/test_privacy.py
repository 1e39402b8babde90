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
deps = deps_for(chat, Settings(), home=Path(sys.argv[1]))
trail = MODES[sys.argv[2]](Question(text="What did Ana buy?", chat_id="c"), deps)
assert trail.answer.local_ids == (1,), trail.answer
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
