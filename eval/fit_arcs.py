"""``python -m eval.fit_arcs CASES…``: refit what tells a development, from arc cases.

Prints, for each data set, what the fit reaches on groups of people that it was not fitted on, what
abstaining costs at each bar and which bar that favours, and how far the fitted groups stand from the
present ones. With ``--out`` the groups are written, and on what they were fitted; the bar for
abstaining stays, since one bar has to serve all data sets.
"""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from eval.encoders import Encoders, encoders_option
from eval.fit_arc_data import ABSENCE, ABSENCE_OWN, Pool, parts_of, pools
from eval.fit_models import Floats, fit_logistic
from eval.lessons import lessons_option
from eval.metrics.arcs import global_recall, phase_coverage
from eval.metrics.ids import evidence_f1
from eval.refitting import Held, held_for, write
from eval.refitting import refitted as refitted_by
from eval.risk import COVERAGES, risks
from eval.standing_alone import chats_option, run
from eval.terms import terms_option
from sayso.errors import CaseError
from sayso.reasoning.arc_choice import Told, best_part
from sayso.weights import shipped_weights

BARS = (-0.5, -0.25, 0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5)
MOST_LOST = 0.01  # of the recall of developments that are there
_L2 = 3e-3
_EVERY = 3  # arcs
# What is measured for developments is held back less than what answers brought along.
_L2_ABSENCE = [1.5e-2 if name in ABSENCE_OWN else 6e-2 for name in ABSENCE]


class Judged(NamedTuple):
    """One arc's pool, its messages by relevance, and the log odds that the arc is absent."""

    pool: Pool
    found: list[Told]
    odds: float


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--questions", multiple=True, type=click.Path(exists=True, path_type=Path),
    help="Question cases; those with three messages or more teach, too.",
)  # fmt: skip
@chats_option
@click.option("--out", type=click.Path(path_type=Path), help="Weights file to write the groups to.")
@click.option(
    "--multilingual",
    is_flag=True,
    help="By multilingual-e5-small (an extra): the groups for embedders that give words no vectors.",
)
@lessons_option
@terms_option
@encoders_option
def main(
    cases: tuple[Path, ...],
    questions: tuple[Path, ...],
    chats: tuple[Path, ...],
    out: Path | None,
    multilingual: bool,
    lessons: tuple[Path, ...],
    terms: dict[str, str],
    encoders: Encoders | None,
) -> None:
    """Parse, fit, print, write."""
    from sayso.retrieval.embedder import MiniLM
    from sayso.retrieval.multilingual import MultilingualE5
    from sayso.retrieval.wordless import Wordless

    held = held_for(out)  # before the long work: what cannot be written is refused here
    groups: dict[str, dict[str, float]] = {}
    taught: Counter[str] = Counter()
    by_all = (MultilingualE5(),) if multilingual else (MiniLM(), Wordless())
    for by in by_all:
        words = isinstance(by, Wordless)
        suffix = "_vectors" if multilingual else "_lexical" if words else ""
        unseen = None if words or multilingual else encoders
        found = pools(cases, questions, chats, unseen, by=by)
        if not any(p.arc for p in found):
            continue
        check_pools(found, cases)
        beside = pools(lessons, (), chats, unseen, by=by) if lessons else []
        if lessons:
            check_lessons(beside, found, lessons)
        cross = cross_validated(found, beside, words=words)
        click.echo(f"\n{'by words only' if words else 'with meaning'}, groups not fitted on")
        for name in sorted({c.pool.fold for c in cross}):
            click.echo(f"{name}: {told_in([c for c in cross if c.pool.fold == name], 99.0)}")
        for name in sorted({c.pool.dataset for c in cross}):
            part = [c for c in cross if c.pool.dataset == name]
            click.echo(f"{name}, by the bar for abstaining")
            for at in (*BARS, 99.0):
                click.echo(f"  {at:+6.2f}  {told_in(part, at)}")
            if not words:
                click.echo(f"  {risk_in(part)}")
                cuts = shipped_weights().cuts
                present = cuts.get(f"arc_absent{suffix}", cuts["arc_absent"])
                click.echo(f"  favours {bar_of(part):+.2f}; the present is {present:+.2f}")
        taught |= Counter(p.dataset for p in [*found, *beside] if p.mode != "agent")
        parts = fit_parts([*found, *teaching_parts(beside)], words=words)
        groups[f"arc_relevance{suffix}"] = named(parts_of(words), parts)
        if not words:
            groups[f"arc_absence{suffix}"] = named(ABSENCE, fit_absence([*found, *beside]))
    if not groups:
        raise CaseError(f"{', '.join(map(str, cases))}: no arc case there that can be fitted on")
    for group, weights in groups.items():
        near = shipped_weights().groups.get(group, {})
        apart = max(abs(weights[n] - near.get(n, 0.0)) for n in weights)
        click.echo(f"{group} (at most {apart:.4f} from the present): {weights}")
    if out is not None:
        name = "arc_vectors" if multilingual else "arc"
        write(out, refitted(held, groups, taught, terms, name))
        click.echo(f"written to {out}", err=True)


def check_pools(found: Sequence[Pool], cases: Sequence[Path]) -> None:
    """Raise CaseError where fewer than two groups of people have an arc that is there."""
    if len({p.fold for p in found if p.arc and p.gold and p.mode == "oneshot"}) < 2:
        raise CaseError(
            f"{', '.join(map(str, cases))}: fewer than two groups of people have an arc that is "
            "there: what is fitted on one group is judged on another; add cases of a chat between "
            "other people"
        )


def check_lessons(beside: Sequence[Pool], found: Sequence[Pool], lessons: Sequence[Path]) -> None:
    """Raise CaseError for lessons that teach nothing, or that are judged, too."""
    told = ", ".join(map(str, lessons))
    if not any(p.arc for p in beside):
        raise CaseError(f"--lessons {told}: no arc case there that can be learned from")
    both = {p.fold for p in beside} & {p.fold for p in found if p.arc}
    if both:
        raise CaseError(
            f"--lessons {told}: arcs of {', '.join(sorted(both))} are among the cases, too; what "
            "teaches in every fold can be judged in none; name them once"
        )


def refitted(
    held: Held,
    groups: Mapping[str, Mapping[str, float]],
    taught: Mapping[str, int],
    terms: Mapping[str, str],
    name: str = "arc",
) -> dict[str, Any]:  # Any: JSON
    """The weights file with these groups, and on how many cases of which set they were fitted.

    A file without a bar for those by vectors alone gets the shipped one: the others' is not theirs.
    """
    cuts = {n: v for n, v in shipped_weights().cuts.items() if n == "arc_absent_vectors"}
    made = refitted_by(held, groups, name, taught, terms)
    return made | {"cuts": cuts | held["cuts"]} if name == "arc_vectors" else made


def teaching_parts(lessons: Sequence[Pool]) -> list[Pool]:
    """Of the lessons those that teach what a part is: an arc of theirs has more parts than others have."""
    return [p for p in lessons if p.mode == "agent"][::_EVERY]


def cross_validated(
    found: Sequence[Pool], beside: Sequence[Pool] = (), *, words: bool
) -> list[Judged]:
    """Each arc's pool with its messages by relevance and the odds that it is absent, both unseen.

    ``beside`` teaches in every fold and is not judged.
    """
    judged: list[Judged] = []
    for fold in sorted({p.fold for p in found if p.arc}):
        rest = [p for p in found if p.fold != fold]
        if not any(p.arc and p.gold for p in rest):
            continue
        weights = fit_parts([*rest, *teaching_parts(beside)], words=words)
        absence = fit_absence([*rest, *beside]) if not words else None
        for pool in found:
            if pool.arc and pool.fold == fold:
                odds = -99.0 if absence is None else float(pool.marks @ absence)
                judged.append(Judged(pool, told_by(pool, weights, words=words), odds))
    return judged


def told_by(pool: Pool, weights: Floats, *, words: bool) -> list[Told]:
    """The pool's messages, most relevant first; ties as the retriever has them."""
    rows = np.column_stack([pool.columns(parts_of(words)), np.ones(len(pool.messages))])
    chance = 1 / (1 + np.exp(-(rows @ weights)))
    order = np.argsort(-chance, kind="stable")
    return [Told(pool.messages[i], float(chance[i])) for i in order]


def fit_parts(found: Sequence[Pool], *, words: bool) -> Floats:
    """What makes a message part of a development, a bias last; what all questions share is apart."""
    taught = [p for p in found if p.gold]
    # Questions have fewer parts than arcs: their own bias, which is not kept, takes that up.
    rows = [
        np.column_stack([p.columns(parts_of(words)), np.full(len(p.messages), float(not p.arc))])
        for p in taught
    ]
    gold = [[float(m.local_id in p.gold) for m in p.messages] for p in taught]
    fitted = fit_logistic(np.concatenate(rows), np.concatenate(gold), l2=_L2)
    return np.delete(fitted, len(fitted) - 2)


def fit_absence(found: Sequence[Pool]) -> Floats:
    """What tells a development that is not there, a bias last; each arc teaches once."""
    taught = [p for p in found if p.arc and p.mode == "oneshot"]
    rows = np.stack([p.marks[:-1] for p in taught])
    return fit_logistic(rows, np.asarray([float(not p.gold) for p in taught]), l2=_L2_ABSENCE)


def told_in(judged: Sequence[Judged], bar: float) -> str:
    """Means over the first mode's arcs that are there, and how abstaining does, in words."""
    recall, coverage, precision, f1, right, wrong = figures(judged, bar)
    return (
        f"recall {100 * recall:.1f} coverage {100 * coverage:.1f} precision {100 * precision:.1f}"
        f" abstention F1 {f1:.2f} ({right} right, {wrong} wrong)"
    )


def figures(judged: Sequence[Judged], bar: float) -> tuple[float, float, float, float, int, int]:
    """Recall, coverage, precision (0 where abstained), abstention F1, right and wrong abstentions."""
    rows, right, wrong, absent = [], 0, 0, 0
    for pool, found, odds in judged:
        if pool.mode != "oneshot":
            continue
        silent = odds > bar
        if not pool.gold:
            absent, right = absent + 1, right + silent
            continue
        wrong += silent
        ids = (
            [] if silent else [t.message.local_id for t in best_part(found, shipped_weights().cuts)]
        )
        hits = len(pool.gold & set(ids)) / len(ids) if ids else 0.0
        rows.append((global_recall(ids, pool.phases), phase_coverage(ids, pool.phases), hits))
    means = np.mean(rows, axis=0).tolist() if rows else [0.0, 0.0, 0.0]
    f1 = 2 * right / (right + wrong + absent) if right + wrong + absent else 0.0
    return means[0], means[1], means[2], f1, int(right), int(wrong)


def risk_in(judged: Sequence[Judged]) -> str:
    """What is lost of F1 where only the surest arcs are answered, in words."""
    told = []
    for pool, found, odds in judged:
        if pool.mode == "oneshot":
            ids = {t.message.local_id for t in best_part(found, shipped_weights().cuts)}
            told.append((-odds, evidence_f1(ids, pool.gold)))
    lost = (
        f"{100 * risk:.1f} of {100 * share:.0f} %"
        for share, risk in zip(COVERAGES, risks(told), strict=True)
    )
    return f"risk (lost F1) of the surest: {', '.join(lost)}"


def bar_of(judged: Sequence[Judged]) -> float:
    """The bar with the best abstention F1 that costs little recall; of equals the highest."""
    whole = figures(judged, 99.0)[0]
    able = [b for b in BARS if whole - figures(judged, b)[0] <= MOST_LOST] or [BARS[-1]]
    return max(able, key=lambda b: (round(figures(judged, b)[3], 3), b))


def named(names: Sequence[str], values: Floats) -> dict[str, float]:
    """By name, the bias last, as the weights file holds them."""
    return {n: round(float(v), 4) for n, v in zip((*names, "bias"), values, strict=True)}


if __name__ == "__main__":
    sys.exit(run(main))
