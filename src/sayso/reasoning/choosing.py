"""How many messages to cite: the cut that promises the best F1, and who is kept in an arc."""

from collections.abc import Sequence

from sayso.core.models import Graded


def best_cut(graded: Sequence[Graded], most: int) -> tuple[Graded, ...]:
    """The head of the list (most relevant first) with the highest expected F1, at least one.

    With relevance a probability p, the expected F1 of the first k is about
    2 Σ_{i≤k} p_i / (k + Σ p): hits over the mean of what is cited and what there is to cite.
    """
    total = sum(g.relevance for g in graded)
    best, best_value, hits = 0, -1.0, 0.0
    for k, g in enumerate(graded[:most], start=1):
        hits += g.relevance
        value = 2 * hits / (k + total)
        if value > best_value + 1e-12:
            best, best_value = k, value
    return tuple(graded[:best])


def wide_cut(graded: Sequence[Graded], most: int, least_relevance: float) -> tuple[Graded, ...]:
    """All of the head whose relevance reaches the bar, at most ``most``."""
    return tuple(g for g in graded[:most] if g.relevance >= least_relevance)
