"""``python -m eval.round_ceiling CASES…``: what a second search could bring, by an oracle.

For each question the first five hits in turn become the seed of a second search (the question's
words and theirs), and F1 is that of the best seed, which only somebody who knows the gold can
choose. Five random messages as seeds, chosen in the same way, show how much of that is luck; the
best cut of the first list shows what no search could bring. The weights are the shipped ones.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from rich.table import Table

from eval.cases import ReadyCase
from eval.fit_rounds import f1
from eval.gold import truth_of
from eval.searched import searchable
from eval.standing_alone import chats_option, run
from eval.table import console
from sayso.core.models import Candidate, Graded, Plan, Question
from sayso.core.people import known_names
from sayso.core.pooling import merge
from sayso.core.seams import Grading, Planning, Retriever
from sayso.core.sentences import content_words
from sayso.errors import CaseError
from sayso.reasoning.choosing import best_size
from sayso.reasoning.grading import grade
from sayso.reasoning.planning import plan
from sayso.weights import Weights, shipped_weights

SEEDS = 5
_SEED = 0
_POOL = 50
_LONGEST = 12  # ids of an answer, words of a seed


class Ceiling(NamedTuple):
    """F1 of one question: as it is, by the best cut, by seeds, and by seeds drawn at random."""

    one_search: float
    best_cut: float
    first_seed: float
    best_seed: float
    best_random: float


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@chats_option
@click.option("--every", default=1, type=click.IntRange(min=1), help="Each N-th case alone.")
def main(cases: tuple[Path, ...], chats: tuple[Path, ...], every: int) -> None:
    """Parse, measure, print."""
    weights = shipped_weights()
    found: dict[str, list[Ceiling]] = {}
    for ready, retriever in searchable(cases, chats, weights, every):
        found.setdefault(ready.dataset, []).append(ceiling(ready, retriever, weights))
    if not found:
        raise CaseError(
            f"{', '.join(map(str, cases))}: no question case there with evidence that its chat has"
        )
    console().print(table(found))


def table(found: dict[str, list[Ceiling]]) -> Table:
    """One row a data set: the mean F1 of each kind, in %."""
    shown = Table(title="F1 in %, shipped weights")
    for column in ("set", "n", *(name.replace("_", " ") for name in Ceiling._fields)):
        shown.add_column(column, justify="left" if column == "set" else "right")
    for name, rows in sorted(found.items()):
        means = np.mean(np.asarray(rows), axis=0)
        shown.add_row(name, str(len(rows)), *(f"{100 * mean:.1f}" for mean in means))
    return shown


def ceiling(ready: ReadyCase, retriever: Retriever, weights: Weights) -> Ceiling:
    """What a second search could bring to one question."""
    chat, gold = ready.chat, set(truth_of(ready.case, ready.chat).expected.local_ids)
    question = Question(text=ready.case.question, chat_id=chat.chat_id)
    first_plan = plan(Planning(question, chat), known_names(chat))
    pool = retriever.search(first_plan, _POOL)

    def graded(wide: Sequence[Candidate]) -> tuple[Graded, ...]:
        return grade(Grading(question, chat, first_plan, tuple(wide), 0), weights).graded

    def seeded(local_ids: Sequence[int]) -> list[float]:
        made = []
        for local_id in local_ids:
            words = content_words(chat.by_id[local_id].text)[:_LONGEST]
            if words:
                again = retriever.search(also(first_plan, words), _POOL)
                made.append(f1(cited(graded(merge(chat, (pool, again)))), gold))
        return made

    hits = graded(pool)
    now = f1(cited(hits), gold)
    by_hits = seeded([g.local_id for g in hits[:SEEDS]])
    drawn = np.random.default_rng(_SEED).choice([m.local_id for m in chat.messages], SEEDS)
    return Ceiling(
        one_search=now,
        best_cut=best_cut([g.local_id for g in hits], gold),
        first_seed=by_hits[0] if by_hits else now,
        best_seed=max([now, *by_hits]),
        best_random=max([now, *seeded([int(i) for i in drawn])]),
    )


def also(first: Plan, words: Sequence[str]) -> Plan:
    """The plan with these words behind its searches, as one search."""
    return first.model_copy(update={"queries": (" ".join((*first.queries, *words)),)})


def cited(graded: Sequence[Graded]) -> list[int]:
    """The localIds that an answer would cite."""
    size = best_size([g.relevance for g in graded], _LONGEST)
    return [g.local_id for g in graded[:size]]


def best_cut(local_ids: Sequence[int], gold: set[int]) -> float:
    """The F1 of the best head of the list, of at most twelve."""
    return max((f1(local_ids[:k], gold) for k in range(1, _LONGEST + 1)), default=0.0)


if __name__ == "__main__":
    sys.exit(run(main))
