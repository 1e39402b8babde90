"""The cuts of a fit: when to abstain, how much ``--recall`` cites; and what a returned set is worth."""

from collections.abc import Iterable, Sequence

import numpy as np

from eval.fit_lists import Listed
from eval.fit_models import Floats
from sayso.core.models import Candidate
from sayso.reasoning.choosing import LEAST_WIDE, MOST, MOST_WIDE, best_size

_RECALL_MEAN = 6.0
# Measured by a quick fit with lessons: at half a point abstention F1 of LoCoMo was 54.7, at three quarters
# 58.6, at one 60.5, at this 65.6; with thirteen more chats of lessons 58.8 at one.
_RECALL_LOSS = 0.015


def abstain_cut(
    lists: Sequence[Listed],
    pools: Sequence[tuple[list[Candidate], Floats]],
    relevances: Sequence[Floats],
    chance: Floats,
) -> float:
    """The bar with the best abstention F1 that costs no data set more of its recall than may be lost."""
    if all(one.asked.answerable for one in lists):
        return 0.0
    recalled: dict[str, list[tuple[float, float]]] = {}
    for one, (_, gold), r, p in zip(lists, pools, relevances, chance, strict=True):
        if len(one.asked.gold):
            order = np.argsort(-r, kind="stable")
            hits = gold[order][: best_size(r[order].tolist(), MOST)].sum()
            recalled.setdefault(one.asked.dataset, []).append((p, hits / len(one.asked.gold)))
    best, best_f1 = 0.0, -1.0
    for bar in np.linspace(0.02, 0.9, 89):
        lost = max(
            sum(recall for p, recall in of_set if p < bar) / len(of_set)
            for of_set in recalled.values()
        )
        told = [(not o.asked.answerable, bool(p < bar)) for o, p in zip(lists, chance, strict=True)]
        f1 = abstain_f1(told) or 0.0
        if lost <= _RECALL_LOSS and f1 > best_f1:
            best, best_f1 = float(bar), f1
    return round(best, 4)


def recall_cut(lists: Sequence[Listed], relevances: Sequence[Floats]) -> float:
    """The lowest relevance to cite from that cites at most six messages a question in each set."""
    of_set: dict[str, list[Floats]] = {}
    for one, r in zip(lists, relevances, strict=True):
        if len(one.asked.gold):
            of_set.setdefault(one.asked.dataset, []).append(np.sort(r)[::-1])
    for bar in np.linspace(0.005, 0.4, 159):
        sizes = [np.mean([wide_size(r, float(bar)) for r in rs]) for rs in of_set.values()]
        if max(sizes) <= _RECALL_MEAN:
            return round(float(bar), 4)
    return 0.4


def wide_size(relevances: Floats, bar: float) -> int:
    """How many of a question's relevances, highest first, ``--recall`` cites."""
    return max(LEAST_WIDE, int((relevances[:MOST_WIDE] >= bar).sum()))


def abstain_f1(pairs: Iterable[tuple[bool, bool]]) -> float | None:
    """F1 of abstaining over (nothing to find, abstained); None where there is always something."""
    told = list(pairs)
    if not any(nothing for nothing, _ in told):
        return None
    hits = sum(nothing and abstained for nothing, abstained in told)
    return 2 * hits / (sum(n for n, _ in told) + sum(a for _, a in told))


def scores(gold: Floats, total: int) -> tuple[float, float, float, float]:
    """F1, recall, precision and size of a returned set given as its gold."""
    hits, size = float(gold.sum()), len(gold)
    recall, precision = hits / total, hits / max(size, 1)
    f1 = 2 * recall * precision / (recall + precision) if hits else 0.0
    return f1, recall, precision, float(size)
