"""A hand trial from end to end: the train cases, and with ``accept`` what valid and test say."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from eval.scoring import Row
from eval.tune.choosing import Outcome, confirm
from eval.tune.leak import Leak
from eval.tune.leakage import Known
from eval.tune.ledger import Ledger
from eval.tune.points import fewest
from eval.tune.records import outcome_record, tried_record
from eval.tune.runs import finish, new_folder
from eval.tune.spending import usage_line
from eval.tune.splits import Splits
from eval.tune.trials import Trials
from eval.tune.tries import Tried, changed_steps, set_faults, try_all
from eval.tune.unseen import few, learn, told_before
from eval.tune.view import outcome_lines, tried_view
from sayso.errors import CaseError, PromptError
from sayso.reasoning.prompts import Prompts


@dataclass(frozen=True)
class Trial:
    """What a trial found; ``lines`` are for the person, in words, and ``lost`` says how many runs failed."""

    current: tuple[Row, ...]
    tried: tuple[Tried, ...]
    outcome: Outcome | None
    base: Prompts
    mode: str
    metric: str
    folder: Path
    record: Mapping[str, Any]
    lines: tuple[str, ...]
    lost: str | None = None


def run_trial(
    trials: Trials,
    base: Prompts,
    candidates: Mapping[str, Prompts],
    parts: Splits,
    *,
    metric: str,
    ledger: Ledger,
    out: Path,
    seed: int = 0,
    accept: bool = False,
    again: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> Trial:
    """Try every candidate on train; with ``accept`` let valid choose one and test confirm it.

    What should be known before anything is run is said first. The result is written to a new
    folder in ``out``. Raises CaseError where a part that is needed has no cases, and PromptError
    where no candidate may be tried, both before anything is run.
    """
    _check(base, candidates, parts, accept=accept)
    for line in _before(ledger, parts, len(candidates), accept=accept, again=again):
        say(line)
    known = Known(parts.all)
    options: dict[str, Any] = {"metric": metric, "known": known, "seed": seed}
    step = ", ".join(dict.fromkeys(s for c in candidates.values() for s in changed_steps(base, c)))
    with new_folder(out, datetime.now(UTC)) as folder:
        learn(ledger, parts.train, step, folder)
        current, tried = try_all(trials, base, candidates, parts.train, **options)
        record = tried_record(current, tried, base, trials.mode, metric)
        lines = [f"what the trials took now: {usage_line(trials.fresh)}"]
        lines += _said_already(known, base, candidates)
        sound = {one.name: one.prompts for one in tried if one.sound}
        outcome = None
        if accept and not sound:
            lines.append("nothing to accept: every candidate has a fault")
        elif accept:
            learn(ledger, parts.valid, step, folder)
            best = _best(trials, base, sound, parts, options)
            outcome = confirm(
                best, sound[best], base, trials, parts, ledger=ledger, folder=folder,
                among=len(sound), again=again, **options,
            )  # fmt: skip
            record["outcome"] = outcome_record(outcome)
            lines += outcome_lines(outcome)
        finish(folder, record)
    lines.append(f"written to {folder}")
    return Trial(
        current,
        tried,
        outcome,
        base,
        trials.mode,
        metric,
        folder,
        record,
        tuple(lines),
        trials.lost_line(),
    )


def _best(
    trials: Trials,
    base: Prompts,
    candidates: Mapping[str, Prompts],
    parts: Splits,
    options: Mapping[str, Any],
) -> str:
    """The name of the candidate that valid chooses: replies that fit go before points."""
    _, found = try_all(trials, base, candidates, parts.valid, **options)
    return max(found, key=lambda one: (not one.unread, one.gain)).name


def _check(
    base: Prompts, candidates: Mapping[str, Prompts], parts: Splits, *, accept: bool
) -> None:
    if not parts.train:
        raise CaseError("there are no train cases to try on; the splits leave none")
    if accept and not parts.valid:
        raise CaseError("there are no valid cases to choose on; add chats between other people")
    wrong = {name: set_faults(base, prompts) for name, prompts in candidates.items()}
    if all(wrong.values()):
        told = "; ".join(f"{name}: {fault}" for name, found in wrong.items() for fault in found)
        raise PromptError(f"no candidate may be tried: {told}")


def _before(
    ledger: Ledger, parts: Splits, candidates: int, *, accept: bool, again: bool
) -> list[str]:
    lines = few("train", parts.train, fewest(candidates), "tell a gain from chance")
    if accept:
        lines += told_before(ledger, parts, candidates=candidates, again=again)
    return lines


def table(trial: Trial) -> RenderableType:
    """The trial as a person reads it."""
    return tried_view(trial.current, trial.tried, trial.base, trial.mode, trial.metric)


def _said_already(known: Known, base: Prompts, candidates: Mapping[str, Prompts]) -> list[str]:
    """What the current prompts themselves say of the cases, which helps both sides alike."""
    steps = dict.fromkeys(s for other in candidates.values() for s in changed_steps(base, other))
    found: dict[str, Leak] = {}
    for step in steps:
        for leak in known.leaks(f"{base[step].system}\n{base[step].user}"):
            found.setdefault(leak.words, leak)
    return [inherited(tuple(found.values()))] if found else []


def inherited(leaks: tuple[Leak, ...]) -> str:
    """In words, of leaks that the current prompt has."""
    told = ", ".join(f"{leak.words!r}" for leak in leaks[:4])
    more = f" and {len(leaks) - 4} more" if len(leaks) > 4 else ""
    chats = ", ".join(sorted({leak.of for leak in leaks})[:3])
    return (
        f"the current prompt itself says {told}{more} of the cases ({chats}); it helps both sides "
        "alike and is not held against a candidate"
    )
