"""What a langchain message says, whoever's model it is from: text, tool call, end, tokens."""

import json

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from sayso.core.trail import Usage
from sayso.reasoning.replies import Said

_MOST_TOKENS = 10**9  # of one call


def said_in(message: BaseMessage) -> Said:
    """What a message says, whoever's model it is from."""
    facts = message.response_metadata
    cut = (facts.get("incomplete_details") or {}).get("reason")
    finish = (
        cut or facts.get("finish_reason") or facts.get("stop_reason") or facts.get("done_reason")
    )
    refusal = message.additional_kwargs.get("refusal")
    if not refusal and isinstance(message.content, list):
        blocks = (b for b in message.content if isinstance(b, dict))
        refusal = next((b.get("refusal") for b in blocks if b.get("type") == "refusal"), None)
    return Said(
        text=str(message.text),
        called=called_in(message) or None,
        finish=str(finish) if finish else None,
        refusal=str(refusal) if refusal else None,
        usage=_usage_of(message),
    )


def called_in(message: BaseMessage) -> str:
    """The arguments of the message's first tool call, as JSON text; "" without one.

    Of a streamed message the text as it came: langchain completes unfinished JSON there.
    """
    if isinstance(message, AIMessageChunk):
        parts = message.tool_call_chunks
        return "".join(p["args"] or "" for p in parts if p["index"] in (parts[0]["index"], None))
    if not isinstance(message, AIMessage):
        return ""
    if message.tool_calls:
        return json.dumps(message.tool_calls[0]["args"], ensure_ascii=False)
    return (message.invalid_tool_calls[0]["args"] or "") if message.invalid_tool_calls else ""


def _usage_of(message: BaseMessage) -> Usage:
    counted = getattr(message, "usage_metadata", None) or {}
    return Usage(
        prompt_tokens=_tokens(counted.get("input_tokens")),
        cached_tokens=_tokens((counted.get("input_token_details") or {}).get("cache_read")),
        completion_tokens=_tokens(counted.get("output_tokens")),
    )


def _tokens(count: object) -> int:
    """The count of a server, 0 for what no count can be: a reply is worth more than its count."""
    possible = isinstance(count, int | float) and 0 <= count <= _MOST_TOKENS
    return int(count) if possible else 0  # type: ignore[call-overload]  # a number, as just seen


def cut_off_by(error: Exception) -> Said | None:
    """The reply that stands behind an exception of the client's parser; None behind others."""
    ends = {
        "LengthFinishReasonError": "length", "ContentFilterFinishReasonError": "content_filter",
        "ModelRefusalError": "refusal",
    }  # fmt: skip
    names = [cls.__name__ for cls in type(error).__mro__]
    finish = next((ends[name] for name in names if name in ends), None)
    if finish is None:
        return None
    choices = getattr(getattr(error, "completion", None), "choices", None) or ()
    text = next((choice.message.content or "" for choice in choices), "")
    return Said(text=text or ("" if finish != "refusal" else str(error)), finish=finish)
