"""Ranked metrics: how high do the expected messages stand in a ranking?

A ranking is localIds, best first. A repeated id stands at its best rank only, and what follows
moves up. Gains are binary. 1.0 throughout when nothing is expected; ValueError for k under 1.
"""

from collections.abc import Iterable
from itertools import islice
from math import fsum, log2

from eval.metrics.ids import all_hit, evidence_recall


def recall_at_k(ranking: Iterable[int], expected: Iterable[int], k: int) -> float:
    """Share of the expected ids among the first ``k``, in [0, 1]."""
    return evidence_recall(_top(ranking, k), expected)


def all_hit_at_k(ranking: Iterable[int], expected: Iterable[int], k: int) -> float:
    """1.0 when every expected id is among the first ``k``, else 0.0."""
    return all_hit(_top(ranking, k), expected)


def ndcg_at_k(ranking: Iterable[int], expected: Iterable[int], k: int) -> float:
    """Normalised discounted cumulative gain of the first ``k``, in [0, 1].

    An expected id at rank r gains 1 / log2(r + 1); the sum is divided by that of the best
    possible ranking, min(k, number expected) hits in front (Järvelin & Kekäläinen 2002).
    """
    wanted = set(expected)
    hits = (rank for rank, local_id in enumerate(_top(ranking, k), 1) if local_id in wanted)
    ideal = _gain(range(1, min(k, len(wanted)) + 1))
    return _gain(hits) / ideal if wanted else 1.0


def _gain(ranks: Iterable[int]) -> float:
    return fsum(1 / log2(rank + 1) for rank in ranks)


def _top(ranking: Iterable[int], k: int) -> list[int]:
    if k < 1:
        raise ValueError(f"k counts ranks from 1, not {k}")
    return list(islice(dict.fromkeys(ranking), k))
