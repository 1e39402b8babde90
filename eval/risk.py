"""Risk against coverage: how wrong the answers are that are given, where only the surest are.

As in selective prediction (El-Yaniv & Wiener 2010): coverage is the share of questions that are
answered, risk the mean of what is lost on these.
"""

from collections.abc import Mapping, Sequence
from math import ceil

from rich.table import Table

COVERAGES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)


def risks(told: Sequence[tuple[float, float]]) -> list[float]:
    """The risk in [0, 1] at each of COVERAGES, for (how sure, what the answer is worth) a question.

    Worth is in [0, 1], 0 for an answer where there is none. Of equally sure ones each counts in
    part, so that their order does not matter. NaN for no question.
    """
    sure_first = sorted(told, key=lambda one: -one[0])
    return [_risk(sure_first, ceil(share * len(told))) for share in COVERAGES]


def _risk(sure_first: Sequence[tuple[float, float]], answered: int) -> float:
    if not answered:
        return float("nan")
    bar = sure_first[answered - 1][0]
    surer = [worth for sure, worth in sure_first if sure > bar]
    equal = [worth for sure, worth in sure_first if sure == bar]
    gained = sum(surer) + (answered - len(surer)) * sum(equal) / len(equal)
    return 1.0 - gained / answered


def risk_table(title: str, found: Mapping[str, Sequence[tuple[float, float]]]) -> Table:
    """One row a set of questions, one column a coverage; risks in %."""
    shown = Table(title=title)
    shown.add_column("risk, of")
    for share in COVERAGES:
        shown.add_column(f"{100 * share:.0f} %", justify="right")
    for name, told in sorted(found.items()):
        shown.add_row(f"{name} ({len(told)})", *(f"{100 * risk:.1f}" for risk in risks(told)))
    return shown
