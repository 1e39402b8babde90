import pytest

from sayso.core.metering import Meter
from sayso.reasoning.capabilities import Capabilities, probe
from sayso.reasoning.chat_model import ChatModelCaller, open_model
from sayso.settings import Settings

HELLO = {"answer": "Hello Ana"}


@pytest.fixture
def caller(model_server, tmp_path):
    settings = Settings(model="scripted", base_url=model_server.url, cache=False)
    return open_model(settings, home=tmp_path, environ={})


def test_a_server_that_can_do_everything_is_found_to(caller, model_server, says):
    model_server.answers = lambda heard: {
        "plain": says("Hello Ana"), "function_calling": says(tool=HELLO, finish="tool_calls"),
    }.get(heard.way, says(HELLO))  # fmt: skip

    assert probe(caller) == Capabilities(
        reachable=True, models=("scripted",), json_schema=True, tools=True, json_mode=True,
        stream=True, usage=True, way="json_schema",
    )  # fmt: skip


def test_a_server_that_ignores_forms_and_streams_and_counts_nothing_is_found_to(
    caller, model_server, says
):
    model_server.will(says("Hello Ana", streams=False, usage=None))

    assert probe(caller) == Capabilities(
        reachable=True, models=("scripted",), json_schema=False, tools=False, json_mode=False,
        stream=False, usage=False, way="plain",
    )  # fmt: skip
    assert caller.manner.way == "plain"
    assert caller.manner.streams is False


def test_a_wrong_key_is_told_and_the_server_counts_as_reached(caller, model_server, says):
    model_server.will(says(status=401, error="Incorrect API key provided: sk-abcdefgh"))

    found = probe(caller)

    assert found.reachable
    assert found.way is None
    assert "Incorrect API key provided: [key]" in (found.problem or "")


def test_a_server_that_is_not_there_is_not_reached(tmp_path):
    settings = Settings(model="scripted", base_url="http://127.0.0.1:9/v1")

    found = probe(open_model(settings, home=tmp_path, environ={}))

    assert not found.reachable
    assert "connection failed" in (found.problem or "")


def test_any_langchain_model_can_be_looked_at(scripted_model):
    caller = ChatModelCaller(scripted_model("Hello Ana"))

    found = probe(caller)

    assert found.reachable
    assert found.models is None
    assert found.way == "plain"
    assert Meter().used.model_calls == 0
