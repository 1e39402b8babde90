"""``langgraph.json``, and the graph that it names, as a graph server loads and runs it."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from sayso.agent.served import AskContext, ServedGraph
from sayso.assembly import import_export
from sayso.chats.importers.report import ImportOptions
from sayso.settings import Settings

ROOT = Path(__file__).parents[1]
FILE = ROOT / "langgraph.json"
SHIPPED = ROOT / "arc_data" / "chats" / "lena_and_jonah.jsonl"
KNEE = {"messages": [{"role": "user", "content": "When did Lena hurt her knee?"}]}


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("served")
    import_export(SHIPPED, ImportOptions(), home=home)
    return home


@pytest.fixture
def graph(archive, monkeypatch, tmp_path) -> ServedGraph:
    """The graph, loaded from the path that langgraph.json names."""
    monkeypatch.setenv("SAYSO_HOME", str(archive))
    monkeypatch.chdir(tmp_path)  # without a sayso.toml
    path, _, factory = json.loads(FILE.read_text("utf-8"))["graphs"]["agent"].partition(":")
    spec = spec_from_file_location("named_by_langgraph_json", ROOT / path)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return getattr(module, factory)()


def test_langgraphs_own_validator_accepts_the_file_and_knows_every_key():
    config = pytest.importorskip("langgraph_cli.config")

    held = config.validate_config_file(FILE)

    assert config.get_unknown_keys(json.loads(FILE.read_text("utf-8"))) == []
    assert held["graphs"] == {"agent": "./src/sayso/assembly.py:agent_graph"}
    assert held["dependencies"] == ["."]


@pytest.mark.parametrize(
    "fault", [{"graphs": {}}, {"dependencies": []}, {"python_version": "3.9"}], ids=str
)
def test_the_validator_would_tell_a_file_that_is_wrong(fault, tmp_path):
    config = pytest.importorskip("langgraph_cli.config")
    wrong = tmp_path / "langgraph.json"
    wrong.write_text(json.dumps({**json.loads(FILE.read_text("utf-8")), **fault}), "utf-8")

    with pytest.raises(Exception, match=r"(?i)graphs|dependenc|python"):
        config.validate_config_file(wrong)


def test_the_graph_answers_twice_in_one_process(graph):
    first, second = graph.invoke(KNEE), graph.invoke(KNEE, context={"chat": "lena_and_jonah"})

    assert first["messages"][-1].content.startswith("4 March 2024.")
    assert [e["localId"] for e in first["answer"]["evidence"]] == [168]
    assert second["answer"]["answer"] == first["answer"]["answer"]


def test_its_stream_shows_the_agents_nodes_and_ends_with_the_answer(graph):
    parts = list(graph.stream(KNEE, stream_mode="updates", subgraphs=True))
    inner = [name for path, part in parts if path for name in part]

    assert inner == ["planner", "retriever", "grader", "generator"]
    assert parts[-1][1]["ask"]["messages"][0].content.startswith("4 March 2024.")


def test_several_threads_are_answered_as_one_would_be(graph):
    questions = ["When did Lena hurt her knee?", "Where did Jonah go?", "Who has a cat?"] * 2

    def ask(text: str) -> str:
        said = graph.invoke({"messages": [("user", text)]})["answer"]
        return json.dumps([said["question"], said["answer"], said["evidence"]])

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, questions)) == [ask(text) for text in questions]


def test_an_unknown_chat_is_refused_with_the_chats_there_are(graph):
    with pytest.raises(Exception, match="no imported chat 'ana'; imported: lena_and_jonah"):
        graph.invoke(KNEE, context={"chat": "ana"})


def test_a_file_is_no_chat_to_who_asks_a_server(graph):
    with pytest.raises(Exception, match="no imported chat"):
        graph.invoke(KNEE, context={"chat": str(SHIPPED)})


def test_the_context_chooses_the_model_and_the_budget(graph, model_server):
    model_server.will("no JSON at all")  # so that quoted messages stand in

    said = graph.invoke(KNEE, context={"model": "scripted", "base_url": model_server.url})

    assert said["answer"]["trail"]["model"].startswith("scripted @ 127.0.0.1")
    assert said["answer"]["usage"]["modelCalls"] == len(model_server.asked) > 0


def test_the_servers_key_goes_to_no_address_that_a_request_names(graph, model_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "the-servers-own-key")
    model_server.will("no JSON at all")

    graph.invoke(KNEE, context={"model": "scripted", "base_url": model_server.url})
    keys = {heard.headers["authorization"] for heard in model_server.asked}
    monkeypatch.setenv("SAYSO_BASE_URL", model_server.url)
    model_server.requests.clear()
    graph.invoke(KNEE, context={"model": "scripted-2"})

    assert not any("the-servers-own-key" in key for key in keys)
    assert {h.headers["authorization"] for h in model_server.asked} == {
        "Bearer the-servers-own-key"
    }


def test_a_context_may_hold_what_the_settings_may():
    def bounds(model: type, name: str) -> list[object]:
        whole = model.model_json_schema()["properties"]
        options = whole[name].get("anyOf", [whole[name]])
        kept = (
            {k: v for k, v in o.items() if k not in ("title", "default", "description")}
            for o in options
        )
        return [o for o in kept if o != {"type": "null"}]

    for name in ("model", "base_url", "rounds", "seconds", "pool"):
        outside = Settings.model_config["alias_generator"](name)
        assert bounds(AskContext, name) == bounds(Settings, outside), name
