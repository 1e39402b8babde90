"""An answer as the document that ``ask --json``, the served graph and the MCP tools all give."""

from typing import Any

from sayso.core.trail import Trail


def answer_json(trail: Trail) -> dict[str, Any]:  # Any: JSON
    """The shape of ``ask --json``; times are ISO 8601, offsets are code points."""
    answer = trail.answer
    return {
        "question": trail.question.text,
        "mode": trail.mode,
        "chatId": trail.question.chat_id,
        "answer": answer.text,
        "abstained": answer.abstained,
        "stopReason": trail.stop_reason,
        "evidence": [e.model_dump(mode="json", by_alias=True) for e in answer.evidence],
        "phases": [p.model_dump(mode="json", by_alias=True) for p in answer.phases],
        "unsupported": [u.model_dump(mode="json", by_alias=True) for u in answer.unsupported],
        "trail": trail.model_dump(mode="json", by_alias=True),
        "usage": trail.usage.model_dump(mode="json", by_alias=True),
    }


def without_trail(document: dict[str, Any]) -> dict[str, Any]:
    """The document for a reader who pays for every word: what was tried on the way is left out."""
    return {key: value for key, value in document.items() if key != "trail"}
