"""The stages of a fit: over the ranking relevance and abstaining; and how all are judged on the unseen."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import expit

from eval.fit_cuts import abstain_cut, recall_cut
from eval.fit_data import Asked
from eval.fit_lists import Listed
from eval.fit_models import Floats, fit_logistic, fit_logistic_over
from eval.fit_ranking import Ranking, fit_ranking, fit_weights, held_back, pool_of
from sayso.core.models import Candidate
from sayso.reasoning.relevance import (
    ANSWERABLE,
    OF_CANDIDATE,
    OF_QUESTION,
    PAIR,
    RELEVANCE,
    RELEVANCE_CROSSED,
    answerable_features,
    candidate_features,
    question_features,
    uncovered,
)
from sayso.retrieval.features import NOT_OF_ARCS, RANKING, SCREEN
from sayso.weights import AMONG_MANY

# Relevance more than fits best where it is fitted: weights of another data set gain a point by it.
_L2 = {"relevance": 3e-3, "relevance_crossed": 1e-2, "answerable": 3e-3}


@dataclass
class Fit:
    """The weights of each stage, in the order of its names (a bias last), and the cuts."""

    ranking: Ranking
    relevance: Floats = field(default_factory=lambda: np.zeros(0))
    answerable: Floats = field(default_factory=lambda: np.zeros(0))
    cuts: dict[str, float] = field(default_factory=dict)
    developments: Floats = field(default_factory=lambda: np.zeros(len(RANKING)))

    def groups(self, screening: Floats, suffix: str = "") -> dict[str, dict[str, float]]:
        """By name, as the weights file holds them."""
        return {
            f"screening{suffix}": named(SCREEN, screening),
            f"ranking{suffix}": named(RANKING, self.ranking.weights),
            f"ranking_arc{suffix}": {
                name: weight
                for name, weight in named(RANKING, self.developments).items()
                if name not in NOT_OF_ARCS
            },
            f"relevance{suffix}": named((*RELEVANCE, "bias"), self.relevance),
            f"answerable{suffix}": named((*ANSWERABLE, "bias"), self.answerable),
        }


@dataclass(frozen=True)
class Beside:
    """What teaches beside the questions that are judged, and is judged nowhere: every ranking, the
    relevance and abstaining of all, and every ranking where more than two people write. No ranking
    knows a question of the second.
    """

    ranking: Sequence[Listed] = ()
    relevance: Sequence[Listed] = ()
    among: Sequence[Listed] = ()

    def each(self, change: Callable[[Listed], Listed]) -> "Beside":
        """The same with every question changed."""
        return Beside(
            [change(one) for one in self.ranking],
            [change(one) for one in self.relevance],
            [change(one) for one in self.among],
        )


NOTHING = Beside()


@dataclass(frozen=True)
class Judged:
    """A question under a fit: the pool's gold in order of relevance, and whether it is answerable."""

    asked: Asked
    ranked: Floats
    relevances: Floats
    gold: Floats
    answerable: float


@dataclass(frozen=True)
class Cross:
    """Every question judged by a fit that has not seen its group."""

    judged: list[Judged]
    fits: list[Fit]
    rankings: list[Ranking]


def cross_validate(
    lists: Sequence[Listed],
    *,
    by_dataset: bool = False,
    near: Cross | None = None,
    left_out: Collection[str] = (),
    beside: Beside = NOTHING,
) -> Cross:
    """Leave one group (or one data set) out, for ranking and for what is built on it.

    Relevance and abstaining are fitted on rankings that had not seen the question either. ``near``
    is what the same parts gave with nearly the same features: each fit starts from its own. The
    ranking weighs nothing that is ``left_out``, names of RANKING.
    """

    def part(one: Listed) -> str:
        return one.asked.dataset if by_dataset else one.asked.group

    parts = sorted({part(one) for one in lists})
    known = {part(one): r for one, r in zip(lists, near.rankings, strict=True)} if near else {}
    held_out = {
        p: fit_ranking(
            [*(one for one in lists if part(one) != p), *beside.ranking],
            known.get(p),
            left_out,
            beside.among,
        )
        for p in parts
    }
    rankings = [held_out[part(one)] for one in lists]
    fits = {}
    for p in parts:
        inside = [i for i, one in enumerate(lists) if part(one) != p]
        fits[p] = _stages(
            [lists[i] for i in inside], [rankings[i] for i in inside], held_out[p], beside.relevance
        )
    chosen = [fits[part(one)] for one in lists]
    return Cross([judged(o, f) for o, f in zip(lists, chosen, strict=True)], chosen, rankings)


def fit_all(lists: Sequence[Listed], cross: Cross, beside: Beside = NOTHING) -> Fit:
    """The weights fitted on everything; relevance on the rankings of the cross-validation."""
    ranking = fit_ranking([*lists, *beside.ranking], among=beside.among)
    fit = _stages(lists, cross.rankings, ranking, beside.relevance)
    return replace(fit, developments=fit_weights(lists, left_out=NOT_OF_ARCS))


def judged(one: Listed, fit: Fit) -> Judged:
    """The question under a fit."""
    pool, gold = pool_of(one, fit.ranking)
    relevances = expit(relevance_rows(one, pool) @ fit.relevance)
    odds = np.asarray(_told(one, pool, relevances)) @ fit.answerable[:-1]
    order = np.argsort(-relevances, kind="stable")
    return Judged(
        one.asked, gold, relevances[order], gold[order], float(expit(odds + fit.answerable[-1]))
    )


def _stages(
    lists: Sequence[Listed],
    rankings: Sequence[Ranking],
    ranking: Ranking,
    beside: Sequence[Listed] = (),
) -> Fit:
    """Relevance, abstaining and cuts on lists ranked by the given (unseen) rankings.

    What is ``beside`` is ranked by ``ranking``, and no cut goes by it.
    """
    taught, ranked_by = [*lists, *beside], [*rankings, *[ranking] * len(beside)]
    # Chats of two are judged as if there were no others: what is changed by the ranking among many is
    # weighed there alone.
    pools = [pool_of(one, r.of_two()) for one, r in zip(taught, ranked_by, strict=True)]
    answered = [i for i, one in enumerate(taught) if len(one.asked.gold)]
    rows = [relevance_rows(taught[i], pools[i][0]) for i in answered]
    relevance = fit_logistic(
        np.concatenate(rows)[:, :-1],
        np.concatenate([pools[i][1] for i in answered]),
        l2=[
            _L2["relevance_crossed" if name in RELEVANCE_CROSSED else "relevance"]
            for name in RELEVANCE
        ],
    )
    relevances = [
        expit(relevance_rows(one, pool) @ relevance)
        for one, (pool, _) in zip(taught, pools, strict=True)
    ]
    told = np.asarray(
        [_told(one, pool, r) for one, (pool, _), r in zip(taught, pools, relevances, strict=True)]
    )
    truth = np.asarray([float(one.asked.answerable) for one in taught])
    answerable = fit_logistic(told, truth, l2=_L2["answerable"])
    many = [i for i, one in enumerate(taught) if one.asked.query.among_many]
    for i in many:
        pools[i] = pool_of(taught[i], ranked_by[i])
    relevance = _relevance_among_many(
        relevance, [taught[i] for i in many], [pools[i] for i in many]
    )
    for i in many:
        relevances[i] = expit(relevance_rows(taught[i], pools[i][0]) @ relevance)
        told[i] = _told(taught[i], pools[i][0], relevances[i])
    l2 = held_back(_L2["answerable"], len(many))
    answerable = _over(answerable, ANSWERABLE, told[many], truth[many], l2)
    fit = Fit(ranking, relevance, answerable)
    judged_by = slice(len(lists))
    chance = expit(told[judged_by] @ answerable[:-1] + answerable[-1])
    fit.cuts["abstain"] = abstain_cut(lists, pools[judged_by], relevances[judged_by], chance)
    fit.cuts["recall_relevance"] = recall_cut(lists, relevances[judged_by])
    return fit


def _relevance_among_many(
    relevance: Floats, lists: Sequence[Listed], pools: Sequence[tuple[list[Candidate], Floats]]
) -> Floats:
    """The weights with those that count where more than two write fitted once more, over the others."""
    answered = [
        (relevance_rows(one, pool)[:, :-1], gold)
        for one, (pool, gold) in zip(lists, pools, strict=True)
        if len(one.asked.gold)
    ]
    if not answered:
        return relevance
    rows, gold = (np.concatenate(part) for part in zip(*answered, strict=True))
    l2 = held_back(_L2["relevance_crossed"], len(answered))
    return _over(relevance, RELEVANCE, rows, gold, l2)


def _over(weights: Floats, names: Sequence[str], rows: Floats, truth: Floats, l2: float) -> Floats:
    """Weights of ``names`` (a bias last) with those among many fitted once more over all of them."""
    if not len(rows):
        return weights
    many = [i for i, name in enumerate(names) if name.endswith(AMONG_MANY)]
    more = weights.copy()
    over = rows @ weights[:-1] + weights[-1]
    more[many] += fit_logistic_over(rows[:, many], truth, over, l2=l2)
    return more


def _told(one: Listed, pool: Sequence[Candidate], relevances: Floats) -> list[float]:
    """What tells whether the question has an answer in its pool, in the order of ANSWERABLE."""
    asked = one.asked
    pair = len(asked.chat.participants) == PAIR
    told = answerable_features(asked.query.text, asked.plan, pool, relevances.tolist(), pair=pair)
    return [told[name] for name in ANSWERABLE]


def relevance_rows(one: Listed, pool: Sequence[Candidate]) -> Floats:
    """The relevance model's features, a 1 for the bias last."""
    asks = question_features(one.asked.query.text, one.asked.plan)
    flags = np.asarray([asks[name] for name in OF_QUESTION])
    rows = candidate_features(pool)
    own = np.asarray([[row.get(name, 0.0) for name in OF_CANDIDATE] for row in rows])
    share = own[:, OF_CANDIDATE.index("share")][:, None]
    shape = (len(rows), len(flags))
    among = float(len(one.asked.chat.participants) != PAIR)
    by = (uncovered(pool), among)
    return np.column_stack(
        [
            own,
            np.broadcast_to(flags, shape),
            share * flags,
            *(own * weight for weight in by),
            np.ones(len(rows)),
        ]
    )


def named(names: Sequence[str], values: Floats) -> dict[str, float]:
    """Weights by name, rounded as the file holds them."""
    return {name: round(float(v), 5) for name, v in zip(names, values, strict=True)}
