"""A question's candidates for fitting: what the screen lets through, with its features and gold."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eval.fit_data import Asked
from eval.fit_models import Floats, fit_listwise
from sayso.retrieval.features import MEANT, NAMES, SCREEN
from sayso.retrieval.retriever import CANDIDATES

_L2 = 1e-3


@dataclass(frozen=True)
class Listed:
    """A question's candidates after screening (rows ascending), with the gold among them added."""

    asked: Asked
    rows: NDArray[np.int64]
    features: Floats
    gold: Floats


def screening_weights(rows: Sequence[Asked]) -> Floats:
    """The cheap features' weights, over every message of a chat."""
    lists = [
        (row.cheap.astype(np.float64), _is_gold(np.arange(len(row.cheap)), row))
        for row in rows
        if len(row.gold)
    ]
    return fit_listwise(lists, l2=_L2)


def listed(row: Asked, screening: Floats) -> Listed:
    """The question's candidates; gold that the screen would lose is added, so that it teaches."""
    order = np.argsort(-(row.cheap @ screening), kind="stable")[:CANDIDATES]
    rows = np.union1d(order, row.gold).astype(np.int64)
    return Listed(row, rows, row.detailed(rows).astype(np.float64), _is_gold(rows, row))


def without(one: Listed, names: Collection[str]) -> Listed:
    """The question as if these features said nothing; its candidates stay."""
    features = one.features.copy()
    features[:, [NAMES.index(name) for name in names]] = 0.0
    cheap = one.asked.cheap.copy()
    cheap[:, [SCREEN.index(name) for name in SCREEN if name in names]] = 0.0
    return Listed(replace(one.asked, cheap=cheap), one.rows, features, one.gold)


def without_meaning(one: Listed) -> Listed:
    """The question as it stands where the embedder cannot read the language."""
    return without(one, MEANT)


def _is_gold(rows: NDArray[np.int64], row: Asked) -> Floats:
    return np.isin(rows, row.gold).astype(np.float64)
