"""The first stage of a fit: how messages are ranked, and what is weighed only where more than two write."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eval.fit_form import Taught, fit_form
from eval.fit_lists import Listed
from eval.fit_models import Floats, fit_listwise
from sayso.core.models import Candidate
from sayso.retrieval.features import (
    AMONG,
    CROSSED,
    NAMES,
    NOT_RANKED,
    RANKING,
    bilinear,
    centred,
    with_products,
)
from sayso.weights import OF_PEOPLE, Form

POOL = 50
# What says something only where more than two people write: fitted over the others, so that a chat of
# two is ranked as if it were not there.
_OF_MANY = frozenset({*AMONG, *OF_PEOPLE})
AMONG_RANKED = [i for i, name in enumerate(RANKING) if name in _OF_MANY]
# The form is fitted over the ranking.
_LATER = frozenset({*NOT_RANKED, "bilinear", *_OF_MANY})
RANKED = [i for i, name in enumerate(RANKING) if name not in _LATER]
# What depends on the question is held back more: measured at 1 to 50 times the others, within 0.5 from 5.
_L2, _L2_CROSSED, _L2_AMONG = 3e-3, 6e-2, 1e-2
# Of fewer questions among many the weights that count there alone are held back more: fifteen of one chat
# had taught them what is so in that chat.
_MANY = 300
_FORM = NAMES.index("bilinear")
_TEACH_FORM = 150  # of the best candidates; the others are hardly ever in the way


@dataclass(frozen=True)
class Ranking:
    """The ranking's weights and the form over it; ``matrix`` is what that was made of."""

    weights: Floats
    form: Form | None = None
    matrix: Floats | None = None

    def features(self, one: Listed) -> Floats:
        """The features of the question's candidates, with the value of the form."""
        if self.form is None or not one.formed:
            return one.features
        found = one.features.copy()
        found[:, _FORM] = bilinear(one.asked.index.meaning, one.asked.query, one.rows, self.form)
        return found

    def of_two(self) -> "Ranking":
        """The ranking with no weight that counts only where more than two people write."""
        weights = self.weights.copy()
        weights[AMONG_RANKED] = 0.0
        return replace(self, weights=weights)


def fit_ranking(
    lists: Sequence[Listed],
    near: Ranking | None = None,
    left_out: Collection[str] = (),
    among: Sequence[Listed] = (),
) -> Ranking:
    """The ranking that the lists teach, and those ``among`` many what counts there alone.

    ``near`` is one of nearly the same, to start from; what is ``left_out``, names of RANKING, weighs nothing.
    """
    weights = fit_weights(lists, None if near is None else near.weights, left_out)
    taught = [_taught(one, weights) for one in lists if one.formed and one.gold.any()]
    ranking = Ranking(weights)
    if taught and NAMES[_FORM] not in left_out:
        form, matrix = fit_form(taught, None if near is None else near.matrix)
        weights[_FORM] = 1.0
        ranking = Ranking(weights, form, matrix)
    return _among_many(ranking, [*lists, *among], left_out)


def _among_many(ranking: Ranking, lists: Sequence[Listed], left_out: Collection[str]) -> Ranking:
    """The ranking with weights for where more than two people write, over its scores."""
    taught = [one for one in lists if one.asked.query.among_many and one.gold.any()]
    ranked = [i for i in AMONG_RANKED if RANKING[i] not in left_out]
    if not taught or not ranked:
        return ranking
    found = [with_products(ranking.features(one), one.asked.query) for one in taught]
    weights = ranking.weights.copy()
    weights[ranked] = fit_listwise(
        [(features[:, ranked], one.gold) for features, one in zip(found, taught, strict=True)],
        l2=held_back(_L2_AMONG, len(taught)),
        over=[features @ ranking.weights for features in found],
    )
    return replace(ranking, weights=weights)


def _taught(one: Listed, weights: Floats) -> Taught:
    """What the question teaches the form: its best candidates, and all gold."""
    scores = with_products(one.features, one.asked.query) @ weights
    order = np.argsort(-np.where(one.screened, scores, -np.inf), kind="stable")[:_TEACH_FORM]
    kept = np.union1d(order, np.flatnonzero(one.gold))
    meaning = one.asked.index.meaning
    messages = np.asarray(meaning.vectors[one.rows[kept]], dtype=np.float32)
    if meaning.centre.size:
        messages = (messages - meaning.centre) / meaning.lengths[one.rows[kept], None]
    query = centred(meaning, one.asked.query.probe.vectors[0])
    return Taught(query, messages, scores[kept], one.gold[kept] > 0)


def fit_weights(
    lists: Sequence[Listed], near: Floats | None = None, left_out: Collection[str] = ()
) -> Floats:
    """A weight for each name of RANKING, without the form and what counts among many alone."""
    ranked = [i for i in RANKED if RANKING[i] not in left_out]
    taught = [
        (with_products(one.features, one.asked.query)[:, ranked], one.gold)
        for question in lists
        for one in (question, question.reworded)
        if one is not None and one.gold.any()
    ]
    weights = np.zeros(len(RANKING))
    start = None if near is None else near[ranked]
    l2 = [_L2_CROSSED if RANKING[i] in CROSSED else _L2 for i in ranked]
    weights[ranked] = fit_listwise(taught, l2=l2, near=start)
    return weights


def pool_of(one: Listed, ranking: Ranking) -> tuple[list[Candidate], Floats]:
    """What the retriever would bring, best first, and which of it is gold."""
    passed = np.flatnonzero(one.screened)
    features = ranking.features(one)[passed]
    scores = with_products(features, one.asked.query) @ ranking.weights
    top = scores.max()
    share = scores - top - np.log(np.exp(scores - top).sum())
    best = np.argsort(-share, kind="stable")[:POOL]
    pool = [
        Candidate.unchecked(
            chat_id=one.asked.chat.chat_id,
            local_id=int(one.rows[passed[i]]),
            score=float(share[i]),
            why=dict(zip(NAMES, features[i].tolist(), strict=True)),
        )
        for i in best
    ]
    return pool, one.gold[passed[best]]


def held_back(l2: float, questions: int) -> float:
    """How much weights are held back that count among many alone, where so many questions teach them."""
    return l2 * max(1.0, _MANY / max(questions, 1)) ** 2
