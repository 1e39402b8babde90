"""What a model's endpoint can do, found out by a few tiny calls."""

from pydantic import BaseModel

from sayso.core.value import Value
from sayso.reasoning.call_failures import CallFailed, failure_of
from sayso.reasoning.model_caller import ModelCaller
from sayso.reasoning.model_endpoint import WAYS, Turns, Way
from sayso.reasoning.replies import Said, Unfit, read
from sayso.reasoning.reply_cache import Manner
from sayso.reasoning.retrying import Abandoned, Line, within

_WITHOUT_FORM: Turns = (("system", "Be brief."), ("user", "Say hello to Ana."))
_WITH_FORM: Turns = (
    ("system", 'Reply with one JSON object such as {"answer": "…"} and nothing else.'),
    ("user", "Say hello to Ana."),
)


class Capabilities(Value):
    """What was found. None: not found out, because nothing was reachable.

    ``json_schema``: a schema is kept to even where the prompt does not speak of one; ``tools``: a
    tool that must be called is called; ``stream``: a reply comes in pieces; ``usage``: tokens are
    counted, with a stream as well where there is one. ``models`` is what the server lists, None
    where it lists nothing. ``problem`` says why a plain call failed. ``way`` is used from now on.
    """

    reachable: bool
    problem: str | None = None
    models: tuple[str, ...] | None = None
    json_schema: bool | None = None
    tools: bool | None = None
    json_mode: bool | None = None
    stream: bool | None = None
    usage: bool | None = None
    way: str | None = None


class _Hello(BaseModel):
    answer: str


def probe(caller: ModelCaller, *, seconds: float = 30.0) -> Capabilities:
    """What the caller's endpoint can do; each of the five or six calls may take ``seconds``.

    The caller, and what it remembers beyond this process, then uses what was found.
    """
    tried = _Tried(caller, seconds)
    plain = tried.say("plain", _WITHOUT_FORM)
    models = tried.models()
    if isinstance(plain, CallFailed):
        reachable = plain.kind not in ("connection", "timeout")
        return Capabilities(reachable=reachable, problem=str(plain), models=models)
    pieces: list[str] = []
    streamed = tried.say("plain", _WITHOUT_FORM, pieces)
    streams = isinstance(streamed, Said) and len([p for p in pieces if p]) > 0
    kept = {
        "json_schema": tried.keeps("json_schema", _WITHOUT_FORM),
        "function_calling": tried.keeps("function_calling", _WITHOUT_FORM),
        "json_mode": tried.keeps("json_mode", _WITH_FORM),
        "plain": True,
    }
    way = next(way for way in WAYS if kept[way])
    caller.settle(Manner(way, streams))
    counted = [said for said in (plain, streamed if streams else plain) if isinstance(said, Said)]
    return Capabilities(
        reachable=True,
        models=models,
        json_schema=kept["json_schema"],
        tools=kept["function_calling"],
        json_mode=kept["json_mode"],
        stream=streams,
        usage=all(said.usage.prompt_tokens > 0 for said in counted),
        way=way,
    )


class _Tried:
    """Calls whose failure is a finding."""

    def __init__(self, caller: ModelCaller, seconds: float) -> None:
        self._caller, self._seconds = caller, seconds

    def say(self, way: Way, turns: Turns, pieces: list[str] | None = None) -> Said | CallFailed:
        """A reply or what failed; ``pieces`` asks for a stream, and holds it afterwards."""
        endpoint, redact = self._caller.endpoint, self._caller.conduct.redact

        def call(line: Line[Said]) -> Said:
            piece = None if pieces is None else line.piece
            try:
                return endpoint.say(turns, way, _Hello, step="doctor", piece=piece)
            except Exception as error:  # any library's: each is given its name
                raise failure_of(error, redact) from None

        heard = (lambda text: None) if pieces is None else pieces.append
        try:
            return within(self._seconds, call, heard)
        except CallFailed as failed:
            return failed
        except Abandoned:
            return CallFailed("timeout", f"no reply within {self._seconds:.0f} s")

    def keeps(self, way: Way, turns: Turns) -> bool:
        """Whether the server kept to the way. What the model filled in is not judged."""
        said = self.say(way, turns)
        if isinstance(said, CallFailed):
            return False
        if way == "function_calling":
            return said.called is not None
        try:
            read(said, _Hello)
        except Unfit as unfit:
            # JSON mode promises any object; a reply that is cut off may have kept to its form.
            kept = ("wrong types",) if way == "json_mode" else ()
            return unfit.kind in kept or (unfit.kind == "truncated" and "{" in said.raw)
        return True

    def models(self) -> tuple[str, ...] | None:
        """The names of the server's models; None where it does not say."""

        def call(line: Line[tuple[str, ...]]) -> tuple[str, ...]:
            return self._caller.endpoint.models()

        try:
            return within(self._seconds, call) or None
        except Exception:  # any library's: a server need not have a list
            return None
