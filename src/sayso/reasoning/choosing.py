"""How many messages to cite: the cut that promises the best F1, or the one that misses little."""

from collections.abc import Sequence

from sayso.core.models import Graded
from sayso.core.seams import Narrating
from sayso.reasoning.relevance import (
    BEFORE_READING,
    PAIR,
    answerable,
    answerable_features,
    group,
    group_read,
)
from sayso.weights import Weights

MOST = 12
LEAST_WIDE, MOST_WIDE = 2, 7
# "First" and "last" are looked for among what is at least this near to the most relevant.
_AS_GOOD = 0.5
_LEAST = 0.02  # below, not even the best candidate is worth showing


def chosen(given: Narrating, weights: Weights) -> tuple[Graded, ...]:
    """The messages to cite, most relevant first; empty where nothing supports an answer.

    For "first" and "last" the one that order decides for comes first.
    """
    # A plan that limits more than its question was asked for what was said at a time, whatever it is.
    if not given.graded or given.graded[0].relevance < _LEAST:
        return ()
    at_a_time = given.plan.limits != given.question.limits
    if (
        not at_a_time
        and chance_of_answer(given, weights)
        < weights.cuts[group("abstain", [given.graded[0].candidate])]
    ):
        return ()
    if given.question.recall:
        bar = weights.cuts[group_read("recall_relevance", [g.candidate for g in given.graded])]
        return wide_cut(given.graded, MOST_WIDE, bar, least=LEAST_WIDE)
    cited = best_cut(given.graded, MOST)
    if given.plan.intent in ("first", "last"):
        return _by_order(given, len(cited))
    return cited


def chance_of_answer(given: Narrating, weights: Weights) -> float:
    """The probability that what was found answers the question; 0 where nothing was found.

    Candidates without measured features were graded by somebody who read them: certain then. What a
    close reading tells of one candidate beside others tells nothing of whether there is an answer.
    """
    if not given.graded:
        return 0.0
    if not any(g.candidate.why for g in given.graded):
        return 1.0
    ranked = sorted(given.graded, key=lambda g: -g.candidate.score)
    pool = [g.candidate for g in ranked]
    features = answerable_features(
        given.question.text,
        given.plan,
        pool,
        [g.candidate.why.get(BEFORE_READING, g.relevance) for g in ranked],
        pair=len(given.chat.participants) == PAIR,
    )
    return answerable(features, weights.groups[group("answerable", pool)])


def _by_order(given: Narrating, size: int) -> tuple[Graded, ...]:
    bar = _AS_GOOD * given.graded[0].relevance
    as_good = [g for g in given.graded[:MOST] if g.relevance >= bar]
    by_order = sorted(as_good, key=lambda g: given.chat.position[g.local_id])
    if given.plan.intent == "last":
        by_order.reverse()
    rest = [g for g in given.graded[:size] if g is not by_order[0]]
    return (by_order[0], *rest[: max(0, size - 1)])


def best_cut(graded: Sequence[Graded], most: int) -> tuple[Graded, ...]:
    """The head of the list (most relevant first) with the highest expected F1, at least one."""
    return tuple(graded[: best_size([g.relevance for g in graded], most)])


def best_size(relevances: Sequence[float], most: int) -> int:
    """How long a head, at most ``most``, has the highest expected F1; 0 only for an empty list.

    With relevance a probability p, the expected F1 of the first k is about
    2 Σ_{i≤k} p_i / (k + Σ p): hits over the mean of what is cited and what there is to cite.
    """
    total = sum(relevances)
    best, best_value, hits = 0, -1.0, 0.0
    for k, relevance in enumerate(relevances[:most], start=1):
        hits += relevance
        value = 2 * hits / (k + total)
        if value > best_value + 1e-12:
            best, best_value = k, value
    return best


def wide_cut(
    graded: Sequence[Graded], most: int, least_relevance: float, *, least: int = 1
) -> tuple[Graded, ...]:
    """All of the head whose relevance reaches the bar, at least ``least``, at most ``most``."""
    head = graded[:most]
    return tuple(g for i, g in enumerate(head) if i < least or g.relevance >= least_relevance)
