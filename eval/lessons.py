"""Chats written to be learned from (``arc_data/lessons``): which of their questions teach what."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from eval.fit_data import Asked
from eval.fit_lists import listed
from eval.fit_stages import Beside


class Every(NamedTuple):
    """One of so many questions teaches: ranking; relevance, of the others; abstaining, of the absent; and
    of what is left where more than two people write, ranking there.
    """

    ranking: int
    relevance: int
    absent: int
    among: int


# They ask in other words than the answer has. All of them, or every fourth or tenth, find more in written
# chats and less in REALTALK and LoCoMo; so many cost these least. Relevance learns from questions that no
# ranking knows, and abstaining from these and some that nothing answers. See the README's "Why".
# Ranking among many costs chats of two nothing; a fifth as many did nearly as well.
EVERY = Every(ranking=20, relevance=16, absent=16, among=4)

lessons_option: Callable[[Any], Any] = click.option(
    "--lessons",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Cases of chats written to be learned from: they teach beside the others and are not judged.",
)


class Lessons(NamedTuple):
    """What teaches screen and ranking, what teaches relevance and abstaining, and what teaches ranking
    among many; never the same.
    """

    ranking: Sequence[Asked] = ()
    relevance: Sequence[Asked] = ()
    among: Sequence[Asked] = ()

    def listed(self, screening: NDArray[np.float64]) -> Beside:
        """Their candidates under a screen."""
        return Beside(
            [listed(row, screening) for row in self.ranking],
            [listed(row, screening) for row in self.relevance],
            [listed(replace(row, reworded=None), screening) for row in self.among],
        )


def lessons_of(rows: Sequence[Asked], every: Every = EVERY) -> Lessons:
    """Of all questions of the lessons those that teach."""
    answered = [row for row in rows if len(row.gold)]
    others = [row for i, row in enumerate(answered) if i % every.ranking]
    rest = [row for i, row in enumerate(others) if i % every.relevance]
    absent = [row for row in rows if not row.answerable]
    return Lessons(
        answered[:: every.ranking],
        others[:: every.relevance] + absent[:: every.absent],
        [row for row in rest if row.query.among_many][:: every.among],
    )


NO_LESSONS = Lessons()
