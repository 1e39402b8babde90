"""The extractive engine's numbers, fitted on cases and held against the present ones.

The same rules as for prompts: people who know each other are on one side, so every question is
judged by numbers that have not seen its group, and a gain whose interval holds 0 keeps what is there.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Any

import numpy as np

from eval.fit import FITTED, check_cases, load, record
from eval.fit_cuts import scores
from eval.fit_data import Asked
from eval.fit_lists import Listed, listed_unseen, screening_weights, without_meaning
from eval.fit_ranking import Ranking
from eval.fit_reading import Readings, cross_read, fit_whole
from eval.fit_stages import Cross, Fit, Judged, cross_validate, judged
from eval.significance import Pair, difference
from eval.tune.points import Gain, gain_of, overall
from sayso.reasoning.choosing import MOST, best_size
from sayso.reasoning.relevance import ANSWERABLE, RELEVANCE
from sayso.retrieval.embedder import MiniLM
from sayso.retrieval.features import NOT_OF_ARCS, RANKING
from sayso.weights import SHIPPED, Weights, shipped_weights

_NOTHING = 1e-9  # what is lost to rounding


@dataclass(frozen=True)
class Fitted:
    """What a fit is worth. ``in_sample`` are data sets that the present numbers were fitted on.

    Points: F1 of the cited messages where there is an answer, 1 for abstaining where there is none.
    """

    gains: tuple[Gain, ...]
    groups: int
    in_sample: tuple[str, ...]
    weights: dict[str, object] | None

    @property
    def improved(self) -> bool:
        """Whether the fitted numbers are better than the present ones; else those are kept."""
        return overall(self.gains) == "higher"


def fit(
    cases: Sequence[Path],
    chats: Sequence[Path],
    *,
    now: Weights | None = None,
    seed: int = 0,
    write: bool = True,
    say: Callable[[str], None] = lambda text: None,
) -> Fitted:
    """Fit on the QA cases; with ``write`` and a gain, also the whole weights file on all of them.

    ``now`` are the present numbers, None those that come with sayso; ``say`` hears how far it is.

    Raises CaseError where there are not two groups of people, or no case with and none without an
    answer, to learn from.
    """
    now = now or shipped_weights()
    held = present(now)  # before the long work: weights of another version are refused here
    rows = load(cases, chats)
    check_cases(rows, cases)
    groups = {row.group for row in rows}
    say(
        f"{len(rows)} cases read; fitting {len(groups)} times, each time without one group of people"
    )
    lists = listed_unseen(rows)
    cross = cross_validate(lists)
    found = _gains(lists, cross, held, seed)
    known = {
        fitted.data.casefold().split("_")[0]
        for fitted in now.fitted_on
        if set(fitted.groups) & set(FITTED)
    }
    done = Fitted(
        gains=found,
        groups=len(groups),
        in_sample=tuple(g.dataset for g in found if g.dataset.casefold().split("_")[0] in known),
        weights=None,
    )
    if not (write and done.improved):
        return done
    say("better: fitting once more, on all of them")
    readings = Readings()
    pays = reading_pays(lists, cross, readings)
    if not pays:
        say("by a close reading a data set would lose: left out, so the agent does without")
    weights = _whole(rows, lists, cross, readings)
    return Fitted(done.gains, done.groups, done.in_sample, weights if pays else unread(weights))


def present(weights: Weights) -> Fit:
    """The present numbers in the form of a fit."""
    names = [name for name in RANKING if name not in NOT_OF_ARCS]
    developments = dict(zip(names, weights.of("ranking_arc", names), strict=True))
    return Fit(
        ranking=Ranking(np.asarray(weights.of("ranking", RANKING)), weights.forms.get(MiniLM.name)),
        relevance=np.asarray(weights.of("relevance", (*RELEVANCE, "bias"))),
        answerable=np.asarray(weights.of("answerable", (*ANSWERABLE, "bias"))),
        cuts=dict(weights.cuts),
        developments=np.asarray([developments.get(name, 0.0) for name in RANKING]),
    )


def worth(one: Judged, fit: Fit) -> float:
    """Points of a question under a fit, in [0, 1]."""
    abstained = one.answerable < fit.cuts["abstain"]
    if not one.asked.answerable:
        return float(abstained)
    if abstained:
        return 0.0
    cited = one.gold[: best_size(one.relevances.tolist(), MOST)]
    return scores(cited, len(one.asked.gold))[0]


def reading_pays(lists: Sequence[Listed], cross: Cross, readings: Readings) -> bool:
    """Whether no data set loses by a close reading, each group judged by one fitted without it.

    The phrases it looks for are those that ship, whatever these were fitted on.
    """
    gains: dict[str, list[float]] = {}
    after = zip(*cross_read(lists, cross, readings), strict=True)
    for before, fit, (read, cuts) in zip(cross.judged, cross.fits, after, strict=True):
        if not before.asked.answerable or len(before.asked.gold):
            gain = worth(read, cuts) - worth(before, fit)
            gains.setdefault(before.asked.dataset, []).append(gain)
    return all(fsum(gain) >= -_NOTHING for gain in gains.values())


def unread(weights: Mapping[str, Any]) -> dict[str, object]:
    """The weights file without what a close reading goes by: that of others would not fit it.

    Where words have no vectors nothing was fitted here, and what that goes by stays.
    """
    parts = {
        part: {
            name: held
            for name, held in weights[part].items()
            if not name.endswith("_read") or name.endswith("_vectors_read")
        }
        for part in ("groups", "cuts")
    }
    return {**weights, **parts}


def _gains(lists: Sequence[Listed], cross: Cross, now: Fit, seed: int) -> tuple[Gain, ...]:
    pairs: dict[str, list[tuple[str, Pair]]] = {}
    for one, unseen, fitted in zip(lists, cross.judged, cross.fits, strict=True):
        asked = one.asked
        if asked.answerable and not len(asked.gold):
            continue
        pair = Pair(asked.group, worth(judged(one, now), now), worth(unseen, fitted))
        pairs.setdefault(asked.dataset, []).append((asked.case_id, pair))
    found = []
    for dataset, told in pairs.items():
        apart = difference([pair for _, pair in told], seed=seed)
        found.append(gain_of(dataset, told, apart, p=apart.p_by_case, seed=seed))
    return tuple(found)


def _whole(
    rows: Sequence[Asked], lists: Sequence[Listed], cross: Cross, readings: Readings
) -> dict[str, object]:
    """The weights file, as ``python -m eval.fit`` writes it."""
    screening = screening_weights(rows)
    whole = fit_whole(lists, cross, readings)
    unmeant = [without_meaning(one) for one in lists]
    blind = fit_whole(unmeant, cross_validate(unmeant), readings)
    blind_screening = screening_weights([one.asked for one in unmeant])
    groups = whole.groups(screening) | blind.groups(blind_screening, "_lexical")
    held = json.loads(SHIPPED.read_text(encoding="utf-8"))
    cuts = whole.cuts() | blind.cuts("_lexical")
    return record(groups, cuts, rows, {}, held=held, forms=whole.forms(MiniLM.name))
