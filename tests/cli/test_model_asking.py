"""ask with a model behind it: streamed, as JSON lines, interrupted, in threads; over loopback."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import Sayso

PLAN = {"intent": "fact", "queries": ["bought a kayak"]}
GRADES = {"grades": [{"n": 1, "relevance": 3}], "missing": None}
SAYS = {"agent/planner": PLAN, "agent/grader": GRADES, "oneshot/q1": PLAN}
ANSWER = "Ana bought a red kayak."


def said(heard, answer=ANSWER):
    """The scripted model: which step asks is told by what its prompt's schema wants."""
    if "nothing_found" in heard.prompt:
        shown = [x for x in heard.prompt.splitlines() if "red kayak" in x and x.startswith("[")]
        n = int(shown[-1].split("]")[0][1:])
        claim = {"text": "Ana bought it", "cite": [{"n": n, "quote": "a red kayak"}]}
        return {"claims": [claim], "phases": [], "nothing_found": False, "answer": answer}
    return GRADES if '"grades"' in heard.prompt else PLAN


@pytest.fixture
def asked(imported, model_server, monkeypatch):
    """Asks about the trip, with the scripted model."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "SAYSO_MODEL", "LANGSMITH_TRACING"):
        monkeypatch.delenv(name, raising=False)
    model_server.answers = said
    flags = ("--model", "scripted", "--base-url", model_server.url)
    return lambda *words, **more: imported("ask", *words, *flags, **more)


def test_a_model_answers_with_checked_evidence(asked) -> None:
    ran = asked("Who bought a kayak?", "--mode", "oneshot", "--json")

    given = json.loads(ran.out)
    assert given["answer"] == ANSWER
    assert [(e["localId"], e["quote"]) for e in given["evidence"]] == [(3, "a red kayak")]
    assert given["usage"]["modelCalls"] == 2
    assert (
        ran.err
        == "sayso: the question, and the messages found for it, go to scripted @ 127.0.0.1\n"
    )


@pytest.mark.parametrize(
    ("mode", "steps"),
    [
        ("agent", ["agent/planner", "agent/retriever", "agent/grader", "agent/generator"]),
        ("oneshot", [f"oneshot/q{n}" for n in (1, 2, 3, 4, 5)]),
    ],
)
def test_jsonl_tells_every_event_and_then_the_answer(asked, mode, steps) -> None:
    lines = asked("Who bought a kayak?", "--mode", mode, "--jsonl").out.splitlines()

    *events, last = map(json.loads, lines)
    assert [e["step"] for e in events if e["event"] == "started"] == steps
    assert [e["step"] for e in events if e["event"] == "ended"] == steps
    words = [e["text"] for e in events if e["event"] == "words"]
    assert "".join(words) == ANSWER
    assert len(words) > 1
    assert last["event"] == "answer"
    assert (last["answer"], last["mode"]) == (ANSWER, mode)


def test_jsonl_answers_every_line_of_a_pipe(asked) -> None:
    ran = asked("--jsonl", "--mode", "oneshot", stdin="Who bought a kayak?\nWho rows it?\n")

    answers = [x for x in map(json.loads, ran.out.splitlines()) if x["event"] == "answer"]
    assert [x["question"] for x in answers] == ["Who bought a kayak?", "Who rows it?"]


def test_json_and_jsonl_take_no_live_line_and_no_notices(asked, model_server) -> None:
    model_server.answers = lambda heard: "prose, and no JSON"

    ran = asked("Who bought a kayak?", "--mode", "oneshot", "--json")

    json.loads(ran.out)
    assert len(ran.err.splitlines()) == 1


def test_notices_go_to_stderr_for_people(asked, model_server) -> None:
    model_server.answers = lambda heard: "prose, and no JSON"

    ran = asked("Who bought a kayak?", "--mode", "oneshot")

    assert "sayso: the model failed (prose)" in ran.err
    assert "prose" not in ran.out


@pytest.mark.parametrize("question", ["Who bought a kayak?", "What does the tortoise eat?"])
@pytest.mark.parametrize("mode", ["agent", "oneshot"])
def test_an_answer_without_the_model_that_was_asked_says_so_and_exits_with_3(
    asked, model_server, mode, question
) -> None:
    model_server.answers = lambda heard: "prose, and no JSON"

    ran = asked(question, "--mode", mode)
    as_json = asked(question, "--mode", mode, "--json")
    piped = asked("--mode", mode, stdin=f"{question}\n:help\n")

    first = "agent/planner" if mode == "agent" else "oneshot/q1"
    assert ran.out.startswith(f"The model failed ({first}")
    assert ran.out.splitlines()[0].endswith("); this is without it:")
    assert (ran.code, as_json.code, piped.code) == (3, 3, 3)
    assert any(step["fellBack"] for step in json.loads(as_json.out)["trail"]["steps"])


def test_a_step_that_another_took_over_is_no_failure_where_the_model_still_answers(
    asked, model_server
) -> None:
    model_server.answers = lambda heard: (
        said(heard) if "nothing_found" in heard.prompt else "prose, and no JSON"
    )

    ran = asked("Who bought a kayak?", "--mode", "oneshot")

    assert (ran.code, ran.out.splitlines()[0]) == (0, ANSWER)
    assert "1 steps without the model" in ran.out


def test_a_strict_failure_is_an_error(asked, model_server) -> None:
    model_server.answers = lambda heard: "prose, and no JSON"

    ran = asked("Who bought a kayak?", "--strict")

    assert (ran.code, ran.out) == (4, "")
    assert ran.err.splitlines()[-1] == "sayso: agent/planner: the reply holds no JSON object"


def test_a_reply_that_is_cut_off_names_the_setting_to_raise(asked, model_server, says) -> None:
    model_server.answers = lambda heard: says('{"answer": "A', finish="length")

    ran = asked("Who bought a kayak?", "--strict")

    assert "raise completion (SAYSO_COMPLETION)" in ran.err


@pytest.mark.parametrize("mode", ["agent", "oneshot"])
def test_ctrl_c_ends_a_call_that_hangs(
    asked, home, model_server, says, interruptible, mode
) -> None:
    waiting = threading.Event()

    def never(heard):
        waiting.set()
        return says(hangs=True)

    model_server.answers = never
    command = [sys.executable, "-m", "sayso", "ask", "Who bought a kayak?", "--mode", mode,
               "--model", "scripted", "--base-url", model_server.url]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=interruptible
    ) as process:
        assert waiting.wait(60)
        process.send_signal(signal.SIGINT)
        code = process.wait(50)

    assert code == 130


def test_ctrl_c_ends_the_wait_between_two_tries(
    asked, home, model_server, says, interruptible
) -> None:
    model_server.answers = lambda heard: says(status=429, headers={"Retry-After": "60"})
    command = [sys.executable, "-m", "sayso", "ask", "Who bought a kayak?",
               "--model", "scripted", "--base-url", model_server.url]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=interruptible
    ) as at:
        assert at.stderr is not None
        next(line for line in at.stderr if "trying again" in line)
        at.send_signal(signal.SIGINT)
        code = at.wait(50)  # the server asked for 60 s

    assert code == 130


def test_a_follow_up_is_asked_with_the_thread_before_it(asked, model_server) -> None:
    asked("Who bought a kayak?", "--mode", "oneshot", "--thread", "boats")
    before = len(model_server.asked)

    asked("And who keeps it?", "--mode", "oneshot", "--thread", "boats")

    planned = model_server.asked[before].prompt
    assert "Question: Who bought a kayak?" in planned
    assert f"Answer: {ANSWER}" in planned


def test_a_question_asked_again_comes_from_the_cache_unless_told_not_to(asked) -> None:
    def usage(*flags):
        return json.loads(asked("Who bought a kayak?", "--mode", "oneshot", "--json", *flags).out)[
            "usage"
        ]

    assert (usage()["modelCalls"], usage()["cacheHits"]) == (2, 2)
    assert usage("--no-cache")["modelCalls"] == 2


def test_offline_refuses_a_model_elsewhere(imported: Sayso) -> None:
    ran = imported(
        "ask", "Who?", "--model", "m", "--base-url", "http://models.example/v1", "--offline"
    )

    assert (ran.code, ran.out) == (2, "")
    assert "offline: the model 'm' is on models.example" in ran.err


def test_a_terminal_shows_the_words_as_they_come_and_the_answer_once(
    asked, home, model_server, tmp_path: Path
) -> None:
    pty = pytest.importorskip("pty")
    master, worker = pty.openpty()
    command = [sys.executable, "-m", "sayso", "ask", "Who bought a kayak?", "--mode", "oneshot",
               "--model", "scripted", "--base-url", model_server.url]  # fmt: skip
    environ = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"}
    seen = []

    def read() -> None:
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:  # the other end has closed
                return
            seen.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=worker, env=environ) as process:
        os.close(worker)
        out, _ = process.communicate(timeout=60)
    reader.join(10)
    os.close(master)

    told = b"".join(seen).decode()
    assert "planning" in told
    assert "answering" in told
    assert ANSWER in told
    assert out.decode().count(ANSWER) == 1
    assert "\x1b" not in out.decode()


def test_offline_refuses_embeddings_elsewhere(imported: Sayso, monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("SAYSO_EMBEDDINGS", "openai:text-embedding-3-small")

    ran = imported("ask", "Who bought a kayak?", "--offline")

    assert ran.code == 2
    assert "offline: embeddings = 'openai:text-embedding-3-small' are on api.openai.com" in ran.err
