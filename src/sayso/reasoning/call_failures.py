"""What went wrong with a call: its kind, whether it may be made again, and no key in the telling.

Every provider's library has its own exceptions. They are told apart by what they carry (a status,
a name, a cause), so that no library is named here.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_LONGEST_STORY = 300
_LONGEST_PLACE = 200
_MASK = "[key]"
_LOOKS_SECRET = re.compile(
    r"(?i:(?<=bearer )|(?<=basic ))[^\s\"',}]+|\bsk-[\w*.-]{6,}|(?<=://)[^/@\s:]*:[^/@\s]+(?=@)"
)
# The words in which servers say that they do not know a way of structured output.
_SPEAKS_OF_FORM = re.compile(
    r"response.?format|json.?schema|json.?object|json.?mode|schema|\btools?\b|tool_choice|"
    r"function|grammar|structured|\bstrict\b",
    re.IGNORECASE,
)
_SPEAKS_OF_STREAM = re.compile(r"\bstream", re.IGNORECASE)
_SPEAKS_OF_WINDOW = re.compile(
    r"context.?(length|window|size)|prompt is too long|maximum context|too many tokens|n_ctx",
    re.IGNORECASE,
)
_FORM_STATUS = frozenset((400, 404, 405, 415, 422, 500, 501))
_PASSING_STATUS = frozenset((408, 409, 425, 429))
# What a library raises that looks for the parts of a completion where there are none.
_MISREAD = (AttributeError, IndexError, KeyError, TypeError)
_TIMEOUTS = ("Timeout", "TimedOut")
_CONNECTIONS = ("Connect", "Protocol", "ReadError", "WriteError", "CloseError", "NetworkError")


class Redaction:
    """Takes secrets out of texts: those it knows, and whatever looks like one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        # Longest first: one may be part of another. Very short ones are placeholders.
        self._secrets = sorted({s for s in secrets if len(s) >= 6}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """The text with [key] in place of each secret."""
        for secret in self._secrets:
            text = text.replace(secret, _MASK)
        return _LOOKS_SECRET.sub(_MASK, text)


class CallFailed(Exception):
    """A call that brought no reply.

    ``kind``: "http 429" and so on, "timeout", "connection", "content type", "window" (the prompt
    is too long for the model) or "other". ``again``: the same call may succeed later; ``after``:
    seconds the server asks to wait. ``of_form``, ``of_stream``: the server did not know how it was
    asked to write.
    """

    def __init__(
        self,
        kind: str,
        story: str,
        *,
        again: bool = False,
        after: str | None = None,
        of_form: bool = False,
        of_stream: bool = False,
    ) -> None:
        super().__init__(story)
        self.kind, self.again, self.after = kind, again, after
        self.of_form, self.of_stream = of_form, of_stream


@dataclass(frozen=True)
class _Told:
    """What an exception and its causes say together."""

    names: tuple[str, ...]
    text: str
    status: int | None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None  # any server's JSON
    cause: str = ""  # the words of what the exception came from in the end


def failure_of(error: BaseException, redact: Redaction) -> CallFailed:
    """The failure that an exception of a model's library stands for."""
    told = _told(error)
    story = redact(told.text)[:_LONGEST_STORY]
    if told.status is not None:
        return _of_status(told.status, told, story, redact)
    if any(part in name for name in told.names for part in _TIMEOUTS):
        return CallFailed("timeout", "the server did not reply in time", again=True)
    if any(part in name for name in told.names for part in _CONNECTIONS):
        why = redact(told.cause or told.text)[:_LONGEST_STORY]
        return CallFailed("connection", f"the connection failed: {why}", again=True)
    if _SPEAKS_OF_WINDOW.search(told.text):
        return CallFailed("window", story)
    if "NotImplementedError" in told.names:
        return CallFailed("other", story or "not offered by this model", of_form=True)
    if not isinstance(error, Exception):
        return CallFailed("other", story)
    if {"JSONDecodeError", "UnicodeDecodeError", "APIResponseValidationError"} & set(told.names):
        return _no_completion(story)
    if "No generation chunks" in told.text:
        return CallFailed("content type", "the server's reply is no stream", of_stream=True)
    if _is_no_completion(told):
        return _no_completion(story)
    of_form = isinstance(error, TypeError | ValueError) and bool(_SPEAKS_OF_FORM.search(told.text))
    if isinstance(error, _MISREAD) and not of_form:
        return _no_completion(f"{type(error).__name__}: {story}")
    return CallFailed("other", f"{type(error).__name__}: {story}", of_form=of_form)


def _of_status(status: int, told: _Told, story: str, redact: Redaction) -> CallFailed:
    said = f"{told.text} {json.dumps(told.body, default=str)}"
    if status in (400, 413, 422, 500) and _SPEAKS_OF_WINDOW.search(said):
        return CallFailed("window", f"the prompt is too long for the model: {story}")
    of_form = status in _FORM_STATUS and bool(_SPEAKS_OF_FORM.search(said))
    # An account without money answers 429 as well, and no waiting changes that.
    spent = "insufficient_quota" in said
    return CallFailed(
        f"http {status}",
        f"the server answered {status}: {story}" + redact(_what_to_do(status, told.headers)),
        again=(status in _PASSING_STATUS or status >= 500) and not spent,
        after=told.headers.get("retry-after"),
        of_form=of_form,
        of_stream=status in _FORM_STATUS and bool(_SPEAKS_OF_STREAM.search(said)),
    )


def _what_to_do(status: int, headers: Mapping[str, str]) -> str:
    if 300 <= status < 400:
        led = headers.get("location", "").partition("?")[0][:_LONGEST_PLACE]
        return f" (it leads to {led or 'nowhere'}, which is not followed: is base_url right?)"
    match status:
        case 401:
            return " (is OPENAI_API_KEY the key of this server?)"
        case 403:
            return " (the key may not use this model)"
        case 404:
            return " (is the model's name right, and does the address end as the server has it?)"
        case _:
            return ""


def _no_completion(why: str) -> CallFailed:
    asks = "does base_url end as the server has it, such as with /v1?"
    return CallFailed("content type", f"the server's reply is not a completion: {why} ({asks})")


def _is_no_completion(told: _Told) -> bool:
    """The server answered 200 with a page, or with JSON of another shape."""
    signs = ("Unexpected response type", "missing 'choices'", "null value for 'choices'")
    return any(sign in told.text for sign in signs)


def _told(error: BaseException) -> _Told:
    chain = list(_chain(error))
    names = tuple(cls.__name__ for e in chain for cls in type(e).__mro__[:-3])
    names += tuple(type(e).__name__ for e in chain)
    status, headers, body = None, {}, None
    for e in chain:
        found = getattr(e, "status_code", None)
        if status is None and isinstance(found, int) and found >= 300:
            response = getattr(e, "response", None)
            status, body = found, getattr(e, "body", None)
            headers = {k.lower(): v for k, v in dict(getattr(response, "headers", {})).items()}
    if status is None:
        body = _error_in_a_reply(chain[0])
        status = _status_in(body)
    causes = [" ".join(str(e).split()) for e in chain[1:]]
    cause = next((words for words in reversed(causes) if words), "")
    return _Told(names, _plain(chain[0]), status, headers, body, cause)


def _error_in_a_reply(error: BaseException) -> Any:  # any server's JSON
    """The error that a server sent as a reply, or in a stream, after it had said 200; else None."""
    body = getattr(error, "body", None)
    given = error.args[0] if isinstance(error, ValueError) and error.args else None
    return next((found for found in (body, given) if isinstance(found, dict)), None)


def _status_in(body: Any) -> int | None:
    code = body.get("code") if isinstance(body, dict) else None
    found = int(code) if isinstance(code, int | str) and str(code).isdecimal() else 0
    return found if 400 <= found < 600 else None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it came from; warnings that stand before an error are left out."""
    seen: BaseException | None = error
    for _ in range(8):
        if seen is None:
            return
        if not isinstance(seen, Warning) or seen.__context__ is None:
            yield seen
        seen = seen.__cause__ or seen.__context__


def _plain(error: BaseException) -> str:
    """The server's own words where the exception has them, else the exception's."""
    for found in (getattr(error, "body", None), _error_in_a_reply(error), _text_of(error)):
        if words := _words_in(found):
            return words
    return " ".join(str(error).split())


def _words_in(body: Any) -> str | None:  # any server's JSON
    if isinstance(body, str):
        return " ".join(body.split()) or None
    if not isinstance(body, dict):
        return None
    found = (_words_in(body.get(name)) for name in ("message", "error", "detail"))
    return next((words for words in found if words), None)


def _text_of(error: BaseException) -> str | None:
    """The text of the reply behind an exception, where that is no page."""
    try:
        text = getattr(getattr(error, "response", None), "text", None)
    except Exception:  # any library's: a stream that was not read has none yet
        return None
    return text if isinstance(text, str) and not text.lstrip().startswith("<") else None
