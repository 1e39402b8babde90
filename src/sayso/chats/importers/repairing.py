"""Half a character, as broken exports have it: stored as U+FFFD, so that offsets stay, and reported."""

from typing import Any

from sayso.chats.ids import mended
from sayso.chats.importers.report import Fault, FaultLog
from sayso.core.chat import Message
from sayso.core.value import Value


def repaired(message: Message, where: str, log: FaultLog | None = None) -> Message:
    """The message with U+FFFD for each lone surrogate; ``log`` is told of it."""
    given = {name: getattr(message, name) for name in _STRINGS if getattr(message, name)}
    whole = f"{given}" if len(given) > 4 else "\n".join(f"{v}" for v in given.values())
    if mended(whole) == whole and "\\ud" not in whole:  # nearly every message: one look, not many
        return message
    update = {name: _whole(value) for name, value in given.items()}
    changed = [name for name in update if update[name] != given[name]]
    if not changed:
        return message
    reason = f"half a character in {', '.join(changed)}, stored as U+FFFD"
    if log is not None:
        log.append(Fault(where=where, reason=reason))
    return message.model_copy(update={name: update[name] for name in changed})


_STRINGS = (
    "sender", "text", "caption", "source_id", "forwarded_from", "revisions", "reactions",
    "attachments",
)  # fmt: skip


def _whole(value: Any) -> Any:  # a string, or a tuple of values that hold strings
    if isinstance(value, str):
        return mended(value)
    if isinstance(value, tuple):
        return tuple(map(_whole, value))
    if isinstance(value, Value):
        return value.model_copy(
            update={n: _whole(getattr(value, n)) for n in type(value).model_fields}
        )
    return value
