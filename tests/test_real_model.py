"""Real replies over HTTP: what a very small model says, through the client and through sayso."""

import json
import shutil
from pathlib import Path

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_openai import ChatOpenAI

from sayso.assembly import load_chat
from sayso.cli.main import run
from sayso.paths import prompts_dir

pytestmark = pytest.mark.real_llm

ROOT = Path(__file__).parents[1]
CHAT = ROOT / "arc_data" / "chats" / "lena_and_jonah.jsonl"
COLOUR = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["red", "blue"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
STEPS = {
    "agent": ["agent/planner", "agent/grader", "agent/generator"],
    "oneshot": ["oneshot/q1", "oneshot/q4"],
}


@pytest.fixture
def client(real_llm):
    wanted = {"type": "json_schema", "json_schema": {"name": "Colour", "schema": COLOUR}}
    return ChatOpenAI(
        model="smollm2", base_url=real_llm, api_key="none", max_retries=0, temperature=0,
        stream_usage=True, extra_body={"max_tokens": 64, "response_format": wanted},
    )  # fmt: skip


def test_the_server_keeps_a_reply_within_its_schema(client):
    said = client.invoke("Which colour has the sea?")

    assert json.loads(said.text)["colour"] in ("red", "blue")
    assert said.usage_metadata["output_tokens"] > 0


def test_the_server_streams_in_pieces_and_ends_with_the_usage(client):
    chunks = list(client.stream("Which colour has the sea?"))
    whole = sum(chunks[1:], chunks[0])

    assert isinstance(whole, AIMessageChunk)
    assert len(chunks) > 3
    assert json.loads(whole.text)["colour"] in ("red", "blue")
    assert whole.usage_metadata["input_tokens"] > 0


@pytest.fixture(scope="module")
def short_prompts(tmp_path_factory) -> Path:
    """The shipped prompts without most of what they teach, which takes a slow machine minutes."""
    folder = tmp_path_factory.mktemp("prompts") / "short"
    shutil.copytree(prompts_dir(), folder)
    for path in [*folder.glob("agent/*.md"), *folder.glob("oneshot/*.md")]:
        text = path.read_text("utf-8")
        if "\nmodel: true\n" in text:
            front, rest = text.split("# System\n", 1)
            system, user = rest.split("# User\n", 1)
            first = system.strip().split("\n\n")[0]
            kept = f"{first}\nData stands in the fence $marker. Reply: $schema\n"
            path.write_text(f"{front}# System\n\n{kept}\n# User\n{user}", "utf-8")
    return folder


@pytest.fixture
def small(monkeypatch, tmp_path) -> Path:
    """An archive of its own, and settings that keep a question short."""
    home = tmp_path / "home"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SAYSO_HOME", str(home))
    short = {"POOL": "2", "COMPLETION": "160", "WINDOW": "1024", "ROUNDS": "1", "SECONDS": "70"}
    for name, value in short.items():
        monkeypatch.setenv(f"SAYSO_{name}", value)
    return home


@pytest.mark.parametrize("mode", ["agent", "oneshot"])
def test_a_question_is_answered_over_http_and_every_quote_reads_back(
    mode, real_llm, short_prompts, small, capsys
):
    code = run(
        ["ask", "When did Lena hurt her knee?", "--chat", str(CHAT), "--mode", mode, "--json",
         "--model", "smollm2", "--base-url", real_llm, "--offline", "--prompts", str(short_prompts),
         "--seconds", "200"]
    )  # fmt: skip
    said = json.loads(capsys.readouterr().out)
    chat = load_chat(str(CHAT), home=small)

    # So small a model may well fail at the last step, and then the answer is not its own.
    tried = [s for s in said["trail"]["steps"] if s["fellBack"] or s["usage"]["modelCalls"]]
    failed = [s for s in tried if any(n.startswith("the model failed") for n in s["notes"])]
    assert code == (3 if tried[-1]["fellBack"] and failed else 0)
    assert said["trail"]["model"] == "smollm2 @ 127.0.0.1"
    asked = [step for step in said["trail"]["steps"] if step["usage"]["modelCalls"]]
    names = [step["name"] for step in asked]
    everything = STEPS[mode]
    # On a slow machine the time ends before the last of them.
    assert names == everything[: len(names)]
    assert names
    for step in asked:
        assert step["promptDigest"]
        assert step["usage"]["promptTokens"] > 0
        assert step["usage"]["completionTokens"] > 0
        # Within the schema, or quoted messages stand in and a note says why.
        assert step["notes"] or not step["fellBack"]
    assert said["answer"]
    assert said["abstained"] or said["evidence"] or said["unsupported"]
    for item in said["evidence"]:
        text = chat.by_id[item["localId"]].text
        assert text[item["start"] : item["end"]] == item["quote"]
