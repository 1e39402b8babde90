"""What a close reading of the most relevant candidates adds: its relevance, and how much to cite.

The agent's grader reads so; oneshot's does not, which is why both stand in the weights file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import expit

from eval.fit_cuts import recall_cut
from eval.fit_lists import Listed
from eval.fit_models import Floats, fit_logistic
from eval.fit_phrase_data import Example
from eval.fit_phrases import fitted, groups_by_sort
from eval.fit_ranking import Ranking, pool_of
from eval.fit_stages import (
    NOTHING,
    Beside,
    Cross,
    Fit,
    Judged,
    fit_all,
    judged,
    named,
    relevance_rows,
)
from sayso.core.models import Candidate
from sayso.core.seams import Reader
from sayso.reasoning.choosing import MOST, best_size
from sayso.reasoning.phrases import GROUP, Found
from sayso.reasoning.reading_closely import (
    found_in,
    names_in,
    read_features,
    read_first,
    read_with_question,
    whole_text,
)
from sayso.reasoning.relevance import READ, RELEVANCE
from sayso.retrieval.pair_reader import PairReader
from sayso.weights import TOGETHER, Form, Weights, shipped_weights

# Measured: 0.002 to 0.02, and 8 to 20 candidates read, came within half a point of each other on groups
# not fitted on; weights of the other set alone gained two points from 0.002 to 0.01.
_L2 = 1e-2
# What is read together with the question tells most, and its numbers are few.
_L2_TOGETHER = 1e-3
# In log odds, in steps of a fortieth.
_MOST_LOWERED, _LOWERINGS = 1.0, 41
NAMES = (*RELEVANCE, *READ)


@dataclass(frozen=True)
class Readings:
    """What is found in each message for each question, kept: every fold asks for the same.

    ``apart`` are weights by group or by data set: a chat that taught the shipped phrases is read by
    others. The ``reader`` was fitted on lessons alone: it has seen no chat that is judged.
    """

    apart: Mapping[str, Weights] = field(default_factory=dict)
    known: dict[tuple[str, str, str, int], Found | None] = field(default_factory=dict)
    reader: Reader = field(default_factory=PairReader)
    together: dict[tuple[str, str, str, int], float] = field(default_factory=dict)

    def of(self, one: Listed, pool: Sequence[Candidate]) -> list[dict[str, float]]:
        """The features of these candidates (most relevant first), read beside each other."""
        asked, usual = one.asked, shipped_weights()
        weights = self.apart.get(asked.group, self.apart.get(asked.dataset, usual))
        people = names_in(asked.chat)
        found = []
        for candidate in pool:
            key = (asked.dataset, asked.chat.chat_id, asked.case_id, candidate.local_id)
            if key not in self.known:
                message = asked.chat.messages[candidate.local_id]
                self.known[key] = found_in(asked.question, message, people, weights)
            found.append(self.known[key])
        return read_features(found, self._together(one, pool))

    def _together(self, one: Listed, pool: Sequence[Candidate]) -> list[float]:
        """What they are worth read with the question, as the grader does."""
        if not one.formed:  # by words alone, or by an embedder that gives words no vectors
            return []
        asked, found = one.asked, []
        for candidate in pool:
            row = candidate.local_id
            key = (asked.dataset, asked.chat.chat_id, asked.case_id, row)
            if key not in self.together:
                text = whole_text(asked.chat.messages[row])
                (self.together[key],) = self.reader.read(asked.query.text, [text])
            found.append(self.together[key])
        return found


def phrases_apart(examples: Sequence[Example], *, by_dataset: bool = False) -> dict[str, Weights]:
    """For each group of the examples (or data set), the shipped weights with phrases fitted on the
    rest.
    """

    def part(one: Example) -> str:
        return one.group.split("/")[0] if by_dataset else one.group

    shipped = shipped_weights()
    others = {n: g for n, g in shipped.groups.items() if n.split("_")[0] != GROUP}
    found = {}
    for name in sorted({part(one) for one in examples if "/" in one.group}):
        held = groups_by_sort(fitted([one for one in examples if part(one) != name]))
        found[name] = shipped.model_copy(update={"groups": others | held})
    return found


@dataclass(frozen=True)
class Read:
    """The fit of what is read closely; weights in the order of NAMES, a bias last."""

    relevance: Floats
    cuts: dict[str, float]

    def groups(self, suffix: str = "") -> dict[str, dict[str, float]]:
        """By name, as the weights file holds them."""
        return {f"relevance{suffix}_read": named((*NAMES, "bias"), self.relevance)}


@dataclass(frozen=True)
class Whole:
    """What is fitted on everything, before and after a reading."""

    fit: Fit
    read: Read

    def groups(self, screening: Floats, suffix: str = "") -> dict[str, dict[str, float]]:
        """The weights by group and name, as the weights file holds them."""
        return self.fit.groups(screening, suffix) | self.read.groups(suffix)

    def forms(self, embedder: str) -> dict[str, Form]:
        """The form, by the embedder's name."""
        form = self.fit.ranking.form
        return {} if form is None else {embedder: form}

    def cuts(self, suffix: str = "") -> dict[str, float]:
        """The cuts by name, as the weights file holds them."""
        return {
            **{f"{name}{suffix}": cut for name, cut in self.fit.cuts.items()},
            **{f"{name}{suffix}_read": cut for name, cut in self.read.cuts.items()},
        }


def fit_whole(
    lists: Sequence[Listed], cross: Cross, readings: Readings, beside: Beside = NOTHING
) -> Whole:
    """All that the engine weighs, fitted on everything; on the rankings of the cross-validation."""
    fit = fit_all(lists, cross, beside)
    return Whole(fit, fit_read(lists, cross.rankings, fit, readings))


@dataclass(frozen=True)
class _Pooled:
    """A question's pool, what of it is gold, and its relevance before anything is read."""

    one: Listed
    pool: list[Candidate]
    gold: Floats
    before: Floats
    most: list[int]
    rows: Floats

    def after(self, relevance: Floats) -> Floats:
        """The relevances, those of what is read by the reading."""
        found = self.before.copy()
        found[self.most] = expit(self.rows @ relevance[:-1] + relevance[-1])
        return found


def cross_read(
    lists: Sequence[Listed], cross: Cross, readings: Readings
) -> tuple[list[Judged], list[Fit]]:
    """Every question judged after a reading fitted without its group; the fits hold its cuts."""
    reads: dict[int, Read] = {}
    found, fits = [], []
    for one, fit in zip(lists, cross.fits, strict=True):
        if id(fit) not in reads:
            inside = [i for i, other in enumerate(cross.fits) if other is not fit]
            reads[id(fit)] = fit_read(
                [lists[i] for i in inside],
                [cross.rankings[i] for i in inside],
                fit,
                readings,
            )
        read = reads[id(fit)]
        found.append(judged_read(one, fit, read, readings))
        fits.append(replace(fit, cuts=fit.cuts | read.cuts))
    return found, fits


def fit_read(
    lists: Sequence[Listed],
    rankings: Sequence[Ranking],
    fit: Fit,
    readings: Readings,
) -> Read:
    """Fitted on lists ranked by the given (unseen) rankings, read where ``fit`` finds relevant.

    Lessons do not teach it: the reader was fitted on them.
    """
    pooled = [_pooled(one, r, fit, readings) for one, r in zip(lists, rankings, strict=True)]
    taught = [one for one in pooled if len(one.one.asked.gold)]
    rows = np.concatenate([one.rows for one in taught])
    if len(rows):
        relevance = fit_logistic(
            rows,
            np.concatenate([one.gold[one.most] for one in taught]),
            l2=[_L2_TOGETHER if name in TOGETHER else _L2 for name in NAMES],
        )
        relevance[-1] -= _too_sure(taught, relevance)
    else:  # in each, one stands out: as before a reading
        *before, bias = fit.relevance
        relevance = np.asarray([*before, *[0.0] * len(READ), bias])
    relevances = [one.after(relevance) for one in pooled]
    return Read(relevance, {"recall_relevance": recall_cut(lists, relevances)})


def _too_sure(taught: Sequence[_Pooled], relevance: Floats) -> float:
    """What the bias is lowered by, in log odds, so that no set is cited more of than before a reading.

    Who reads is surer, and would gain by showing more; what it finds is to be better, not longer.
    At most _MOST_LOWERED, where no step suffices.
    """

    def sizes(relevances: Sequence[Floats]) -> list[float]:
        cited: dict[str, list[int]] = {}
        for one, r in zip(taught, relevances, strict=True):
            size = best_size(np.sort(r)[::-1].tolist(), MOST)
            cited.setdefault(one.one.asked.dataset, []).append(size)
        return [float(np.mean(of_set)) for of_set in cited.values()]

    before = sizes([one.before for one in taught])
    for lowered in np.linspace(0.0, _MOST_LOWERED, _LOWERINGS):
        by = np.append(relevance[:-1], relevance[-1] - lowered)
        after = sizes([one.after(by) for one in taught])
        if all(a <= b for a, b in zip(after, before, strict=True)):
            return float(lowered)
    return _MOST_LOWERED


def judged_read(one: Listed, fit: Fit, read: Read, readings: Readings) -> Judged:
    """The question under a fit, after a reading; whether it has an answer is told before."""
    pooled = _pooled(one, fit.ranking, fit, readings)
    relevances = pooled.after(read.relevance)
    order = np.argsort(-relevances, kind="stable")
    chance = judged(one, fit).answerable
    return Judged(one.asked, pooled.gold, relevances[order], pooled.gold[order], chance)


def _pooled(one: Listed, ranking: Ranking, fit: Fit, readings: Readings) -> _Pooled:
    pool, gold = pool_of(one, ranking)
    before = relevance_rows(one, pool)
    relevances = expit(before @ fit.relevance)
    most = (read_with_question if one.formed else read_first)(relevances.tolist())
    told = readings.of(one, [pool[i] for i in most])
    read = np.asarray([[row[name] for name in READ] for row in told]).reshape(-1, len(READ))
    rows = np.column_stack([before[most][:, :-1], read])
    return _Pooled(one, pool, gold, relevances, most, rows)
