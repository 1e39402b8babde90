"""``python -m eval.fit_phrases CASES…``: refit the weights that choose the words which answer.

Learns from marked spans, from answers that stand word for word in their evidence, from the words
that evidence shares with other answers, and from the invented examples beside this file. Prints the
mean F1 given the right message on groups of chats that the weights were not fitted on, each source
apart, and the in-sample figure: by characters, or by words where only those are known.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from eval.case_files import read_cases
from eval.cases import QaCase
from eval.fit_phrase_data import EXAMPLES, Example, invented, of_cases
from eval.refitting import held_for, refitted, write
from eval.standing_alone import chats_option, run
from eval.terms import terms_option
from sayso.errors import CaseError
from sayso.reasoning.phrases import GROUP

# Marked spans say most; an answer's own words are somebody's summary.
_TRUST = {"spans": 2.0, "examples": 1.5, "verbatim": 1.0, "shared": 0.6}
_RIDGE, _SORT_RIDGE = 1.0, 2.0
_LEAST, _LEAST_OF_SORT = 0.06, 0.12
_SELDOM = 3  # a feature of fewer examples is left out
_INVENTED = {"invented examples": "the project's own"}
Floats = NDArray[np.float64]


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, type=click.Path(exists=True, path_type=Path))
@chats_option
@click.option("--out", type=click.Path(path_type=Path), help="Weights file to write the groups to.")
@terms_option
def main(
    cases: tuple[Path, ...], chats: tuple[Path, ...], out: Path | None, terms: dict[str, str]
) -> None:
    """Parse, fit, print, write."""
    held = held_for(out)  # before the long work: what cannot be written is refused here
    examples = list(invented(EXAMPLES.read_text(encoding="utf-8")))
    of_files = list(of_cases(cases, chats))
    if cases and not of_files:
        raise CaseError(f"{', '.join(map(str, cases))}: no case there teaches a phrase")
    found = [*examples, *of_files]
    for source, n, value in judged(found):
        click.echo(f"{source}: {value:.3f} on {n}, not fitted on")
    weights = fitted(found)
    for source in dict.fromkeys(e.source for e in found):
        own = [e for e in found if e.source == source]
        click.echo(f"{source}: {np.mean([chosen_f1(e, weights) for e in own]):.3f} in sample")
    if out is not None:
        taught = {**answerable(cases), **dict.fromkeys(_INVENTED, len(examples))}
        made = refitted(held, groups_by_sort(weights), GROUP, taught, {**_INVENTED, **terms})
        write(out, made)
        click.echo(
            f"written to {out}; what a close reading is worth goes by these: refit it with "
            "python -m eval.fit",
            err=True,
        )


def answerable(cases: Sequence[Path]) -> Counter[str]:
    """How many cases with an answer the files hold, by data set."""
    filed = read_cases(cases, "qa").cases if cases else ()
    return Counter(f.dataset for f in filed if isinstance(f.case, QaCase) and f.case.answerable)


def judged(examples: Sequence[Example]) -> Iterator[tuple[str, int, float]]:
    """Mean F1 of each source by weights that saw no chat of its group."""
    usable = [e for e in examples if e.rows]
    held = {
        g: fitted([e for e in usable if e.group != g])
        for g in dict.fromkeys(e.group for e in usable)
    }
    for source in dict.fromkeys(e.source for e in usable):
        scores = [chosen_f1(e, held[e.group]) for e in usable if e.source == source]
        yield source, len(scores), float(np.mean(scores))


def chosen_f1(example: Example, weights: Mapping[str, float]) -> float:
    """The F1 of the candidate with the highest sum, the first of equals."""
    sums = [sum(weights.get(n, 0.0) * v for n, v in row.items()) for row in example.rows]
    return float(example.f1[int(np.argmax(sums))]) if sums else 0.0


def fitted(examples: Sequence[Example]) -> dict[str, float]:
    """The weights that make the expected F1 of a soft choice highest; small ones left out twice."""
    usable = [e for e in examples if e.rows]
    counted: dict[str, int] = {}
    for e in usable:
        for name in {n for row in e.rows for n in row}:
            counted[name] = counted.get(name, 0) + 1
    weights = _fit(usable, sorted(n for n, k in counted.items() if k >= _SELDOM))
    for part in (0.5, 1.0):
        kept = [n for n, w in weights.items() if abs(w) >= part * _least(n)]
        weights = _fit(usable, kept)
    return weights


def groups_by_sort(weights: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The weights as groups of the weights file, to two places."""
    groups: dict[str, dict[str, float]] = {GROUP: {}}
    for name, weight in sorted(weights.items()):
        sort, _, feature = name.rpartition(": ")
        groups.setdefault(f"{GROUP}_{sort}" if sort else GROUP, {})[feature] = round(weight, 2)
    return groups


def _least(name: str) -> float:
    return _LEAST_OF_SORT if ": " in name else _LEAST


def _fit(examples: Sequence[Example], names: Sequence[str]) -> dict[str, float]:
    design = _design(examples, names)
    starts = np.cumsum([0, *(len(e.rows) for e in examples)])[:-1]
    of = np.repeat(np.arange(len(examples)), [len(e.rows) for e in examples])
    f1 = np.concatenate([e.f1 for e in examples])
    trust = np.asarray([_TRUST[e.source] for e in examples])
    ridge = np.asarray([_SORT_RIDGE if ": " in n else _RIDGE for n in names])

    def loss(w: Floats) -> tuple[float, Floats]:
        sums = design @ w
        odds = np.exp(sums - np.maximum.reduceat(sums, starts)[of])
        p = odds / np.add.reduceat(odds, starts)[of]
        expected = np.add.reduceat(p * f1, starts)
        pull = trust[of] * p * (f1 - expected[of]) / (expected[of] + 1e-3)
        value = -float(trust @ np.log(expected + 1e-3)) + float((ridge * w) @ w)
        return value, -(design.T @ pull) + 2 * ridge * w

    best = minimize(
        loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    )
    return dict(zip(names, map(float, best.x), strict=True))


def _design(examples: Iterable[Example], names: Sequence[str]) -> csr_matrix:
    column = {name: i for i, name in enumerate(names)}
    rows, columns, values = [], [], []
    for at, row in enumerate(row for e in examples for row in e.rows):
        for name, value in row.items():
            if name in column and value:
                rows.append(at)
                columns.append(column[name])
                values.append(value)
    shape = (sum(len(e.rows) for e in examples), len(names))
    return csr_matrix((values, (rows, columns)), shape=shape)


if __name__ == "__main__":
    sys.exit(run(main))
