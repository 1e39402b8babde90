"""Candidates of several searches in one ranking, and the neighbours that belong to them."""

from collections.abc import Iterable, Sequence

from sayso.core.models import Candidate, Chat, Plan

_ANCHORS = 8
_BEHIND_ANCHOR = 1.5


def merge(chat: Chat, searches: Iterable[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """All candidates, each at its best score, best first; ties in message order."""
    best: dict[int, Candidate] = {}
    for found in searches:
        for candidate in found:
            held = best.get(candidate.local_id)
            if held is None or candidate.score > held.score:
                best[candidate.local_id] = candidate
    return tuple(sorted(best.values(), key=lambda c: (-c.score, chat.position[c.local_id])))


def expand(chat: Chat, plan: Plan, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The candidates with the messages that the best of them reply to, or that reply to them.

    A short reply is evidence only with what it answers. What joins comes behind its anchor and
    keeps the marks of nothing but that; only messages that the plan's limits admit join.
    """
    held = {c.local_id for c in found}
    replies: dict[int, list[int]] = {}
    for message in chat.messages:
        if message.reply_to is not None:
            replies.setdefault(message.reply_to, []).append(message.local_id)
    joined: list[Candidate] = []
    for anchor in found[:_ANCHORS]:
        reply_to = chat.by_id[anchor.local_id].reply_to
        linked = [*([reply_to] if reply_to else []), *replies.get(anchor.local_id, [])]
        for local_id in linked:
            if local_id in held or local_id not in chat.by_id:
                continue
            if not plan.limits.admits(chat.by_id[local_id]):
                continue
            held.add(local_id)
            score = anchor.score - _BEHIND_ANCHOR
            why = {**anchor.why, "linked_to": float(anchor.local_id)}
            joined.append(Candidate(chat_id=chat.chat_id, local_id=local_id, score=score, why=why))
    return merge(chat, [found, joined])
