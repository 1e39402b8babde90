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
    """A question's candidates after screening (rows ascending), with all of its gold.

    ``screened`` is what the screen lets through: gold that it loses teaches the ranking, and is no
    candidate where anything is judged. ``reworded`` is the question in other words, which teaches
    the ranking, too. ``formed`` is whether a form may speak for its candidates.
    """

    asked: Asked
    rows: NDArray[np.int64]
    features: Floats
    gold: Floats
    screened: NDArray[np.bool_]
    reworded: "Listed | None" = None
    formed: bool = True


def screening_weights(rows: Sequence[Asked]) -> Floats:
    """The cheap features' weights, over every message of a chat."""
    lists = [
        (one.cheap.astype(np.float64), _is_gold(np.arange(len(one.cheap)), one))
        for row in rows
        if len(row.gold)
        for one in (row, row.reworded)
        if one is not None
    ]
    return fit_listwise(lists, l2=_L2)


def listed(row: Asked, screening: Floats) -> Listed:
    """The question's candidates under a screen."""
    order = np.argsort(-(row.cheap @ screening), kind="stable")[:CANDIDATES]
    rows = np.union1d(order, row.gold).astype(np.int64)
    features = row.detailed(rows).astype(np.float64)
    reworded = None if row.reworded is None else listed(row.reworded, screening)
    # Measured: over vectors that go without those of words, a form gained in no set.
    formed = bool(len(row.index.meaning.tokens))
    gold = _is_gold(rows, row)
    return Listed(row, rows, features, gold, np.isin(rows, order), reworded, formed)


def listed_unseen(
    rows: Sequence[Asked], *, by_dataset: bool = False, beside: Sequence[Asked] = ()
) -> list[Listed]:
    """Every question's candidates under a screen fitted without its group (or its data set).

    Under the screen of all questions where there is no other group with an answer. What is ``beside``
    teaches every screen.
    """

    def part(row: Asked) -> str:
        return row.dataset if by_dataset else row.group

    screens: dict[str, Floats] = {}
    for name in {part(row) for row in rows}:
        rest = [row for row in rows if part(row) != name]
        screens[name] = screening_weights(
            [*(rest if any(len(r.gold) for r in rest) else rows), *beside]
        )
    return [listed(row, screens[part(row)]) for row in rows]


def without(one: Listed, names: Collection[str]) -> Listed:
    """The question as if these features said nothing; its candidates stay."""
    features = one.features.copy()
    features[:, [NAMES.index(name) for name in names]] = 0.0
    cheap = one.asked.cheap.copy()
    cheap[:, [SCREEN.index(name) for name in SCREEN if name in names]] = 0.0
    reworded = None if one.reworded is None else without(one.reworded, names)
    again = None if reworded is None else reworded.asked
    asked = replace(one.asked, cheap=cheap, reworded=again)
    formed = one.formed and "bilinear" not in names
    return replace(one, asked=asked, features=features, reworded=reworded, formed=formed)


def without_meaning(one: Listed) -> Listed:
    """The question as it stands where the embedder cannot read the language: by its words alone,
    so that others would say nothing.
    """
    asked = replace(one.asked, reworded=None)
    return without(replace(one, asked=asked, reworded=None), MEANT)


def _is_gold(rows: NDArray[np.int64], row: Asked) -> Floats:
    return np.isin(rows, row.gold).astype(np.float64)
