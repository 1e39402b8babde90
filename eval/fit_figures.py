"""What a fit is worth on each data set, in figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from eval.fit_cuts import abstain_f1, scores, wide_size
from eval.fit_stages import Fit, Judged
from eval.table import plain
from sayso.reasoning.choosing import MOST, best_size


@dataclass(frozen=True)
class Figures:
    """Means over one data set's answerable questions; ``abstain_f1`` over all of them."""

    n: int
    recalls: tuple[float, ...]
    returned: tuple[float, float, float, float]
    oracle: float
    wide: tuple[float, float]
    abstain_f1: float | None
    recall_lost: float

    def cells(self) -> list[str]:
        """As the table shows them."""
        f1, recall, precision, size = self.returned
        shares = [*self.recalls, f1, recall, precision]
        return [
            str(self.n),
            *(f"{100 * s:.1f}" for s in shares),
            f"{size:.2f}",
            f"{100 * self.oracle:.1f}",
            f"{100 * self.wide[0]:.1f}",
            f"{self.wide[1]:.2f}",
            "n/a" if self.abstain_f1 is None else f"{100 * self.abstain_f1:.1f}",
            f"{100 * self.recall_lost:.1f}",
        ]


def sureness(found: Sequence[Judged]) -> dict[str, list[tuple[float, float]]]:
    """By data set, for each question how sure it is that there is an answer, and the F1 of that.

    A question whose evidence is not in the chat is left out.
    """
    told: dict[str, list[tuple[float, float]]] = {}
    for one in found:
        gold = len(one.asked.gold)
        if one.asked.answerable and not gold:
            continue
        cited = one.gold[: best_size(one.relevances.tolist(), MOST)]
        worth = scores(cited, gold)[0] if gold else 0.0
        told.setdefault(one.asked.dataset, []).append((one.answerable, worth))
    return told


def by_category(found: Sequence[Judged]) -> dict[tuple[str, str], tuple[int, float]]:
    """By data set and category of the case: how many questions have evidence, and their mean F1.

    Nothing is abstained from here, and no case is chosen by its category: they are told afterwards.
    """
    told: dict[tuple[str, str], list[float]] = {}
    for one in found:
        if total := len(one.asked.gold):
            cited = one.gold[: best_size(one.relevances.tolist(), MOST)]
            of_kind = told.setdefault((one.asked.dataset, one.asked.category), [])
            of_kind.append(scores(cited, total)[0])
    return {key: (len(worth), float(np.mean(worth))) for key, worth in told.items()}


def category_table(
    oneshot: Mapping[tuple[str, str], tuple[int, float]],
    agent: Mapping[tuple[str, str], tuple[int, float]],
) -> Table:
    """One row a category of each set; F1 in %, whatever is abstained from."""
    shown = Table(title="F1 by category, without abstaining")
    for column in ("set", "category", "n", "oneshot", "agent"):
        shown.add_column(column, justify="left" if column in ("set", "category") else "right")
    for (name, kind), (n, f1) in sorted(oneshot.items()):
        read = agent[name, kind][1]
        shown.add_row(
            plain(name), plain(kind) or "-", str(n), f"{100 * f1:.1f}", f"{100 * read:.1f}"
        )
    return shown


def figures(
    found: Sequence[Judged], fits: Sequence[Fit], size: int | None = None
) -> dict[str, Figures]:
    """By data set; with a ``size``, every question cites so many instead of the best cut."""
    pairs = list(zip(found, fits, strict=True))
    sets = sorted({j.asked.dataset for j, _ in pairs})
    return {name: _figures([p for p in pairs if p[0].asked.dataset == name], size) for name in sets}


def _figures(pairs: Sequence[tuple[Judged, Fit]], fixed: int | None) -> Figures:
    answerable = [(j, f) for j, f in pairs if len(j.asked.gold)]
    recalls, returned, oracle, wide, lost = [], [], [], [], []
    for one, fit in answerable:
        total = len(one.asked.gold)
        recalls.append([one.ranked[:k].sum() / total for k in (5, 10, 20, 50)])
        kept = one.answerable >= fit.cuts["abstain"]
        whole = scores(one.gold[: fixed or best_size(one.relevances.tolist(), MOST)], total)
        returned.append(whole if kept else (0.0, 0.0, 0.0, 0.0))
        lost.append(0.0 if kept else whole[1])
        oracle.append(max(scores(one.gold[:k], total)[0] for k in range(1, MOST + 1)))
        size = wide_size(one.relevances, fit.cuts["recall_relevance"])
        wide.append((one.gold[:size].sum() / total, size))
    return Figures(
        n=len(answerable),
        recalls=tuple(np.mean(recalls, axis=0).tolist()),
        returned=tuple(np.mean(returned, axis=0).tolist()),
        oracle=float(np.mean(oracle)),
        wide=tuple(np.mean(wide, axis=0).tolist()),
        abstain_f1=abstain_f1(
            [(not j.asked.answerable, j.answerable < f.cuts["abstain"]) for j, f in pairs]
        ),
        recall_lost=float(np.mean(lost)),
    )
