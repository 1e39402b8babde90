"""From a ranked pool to probabilities: that a candidate is evidence, and that there is any.

Both are logistic models over measured features; their weights lie in the weights file. What the
question looks like shifts them, since a list wants more messages than a date does.
"""

import math
import re
from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sayso.core.models import Candidate, Plan
from sayso.weights import AMONG_MANY, TOGETHER, UNCOVERED, WHERE_COVERED

OF_RANK = ("share", "gap", "step", "log_rank", "best", "spread")
OF_MARKS = (
    "own", "cosine", "pair_cosine", "context_cosine", "words", "pair_words", "window_words",
    "by_person", "first_person", "in_category", "when_has_time", "near_date", "ends_asking",
    "log_length", "covered", "window_covered", "unheard",
)  # fmt: skip
OF_CANDIDATE = (*OF_RANK, *OF_MARKS)
_ASKS: Mapping[str, re.Pattern[str]] = {
    "who": re.compile(r"\bwho(?:se|m)?\b|谁", re.I),
    "where": re.compile(r"\bwhere\b|哪里|哪儿", re.I),
    "many": re.compile(r"\bhow (?:many|much|often)\b|多少|几", re.I),
    "plural": re.compile(r"^(?:what|which)\b.*\b\w+s\b|哪些", re.I | re.S),
    "why": re.compile(r"\bwhy\b|为什么|为啥", re.I),
    "how": re.compile(r"^how\b|怎么|如何", re.I),
    "whether": re.compile(
        r"^(?:is|are|does|do|did|has|have|had|was|were|will|would|could|can)\b|吗[？?]?$", re.I
    ),
    "both": re.compile(r"\bboth\b|\band\b|和|都", re.I),
}
_NOTHING: Mapping[Any, Any] = MappingProxyType({})
_COMPARED = ("words", "cosine", "covered", "pair_words")
_INTENTS = ("when", "list", "count", "arc", "first", "last")
OF_QUESTION = (*_ASKS, *(f"intent_{i}" for i in _INTENTS), "two_people", "length")
# Each says something else where no neighbourhood of the pool has the question's words, and where not two
# people write.
_BY = tuple((name, f"{name}_{UNCOVERED}", f"{name}_{AMONG_MANY}") for name in OF_CANDIDATE)
RELEVANCE_CROSSED = (*(by for _, by, _ in _BY), *(by for _, _, by in _BY))
RELEVANCE = (
    *OF_CANDIDATE,
    *OF_QUESTION,
    *(f"{name}_share" for name in OF_QUESTION),
    *RELEVANCE_CROSSED,
)
# What a close reading tells of the best phrase of a candidate: what it is worth, also beside those of
# the others that are read, beside its own next best, and among how many it was chosen. Its relevance
# before stands beside these: whether there is an answer is told by that. The first of them
# are read together with the question, too (TOGETHER): what that is worth, also beside the others.
BEFORE_READING = "relevance_before"
OF_PHRASE = ("phrase", "phrase_standard", "phrase_behind", "phrase_margin", "phrase_choices")
READ = (*OF_PHRASE, *TOGETHER)
PAIR = 2  # people
OF_ANSWER = (
    "top", "second", "total", "best", "spread", "gap_second",
    "words", "pair_words", "window_words", "cosine", "covered", "window_covered", "unheard",
    "best_words", "best_window_words", "best_window_covered", "by_person", "named",
    "ahead_words", "ahead_cosine", "ahead_covered", "ahead_pair_words",
    "near_theirs", "asking_top", "step_three",
    *(f"asks_{name}" for name in OF_QUESTION),
)  # fmt: skip
# Who asks in other words than the answer has is told by other things than who asks in its words, and
# where not two people write by others than where two do: all of these weigh by both, too.
ANSWERABLE = (
    *OF_ANSWER,
    *(f"{name}_{where}" for where in (WHERE_COVERED, AMONG_MANY) for name in OF_ANSWER),
)


def group(name: str, pool: Sequence[Candidate]) -> str:
    """The weight group for a pool: one that stands in where the embedder could not read, or could
    but gives words no vectors.
    """
    if not pool or "words" in pool[0].why:
        return name
    return f"{name}_vectors" if "cosine" in pool[0].why else f"{name}_lexical"


def arc_group(name: str, pool: Sequence[Candidate], held: Container[str]) -> str:
    """The weight group, or the cut, for the pool of a development: its own where it is held."""
    own = group(name, pool)
    return own if own in held else name


def group_read(name: str, pool: Sequence[Candidate]) -> str:
    """The cut for a graded pool: of one that was read closely, that for such."""
    read = any(BEFORE_READING in c.why for c in pool)
    return f"{group(name, pool)}_read" if read else group(name, pool)


def question_features(question: str, plan: Plan) -> dict[str, float]:
    """What the question looks like; names as in :data:`OF_QUESTION`."""
    found = {name: float(bool(pattern.search(question))) for name, pattern in _ASKS.items()}
    found |= {f"intent_{i}": float(plan.intent == i) for i in _INTENTS}
    found["two_people"] = float(len(plan.people) > 1)
    found["length"] = min(len(question.split()), 30) / 10
    return found


def candidate_features(pool: Sequence[Candidate]) -> list[dict[str, float]]:
    """Of each candidate of a pool (best first); names as in :data:`OF_CANDIDATE`."""
    return [
        {**c.why, **dict(zip(OF_RANK, at, strict=True))}
        for c, at in zip(pool, _of_rank(pool), strict=True)
    ]


def _of_rank(pool: Sequence[Candidate]) -> Sequence[tuple[float, ...]]:
    """What its place in the pool says of each candidate, in the order of :data:`OF_RANK`."""
    if not pool:
        return []
    best = above = pool[0].score
    spread = _spread(pool)
    rows = []
    for rank, candidate in enumerate(pool):
        share = candidate.score
        rows.append((share, share - best, above - share, math.log1p(rank), best, spread))
        above = share
    return rows


def uncovered(pool: Sequence[Candidate]) -> float:
    """How much of the question even the best neighbourhood of a pool leaves uncovered, in [0, 1]."""
    return 1.0 - _most([c.why for c in pool], "window_covered")


def _spread(pool: Sequence[Candidate]) -> float:
    return -sum(math.exp(c.score) * c.score for c in pool)


def relevance(
    question: str,
    plan: Plan,
    pool: Sequence[Candidate],
    weights: Mapping[str, float],
    *,
    pair: bool,
) -> tuple[float, ...]:
    """For each candidate of a pool (best first) the probability in (0, 1) that it is evidence.

    ``pair`` is whether two people write.
    """
    places = dict.fromkeys(range(len(pool)), _NOTHING)
    return tuple(relevance_told(question, plan, pool, weights, places, pair=pair).values())


def relevance_told(
    question: str,
    plan: Plan,
    pool: Sequence[Candidate],
    weights: Mapping[str, float],
    told: Mapping[int, Mapping[str, float]],
    *,
    pair: bool,
) -> dict[int, float]:
    """The same for the candidates at some places of a pool, by what else is ``told`` of these.

    Further features without a weight weigh nothing.
    """
    asks = {name: v for name, v in question_features(question, plan).items() if v}
    base = weights["bias"] + sum(weights[name] * v for name, v in asks.items())
    bare, among = uncovered(pool), float(not pair)
    by = {
        name: weights[name] + bare * weights[where_bare] + among * weights[where_many]
        for name, where_bare, where_many in _BY
    }
    by["share"] += sum(weights[f"{name}_share"] * v for name, v in asks.items())
    ranked = [by[name] for name in OF_RANK]
    marked = [(name, by[name]) for name in OF_MARKS if by[name]]
    of_rank, found = _of_rank(pool), {}
    for place, features in told.items():
        odds = base
        for weight, value in zip(ranked, of_rank[place], strict=True):
            odds += weight * value
        mark = pool[place].why.get
        for name, weight in marked:
            odds += weight * mark(name, 0.0)
        for name, value in features.items():
            odds += weights.get(name, 0.0) * value
        found[place] = logistic(odds)
    return found


def answerable_features(
    question: str,
    plan: Plan,
    pool: Sequence[Candidate],
    relevances: Sequence[float],
    *,
    pair: bool,
) -> dict[str, float]:
    """What :func:`answer_features` tells, and its products, as :data:`ANSWERABLE`.

    Each once more times how much of the question the best neighbourhood covers, and once more where
    not two people write.
    """
    found = answer_features(question, plan, pool, relevances, pair=pair)
    weighed = ((WHERE_COVERED, found["best_window_covered"]), (AMONG_MANY, float(not pair)))
    return found | {f"{n}_{where}": v * by for where, by in weighed for n, v in found.items()}


def answer_features(
    question: str,
    plan: Plan,
    pool: Sequence[Candidate],
    relevances: Sequence[float],
    *,
    pair: bool,
) -> dict[str, float]:
    """What tells whether the pool (best first, not empty) holds an answer; as :data:`OF_ANSWER`.

    ``pair`` is whether two people write. Among more, somebody else's messages may well tell what is
    asked about one, and who writes alone wrote all: who wrote the candidates tells nothing then, as
    where nobody is named.
    """
    whys = [c.why for c in pool]
    by = [w.get("by_person", 0.0) if pair else 0.0 for w in whys]
    theirs = [w for w, person in zip(whys, by, strict=True) if person > 0]
    others = [w for w, person in zip(whys, by, strict=True) if person < 0]
    order = sorted(range(len(pool)), key=lambda i: (-relevances[i], i))
    top = [relevances[i] for i in order[:2]]
    why = whys[order[0]]
    asks = question_features(question, plan)
    return {
        "top": top[0],
        "second": top[1] if len(top) > 1 else 0.0,
        "total": min(sum(relevances), 10.0),
        "best": pool[0].score,
        "spread": _spread(pool),
        "gap_second": pool[0].score - pool[1].score if len(pool) > 1 else 0.0,
        **{
            name: why.get(name, 0.0)
            for name in (
                "words", "pair_words", "window_words", "cosine", "covered", "window_covered",
                "unheard",
            )
        },
        "by_person": by[order[0]],
        "best_words": _most(whys, "words"),
        "best_window_words": _most(whys, "window_words"),
        "best_window_covered": _most(whys, "window_covered"),
        **{f"ahead_{name}": _ahead(theirs, others, name) for name in _COMPARED},
        "near_theirs": sum(by[:5]) / 5,
        "asking_top": why.get("ends_asking", 0.0),
        "step_three": pool[0].score - pool[2].score if len(pool) > 2 else 0.0,
        "named": float(pair and len(plan.people) == 1),
        **{f"asks_{name}": v for name, v in asks.items()},
    }  # fmt: skip


def answerable(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The probability in (0, 1) that something in the pool answers the question."""
    return logistic(weights["bias"] + sum(weights[name] * features[name] for name in ANSWERABLE))


def logistic(odds: float) -> float:
    """1 / (1 + e^−odds), kept inside (0, 1)."""
    bounded = max(-30.0, min(30.0, odds))
    return 1.0 / (1.0 + math.exp(-bounded))


def _ahead(
    theirs: Sequence[Mapping[str, float]], others: Sequence[Mapping[str, float]], name: str
) -> float:
    """How far the best message by somebody else is ahead of the best by the person asked about.

    A question about what the other one did finds its words in the wrong person's messages.
    """
    return _most(others, name) - _most(theirs, name)


def _most(whys: Sequence[Mapping[str, float]], name: str) -> float:
    return max([why.get(name, 0.0) for why in whys], default=0.0)
