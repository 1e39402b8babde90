"""A langchain model that somebody made is held to the settings as the configured one is."""

import pytest
from langchain_openai import ChatOpenAI

from sayso.core.metering import Meter
from sayso.errors import ConfigurationError
from sayso.reasoning.calling import Request
from sayso.reasoning.chat_model import given_model
from sayso.reasoning.replies_wire import PlanReply
from sayso.settings import Price, Settings

PLAN = {"intent": "fact", "queries": ["kayak"]}
REQUEST = Request("agent/planner", "S", "U", PlanReply, "D")


def openai_at(url: str) -> ChatOpenAI:
    return ChatOpenAI(model="scripted", base_url=url, api_key="none", max_retries=0)


def test_it_has_the_settings_cache_prices_and_window(model_server, tmp_path):
    model_server.answers = lambda heard: PLAN
    price = Price(prompt=1.0, cached=0.5, completion=10.0)
    settings = Settings(window=5000, prices={"scripted": price})

    first, again = (
        given_model(openai_at(model_server.url), settings, home=tmp_path).ask(REQUEST, Meter())
        for _ in range(2)
    )

    # 600 tokens at 1, 400 at 0.5 and 20 at 10, a millionth each
    assert first.usage.cost == pytest.approx(1000e-6)
    assert (again.usage.model_calls, again.usage.cache_hits) == (0, 1)
    assert given_model(openai_at(model_server.url), settings, home=tmp_path).window == 5000


def test_without_the_cache_it_is_asked_again(model_server, tmp_path):
    model_server.answers = lambda heard: PLAN

    for _ in range(2):
        caller = given_model(openai_at(model_server.url), Settings(cache=False), home=tmp_path)
        caller.ask(REQUEST, Meter())

    assert len(model_server.asked) == 2


def test_a_model_that_cannot_be_told_from_others_is_not_cached(scripted_model, tmp_path):
    model = scripted_model(PLAN)

    for _ in range(2):
        given_model(model, Settings(), home=tmp_path).ask(REQUEST, Meter())

    assert len(model.heard) >= 2


@pytest.mark.parametrize("url", ["http://models.example/v1", None], ids=["named", "OpenAI's own"])
def test_offline_refuses_it_where_its_host_is_another_machine(url, tmp_path):
    model = ChatOpenAI(model="m", base_url=url, api_key="none")

    with pytest.raises(ConfigurationError, match="offline: the model 'm' is on"):
        given_model(model, Settings(offline=True), home=tmp_path)


def test_offline_takes_it_on_this_machine_and_where_its_host_is_unknown(
    scripted_model, model_server, tmp_path
):
    for model in (openai_at(model_server.url), scripted_model(PLAN)):
        given_model(model, Settings(offline=True), home=tmp_path)
