"""``python -m eval.hardness CASES…``: how hard the questions are, told by a plain ranking.

Recall@10 of one chat says nothing beside that of another: one's questions are asked in the words of
their evidence, the other's are not. So each chat's stands beside that of a linear ranking of sixteen
features (:mod:`eval.bench_linear`), of all questions and of those that share a term with their evidence
or none, names of people aside. ``--as-hard-as`` weighs the questions by the share of their terms that
their evidence has, until the linear ranking has that recall, and tells what ours has then: an estimate of
another chat's, of which only the linear ranking's recall is known.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from eval.standing_alone import chats_option, run
from eval.table import console, plain
from sayso.core.chat import Chat
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
_LOOKS = 241  # between the steepest either way
_NEAR = 1e-9
_STEEPEST = 30.0  # e to this is how much more a question counts that shares all its terms than one with none


class Told(NamedTuple):
    """A question: recall@10 of the linear ranking and of ours, and the share of its terms that its
    evidence has; all in [0, 1].
    """

    linear: float
    ours: float
    shared: float


@dataclass(frozen=True)
class OfChat:
    """A chat, which is held so that no other gets its number, and its questions."""

    chat: Chat
    linear: LinearRanking
    rows: list[Told]


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@chats_option
@click.option("--as-hard-as", type=click.FloatRange(0, 1, min_open=True, max_open=True),
              help="The linear ranking's recall@10 on other chats.")  # fmt: skip
def main(cases: tuple[Path, ...], chats: tuple[Path, ...], as_hard_as: float | None) -> None:
    """Parse, measure, print."""
    if as_hard_as is not None and not 0 < as_hard_as < 1:  # nan is in every range
        raise click.BadParameter(f"{as_hard_as} is no share; expected 0 < x < 1")
    embedder, found = MiniLM(fitted=None), dict[int, OfChat]()
    for ready, retriever in searchable(cases, chats, shipped_weights()):
        chat = ready.chat
        if id(chat) not in found:  # two may have one chatId
            found[id(chat)] = OfChat(chat, LinearRanking(chat, embedder), [])
        of_chat = found[id(chat)]
        of_chat.rows.append(told(ready, retriever, of_chat.linear))
    if not found:
        raise CaseError(
            f"{', '.join(map(str, cases))}: no question case there with evidence that its chat has"
        )
    by_name = [(one.chat.chat_id, one.rows) for one in found.values()]
    console().print(table(by_name))
    if as_hard_as is not None:
        click.echo(reckoned([one for _, rows in by_name for one in rows], as_hard_as))


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


def table(found: Sequence[tuple[str, list[Told]]]) -> Table:
    """One row a chat, and one of all; recall@10 in %, the linear ranking's before ours."""
    shown = Table(title="recall@10 in %: linear, ours")
    for column in ("chat", "n", "all", "n", "no term shared", "n", "some shared"):
        shown.add_column(column, justify="left" if column == "chat" else "right")
    everything = [one for _, rows in found for one in rows]
    for name, rows in [*sorted(found, key=lambda of: of[0]), ("all", everything)]:
        parts = rows, [one for one in rows if not one.shared], [one for one in rows if one.shared]
        cells = [cell for part in parts for cell in (str(len(part)), _both(part))]
        shown.add_row(Text(plain(name)), *cells)
    return shown


def reckoned(rows: Sequence[Told], recall: float) -> str:
    """A line with what ours has where the linear ranking has ``recall``; ConfigurationError where no
    weighing brings it there.

    Of several weighings that do, the one that changes least.
    """
    linear, ours, shared = np.asarray(rows).T

    def weights(steep: float) -> Floats:
        weighed: Floats = np.exp(steep * (shared - shared.max()))
        weighed /= weighed.sum()
        return weighed

    def off(steep: float) -> float:
        return float(weights(steep) @ linear) - recall

    at = sorted(np.linspace(-_STEEPEST, _STEEPEST, _LOOKS).tolist(), key=abs)
    there = {steep: off(steep) for steep in at}
    least, most = min(there.values()), max(there.values())
    if not least - _NEAR <= 0 <= most + _NEAR:
        held = recall + least, recall + most
        raise ConfigurationError(
            f"--as-hard-as {recall}: however they are weighed by their shared terms, the linear ranking "
            f"has {100 * held[0]:.1f} to {100 * held[1]:.1f} % on these; "
            + ("name a share between" if most - least > _NEAR else "other questions tell more")
        )
    found = weights(_crossing(off, there))
    return (
        f"where the linear ranking has {100 * recall:.1f} ours has {100 * float(found @ ours):.1f} "
        f"(as much as {1 / float(found @ found):.0f} of the {len(rows)} questions)"
    )


def _crossing(off: Callable[[float], float], there: dict[float, float]) -> float:
    """Where ``off`` is 0, as near to 0 as it is; ``there`` are its values, from the middle outwards.

    Where it touches 0 only, as near to it as was looked.
    """
    middle, *others = there
    last = {True: middle, False: middle}
    if abs(there[middle]) <= _NEAR:
        return middle
    for steep in others:
        before = last[steep > 0]
        if there[before] * there[steep] <= 0:
            return float(brentq(off, before, steep))
        last[steep > 0] = steep
    return min(there, key=lambda steep: abs(there[steep]))


def _both(rows: Sequence[Told]) -> str:
    if not rows:
        return "–"
    linear, ours, _ = np.asarray(rows).mean(axis=0)
    return f"{100 * linear:.1f}, {100 * ours:.1f}"


if __name__ == "__main__":
    sys.exit(run(main))
