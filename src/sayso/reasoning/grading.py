"""The extractive grader: measured features → the probability that a message is evidence."""

import math
from collections.abc import Sequence

from sayso.core.models import Candidate, Chat, Gap, Graded, Plan, Verdict
from sayso.core.seams import Grading
from sayso.core.sentences import content_words
from sayso.weights import Weights

_STRONG = 0.35
_WIDE = frozenset({"list", "count", "first", "last", "arc"})
_SEEDS = 2
_SEED_WORDS = 12
_MOST_ODDS = 30.0  # beyond, a float cannot tell the probability from 1


def relevance(pool: Sequence[Candidate], weights: Weights) -> tuple[float, ...]:
    """For each candidate of a pool (best first) the probability in (0, 1) that it is evidence."""
    if not pool:
        return ()
    top = pool[0].score
    found = []
    for rank, candidate in enumerate(pool):
        given = {
            **candidate.why,
            "share": candidate.score,
            "gap": candidate.score - top,
            "log_rank": math.log1p(rank),
            "bias": 1.0,
        }
        odds = sum(w * given.get(name, 0.0) for name, w in weights.groups["relevance"].items())
        found.append(1.0 / (1.0 + math.exp(-max(-_MOST_ODDS, min(_MOST_ODDS, odds)))))
    return tuple(found)


def grade(given: Grading, weights: Weights) -> Verdict:
    """Every candidate graded, most relevant first, and what is still missing."""
    grades = [
        Graded(candidate=c, relevance=p, why=_reason(c))
        for c, p in zip(given.pool, relevance(given.pool, weights), strict=True)
    ]
    grades.sort(key=lambda g: (-g.relevance, given.chat.position[g.local_id]))
    gap = _gap(given, grades)
    why = gap.missing if gap else "the evidence held suffices"
    return Verdict(graded=tuple(grades), gap=gap, why=why)


def _gap(given: Grading, grades: Sequence[Graded]) -> Gap | None:
    """What one more search could bring, or None; each round asks for something else."""
    plan, chat = given.plan, given.chat
    best = grades[0].relevance if grades else 0.0
    wants = [
        _missing_person(plan, chat, grades),
        _more_of_the_same(plan, chat, grades) if plan.intent in _WIDE and best > 0 else None,
        _without_window(plan, best),
    ]
    open_wants = [want for want in wants if want is not None]
    return open_wants[given.round] if given.round < len(open_wants) else None


def _missing_person(plan: Plan, chat: Chat, grades: Sequence[Graded]) -> Gap | None:
    if len(plan.people) < 2:
        return None
    heard = {chat.by_id[g.local_id].sender for g in grades[:3]}
    missing = tuple(p for p in plan.people if p not in heard)
    if not missing:
        return None
    return Gap(
        missing=f"nothing yet from {', '.join(missing)}", queries=plan.queries, people=missing[:1]
    )


def _more_of_the_same(plan: Plan, chat: Chat, grades: Sequence[Graded]) -> Gap | None:
    """Search with the words of what was found: lists and stories go on in other words."""
    queries = []
    for g in grades[:_SEEDS]:
        seed = content_words(chat.by_id[g.local_id].text)[:_SEED_WORDS]
        if seed and plan.queries:
            queries.append(f"{plan.queries[0]} {' '.join(seed)}")
    if not queries:
        return None
    return Gap(
        missing=f"a {plan.intent} may have more parts than the first hits",
        queries=tuple(queries),
        people=plan.people,
        since=plan.since,
        until=plan.until,
    )


def _without_window(plan: Plan, best: float) -> Gap | None:
    if best >= _STRONG or (plan.since is None and plan.until is None):
        return None
    return Gap(
        missing="nothing strong within the time asked about",
        queries=plan.queries,
        people=plan.people,
    )


def _reason(candidate: Candidate) -> str:
    """The two or three marks that speak loudest, in words."""
    why = candidate.why
    said = []
    if why.get("own", 0) > 0.4:
        said.append("shares the question's words")
    elif why.get("window", 0) > 0.5:
        said.append("stands among messages that share them")
    if why.get("cosine", 0) > 2.5:
        said.append("means much the same")
    if why.get("by_person", 0) > 0:
        said.append("by the person asked about")
    elif why.get("by_person", 0) < 0:
        said.append("by somebody else")
    if why.get("near_date", 0) >= 1:
        said.append("in the time asked about")
    return ", ".join(said) or "little speaks for it"
