"""Any langchain chat model as a ``Caller``; here alone the steps meet langchain's models."""

import weakref
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Unpack

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.rate_limiters import InMemoryRateLimiter
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from langchain_core.utils.json import parse_partial_json
from langsmith.run_helpers import tracing_context
from pydantic import BaseModel, SecretStr

from sayso.errors import ConfigurationError
from sayso.reasoning.chat_messages import called_in, cut_off_by, said_in
from sayso.reasoning.model_address import (
    NO_KEY,
    address_of,
    completion_of,
    is_loopback,
    is_openai,
    key_for,
    place_of,
    refused,
    secrets_in,
    window_of,
)
from sayso.reasoning.model_caller import ModelCaller, Options
from sayso.reasoning.model_endpoint import Limiter, Turns, Way
from sayso.reasoning.replies import Said
from sayso.reasoning.reply_cache import ReplyCache
from sayso.reasoning.reply_schemas import strict_schema
from sayso.settings import Settings

Bound = Runnable[Any, BaseMessage]  # Any: langchain's own union of inputs
# What the providers' models call the address of their server.
_ADDRESSES = ("openai_api_base", "azure_endpoint", "anthropic_api_url", "base_url", "endpoint")


class ChatModelCaller(ModelCaller):
    """Asks a langchain chat model; the rest is as with any :class:`ModelCaller`.

    ``traced`` False: no call is posted to a tracing service, whatever the environment says.
    ``also_secret`` appears in no error, beside the model's own keys.
    """

    def __init__(
        self,
        model: BaseChatModel,
        *,
        name: str | None = None,
        traced: bool = True,
        also_secret: Iterable[str] = (),
        **options: Unpack[Options],
    ) -> None:
        endpoint = LangChainEndpoint(model, traced=traced)
        secrets = [*_secrets_of(model), *also_secret]
        super().__init__(endpoint, name=name or _name_of(model), secrets=secrets, **options)


class LangChainEndpoint:
    """A langchain model as an ``Endpoint``.

    langchain's own parsing of structured replies is left away: it raises where it cannot parse,
    and the text is lost. What it binds to the model (the schema, the tool) is kept.
    """

    def __init__(self, model: BaseChatModel, *, traced: bool = True) -> None:
        self.model, self._traced = model, traced
        self.address = _address_of(model) or type(model).__qualname__
        # The only place where every provider's model lists what its replies depend on.
        self.parameters: dict[str, Any] = dict(model._identifying_params)

    def say(
        self,
        turns: Turns,
        way: Way,
        schema: type[BaseModel],
        *,
        step: str,
        piece: Callable[[str], None] | None,
    ) -> Said:
        """See ``Endpoint.say``; raises what the model's library raises."""
        with tracing_context(enabled=None if self._traced else False):
            return self._say(turns, way, schema, step, piece)

    def _say(
        self,
        turns: Turns,
        way: Way,
        schema: type[BaseModel],
        step: str,
        piece: Callable[[str], None] | None,
    ) -> Said:
        bound, config = self._bound(way, schema), RunnableConfig(run_name=step)
        try:
            if piece is None:
                return said_in(bound.invoke(list(turns), config))
            chunks: list[AIMessageChunk] = []
            for chunk in bound.stream(list(turns), config):
                piece(called_in(chunk) or str(chunk.text))
                if not isinstance(chunk, AIMessageChunk):  # from a model that does not stream
                    return said_in(chunk)
                chunks.append(chunk)
        except Exception as error:
            if (cut := cut_off_by(error)) is not None:
                return cut
            raise
        if not chunks:
            raise NotImplementedError("the stream held nothing")
        return said_in(chunks[0] + chunks[1:] if len(chunks) > 1 else chunks[0])

    def parse_partial(self, text: str) -> Any:  # Any: JSON
        """See ``Endpoint.parse_partial``."""
        return parse_partial_json(text)

    def models(self) -> tuple[str, ...]:
        """See ``Endpoint.models``."""
        client = getattr(self.model, "root_client", None)
        return tuple(sorted(model.id for model in client.models.list())) if client else ()

    def _bound(self, way: Way, schema: type[BaseModel]) -> Bound:
        form, strict = strict_schema(schema)
        name = schema.__name__
        if way == "plain":
            return self.model
        if way == "function_calling":
            function = {"name": name, "description": "Gives the reply.", "parameters": form}
            tool = {"type": "function", "function": function}
            return self.model.bind_tools([tool], tool_choice=name)
        if "extra_body" in type(self.model).model_fields:  # ChatOpenAI and what is made of it
            # As a plain argument it would go through the client's parser, which raises where a
            # reply is cut off, and which takes few servers' streams.
            described = {"name": name, "schema": form, "strict": strict}
            wanted = {"type": "json_schema", "json_schema": described}
            if way == "json_mode":
                wanted = {"type": "json_object"}
            already = getattr(self.model, "extra_body", None) or {}
            return self.model.bind(extra_body={**already, "response_format": wanted})
        return self._bound_by_its_own(way, {"title": name, "description": name, **form})

    def _bound_by_its_own(self, way: Way, form: dict[str, Any]) -> Bound:
        try:
            structured = self.model.with_structured_output(form, method=way)
        except (TypeError, ValueError) as error:
            raise NotImplementedError(f"{type(self.model).__name__} has no {way}") from error
        if not isinstance(structured, RunnableSequence):
            raise NotImplementedError(f"{type(self.model).__name__} has no {way} to be read raw")
        return structured.first


def open_model(settings: Settings, *, home: Path, environ: Mapping[str, str]) -> ChatModelCaller:
    """The configured model on its OpenAI-compatible server; nothing is called yet.

    Raises ConfigurationError for a missing name or key, and for a host that ``offline`` refuses.
    """
    if settings.model is None:
        raise ConfigurationError("no model is named: set model (SAYSO_MODEL, --model)")
    address = address_of(settings)
    model, close = _openai(settings, settings.model, address, environ)
    secrets = secrets_in(address)
    caller = _caller(model, settings.model, settings, home, cached=True, also_secret=secrets)
    if query := place_of(address).query:  # it may say which model answers
        caller.endpoint.parameters["query"] = query
    weakref.finalize(caller, close)
    return caller


def given_model(model: BaseChatModel, settings: Settings, *, home: Path) -> ChatModelCaller:
    """A model that somebody else made, under the settings that are not of its making.

    Those are cache, rate, retries, prices, window and ``offline``: ConfigurationError where that
    refuses its host, as far as the model says which that is. A model that tells nothing of what its
    replies depend on is not cached: another one could not be told from it.
    """
    address = _address_of(model)
    if settings.offline and address and not is_loopback(address):
        raise ConfigurationError(refused(_name_of(model), address))
    return _caller(model, _name_of(model), settings, home, cached=bool(model._identifying_params))


def _caller(
    model: BaseChatModel,
    name: str,
    settings: Settings,
    home: Path,
    *,
    cached: bool,
    also_secret: Iterable[str] = (),
) -> ChatModelCaller:
    store, rate = ReplyCache(home), settings.max_rpm
    caller = ChatModelCaller(
        model,
        name=name,
        traced=not settings.offline,
        also_secret=also_secret,
        window=window_of(settings, name),
        completion=completion_of(settings, name),
        retries=settings.retries,
        call_seconds=settings.call_seconds,
        limiter=a_minute(rate) if rate else None,
        cache=store if settings.cache and cached else None,
        price=settings.prices.get(name),
        ways=store,
    )
    # Nobody has to close a caller: its connections end with it.
    weakref.finalize(caller, store.close)
    return caller


def a_minute(requests: float) -> Limiter:
    """Lets so many requests a minute begin, evenly; the first at once."""
    limiter = InMemoryRateLimiter(requests_per_second=requests / 60, max_bucket_size=1)
    limiter.available_tokens = 1.0
    return limiter


def _openai(
    settings: Settings, model: str, address: str, environ: Mapping[str, str]
) -> tuple[BaseChatModel, Callable[[], None]]:
    """The model, and what closes its connections."""
    place, key = place_of(address), key_for(address, environ)
    # Importing them takes more than a second: only where a model is used.
    from langchain_openai import ChatOpenAI
    from openai import DefaultHttpxClient

    here = is_loopback(address)
    # No redirection is followed: the messages go where it was said that they go. What is on this
    # machine is not reached over a proxy. What may be secret in the address is told to the client
    # alone, since traces show all that the model was made with.
    client = DefaultHttpxClient(
        auth=None if place.user is None else (place.user, place.password or ""),
        params=place.query,
        trust_env=not here,
        proxy=None if here else environ.get("OPENAI_PROXY") or None,
        follow_redirects=False,
        timeout=settings.call_seconds,
    )
    more: dict[str, Any] = {}  # arguments of ChatOpenAI, of several types
    if settings.temperature is not None:
        more["temperature"] = settings.temperature
    if is_openai(address):
        more["max_completion_tokens"] = completion_of(settings)
    else:  # the older name is the one that other servers know
        more["extra_body"] = {"max_tokens": completion_of(settings)}
    chat_model = ChatOpenAI(
        model=model,
        base_url=place.bare,
        api_key=SecretStr(key),
        max_retries=0,
        timeout=settings.call_seconds,
        stream_usage=True,
        http_client=client,
        openai_proxy=None,
        **more,
    )
    return chat_model, client.close


def _address_of(model: BaseChatModel) -> str | None:
    """Where a model's requests go, as far as it says so."""
    named = (getattr(model, name, None) for name in _ADDRESSES)
    client = getattr(model, "root_client", None)  # knows it by default, too
    found = (str(a) for a in (*named, getattr(client, "base_url", None)) if a)
    return next((address for address in found if address.startswith(("http:", "https:"))), None)


def _name_of(model: BaseChatModel) -> str:
    named = getattr(model, "model_name", None) or getattr(model, "model", None)
    return named if isinstance(named, str) else type(model).__name__


def _secrets_of(model: BaseChatModel) -> list[str]:
    values = [getattr(model, name, None) for name in type(model).model_fields]
    keys = [value.get_secret_value() for value in values if isinstance(value, SecretStr)]
    keys += secrets_in(_address_of(model) or "")
    return [key for key in keys if key != NO_KEY]
