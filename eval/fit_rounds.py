"""``python -m eval.fit_rounds CASES…``: which kinds of second search pay, learned from cases.

Each kind of gap that the extractive grader can name is allowed alone, and the agent's F1 is
compared with that of one search on the same questions. A kind's weight is its mean gain, shrunk
towards 0 where there are few questions, in the data set where it gains least: a search that helps
here and harms there is not run, nor one that helps on fewer than twenty questions of a set. By weights fitted on the very questions the first
search looks better than it is.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from eval.cases import ReadyCase
from eval.gold import truth_of
from eval.refitting import held_for, refitted, write
from eval.searched import searchable
from eval.standing_alone import chats_option, run
from eval.terms import terms_option
from sayso.core.models import Question
from sayso.core.seams import Deps
from sayso.errors import CaseError
from sayso.modes import MODES
from sayso.reasoning.extractive import ExtractiveReasoner
from sayso.retrieval.pair_reader import PairReader
from sayso.weights import Weights, shipped_weights

GROUP = "second_round"
KINDS = ("missing_person", "by_order", "without_window")
_DOUBT = 20  # questions' worth of "no gain" that a kind starts with
_FEWEST = 20


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@chats_option
@click.option("--out", type=click.Path(path_type=Path), help="Weights file to write the group to.")
@terms_option
def main(
    cases: tuple[Path, ...], chats: tuple[Path, ...], out: Path | None, terms: dict[str, str]
) -> None:
    """Parse, measure, print, write."""
    held = held_for(out)  # before the long work: what cannot be written is refused here
    gains: dict[tuple[str, str], list[float]] = {}
    taught: Counter[str] = Counter()
    for dataset, found in measured(cases, chats):
        taught[dataset] += 1
        for kind, gain in found.items():
            gains.setdefault((kind, dataset), []).append(gain)
    if not taught:
        raise CaseError(
            f"{', '.join(map(str, cases))}: no question case there with evidence that its chat has"
        )
    for (kind, dataset), told in sorted(gains.items()):
        mean = sum(told) / len(told)
        click.echo(f"{kind}, {dataset}: F1 {100 * mean:+.1f} on {len(told)} questions")
    weights = {kind: least([g for (k, _), g in gains.items() if k == kind]) for kind in KINDS}
    click.echo(f"{GROUP}: {weights}")
    if out is not None:
        write(out, refitted(held, {GROUP: weights}, GROUP, taught, terms))
        click.echo(f"written to {out}", err=True)


def least(gains: Sequence[Sequence[float]]) -> float:
    """The lowest of the data sets' mean gains, each shrunk towards 0; 0 where nothing was seen.

    Of fewer than twenty questions of a set a gain is no more than 0, and a loss is one.
    """
    shrunk = (sum(g) / (len(g) + _DOUBT) for g in gains)
    least = min(
        (
            gain if len(g) >= _FEWEST else min(gain, 0.0)
            for gain, g in zip(shrunk, gains, strict=True)
        ),
        default=0.0,
    )
    return round(least, 4)


def measured(
    cases: Sequence[Path], chats: Sequence[Path]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Each answerable question's data set, and its gain in F1 by each kind that would search again."""
    weights, reader = shipped_weights(), PairReader()
    for ready, retriever in searchable(cases, chats, weights):
        gains = {}
        for kind in KINDS:
            alone = ExtractiveReasoner(allowing(weights, kind), reader)
            gain = gained(ready, Deps(ready.chat, retriever, alone))
            if gain is not None:
                gains[kind] = gain
        yield ready.dataset, gains


def allowing(weights: Weights, kind: str) -> Weights:
    """The weights with this kind of second search alone."""
    return weights.model_copy(update={"groups": {**weights.groups, GROUP: {kind: 1.0}}})


def gained(ready: ReadyCase, deps: Deps) -> float | None:
    """F1 of the agent above its own after one search; None where it searched once."""
    question = Question(text=ready.case.question, chat_id=ready.chat.chat_id)
    again = MODES["agent"](question, deps)
    if len(again.rounds) < 2:
        return None
    # The agent's own first round, not oneshot: that one does not read what it grades.
    budget = replace(deps.budget, rounds=1)
    once = MODES["agent"](question, replace(deps, budget=budget))
    gold = set(truth_of(ready.case, ready.chat).expected.local_ids)
    after, before = (f1(t.answer.local_ids, gold) for t in (again, once))
    return after - before


def f1(cited: Sequence[int], gold: set[int]) -> float:
    """F1 of what was cited; 0 where nothing was."""
    return 2 * len(gold & set(cited)) / (len(gold) + len(set(cited))) if gold else 0.0


if __name__ == "__main__":
    sys.exit(run(main))
