"""What a message becomes when another export tells of it again: edits, and what was missing.

Which of two texts is the later one is told by the times of their edits, else by the revisions of
either, else by which export reaches further. The other text becomes a revision. A message that was
deleted since keeps its words.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from difflib import SequenceMatcher
from typing import Any

from sayso.chats.importers.whatsapp_kinds import words_of
from sayso.core.chat import Message, Revision, in_message_order

_MEDIA = frozenset({"photo", "video", "voice", "sticker", "file"})
_ALIKE = 0.5
# What a poorer export lacks; of two values the later export's.
_BESIDE = ("caption", "edited_at", "revisions", "reactions", "attachments", "forwarded_from")
_EITHER = ("reactions", "attachments", "caption", "forwarded_from", "source_id")
_COMPARED = 400  # characters: the comparison takes the square of it


def updated(old: Message, new: Message, *, reply_to: int | None, later: bool) -> Message:
    """The old message with what the new one knows; its localId and time stay, and its sender's name.

    ``reply_to`` is what the new one replies to, by its localId here. ``later`` is whether the new
    one's export reaches further than all before.
    """
    if _is_same(old, new) and reply_to in {None, old.reply_to}:
        return old
    after, before = (new, old) if _is_later(old, new, later=later) else (old, new)
    words = after if after.kind != "deleted" or before.kind == "deleted" else before
    if _tells_more(before, after):
        words = before
    update: dict[str, Any] = {"text": words.text, "kind": words.kind}
    if old.text != new.text and not says_other(old, new):
        update["text"] = words_of(words.text, words.kind)
    if _may_pair(old) and _is_file(old) and _is_file(new) and words.kind == "file":
        # One phone says that it is an image, and the other only that it is media.
        update["kind"] = old.kind if new.kind == "file" else new.kind
    if not old.sender:
        update["sender"] = new.sender
    for name in _EITHER:
        update[name] = getattr(after, name) or getattr(before, name)
    update["reply_to"] = old.reply_to if old.reply_to is not None else reply_to
    update["edited_at"] = max(filter(None, (old.edited_at, new.edited_at)), default=None)
    update["revisions"] = _revisions(before, after)
    changed = {name: value for name, value in update.items() if getattr(old, name) != value}
    return old.model_copy(update=changed) if changed else old


def says_other(one: Message, other: Message) -> bool:
    """Whether two texts differ in more than how the exporter names a file that it left out."""
    return one.text != other.text and (
        words_of(one.text, one.kind) != words_of(other.text, other.kind)
    )


def _is_same(old: Message, new: Message) -> bool:
    """Whether the new one tells nothing that the old one does not: nearly all of a later export."""
    return bool(
        old.text == new.text
        and old.kind == new.kind
        and new.source_id in {None, old.source_id}
        and (old.sender or not new.sender)
        and all(getattr(old, name) == getattr(new, name) for name in _BESIDE)
    )


def edits(old: Iterable[Message], new: Iterable[Message]) -> Iterator[tuple[Message, Message]]:
    """Of messages without ids that are in one export only, those that are one message all the same.

    Its words were edited or deleted between the two, or one export brought the file along and the
    other did not. They have the same sender and time; one text is an edit of the other only where
    an export says that one of them was edited, and where they are alike.
    """
    waiting: dict[tuple[datetime, str], list[Message]] = defaultdict(list)
    for m in in_message_order(old):
        if _may_pair(m):
            waiting[m.sent_at, m.sender].append(m)
    coming: dict[tuple[datetime, str], list[Message]] = defaultdict(list)
    for m in in_message_order(new):
        if _may_pair(m) and (m.sent_at, m.sender) in waiting:
            coming[m.sent_at, m.sender].append(m)
    for key, given in coming.items():
        yield from _paired(waiting[key], given)


def _paired(old: list[Message], new: list[Message]) -> Iterator[tuple[Message, Message]]:
    """The pairs, the surest first; of several that fit the likest, of those the first."""
    left, right = list(old), list(new)
    for alike in (_same_file, _said_before, _edit, _deletion):
        for b in tuple(right):
            a = max(left, key=lambda m: alike(m, b), default=None)
            if a is not None and alike(a, b):
                left.remove(a)
                right.remove(b)
                yield a, b


def _same_file(a: Message, b: Message) -> float:
    return _is_file(a) and _is_file(b) and bool(a.attachments) != bool(b.attachments)


def _said_before(a: Message, b: Message) -> float:
    return _knows(a, b) or _knows(b, a)


def _edit(a: Message, b: Message) -> float:
    """How alike the two are, in [0.5, 1]; 0 where they are not, or no export tells of an edit."""
    if "text" not in {a.kind, b.kind} or a.caption != b.caption:
        return 0.0
    if a.edited_at is None and b.edited_at is None:
        return 0.0  # two messages of one minute, each of which the other export lacks
    parts = (a.text[:_COMPARED], b.text[:_COMPARED])
    alike = SequenceMatcher(None, *parts, autojunk=False).ratio()
    return alike if alike >= _ALIKE else 0.0


def _deletion(a: Message, b: Message) -> float:
    return "deleted" in {a.kind, b.kind}


def _may_pair(message: Message) -> bool:
    return message.source_id is None and message.kind != "system"


def _is_file(message: Message) -> bool:
    return message.kind in _MEDIA


def _is_later(old: Message, new: Message, *, later: bool) -> bool:
    if old.edited_at != new.edited_at:
        if old.edited_at is None or new.edited_at is None:
            return new.edited_at is not None
        return new.edited_at > old.edited_at
    if old.text != new.text and _knows(new, old) != _knows(old, new):
        return _knows(new, old)
    return later


def _knows(one: Message, other: Message) -> bool:
    """Whether the one said the other's words before."""
    return any(r.text == other.text for r in one.revisions)


def _tells_more(one: Message, other: Message) -> bool:
    """Whether both stand in for a file, which only the one names."""
    return _is_file(one) and _is_file(other) and bool(one.attachments) > bool(other.attachments)


def _revisions(before: Message, after: Message) -> tuple[Revision, ...]:
    """What was said before, oldest first; a text that only stood in for words is none."""
    found: list[Revision] = [*before.revisions]
    found += [r for r in after.revisions if r.text not in {f.text for f in found}]
    said = not (_is_file(before) and _is_file(after)) and "deleted" not in {before.kind, after.kind}
    if said and says_other(before, after) and before.text not in {f.text for f in found}:
        found.append(Revision(text=before.text, until=after.edited_at))
    return tuple(found)
