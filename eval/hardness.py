"""``python -m eval.hardness CASES…``: how hard the questions are, told by a plain ranking.

Recall@10 of one chat says nothing beside that of another: one's questions are asked in the words of
their evidence, the other's are not. So each chat's stands beside that of a linear ranking of sixteen
features (:mod:`eval.bench_linear`), of all questions and of those that share a term with their evidence
or none, names of people aside. ``--as-hard-as`` weighs the questions by the share of their terms that
their evidence has, until the linear ranking has that recall, and tells what ours has then: an estimate of
another chat's, of which only the linear ranking's recall is known.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from rich.table import Table
from rich.text import Text
from scipy.optimize import brentq

from eval.bench_linear import Floats, LinearRanking
from eval.cases import ReadyCase
from eval.gold import truth_of
from eval.metrics.ranked import recall_at_k
from eval.searched import searchable
from eval.standing_alone import run
from eval.table import console, plain
from sayso.core.models import Question
from sayso.core.people import known_names
from sayso.core.seams import Planning, Retriever
from sayso.errors import CaseError, ConfigurationError
from sayso.reasoning.planning import plan
from sayso.retrieval.analyzer import terms
from sayso.retrieval.embedder import MiniLM
from sayso.retrieval.index import searchable as words_of
from sayso.weights import shipped_weights

CUT = 10
_STEEPEST = 30.0  # e to this is how much more a question counts that shares all its terms than one with none


class Told(NamedTuple):
    """A question: recall@10 of the linear ranking and of ours, and the share of its terms that its
    evidence has; all in [0, 1].
    """

    linear: float
    ours: float
    shared: float


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--chats", multiple=True, type=click.Path(exists=True, path_type=Path))
@click.option("--as-hard-as", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              help="The linear ranking's recall@10 on other chats.")  # fmt: skip
def main(cases: tuple[Path, ...], chats: tuple[Path, ...], as_hard_as: float | None) -> None:
    """Parse, measure, print."""
    embedder, rankings = MiniLM(fitted=None), dict[str, LinearRanking]()
    found: dict[str, list[Told]] = {}
    for ready, retriever in searchable(cases, chats, shipped_weights(), 1):
        name = ready.chat.chat_id
        if name not in rankings:
            rankings[name] = LinearRanking(ready.chat, embedder)
        found.setdefault(name, []).append(told(ready, retriever, rankings[name]))
    if not found:
        raise CaseError(
            f"{', '.join(map(str, cases))}: no question case there with evidence that its chat has"
        )
    console().print(table(found))
    if as_hard_as is not None:
        click.echo(reckoned([one for of_chat in found.values() for one in of_chat], as_hard_as))


def told(ready: ReadyCase, retriever: Retriever, linear: LinearRanking) -> Told:
    """One question by both rankings."""
    chat, text = ready.chat, ready.case.question
    expected = truth_of(ready.case, chat).expected.local_ids
    planned = plan(Planning(Question(text=text, chat_id=chat.chat_id), chat), known_names(chat))
    ours = [one.local_id for one in retriever.search(planned, CUT)]
    plain_ranking = [chat.messages[row].local_id for row in linear.rank(text)[:CUT]]
    people = {term for person in chat.participants for term in terms(person.name)}
    asked = set(terms(text)) - people
    held = {term for i in expected for term in terms(words_of(chat.by_id[i]))}
    return Told(
        recall_at_k(plain_ranking, expected, CUT) or 0.0,
        recall_at_k(ours, expected, CUT) or 0.0,
        len(asked & held) / max(len(asked), 1),
    )


def table(found: dict[str, list[Told]]) -> Table:
    """One row a chat, and one of all; recall@10 in %, the linear ranking's before ours."""
    shown = Table(title="recall@10 in %: linear, ours")
    for column in ("chat", "n", "all", "n", "no term shared", "n", "some shared"):
        shown.add_column(column, justify="left" if column == "chat" else "right")
    everything = [one for of_chat in found.values() for one in of_chat]
    for name, rows in [*sorted(found.items()), ("all", everything)]:
        parts = rows, [one for one in rows if not one.shared], [one for one in rows if one.shared]
        cells = [cell for part in parts for cell in (str(len(part)), _both(part))]
        shown.add_row(Text(plain(name)), *cells)
    return shown


def reckoned(rows: Sequence[Told], recall: float) -> str:
    """A line with what ours has where the linear ranking has ``recall``; ConfigurationError where no
    weighing brings it there.
    """
    linear, ours, shared = np.asarray(rows).T

    def weights(steep: float) -> Floats:
        weighed: Floats = np.exp(steep * (shared - shared.max()))
        weighed /= weighed.sum()
        return weighed

    def off(steep: float) -> float:
        return float(weights(steep) @ linear) - recall

    if off(-_STEEPEST) * off(_STEEPEST) > 0:
        raise ConfigurationError(
            f"--as-hard-as {recall}: weighed by their shared terms, the linear ranking has "
            f"{100 * (off(-_STEEPEST) + recall):.1f} to {100 * (off(_STEEPEST) + recall):.1f} % on these; "
            "name a share between"
        )
    found = weights(brentq(off, -_STEEPEST, _STEEPEST))
    return (
        f"where the linear ranking has {100 * recall:.1f} ours has {100 * float(found @ ours):.1f} "
        f"(as much as {1 / float(found @ found):.0f} of the {len(rows)} questions)"
    )


def _both(rows: Sequence[Told]) -> str:
    if not rows:
        return "–"
    linear, ours, _ = np.asarray(rows).mean(axis=0)
    return f"{100 * linear:.1f}, {100 * ours:.1f}"


if __name__ == "__main__":
    sys.exit(run(main))
