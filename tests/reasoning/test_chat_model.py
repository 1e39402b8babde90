"""A model over HTTP, on a loopback server that says and fails as it is told."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from langchain_core.load import dumps
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel, ConfigDict

from sayso.core.metering import Budget, Meter
from sayso.core.trail import Usage
from sayso.errors import ConfigurationError
from sayso.reasoning.calling import BudgetEnded, CallError, Request
from sayso.reasoning.chat_model import ChatModelCaller, a_minute, open_model
from sayso.reasoning.reply_cache import Manner
from sayso.reasoning.retrying import Waits
from sayso.settings import Price, Settings
from tests.model_server import ScriptedModel

KEY = "sk-scripted-0123456789"
KAYAK = {"answer": "A kayak", "cited": [1]}


class Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answer: str
    cited: list[int] = []


def request(**more) -> Request[Reply]:
    given = {"system": "Answer from the chat.", "user": "What did Ana buy?", **more}
    return Request(step="agent/generator", schema=Reply, prompt_digest="d", **given)


class Slept(list):
    """The pauses that were made, in seconds; chance is always 0."""

    @property
    def waits(self) -> Waits:
        return Waits(sleep=self.append, chance=lambda: 0.0)


@pytest.fixture
def slept() -> Slept:
    return Slept()


@pytest.fixture
def opened(model_server, tmp_path, slept):
    """Opens the scripted server's model; its cache is in a folder of the test."""

    def opening(*, key: str = KEY, **settings):
        caller = open_model(
            Settings.model_validate(
                {"model": "scripted", "base_url": model_server.url, "cache": False, **settings}
            ),
            home=tmp_path,
            environ={"OPENAI_API_KEY": key} if key else {},
        )
        object.__setattr__(caller.conduct, "waits", slept.waits)
        return caller

    return opening


@pytest.fixture
def ask(opened):
    """Asks once; returns what was told."""

    def asked(*, meter: Meter | None = None, listen=lambda event: None, written=None, **settings):
        caller = opened(**settings)
        return caller.ask(request(written=written), meter or Meter(), listen)

    return asked


def failing(ask, **settings) -> CallError:
    with pytest.raises(CallError) as caught:
        ask(**settings)
    return caught.value


# What is sent


def test_a_reply_that_fits_comes_back_as_its_schema_with_its_cost(ask, model_server):
    model_server.will(KAYAK)
    meter = Meter()

    told = ask(meter=meter, prices={"scripted": Price(prompt=2.0, cached=0.5, completion=10.0)})

    assert told.value == Reply(answer="A kayak", cited=[1])
    assert told.notes == told.raw == ()
    assert told.usage.model_copy(update={"seconds": 0.0}) == Usage(
        model_calls=1, prompt_tokens=1000, cached_tokens=400, completion_tokens=20,
        cost=(600 * 2.0 + 400 * 0.5 + 20 * 10.0) / 1e6,
    )  # fmt: skip
    assert told.usage.seconds > 0
    assert meter.used == told.usage


def test_the_request_asks_for_a_strict_schema_and_sends_what_is_configured(ask, model_server):
    model_server.will(KAYAK)

    ask(temperature=0.5, completion=512)

    heard = model_server.asked[0]
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.body["model"] == "scripted"
    assert heard.body["temperature"] == 0.5
    assert heard.body["max_tokens"] == 512
    assert [m["role"] for m in heard.body["messages"]] == ["system", "user"]
    form = heard.body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["required"] == ["answer", "cited"]
    assert form["schema"]["additionalProperties"] is False


def test_no_temperature_is_sent_where_none_is_set(ask, model_server):
    model_server.will(KAYAK)

    ask()

    assert "temperature" not in model_server.asked[0].body


# Ways of structured output


@pytest.mark.parametrize(
    ("refused", "used"),
    [
        (["json_schema"], "function_calling"),
        (["json_schema", "function_calling"], "json_mode"),
        (["json_schema", "function_calling", "json_mode"], "plain"),
    ],
    ids=["tools", "json mode", "plain"],
)
@pytest.mark.parametrize("status", [400, 404, 422, 500])
def test_a_way_that_the_server_refuses_gives_way_to_the_next(
    ask, model_server, says, refused, used, status
):
    def answers(heard):
        if heard.way in refused:
            return says(status=status, error="response_format or tools are not supported")
        return says(tool=KAYAK, finish="tool_calls") if heard.way == "function_calling" else KAYAK

    model_server.answers = answers

    told = ask()

    assert told.value.answer == "A kayak"
    assert [heard.way for heard in model_server.asked] == [*refused, used]
    assert len(told.notes) == len(refused)
    assert told.usage.model_calls == 1
    assert told.usage.retries == len(refused)


def test_the_way_that_worked_is_remembered_here_and_in_the_next_process(opened, model_server, says):
    model_server.answers = lambda heard: (
        says(status=400, error="no json_schema") if heard.way == "json_schema" else KAYAK
    )
    caller = opened()

    caller.ask(request(), Meter())
    caller.ask(request(), Meter())
    opened().ask(request(), Meter())

    assert [heard.way for heard in model_server.asked] == ["json_schema"] + ["function_calling"] * 3


def test_the_way_that_the_server_took_is_remembered_where_the_model_failed(
    opened, model_server, says
):
    model_server.answers = lambda heard: (
        "prose" if heard.way == "plain" else says(status=400, error="response_format, tools")
    )
    caller = opened()

    with pytest.raises(CallError):
        caller.ask(request(), Meter())

    assert caller.manner == Manner("plain")


def test_a_bad_request_that_speaks_of_something_else_is_not_asked_in_another_way(
    ask, model_server, says
):
    model_server.will(says(status=400, error="temperature must be 1 for this model"))

    error = failing(ask)

    assert error.kind == "http 400"
    assert "temperature must be 1" in str(error)
    assert len(model_server.asked) == 1


def test_a_model_that_does_not_call_the_tool_is_asked_in_the_next_way(ask, model_server, says):
    def answers(heard):
        if heard.way == "json_schema":
            return says(status=400, error="json_schema unknown")
        return says(content=None) if heard.way == "function_calling" else KAYAK

    model_server.answers = answers

    assert ask().value.answer == "A kayak"
    assert model_server.asked[-1].way == "json_mode"


def test_the_schema_is_in_the_prompt_where_the_server_is_not_given_it(ask, model_server, says):
    model_server.answers = lambda heard: (
        KAYAK if heard.way == "plain" else says(status=400, error="response_format, tools")
    )

    ask()

    assert '"cited"' in model_server.asked[-1].body["messages"][0]["content"]
    assert '"cited"' not in model_server.asked[0].body["messages"][0]["content"]


def test_a_schema_that_the_server_ignores_is_shown_in_the_prompt_from_then_on(opened, model_server):
    model_server.will("I would say a kayak.", KAYAK)
    caller = opened()

    told = caller.ask(request(), Meter())

    assert told.raw == ("I would say a kayak.",)
    assert caller.manner == Manner("plain")


# Replies


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ({"content": "I would say a kayak."}, "prose"),
        ({"content": ""}, "empty"),
        ({"content": '{"answer": kayak}'}, "not json"),
        ({"content": {"answer": ["a kayak"]}}, "wrong types"),
        ({"content": KAYAK, "finish": "length"}, "truncated"),
        ({"content": '{"answer": "A ka'}, "truncated"),
    ],
    ids=["prose", "empty", "not json", "wrong types", "length, though it parses", "breaks off"],
)
def test_an_unusable_reply_is_asked_for_once_more_with_its_fault_and_then_is_an_error(
    ask, model_server, says, reply, kind
):
    model_server.will(says(**reply))

    error = failing(ask)

    assert error.kind == kind
    assert len(error.spent.raw) == 2
    assert error.spent.usage.model_calls == 2
    assert len(model_server.asked) == 2
    roles = [m["role"] for m in model_server.asked[1].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "cannot be used" in model_server.asked[1].prompt


def test_a_repaired_reply_is_used_and_the_bad_one_kept(ask, model_server):
    model_server.will({"answer": ["a kayak"]}, KAYAK)

    told = ask()

    assert told.value.answer == "A kayak"
    assert told.raw == ('{"answer": ["a kayak"]}',)
    assert "answer: Input should be a valid string" in model_server.asked[1].prompt
    assert told.usage.model_calls == 2


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ({"content": None, "refusal": "I cannot help with that."}, "refusal"),
        ({"content": "", "finish": "content_filter"}, "content filter"),
    ],
    ids=["refusal", "content filter"],
)
@pytest.mark.parametrize("written", [None, lambda text: None], ids=["whole", "streamed"])
def test_a_reply_that_is_held_back_is_not_asked_for_again(
    ask, model_server, says, reply, kind, written
):
    model_server.will(says(**reply))

    assert failing(ask, written=written).kind == kind
    streamed_away = 1 if written and kind == "refusal" else 0
    assert len(model_server.asked) == 1 + streamed_away


# Failures of the server


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_request_that_is_wrong_is_not_made_again(ask, model_server, says, slept, status):
    model_server.will(says(status=status, error="no"))

    assert failing(ask).kind == f"http {status}"
    assert len(model_server.asked) == 1
    assert slept == []


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_server_that_is_busy_is_asked_again_after_growing_pauses(
    ask, model_server, says, slept, status
):
    busy = says(status=status, error="busy")
    model_server.will(busy, busy, busy, KAYAK)
    heard = []

    told = ask(listen=heard.append)

    assert told.value.answer == "A kayak"
    assert slept == [0.5, 1.0, 2.0]
    assert told.usage.retries == 3
    assert told.usage.model_calls == 1
    assert "trying again in 0.5 s" in heard[0].text


def test_a_server_that_stays_busy_is_an_error_after_the_retries(ask, model_server, says):
    model_server.will(says(status=503, error="busy"))

    error = failing(ask, retries=2)

    assert error.kind == "http 503"
    assert "tried 3 times" in str(error)
    assert error.spent.usage.retries == 2
    assert len(model_server.asked) == 3


def test_the_servers_own_pause_is_kept(ask, model_server, says, slept):
    model_server.will(says(status=429, headers={"Retry-After": "17"}), KAYAK)

    ask()

    assert slept == [17.0]


def test_a_pause_longer_than_the_question_has_is_not_begun(ask, model_server, says, slept):
    model_server.will(says(status=429, headers={"Retry-After": "600"}))

    error = failing(ask)

    assert error.kind == "http 429"
    assert "next try would be in 600 s" in str(error)
    assert slept == []


def test_an_account_without_money_is_not_waited_for(ask, model_server, says, slept):
    body = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    model_server.will(says(status=429, body=json.dumps(body)))

    assert failing(ask).kind == "http 429"
    assert slept == []


def test_a_prompt_too_long_for_the_model_has_its_own_name(ask, model_server, says):
    model_server.will(says(status=400, error="This model's maximum context length is 8192 tokens"))

    assert failing(ask).kind == "window"


def test_a_dropped_connection_is_made_again(ask, model_server, says, slept):
    model_server.will(says(drops=True), KAYAK)

    assert ask().value.answer == "A kayak"
    assert slept == [0.5]


def test_a_server_that_is_not_there_is_a_connection_failure(ask):
    assert failing(ask, base_url="http://127.0.0.1:9/v1", retries=1).kind == "connection"


@pytest.mark.parametrize(
    ("body", "kind"),
    [("<html>Sign in</html>", "text/html"), ('{"choices": null}', "application/json"),
     ("{}", "application/json"), ("not json", "application/json")],
    ids=["a page", "no choices", "an empty object", "broken JSON"],
)  # fmt: skip
def test_a_reply_that_is_no_completion_has_its_own_name(ask, model_server, says, body, kind):
    model_server.will(says(body=body, content_type=kind))

    assert failing(ask).kind == "content type"


@pytest.mark.parametrize("way", ["hangs", "trickles"])
def test_a_server_that_does_not_end_its_reply_is_left_in_time(ask, model_server, says, way):
    model_server.will(says("", **{way: True}))

    error = failing(ask, call_seconds=0.3, retries=0, written=lambda text: None)

    assert error.kind == "timeout"


def test_a_call_never_outlives_its_question(opened, model_server, says):
    model_server.will(says(hangs=True))
    caller = opened()

    with pytest.raises(BudgetEnded) as ended:
        caller.ask(request(), Meter(Budget(seconds=0.3)))

    assert ended.value.reason == "time budget"
    assert ended.value.spent.usage.seconds > 0.2


def test_a_call_that_the_end_of_the_question_cut_off_is_noted_and_counts_no_retry(
    opened, model_server, says
):
    model_server.will(says(hangs=True))
    caller = opened()

    with pytest.raises(BudgetEnded) as caught:
        caller.ask(request(), Meter(Budget(seconds=0.5)))

    assert caught.value.reason == "time budget"
    (note,) = caught.value.spent.notes
    assert note.startswith("the model had not ended its reply after 0.")
    assert caught.value.spent.usage.retries == 0


def test_the_key_is_in_no_error_even_if_the_server_says_it(ask, model_server, says):
    model_server.will(says(status=401, error=f"Incorrect key {KEY}, header Bearer {KEY}."))

    error = failing(ask)

    assert "Incorrect key [key]" in str(error)
    assert KEY not in str(error)
    assert error.__cause__ is None
    assert error.__suppress_context__


def test_the_key_is_in_no_kept_reply_and_in_no_notice(ask, model_server):
    model_server.will({"answer": [f"my key is {KEY}"]}, KAYAK)
    heard = []

    told = ask(listen=heard.append)

    assert told.raw == ('{"answer": ["my key is [key]"]}',)
    assert "my key is [key]" in heard[0].text
    assert KEY not in str(told) + str(heard)


# Budgets


def test_no_call_begins_after_the_end_of_a_budget(ask, model_server):
    model_server.will(KAYAK)

    with pytest.raises(BudgetEnded) as ended:
        ask(meter=Meter(Budget(model_calls=0)))

    assert ended.value.reason == "call budget"
    assert model_server.asked == []


def test_a_call_that_would_take_more_tokens_than_are_left_is_not_begun(opened, model_server):
    meter = Meter(Budget(tokens=1000))

    with pytest.raises(BudgetEnded) as caught:
        opened().ask(request(user="word " * 1000), meter)

    assert caught.value.reason == "token budget"
    assert model_server.requests == []


def test_a_repair_that_the_budget_does_not_cover_is_not_made(ask, model_server):
    model_server.will({"answer": 1.5})

    with pytest.raises(BudgetEnded) as ended:
        ask(meter=Meter(Budget(model_calls=1)))

    assert ended.value.spent.raw == ('{"answer": 1.5}',)


def test_a_rate_is_kept_by_waiting(opened, model_server, slept):
    class EveryThird:
        asked = 0

        def acquire(self, *, blocking: bool = True) -> bool:
            self.asked += 1
            return self.asked % 3 == 0

    model_server.will(KAYAK)
    caller = opened()
    object.__setattr__(caller.conduct, "limiter", EveryThird())
    heard = []

    caller.ask(request(), Meter(), heard.append)

    assert slept == [0.1, 0.1]
    assert [event.text for event in heard] == ["waiting: requests are limited to so many a minute"]


def test_the_first_request_of_a_minute_goes_at_once_and_the_second_waits():
    limiter = a_minute(1)

    assert limiter.acquire(blocking=False)
    assert not limiter.acquire(blocking=False)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": -5, "completion_tokens": -7, "total_tokens": -12},
        {"prompt_tokens": "many", "completion_tokens": "x", "total_tokens": "y"},
        {"prompt_tokens": 1e300, "completion_tokens": 10**30, "total_tokens": 0},
        {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
        None,
    ],
    ids=["negative", "words", "too many", "null", "none"],
)
def test_a_count_that_cannot_be_is_none_and_costs_no_reply(ask, model_server, says, usage):
    model_server.will(says(KAYAK, usage=usage))

    told = ask()

    assert told.value.answer == "A kayak"
    assert (told.usage.prompt_tokens, told.usage.completion_tokens) == (0, 0)


def test_where_the_server_counts_no_tokens_the_budget_goes_by_an_estimate(ask, model_server, says):
    model_server.will(says(KAYAK, usage=None))
    meter = Meter(Budget(tokens=1000))

    told = ask(meter=meter)

    # 20 + 17 characters of prompt and 34 of reply, at some 3.5 a token.
    assert 12 <= 1000 - meter.tokens_left <= 40
    assert (told.usage.prompt_tokens, told.usage.completion_tokens) == (0, 0)
    assert "the server counts no tokens: the budget goes by an estimate" in told.notes


def test_a_prompt_that_the_server_cut_is_told_with_both_counts(opened, model_server):
    model_server.will(KAYAK)

    told = opened().ask(request(user="a message of the chat\n" * 2000), Meter())

    assert told.notes == (
        "the server read 1000 of about 11005 tokens: its window is smaller than the prompt",
    )


# Streaming


@pytest.mark.parametrize("way", ["json_schema", "function_calling", "plain"])
def test_the_answer_is_heard_as_it_is_written(ask, model_server, says, way):
    reply = {"answer": "Ana bought a kayak \U0001f6f6, in “March”.", "cited": [1]}

    def answers(heard):
        if heard.way != way and heard.way != "plain":
            return says(status=400, error="no response_format, no tools")
        return says(tool=reply, finish="tool_calls") if way == "function_calling" else says(reply)

    model_server.answers = answers
    heard = []

    told = ask(written=heard.append)

    assert "".join(heard) == reply["answer"] == told.value.answer
    assert len(heard) > 2
    assert told.usage.prompt_tokens == 1000
    assert told.usage.completion_tokens == 20


def test_a_streamed_reply_that_is_cut_off_is_not_complete(ask, model_server, says):
    model_server.will(says(KAYAK, finish="length"))

    assert failing(ask, written=lambda text: None).kind == "truncated"


def test_an_answer_is_not_told_twice_when_its_first_telling_breaks_off(ask, model_server, says):
    reply = {"answer": "Ana bought a kayak in March, from Tom.", "cited": [1]}
    model_server.will(says(reply, drops_after=5), reply)
    heard = []

    told = ask(written=heard.append)

    assert told.value.answer == reply["answer"]
    assert reply["answer"].startswith("".join(heard))
    assert told.usage.retries == 1


@pytest.mark.parametrize("refusal", ["refuses", "sends it whole"])
def test_a_server_that_cannot_stream_is_asked_for_the_whole_from_then_on(
    opened, model_server, says, refusal
):
    def answers(heard):
        if refusal == "refuses" and heard.body.get("stream"):
            return says(status=400, error="stream is not supported")
        return says(KAYAK, streams=False)

    model_server.answers = answers
    caller, heard = opened(), []

    caller.ask(request(written=heard.append), Meter())
    caller.ask(request(written=heard.append), Meter())

    assert heard == ["A kayak", "A kayak"]
    assert caller.manner == Manner("json_schema", streams=False)
    assert [bool(h.body.get("stream")) for h in model_server.asked] == [True, False, False]


# The cache


def test_the_same_request_is_answered_from_the_cache_and_costs_nothing(opened, model_server):
    model_server.will(KAYAK)
    heard, meter = [], Meter()

    opened(cache=True).ask(request(), Meter())
    told = opened(cache=True).ask(request(written=heard.append), meter)

    assert told.value.answer == "A kayak"
    # 1000 prompt tokens and 20 of the reply, as the server counted them at the first time.
    assert told.usage == meter.used == Usage(cache_hits=1, saved_tokens=1020)
    assert heard == ["A kayak"]
    assert len(model_server.asked) == 1


def test_what_a_kept_reply_had_cost_is_told_apart_at_the_price_of_now(opened, model_server):
    model_server.will(KAYAK)

    opened(cache=True).ask(request(), Meter())
    prices = {"scripted": Price(prompt=2.0, cached=0.5, completion=10.0)}
    told = opened(cache=True, prices=prices).ask(request(), Meter())

    assert told.usage.cost is None
    assert told.usage.saved_cost == (600 * 2.0 + 400 * 0.5 + 20 * 10.0) / 1e6


@pytest.mark.parametrize(
    "other", [{"salt": "vote 2"}, {"user": "And Tom?"}, {"system": "Else."}], ids=lambda o: str(o)
)
def test_another_request_is_not(opened, model_server, other):
    model_server.will(KAYAK)
    caller = opened(cache=True)

    caller.ask(request(), Meter())
    caller.ask(request(**other), Meter())

    assert len(model_server.asked) == 2


def test_neither_is_one_at_another_temperature(opened, model_server):
    model_server.will(KAYAK)

    opened(cache=True).ask(request(), Meter())
    opened(cache=True, temperature=1.0).ask(request(), Meter())

    assert len(model_server.asked) == 2


def test_a_failed_reply_is_not_kept(opened, model_server):
    model_server.will("prose", "prose", KAYAK)
    caller = opened(cache=True)

    with pytest.raises(CallError):
        caller.ask(request(), Meter())

    assert caller.ask(request(), Meter()).usage.model_calls == 1


# Opening


def test_openai_itself_is_not_asked_without_a_key(tmp_path):
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY is not set"):
        open_model(Settings(model="gpt-5"), home=tmp_path, environ={})


@pytest.mark.parametrize(
    ("address", "word"),
    [(None, "max_completion_tokens"), ("https://api.openai.com/v1", "max_completion_tokens"),
     ("https://api.openai.com.example/v1", "max_tokens")],
)  # fmt: skip
def test_openai_is_told_the_reply_s_limit_by_its_newer_name(tmp_path, address, word):
    settings = Settings(model="m", base_url=address, completion=512)

    parameters = open_model(
        settings, home=tmp_path, environ={"OPENAI_API_KEY": KEY}
    ).endpoint.parameters

    told = {**parameters, **parameters.get("extra_body", {})}
    assert told[word] == 512
    assert len({"max_tokens", "max_completion_tokens"} & told.keys()) == 1


def test_another_server_needs_no_key(opened, model_server):
    model_server.will(KAYAK)

    opened(key="").ask(request(), Meter())

    assert model_server.asked[0].headers["authorization"] == "Bearer no-key-is-configured"


@pytest.mark.parametrize(
    "address", [None, "https://models.example/v1", "http://127.0.0.1.example:8080/v1"]
)
def test_offline_refuses_any_host_but_loopback(tmp_path, address):
    settings = Settings(model="m", base_url=address, offline=True)

    with pytest.raises(ConfigurationError, match="offline"):
        open_model(settings, home=tmp_path, environ={"OPENAI_API_KEY": KEY})


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.8.9.1"])
def test_offline_admits_loopback(tmp_path, host):
    settings = Settings(model="m", base_url=f"http://{host}:8080/v1", offline=True)

    assert open_model(settings, home=tmp_path, environ={}).name == "m"


def test_a_loopback_server_is_not_reached_over_a_proxy(opened, model_server, monkeypatch):
    for name in ("HTTP_PROXY", "ALL_PROXY", "OPENAI_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    model_server.will(KAYAK)

    assert opened(retries=0).ask(request(), Meter()).value.answer == "A kayak"


@pytest.mark.parametrize(
    ("model", "window"), [("gpt-4o-mini", 128_000), ("gpt-4.1", 1_047_576), ("llama", None)]
)
def test_the_window_is_known_by_the_models_name(tmp_path, model, window):
    settings = Settings(model=model, base_url="http://localhost/v1")

    assert open_model(settings, home=tmp_path, environ={}).window == window


@pytest.mark.parametrize(
    ("window", "wanted", "sent"),
    [(None, None, 4096), (128_000, None, 4096), (4096, None, 1024), (8192, None, 2048),
     (None, 16_000, 16_000), (32_000, 9000, 9000), (8192, 9000, 4096)],
)  # fmt: skip
def test_a_reply_may_have_a_quarter_of_the_window_or_up_to_half_where_more_is_wished(
    opened, model_server, window, wanted, sent
):
    model_server.will(KAYAK)
    caller = opened(window=window, completion=wanted)

    caller.ask(request(), Meter())

    assert model_server.asked[0].body["max_tokens"] == caller.completion == sent


@pytest.mark.parametrize("key", ["sk-abc\ndef", "sk-schlüssel", "sk-\x7f0123456"])
def test_a_key_that_no_request_could_carry_is_refused_without_showing_it(tmp_path, key):
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY holds") as raised:
        open_model(Settings(model="gpt-5"), home=tmp_path, environ={"OPENAI_API_KEY": key})

    assert "sk-" not in str(raised.value)


def test_what_stands_in_an_addresss_query_goes_with_every_request(opened, model_server):
    model_server.will(KAYAK)

    opened(base_url=f"{model_server.url}?api-version=2024-10-21&deployment=a%20b").ask(
        request(), Meter()
    )

    (heard,) = model_server.requests
    assert heard.path == "/v1/chat/completions?api-version=2024-10-21&deployment=a+b"


@pytest.mark.parametrize(
    ("who", "query", "secret"),
    [
        ("ana:open%20sesame@", "", "open sesame"),
        ("sesame-token@", "", "sesame-token"),
        ("", "?api_key=sesame-key&v=1", "sesame-key"),
    ],
)
def test_what_is_secret_in_an_address_is_in_no_error_and_in_no_file(
    opened, model_server, says, tmp_path, who, query, secret
):
    address = model_server.url.replace("//", f"//{who}") + query
    model_server.answers = lambda heard: says(
        status=401, error=f"{address} with {secret}: {heard.path}, {heard.headers}"
    )
    caller = opened(base_url=address, cache=True)

    with pytest.raises(CallError) as caught:
        caller.ask(request(), Meter())
    caller.settle(Manner("plain"))

    assert "sesame" not in str(caught.value)
    assert b"sesame" not in (tmp_path / "replies.sqlite").read_bytes()


def test_importing_the_module_does_not_import_the_providers():
    program = (
        "import sys, sayso.reasoning.chat_model as c; print('langchain_openai' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout == "False\n"


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"], ids=["loopback", "another"])
def test_a_server_does_not_lead_elsewhere(opened, model_server, says, host):
    away = f"{model_server.url}/elsewhere"
    model_server.will(says(status=307, headers={"Location": f"{away}?token=1"}, body="gone"))

    with pytest.raises(CallError, match=f"leads to {away}, which is not followed") as caught:
        opened(base_url=model_server.url.replace("127.0.0.1", host)).ask(request(), Meter())

    assert caught.value.kind == "http 307"
    assert len(model_server.requests) == 1


@pytest.mark.parametrize("address", ["http://ana:open-sesame@127.0.0.1/v1?key=sesame-key"])
def test_what_is_secret_in_an_address_is_not_in_what_traces_show_of_the_model(opened, address):
    assert "sesame" not in dumps(opened(base_url=address).endpoint.model)


# Any langchain model


def test_a_chat_model_that_knows_no_schema_and_no_tool_is_asked_plainly(scripted_model):
    model = scripted_model(KAYAK)
    caller = ChatModelCaller(model)

    told = caller.ask(request(), Meter())

    assert told.value.answer == "A kayak"
    assert caller.manner.way == "plain"
    assert caller.name == "ScriptedModel"
    assert told.usage.model_calls == 1


def test_a_chat_model_that_does_not_stream_tells_its_answer_in_one_piece(scripted_model):
    heard = []

    ChatModelCaller(scripted_model(KAYAK)).ask(request(written=heard.append), Meter())

    assert heard == ["A kayak"]


def test_the_exception_of_any_library_becomes_a_named_failure(scripted_model):
    class OverloadedError(Exception):
        status_code = 529

    slept = Slept()
    caller = ChatModelCaller(
        scripted_model(OverloadedError("overloaded"), KAYAK), waits=slept.waits
    )

    assert caller.ask(request(), Meter()).value.answer == "A kayak"
    assert slept == [0.5]


class HostedModel(ScriptedModel):
    """A provider's own way of binding a schema, and its own word for the end of a reply."""

    def with_structured_output(self, schema, *, method="json_schema", **kwargs):
        bound = self.bind(format={"method": method, "schema": schema})
        return bound | RunnableLambda(lambda message: json.loads(message.content))


def test_a_providers_own_binding_is_used_and_its_parser_is_not():
    model = HostedModel(replies=["not JSON", KAYAK])
    caller = ChatModelCaller(model)

    told = caller.ask(request(), Meter())

    assert told.value.answer == "A kayak"
    assert told.raw == ("not JSON",)


@pytest.mark.parametrize("word", ["stop_reason", "done_reason", "finish_reason"])
def test_every_providers_word_for_a_cut_reply_is_known(word):
    cut = AIMessage(json.dumps(KAYAK), response_metadata={word: "max_tokens"})

    with pytest.raises(CallError) as caught:
        ChatModelCaller(HostedModel(replies=[cut])).ask(request(), Meter())

    assert caught.value.kind == "truncated"


def test_a_listener_that_fails_is_not_taken_for_the_model(ask, model_server):
    def broken(text: str) -> None:
        raise OSError("the terminal is gone")

    model_server.will(KAYAK)

    with pytest.raises(OSError, match="terminal"):
        ask(written=broken)


def test_several_threads_may_ask_at_once(opened, model_server):
    model_server.will(KAYAK)
    caller, meter, told = opened(cache=True), Meter(), []

    def asking(number: int) -> None:
        told.append(caller.ask(request(salt=str(number)), meter).value.answer)

    threads = [threading.Thread(target=asking, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert told == ["A kayak"] * 8
    assert meter.used.model_calls == 8


INTERRUPTED = """
import sys
from pathlib import Path
from pydantic import BaseModel
from sayso.core.metering import Meter
from sayso.reasoning.calling import Request
from sayso.reasoning.chat_model import open_model
from sayso.settings import Settings
class Reply(BaseModel):
    answer: str
settings = Settings(model="scripted", base_url=sys.argv[1])
caller = open_model(settings, home=Path(sys.argv[2]), environ={})
try:
    caller.ask(Request("s", "system", "user", Reply, "d"), Meter())
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_an_interruption_ends_a_call_that_hangs(model_server, says, interruptible, tmp_path):
    import signal

    reached = threading.Event()

    def answers(heard):
        reached.set()
        return says(hangs=True)

    model_server.answers = answers
    program = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, model_server.url, str(tmp_path)],
        env=dict(os.environ),
        preexec_fn=interruptible,
    )
    assert reached.wait(60)
    program.send_signal(signal.SIGINT)

    assert program.wait(60) == 130
    assert Path(tmp_path / "replies.sqlite").exists()
