"""A ``Caller`` over an endpoint: the cache before the call, what was learnt kept after it."""

from collections.abc import Iterable
from typing import TypedDict, TypeVar, Unpack

from pydantic import BaseModel

from sayso.core.events import Listener, unheard
from sayso.core.metering import Meter
from sayso.core.trail import Usage
from sayso.reasoning.call_failures import Redaction
from sayso.reasoning.calling import Request, Told
from sayso.reasoning.model_address import COMPLETION, masked
from sayso.reasoning.model_calls import Conduct, Conversation
from sayso.reasoning.model_endpoint import WAYS, Endpoint, Limiter
from sayso.reasoning.reply_cache import Manner, ReplyCache, key_of
from sayso.reasoning.retrying import Waits
from sayso.settings import Price

M = TypeVar("M", bound=BaseModel)


class Options(TypedDict, total=False):
    """What a caller may be told; each may be left out.

    ``window`` and ``completion`` are in tokens, ``call_seconds`` and ``retries`` are of one call.
    ``cache`` keeps replies; ``ways`` keeps how the endpoint is asked, beyond this process (both
    may be the same file).
    """

    window: int | None
    completion: int
    retries: int
    call_seconds: float
    limiter: Limiter | None
    cache: ReplyCache | None
    price: Price | None
    ways: ReplyCache | None
    waits: Waits


class ModelCaller:
    """Asks the model behind an endpoint. ``secrets`` appear in no error."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        name: str,
        secrets: Iterable[str] = (),
        **options: Unpack[Options],
    ) -> None:
        self.name, self.endpoint = name, endpoint
        self.window = options.get("window")
        self.completion = options.get("completion", COMPLETION)
        self._identity = f"{_without_secrets(endpoint.address)} {name}"
        self._cache, self._ways = options.get("cache"), options.get("ways")
        known = self._ways.manner_of(self._identity) if self._ways else None
        self._manner = known or Manner(WAYS[0])
        price = options.get("price")
        self.conduct = Conduct(
            retries=options.get("retries", 4),
            call_seconds=options.get("call_seconds", 90.0),
            limiter=options.get("limiter"),
            cost_of=lambda usage: with_cost(usage, price),
            redact=Redaction(secrets),
            waits=options.get("waits", Waits()),
        )

    @property
    def manner(self) -> Manner:
        """How the endpoint is asked for structured replies, as far as is known."""
        return self._manner

    def ask(self, request: Request[M], meter: Meter, listen: Listener = unheard) -> Told[M]:
        """The reply, from the cache or the model; see ``Caller.ask``.

        A reply in the cache is given even after the budget's end: it costs nothing.
        """
        key = key_of(request, self._identity, self.endpoint.parameters)
        kept = self._cache.find(key, request.schema) if self._cache else None
        if self._cache and kept is not None:
            return self._again(kept, request, meter, self._cache.cost_of(key))
        conversation = Conversation(
            self.endpoint, self.conduct, request, meter, listen, self._manner
        )
        conversation.notes += self._notes()
        try:
            value = conversation.value()
        finally:
            # What the server took is known even where the model's reply came to nothing.
            if conversation.usage.model_calls:
                self.settle(conversation.manner)
        if self._cache:
            self._cache.keep(key, request.step, value, conversation.usage)
        spent = conversation.spent
        return Told(value, spent.usage, spent.notes + self._notes(), spent.raw)

    def settle(self, manner: Manner) -> None:
        """Ask the endpoint in this manner from now on."""
        if manner != self._manner:
            self._manner = manner
            if self._ways:
                self._ways.remember(self._identity, manner)

    def _again(self, kept: M, request: Request[M], meter: Meter, before: Usage) -> Told[M]:
        usage = Usage(
            cache_hits=1,
            saved_tokens=before.prompt_tokens + before.completion_tokens,
            saved_cost=self.conduct.cost_of(before).cost,
        )
        meter.take(usage)
        answer = getattr(kept, "answer", None)
        if request.written and isinstance(answer, str) and answer:
            request.written(answer)
        return Told(kept, usage, self._notes())

    def _notes(self) -> tuple[str, ...]:
        stores = dict.fromkeys(store for store in (self._cache, self._ways) if store)
        return tuple(note for store in stores for note in store.notes())


def _without_secrets(address: str) -> str:
    """The address as a file may hold it; what is no address is the name of a class."""
    return masked(address) if "://" in address else address


def with_cost(usage: Usage, price: Price | None) -> Usage:
    """The usage with what it cost; as it was without a price."""
    if price is None:
        return usage
    cheaper = price.prompt if price.cached is None else price.cached
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    millionths = (
        (usage.prompt_tokens - cached) * price.prompt
        + cached * cheaper
        + usage.completion_tokens * price.completion
    )
    return usage.model_copy(update={"cost": millionths / 1e6})
