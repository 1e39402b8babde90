"""Which messages tell a development, and whether the chat holds it at all."""

import itertools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sayso.core.chat import Message
from sayso.core.models import Candidate, Graded
from sayso.core.seams import Narrating
from sayso.reasoning.arc_words import stems, topic, words_of
from sayso.reasoning.grading import citable
from sayso.reasoning.relevance import (
    OF_ANSWER,
    PAIR,
    answer_features,
    arc_group,
    group,
    relevance,
)
from sayso.weights import Weights

_SESSION_SECONDS = 6 * 3600
_REACH = 3
_HEAD = 12
_MOST_ODDS = 30.0
_ASKS = re.compile(r"[?？]\s*[^\w\s]*\s*$")
_SENTENCE_END = re.compile(r"[.!?…。！？]+")
_FROM_WHY = ("own", "cosine", "by_person", "like_best")
# What tells an answer that is not there tells a development, too; how it is asked for tells nothing
# but by its length: who remembers more of it asks at more length.
OF_ANSWERS = tuple(n for n in OF_ANSWER if not n.startswith("asks_") or n == "asks_length")


@dataclass(frozen=True)
class Told:
    """A message of the development with the probability that it belongs there."""

    message: Message
    relevance: float


def told(given: Narrating, weights: Weights) -> tuple[Told, ...]:
    """The messages of the development, most relevant first; empty where the chat holds none.

    Candidates that carry no measured features keep the relevance they came with, and are never
    abstained from.
    """
    graded = [g for g in given.graded if citable(given.chat.by_id[g.local_id])]
    if not graded:
        return ()
    if not any(g.candidate.why for g in graded):
        found = [Told(given.chat.by_id[g.local_id], g.relevance) for g in graded]
        return _reaching(found, weights)
    pool = sorted(graded, key=lambda g: (-g.candidate.score, given.chat.position[g.local_id]))
    rows = features(given, pool)
    candidates = [g.candidate for g in pool]
    weighing = weights.groups[arc_group("arc_relevance", candidates, weights.groups)]
    odds = [_odds(weighing, row) for row in rows]
    found = [
        Told(given.chat.by_id[g.local_id], 1 / (1 + math.exp(-o)))
        for g, o in zip(pool, odds, strict=True)
    ]
    found.sort(key=lambda t: (-t.relevance, given.chat.position[t.message.local_id]))
    marks = absence_marks(given, pool, weights)
    absence = weights.groups[arc_group("arc_absence", candidates, weights.groups)]
    if _odds(absence, marks) > weights.cuts[arc_group("arc_absent", candidates, weights.cuts)]:
        return ()
    return best_part(found, weights.cuts)


def best_part(found: Sequence[Told], cuts: Mapping[str, float]) -> tuple[Told, ...]:
    """The head with the highest expected F1 that is neither too short nor too long to tell.

    As in :func:`sayso.reasoning.choosing.best_cut`; ``arc_unseen`` is how much of a development
    lies outside of what was found, in the mean.
    """
    total = sum(t.relevance for t in found) + cuts["arc_unseen"]
    best, best_value, hits = 0, -1.0, 0.0
    for k, t in enumerate(found[: int(cuts["arc_most"])], start=1):
        hits += t.relevance
        value = 2 * hits / (k + total)
        if value > best_value or k <= cuts["arc_least"]:
            best, best_value = k, max(value, best_value)
    return tuple(found[:best])


def features(given: Narrating, pool: Sequence[Graded]) -> list[dict[str, float]]:
    """For each of the pool (best score first) what speaks for it as a part of the development."""
    chat, people = given.chat, given.plan.people
    messages = [chat.by_id[g.local_id] for g in pool]
    best = pool[0].candidate.score if pool else 0.0
    strength = [math.exp(0.5 * (g.candidate.score - best)) for g in pool]
    at = {chat.position[m.local_id]: i for i, m in enumerate(messages)}
    before: Counter[int] = Counter()
    session = _sessions(messages)
    lengths = [math.log1p(len(stems(words_of(m)))) for m in messages]
    # People who write short messages tell a development in more of them.
    usual_length = sum(lengths) / len(lengths) if lengths else 0.0
    rows = []
    for rank, (graded, message) in enumerate(zip(pool, messages, strict=True)):
        why = graded.candidate.why
        place = chat.position[message.local_id]
        rows.append(
            {name: why.get(name, 0.0) for name in _FROM_WHY}
            | {
                "share": graded.candidate.score,
                "log_rank": math.log1p(rank),
                "named": float(len(people) > 1 and message.sender in people),
                "asks": float(only_asks(message)),
                "length": lengths[rank],
                "usual_length": usual_length,
                "near": sum(
                    strength[at[place + d]] / math.sqrt(abs(d))
                    for d in range(-_REACH, _REACH + 1)
                    if d and place + d in at and session[at[place + d]] == session[rank]
                ),
                "heard": math.log1p(before[session[rank]]),
                "bias": 1.0,
            }
        )
        before[session[rank]] += 1
    return rows


def absence_marks(given: Narrating, pool: Sequence[Graded], weights: Weights) -> dict[str, float]:
    """What tells a development that is not there; ``pool`` best score first, not empty.

    How much the people speak of the topic's words, how near the best candidates come to its meaning,
    also beside how near the chat comes to everyday topics, how much of the question the best message
    covers by itself, and (``answer_…``) what would tell an answer that is not there.
    """
    query = given.plan.queries[0] if given.plan.queries else given.question.text
    head = [g.candidate.why for g in pool[:_HEAD]]
    meaning = sum(why.get("pair_cosine", 0.0) for why in head) / len(head)
    usual = max((why.get("usual_nearness", 0.0) for why in head), default=0.0)
    return {
        "coverage": topic(query, given.chat, given.plan.people).coverage,
        "meaning": meaning,
        "nearness": meaning / usual if usual else 0.0,
        "covered": max(g.candidate.why.get("covered", 0.0) for g in pool),
        **_of_answers(given, [g.candidate for g in pool], weights),
        "bias": 1.0,
    }


def _of_answers(given: Narrating, pool: Sequence[Candidate], weights: Weights) -> dict[str, float]:
    question, plan = given.question.text, given.plan
    pair = len(given.chat.participants) == PAIR
    held = weights.groups[group("relevance", pool)]
    relevances = relevance(question, plan, pool, held, pair=pair)
    told = answer_features(question, plan, pool, relevances, pair=pair)
    return {f"answer_{name}": told[name] for name in OF_ANSWERS}


def only_asks(message: Message) -> bool:
    """Whether the message is nothing but a question."""
    text = message.text.strip()
    return bool(_ASKS.search(text)) and len(_SENTENCE_END.findall(text)) <= 1


def _sessions(messages: Sequence[Message]) -> list[int]:
    """The session of each message, numbered from 0 in order of time."""
    order = sorted(range(len(messages)), key=lambda i: messages[i].order)
    numbers, number = [0] * len(messages), 0
    for before, now in itertools.pairwise(order):
        gap = (messages[now].sent_at - messages[before].sent_at).total_seconds()
        number += gap > _SESSION_SECONDS
        numbers[now] = number
    return numbers


def _reaching(found: Sequence[Told], weights: Weights) -> tuple[Told, ...]:
    head = sorted(found, key=lambda t: (-t.relevance, t.message.order))
    head = head[: int(weights.cuts["arc_most"])]
    return tuple(t for t in head if t.relevance >= weights.cuts["arc_relevance"]) or (head[0],)


def _odds(group: Mapping[str, float], marks: Mapping[str, float]) -> float:
    odds = sum(w * marks.get(name, 0.0) for name, w in group.items())
    return max(-_MOST_ODDS, min(_MOST_ODDS, odds))
