"""Candidates tried on cases, each beside the current prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval.cases import ReadyCase, kind_of
from eval.compare import FLIPS_BY, Comparison, compare
from eval.scoring import Row
from eval.tune.leak import Leak
from eval.tune.leakage import Known
from eval.tune.points import Gain, gains, mean_gain, overall, unread
from eval.tune.spending import used
from eval.tune.trials import Trials, of_mode
from eval.tune.versions import faults, in_set, says, size
from sayso.core.trail import Usage
from sayso.reasoning.prompts import Prompt, Prompts


@dataclass(frozen=True)
class Tried:
    """One candidate beside the current prompts.

    ``unread`` are cases whose reply does not fit the schema any more; ``leaks`` what the candidate
    says of the cases; ``faults`` why it was not tried at all, and then it has no rows.
    """

    name: str
    prompts: Prompts
    rows: tuple[Row, ...]
    gains: tuple[Gain, ...]
    comparisons: tuple[Comparison, ...]
    unread: tuple[str, ...]
    leaks: tuple[Leak, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether it kept everything that a candidate must keep."""
        return not (self.faults or self.unread or self.leaks)

    @property
    def verdict(self) -> str:
        """In words; only ``higher`` speaks for the candidate."""
        if self.faults:
            return "not tried"
        if self.unread:
            return "breaks the reply's schema"
        return "leaks" if self.leaks else overall(self.gains)

    @property
    def gain(self) -> float:
        """Mean points above the current prompts, for choosing; faults are worth nothing."""
        return mean_gain(self.gains)

    @property
    def usage(self) -> Usage:
        """What its trials took when they were run."""
        return used(self.rows)


def candidates_of(base: Prompts, files: Mapping[str, Prompt]) -> dict[str, Prompts]:
    """Each prompt of a file as a set: the current one with that prompt in its place."""
    return {name: in_set(base, prompt) for name, prompt in files.items()}


def changed_steps(base: Prompts, other: Prompts) -> tuple[str, ...]:
    """The steps whose prompts say something else."""
    return tuple(s for s, p in base.by_step.items() if says(p) != says(other[s]))


def modes_of(steps: Sequence[str]) -> tuple[str, ...]:
    """The modes that ask these steps, each once."""
    return tuple(dict.fromkeys(step.partition("/")[0] for step in steps))


def try_all(
    trials: Trials,
    base: Prompts,
    candidates: Mapping[str, Prompts],
    cases: Sequence[ReadyCase],
    *,
    metric: str,
    known: Known,
    seed: int = 0,
) -> tuple[tuple[Row, ...], tuple[Tried, ...]]:
    """The current prompts' rows, and every candidate beside them, paired by case.

    A candidate with a fault is not run; where all have one, nothing is.
    """
    wrong = {name: set_faults(base, prompts) for name, prompts in candidates.items()}
    current = () if all(wrong.values()) else trials.run(base, cases)
    rows = {n: trials.run(p, cases) for n, p in candidates.items() if not wrong[n]}
    found = gains(current, rows, metric, seed=seed)
    tried = []
    for name, prompts in candidates.items():
        ours = rows.get(name, ())
        tried.append(
            Tried(
                name=name,
                prompts=prompts,
                rows=ours,
                gains=found.get(name, ()),
                comparisons=compare(current, ours, seed=seed) if ours else (),
                unread=newly_unread(current, ours, changed_steps(base, prompts)),
                leaks=_leaks(known, base, prompts),
                faults=wrong[name],
            )
        )
    return current, tuple(tried)


def newly_unread(
    current: Sequence[Row], candidate: Sequence[Row], steps: Sequence[str]
) -> tuple[str, ...]:
    """Cases in which a step's reply could be read under the current prompts and no longer can."""
    before = {row.case_id: row for row in current}
    return tuple(
        row.case_id
        for row in candidate
        if any(unread(row, s) and not unread(before[row.case_id], s) for s in steps)
    )


def prompt_size(prompts: Prompts, mode: str) -> int:
    """Tokens of the mode's prompts, estimated, before anything is filled in."""
    return sum(size(prompt) for prompt in of_mode(prompts, mode).values())


def default_metric(cases: Sequence[ReadyCase]) -> str:
    """What cases of this kind are scored by unless another metric is named."""
    return FLIPS_BY[kind_of(cases[0].case)]


def set_faults(base: Prompts, prompts: Prompts) -> tuple[str, ...]:
    """What keeps a set from being tried at all, in words; empty where nothing does."""
    return tuple(
        f"{step}: {fault}"
        for step in changed_steps(base, prompts)
        if prompts[step].model and base[step].model
        for fault in faults(prompts[step], base[step])
    )


def _leaks(known: Known, base: Prompts, prompts: Prompts) -> tuple[Leak, ...]:
    found: dict[tuple[str, str], Leak] = {}
    for step in changed_steps(base, prompts):
        ours, theirs = prompts[step], base[step]
        for leak in known.leaks(f"{ours.system}\n{ours.user}", f"{theirs.system}\n{theirs.user}"):
            found[leak.kind, leak.words.casefold()] = leak
    return tuple(found.values())
