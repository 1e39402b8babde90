"""Candidates of several searches in one ranking, and the neighbours that belong to them."""

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import Protocol

from sayso.core.chat import Chat
from sayso.core.models import Aspect, Candidate, Plan

_ANCHORS = 8
_ASPECT = 0.5  # an aspect's say beside the question's own
_BEHIND_ANCHOR = 1.5
_LEAST = 1e-30  # a share that underflowed still has a logarithm


class Search(Protocol):
    """``Retriever.search``."""

    def __call__(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        """At most ``k`` messages, best first."""


def gather(chat: Chat, search: Search, plan: Plan, k: int) -> tuple[Candidate, ...]:
    """What the plan's queries and each of its aspects find, in one ranking of at most ``k``.

    Each search shares out relevance among its candidates (``score`` is the log of a share); the
    pooled share is their weighted mean, a linear opinion pool, so it stays comparable between
    rounds. A candidate keeps the marks that the question's own queries gave it where they did.
    """
    found = search(plan, k)
    if not plan.aspects:
        return found
    pooled: dict[int, tuple[float, Candidate]] = {c.local_id: (exp(c.score), c) for c in found}
    for aspect in plan.aspects:
        for candidate in search(_about(plan, aspect), k):
            share, held = pooled.get(candidate.local_id, (0.0, candidate))
            pooled[candidate.local_id] = (share + _ASPECT * exp(candidate.score), held)
    whole = 1 + _ASPECT * len(plan.aspects)
    ranked = [
        held.model_copy(update={"score": round(log(max(share, _LEAST) / whole), 6)})
        for share, held in pooled.values()
    ]
    return merge(chat, [ranked])[:k]


def _about(plan: Plan, aspect: Aspect) -> Plan:
    return plan.model_copy(
        update={
            "queries": (aspect.text,),
            "aspects": (),
            "people": aspect.people or plan.people,
            "since": aspect.since or plan.since,
            "until": aspect.until or plan.until,
        }
    )


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
    joined: list[Candidate] = []
    for anchor in found[:_ANCHORS]:
        reply_to = chat.by_id[anchor.local_id].reply_to
        linked = [*([reply_to] if reply_to else []), *chat.replies.get(anchor.local_id, [])]
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
