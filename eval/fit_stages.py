"""The stages of a fit and how they are judged: ranking, relevance, the cut, abstaining."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from eval.fit_data import Asked
from eval.fit_models import fit_listwise, fit_logistic
from sayso.core.models import Candidate
from sayso.reasoning.choosing import best_size
from sayso.reasoning.relevance import (
    ANSWERABLE,
    OF_CANDIDATE,
    OF_QUESTION,
    RELEVANCE,
    answerable_features,
    candidate_features,
    question_features,
)
from sayso.retrieval.features import MEANT, NAMES, SCREEN
from sayso.retrieval.retriever import CANDIDATES

Floats = NDArray[np.float64]

POOL = 50
# These tell whether there is an answer; as weights of the ranking they only fitted noise.
NOT_RANKED = ("covered", "window_covered", "unheard")
RANKED = [i for i, name in enumerate(NAMES) if name not in NOT_RANKED]
_L2 = {"screening": 1e-3, "ranking": 3e-3, "relevance": 3e-4, "answerable": 1e-2}
_MOST, _RECALL_MEAN = 12, 6.0
_LEAST_WIDE, _MOST_WIDE = 2, 7
_RECALL_LOSS = 0.01


@dataclass(frozen=True)
class Listed:
    """A question's candidates after screening (rows ascending), with the gold among them added."""

    asked: Asked
    rows: NDArray[np.int64]
    features: Floats
    gold: Floats


@dataclass
class Fit:
    """The weights of each stage, in the order of its names (a bias last), and the cuts."""

    ranking: Floats
    relevance: Floats = field(default_factory=lambda: np.zeros(0))
    answerable: Floats = field(default_factory=lambda: np.zeros(0))
    cuts: dict[str, float] = field(default_factory=dict)

    def groups(self, screening: Floats, suffix: str = "") -> dict[str, dict[str, float]]:
        """By name, as the weights file holds them."""
        return {
            f"screening{suffix}": _named(SCREEN, screening),
            f"ranking{suffix}": _named(NAMES, self.ranking),
            f"relevance{suffix}": _named((*RELEVANCE, "bias"), self.relevance),
            f"answerable{suffix}": _named((*ANSWERABLE, "bias"), self.answerable),
        }


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
    rankings: list[Floats]


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


def screening_weights(rows: Sequence[Asked]) -> Floats:
    """The cheap features' weights, over every message of a chat."""
    lists = [
        (row.cheap.astype(np.float64), _is_gold(np.arange(len(row.cheap)), row))
        for row in rows
        if len(row.gold)
    ]
    return fit_listwise(lists, l2=_L2["screening"])


def listed(row: Asked, screening: Floats) -> Listed:
    """The question's candidates; gold that the screen would lose is added, so that it teaches."""
    order = np.argsort(-(row.cheap @ screening), kind="stable")[:CANDIDATES]
    rows = np.union1d(order, row.gold).astype(np.int64)
    return Listed(row, rows, row.detailed(rows).astype(np.float64), _is_gold(rows, row))


def without_meaning(one: Listed) -> Listed:
    """The question as it stands where the embedder cannot read the language."""
    features = one.features.copy()
    features[:, [NAMES.index(name) for name in MEANT]] = 0.0
    cheap = one.asked.cheap.copy()
    cheap[:, [SCREEN.index(name) for name in SCREEN if name in MEANT]] = 0.0
    return Listed(replace(one.asked, cheap=cheap), one.rows, features, one.gold)


def cross_validate(lists: Sequence[Listed], *, by_dataset: bool = False) -> Cross:
    """Leave one group (or one data set) out, for ranking and for what is built on it.

    Relevance and abstaining are fitted on rankings that had not seen the question either.
    """

    def part(one: Listed) -> str:
        return one.asked.dataset if by_dataset else one.asked.group

    parts = sorted({part(one) for one in lists})
    held_out = {p: _ranking([one for one in lists if part(one) != p]) for p in parts}
    rankings = [held_out[part(one)] for one in lists]
    fits = {}
    for p in parts:
        inside = [i for i, one in enumerate(lists) if part(one) != p]
        fits[p] = _stages([lists[i] for i in inside], [rankings[i] for i in inside], held_out[p])
    chosen = [fits[part(one)] for one in lists]
    return Cross([judged(o, f) for o, f in zip(lists, chosen, strict=True)], chosen, rankings)


def fit_all(lists: Sequence[Listed], cross: Cross) -> Fit:
    """The weights fitted on everything; relevance on the rankings of the cross-validation."""
    return _stages(lists, cross.rankings, _ranking(lists))


def judged(one: Listed, fit: Fit) -> Judged:
    """The question under a fit."""
    pool, gold = _pool(one, fit.ranking)
    relevances = expit(_relevance_rows(one, pool) @ fit.relevance)
    row = answerable_features(one.asked.query.text, one.asked.plan, pool, relevances.tolist())
    odds = np.asarray([row[name] for name in ANSWERABLE]) @ fit.answerable[:-1]
    order = np.argsort(-relevances, kind="stable")
    return Judged(
        one.asked, gold, relevances[order], gold[order], float(expit(odds + fit.answerable[-1]))
    )


def figures(found: Sequence[Judged], fits: Sequence[Fit]) -> dict[str, Figures]:
    """By data set."""
    pairs = list(zip(found, fits, strict=True))
    sets = sorted({j.asked.dataset for j, _ in pairs})
    return {name: _figures([p for p in pairs if p[0].asked.dataset == name]) for name in sets}


def _figures(pairs: Sequence[tuple[Judged, Fit]]) -> Figures:
    answerable = [(j, f) for j, f in pairs if len(j.asked.gold)]
    recalls, returned, oracle, wide, lost = [], [], [], [], []
    for one, fit in answerable:
        total = len(one.asked.gold)
        recalls.append([one.ranked[:k].sum() / total for k in (5, 10, 20, 50)])
        kept = one.answerable >= fit.cuts["abstain"]
        whole = _scores(one.gold[: best_size(one.relevances.tolist(), _MOST)], total)
        returned.append(whole if kept else (0.0, 0.0, 0.0, 0.0))
        lost.append(0.0 if kept else whole[1])
        oracle.append(max(_scores(one.gold[:k], total)[0] for k in range(1, _MOST + 1)))
        size = _wide_size(one.relevances, fit.cuts["recall_relevance"])
        wide.append((one.gold[:size].sum() / total, size))
    return Figures(
        n=len(answerable),
        recalls=tuple(np.mean(recalls, axis=0).tolist()),
        returned=tuple(np.mean(returned, axis=0).tolist()),
        oracle=float(np.mean(oracle)),
        wide=tuple(np.mean(wide, axis=0).tolist()),
        abstain_f1=_abstain_f1(
            [(not j.asked.answerable, j.answerable < f.cuts["abstain"]) for j, f in pairs]
        ),
        recall_lost=float(np.mean(lost)),
    )


def _stages(lists: Sequence[Listed], rankings: Sequence[Floats], ranking: Floats) -> Fit:
    """Relevance, abstaining and cuts on lists ranked by the given (unseen) rankings."""
    pools = [_pool(one, r) for one, r in zip(lists, rankings, strict=True)]
    taught = [i for i, one in enumerate(lists) if len(one.asked.gold)]
    rows = [_relevance_rows(lists[i], pools[i][0]) for i in taught]
    relevance = fit_logistic(
        np.concatenate(rows)[:, :-1],
        np.concatenate([pools[i][1] for i in taught]),
        l2=_L2["relevance"],
    )
    fit = Fit(ranking, relevance)
    relevances = [
        expit(_relevance_rows(one, pool) @ relevance)
        for one, (pool, _) in zip(lists, pools, strict=True)
    ]
    told = np.asarray(
        [
            [row[name] for name in ANSWERABLE]
            for row in (
                answerable_features(one.asked.query.text, one.asked.plan, pool, r.tolist())
                for one, (pool, _), r in zip(lists, pools, relevances, strict=True)
            )
        ]
    )
    truth = np.asarray([float(one.asked.answerable) for one in lists])
    fit.answerable = fit_logistic(told, truth, l2=_L2["answerable"])
    chance = expit(told @ fit.answerable[:-1] + fit.answerable[-1])
    fit.cuts["abstain"] = _abstain_cut(lists, pools, relevances, chance)
    fit.cuts["recall_relevance"] = _recall_cut(lists, relevances)
    return fit


def _abstain_cut(
    lists: Sequence[Listed],
    pools: Sequence[tuple[list[Candidate], Floats]],
    relevances: Sequence[Floats],
    chance: Floats,
) -> float:
    """The bar with the best abstention F1 that costs no data set more than a point of recall."""
    if all(one.asked.answerable for one in lists):
        return 0.0
    recalled: dict[str, list[tuple[float, float]]] = {}
    for one, (_, gold), r, p in zip(lists, pools, relevances, chance, strict=True):
        if len(one.asked.gold):
            order = np.argsort(-r, kind="stable")
            hits = gold[order][: best_size(r[order].tolist(), _MOST)].sum()
            recalled.setdefault(one.asked.dataset, []).append((p, hits / len(one.asked.gold)))
    best, best_f1 = 0.0, -1.0
    for bar in np.linspace(0.02, 0.9, 89):
        lost = max(
            sum(recall for p, recall in of_set if p < bar) / len(of_set)
            for of_set in recalled.values()
        )
        told = [(not o.asked.answerable, bool(p < bar)) for o, p in zip(lists, chance, strict=True)]
        f1 = _abstain_f1(told) or 0.0
        if lost <= _RECALL_LOSS and f1 > best_f1:
            best, best_f1 = float(bar), f1
    return round(best, 4)


def _recall_cut(lists: Sequence[Listed], relevances: Sequence[Floats]) -> float:
    """The lowest relevance to cite from that cites at most six messages a question in each set."""
    of_set: dict[str, list[Floats]] = {}
    for one, r in zip(lists, relevances, strict=True):
        if len(one.asked.gold):
            of_set.setdefault(one.asked.dataset, []).append(np.sort(r)[::-1])
    for bar in np.linspace(0.005, 0.4, 159):
        sizes = [np.mean([_wide_size(r, float(bar)) for r in rs]) for rs in of_set.values()]
        if max(sizes) <= _RECALL_MEAN:
            return round(float(bar), 4)
    return 0.4


def _wide_size(relevances: Floats, bar: float) -> int:
    return max(_LEAST_WIDE, int((relevances[:_MOST_WIDE] >= bar).sum()))


def _abstain_f1(pairs: Iterable[tuple[bool, bool]]) -> float | None:
    told = list(pairs)
    if not any(nothing for nothing, _ in told):
        return None
    hits = sum(nothing and abstained for nothing, abstained in told)
    return 2 * hits / (sum(n for n, _ in told) + sum(a for _, a in told))


def _scores(gold: Floats, total: int) -> tuple[float, float, float, float]:
    """F1, recall, precision and size of a returned set given as its gold."""
    hits, size = float(gold.sum()), len(gold)
    recall, precision = hits / total, hits / max(size, 1)
    f1 = 2 * recall * precision / (recall + precision) if hits else 0.0
    return f1, recall, precision, float(size)


def _ranking(lists: Sequence[Listed]) -> Floats:
    taught = [(one.features[:, RANKED], one.gold) for one in lists if one.gold.any()]
    weights = np.zeros(len(NAMES))
    weights[RANKED] = fit_listwise(taught, l2=_L2["ranking"])
    return weights


def _pool(one: Listed, ranking: Floats) -> tuple[list[Candidate], Floats]:
    """What the retriever would bring, best first, and which of it is gold."""
    scores = one.features @ ranking
    top = scores.max()
    share = scores - top - np.log(np.exp(scores - top).sum())
    order = np.argsort(-share, kind="stable")[:POOL]
    pool = [
        Candidate.model_construct(
            chat_id=one.asked.chat.chat_id,
            local_id=int(one.rows[i]),
            score=float(share[i]),
            why=dict(zip(NAMES, one.features[i].tolist(), strict=True)),
        )
        for i in order
    ]
    return pool, one.gold[order]


def _relevance_rows(one: Listed, pool: Sequence[Candidate]) -> Floats:
    """The relevance model's features, a 1 for the bias last."""
    asks = question_features(one.asked.query.text, one.asked.plan)
    flags = np.asarray([asks[name] for name in OF_QUESTION])
    rows = candidate_features(pool)
    own = np.asarray([[row.get(name, 0.0) for name in OF_CANDIDATE] for row in rows])
    share = own[:, OF_CANDIDATE.index("share")][:, None]
    shape = (len(rows), len(flags))
    return np.column_stack([own, np.broadcast_to(flags, shape), share * flags, np.ones(len(rows))])


def _is_gold(rows: NDArray[np.int64], row: Asked) -> Floats:
    return np.isin(rows, row.gold).astype(np.float64)


def _named(names: Sequence[str], values: Floats) -> dict[str, float]:
    return {name: round(float(v), 5) for name, v in zip(names, values, strict=True)}
