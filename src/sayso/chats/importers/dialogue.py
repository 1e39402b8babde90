"""What the two research sets share: sessions of JSON records with a speaker, words and images."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sayso.chats.importers.report import Fault, Findings, Record

_SESSION = re.compile(r"session_\d+")

Object = dict[str, Any]  # a JSON object: its values are whatever the file held


def sessions(conversation: Object) -> Iterator[tuple[str, Any]]:
    """The sessions by key, in file order; a value may be anything."""
    return ((key, value) for key, value in conversation.items() if _SESSION.fullmatch(key))


def has_records(value: Any, *keys: str) -> bool:
    """Whether it is an object with a session in which some record has one of the keys."""
    return isinstance(value, dict) and any(
        isinstance(record, dict) and not record.keys().isdisjoint(keys)
        for _, session in sessions(value)
        if isinstance(session, list)
        for record in session
    )


def records_of(session: Any, where: str, findings: Findings) -> list[tuple[str, Object]]:
    """The session's records with their JSON pointers; anything else in it is reported."""
    if not isinstance(session, list):
        findings.unread.append(Fault(where=where, reason=_expected("a list of messages", session)))
        return []
    found = []
    for i, record in enumerate(session):
        if isinstance(record, dict):
            found.append((f"{where}/{i}", record))
        else:
            reason = _expected("a message", record)
            findings.unread.append(Fault(where=f"{where}/{i}", reason=reason))
    return found


def record(fields: Object, where: str, sent_at: datetime, *, text_key: str) -> Record:
    """One message out of its JSON object; raises ValueError saying what it lacks.

    The kind is photo only where there is an image, or the caption of one, and no text. A text that
    came with an image stays a text, with the image's caption beside it.
    """
    speaker = fields.get("speaker")
    if not isinstance(speaker, str) or not speaker.strip():
        raise ValueError(_expected("a speaker", speaker))
    text = fields.get(text_key)
    if text is not None and not isinstance(text, str):
        raise ValueError(_expected(f"{text_key} to be text", text))
    caption = fields.get("blip_caption")
    caption = caption if isinstance(caption, str) and caption.strip() else None
    if not text and not caption and not fields.get("img_file") and not fields.get("img_url"):
        raise ValueError("no text and no image")
    source_id = fields.get("dia_id")
    return Record(
        where=where,
        sender=speaker,
        sent_at=sent_at,
        text=text or "",
        kind="text" if text else "photo",
        caption=caption,
        source_id=source_id if isinstance(source_id, str) and source_id else None,
    )


def pointer(*keys: str) -> str:
    """A JSON pointer (RFC 6901)."""
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)


def _expected(what: str, found: object) -> str:
    shown = "nothing" if found is None else f"{found!r:.60}"
    return f"expected {what}, found {shown}"
