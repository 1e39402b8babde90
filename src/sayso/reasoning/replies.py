"""What a model said → the value that was asked for, or the kind of its failure.

Models put reasoning before JSON, fences around it, prose beside it, and calls of tools in place of
it. All of that is read. What is never read as complete: a reply that the server cut off.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from sayso.core.trail import Usage
from sayso.reasoning.reply_schemas import without_forced_nulls

M = TypeVar("M", bound=BaseModel)
Unusable = Literal[
    "prose", "empty", "not json", "wrong types", "truncated", "refusal", "content filter"
]
# Asking again with the error shown helps with these. A refusal is an answer, if an unwelcome one.
REPAIRABLE = frozenset(("prose", "empty", "not json", "wrong types", "truncated"))
RAW_LIMIT = 20_000  # characters of an unusable reply that are kept
_SHOWN_FAULTS = 5
_LONGEST_SHOWN = 80
# Of the places where an object might begin, so many are tried.
_MOST_STARTS = 200
_CUT = frozenset(("length", "max_tokens", "max_output_tokens", "model_length", "incomplete"))
_FILTERED = frozenset(("content_filter", "safety", "recitation", "prohibited_content"))
_THINKING = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THINKING_UNOPENED = re.compile(r"[^{]*?</(think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_THINKING_UNCLOSED = re.compile(r"\s*<(think|thinking|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """One reply as it came: its text, the arguments of a tool call, and why it ended.

    ``finish`` is the server's word for the end, None where it gave none.
    """

    text: str = ""
    called: str | None = None
    finish: str | None = None
    refusal: str | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def raw(self) -> str:
        """All that was said, for a trail; at most RAW_LIMIT characters."""
        whole = "\n".join(part for part in (self.text, self.called, self.refusal) if part)
        return whole[:RAW_LIMIT]


class Unfit(Exception):
    """A reply that cannot be used. ``kind`` names the failure, the text tells it to the model."""

    def __init__(self, kind: Unusable, story: str) -> None:
        super().__init__(story)
        self.kind: Unusable = kind


def read(said: Said, schema: type[M]) -> M:
    """The value in a reply. Raises :class:`Unfit`.

    Of several JSON objects the last one that fits is taken: what stands before it is a draft.
    """
    _refuse_what_is_not_whole(said)
    body = said.called if said.called and said.called.strip() else without_thinking(said.text)
    if not body.strip():
        thought = " but reasoning" if said.text.strip() else ""
        raise Unfit("empty", f"the reply holds nothing{thought}")
    found = _objects(body)
    if not found.whole:
        raise Unfit("truncated", "the reply breaks off before its JSON object ends")
    faults: list[ValidationError] = []
    for value in reversed(found.values):
        for form in _forms(value, schema):
            try:
                return schema.model_validate(without_forced_nulls(form, schema))
            except ValidationError as error:
                faults.append(error)
    if found.around is not None:
        raise Unfit("not json", f"the reply's JSON cannot be read: {found.around}")
    if faults:
        raise Unfit("wrong types", "the reply's JSON does not fit: " + _shown(faults[0]))
    raise _why_there_is_no_object(body)


def without_thinking(text: str) -> str:
    """The text without the reasoning at its start, closed or not."""
    for pattern in (_THINKING, _THINKING_UNOPENED):
        if thought := pattern.match(text):
            return text[thought.end() :]
    # Reasoning that never ended: nothing was answered.
    return "" if _THINKING_UNCLOSED.match(text) else text


def _refuse_what_is_not_whole(said: Said) -> None:
    finish = (said.finish or "").lower()
    if said.refusal or finish == "refusal":
        raise Unfit("refusal", f"the model refused: {(said.refusal or said.text)[:300]}")
    if finish in _FILTERED:
        raise Unfit("content filter", "the server's content filter held the reply back")
    if finish in _CUT:
        raise Unfit("truncated", f"the reply was cut off by its length (finish reason {finish!r})")


@dataclass
class _Objects:
    """The JSON objects of a text in its order; not ``whole``: the last breaks off.

    ``around``: why an object cannot be read of which the last of them is only a part.
    """

    values: list[dict[str, Any]] = field(default_factory=list)  # Any: JSON
    whole: bool = True
    around: json.JSONDecodeError | None = None


def _objects(text: str) -> _Objects:
    """Every outermost JSON object of the text.

    What stands whole within or before one that breaks off is a part of the reply, or its draft.
    """
    # A raw line break in a string is common and harmless; NaN is neither JSON nor a number.
    decoder = json.JSONDecoder(strict=False, parse_constant=_no_number)
    found = _Objects()
    broken: list[tuple[int, json.JSONDecodeError]] = []
    at, end_of_text = text.find("{"), len(text.rstrip())
    for _ in range(_MOST_STARTS):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if error.pos >= end_of_text or error.msg.startswith("Unterminated string"):
                return _Objects(found.values, whole=False)
            broken.append((at, error))
            end = at + 1
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.values.append(value)
            found.around = next((e for a, e in reversed(broken) if _is_open(text, a, at)), None)
        at = text.find("{", end)
    return found


def _is_open(text: str, start: int, at: int) -> bool:
    """Whether what begins at ``start`` has not ended before ``at``, as far as braces tell."""
    return text.count("{", start, at) > text.count("}", start, at)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _forms(value: dict[str, Any], schema: type[BaseModel]) -> Iterator[Any]:  # Any: JSON
    """What the object may stand for, likeliest first: itself, or a call of a tool as text."""
    fields = {name for key, f in schema.model_fields.items() for name in (key, f.alias)}
    calls = [] if fields & value.keys() else list(_called_in_text(value, schema))
    yield from calls or [value]


def _called_in_text(value: dict[str, Any], schema: type[BaseModel]) -> Iterator[Any]:  # Any: JSON
    call = value
    if isinstance(calls := value.get("tool_calls"), list) and calls and isinstance(calls[0], dict):
        call = calls[0]
    if isinstance(function := call.get("function"), dict):
        call = function
    for name in ("arguments", "parameters", "input", schema.__name__):
        inner = call.get(name)
        if isinstance(inner, str):
            inner = next(iter(_objects(inner).values), None)
        if isinstance(inner, dict):
            yield inner


def _shown(error: ValidationError) -> str:
    faults = [
        f"{'.'.join(map(str, fault['loc'])) or 'the object'}: {fault['msg']}"
        f" (found {repr(fault['input'])[:_LONGEST_SHOWN]})"
        for fault in error.errors()[:_SHOWN_FAULTS]
    ]
    rest = error.error_count() - len(faults)
    return "; ".join(faults) + (f"; and {rest} more" if rest > 0 else "")


def _why_there_is_no_object(body: str) -> Unfit:
    start = body.find("{")
    if start < 0:
        return Unfit("prose", "the reply holds no JSON object")
    try:
        json.loads(body[start:], strict=False, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        return Unfit("not json", f"the reply's JSON cannot be read: {error}")
    return Unfit("not json", "the reply's JSON cannot be read")
