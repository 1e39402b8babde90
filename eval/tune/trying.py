"""A hand trial from end to end: the train cases, and with ``accept`` what valid and test say."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from eval.scoring import Row
from eval.tune.choosing import Outcome, confirm
from eval.tune.leakage import Known, Leak
from eval.tune.ledger import FILE, Ledger
from eval.tune.runs import finish, new_run
from eval.tune.splits import Splits
from eval.tune.tries import Trials, Tried, changed_steps, try_all
from eval.tune.view import outcome_lines, outcome_record, tried_record, tried_view, usage_line
from sayso.errors import CaseError
from sayso.reasoning.prompts import Prompts


@dataclass(frozen=True)
class Trial:
    """What a trial found; ``lines`` are for the person, in words."""

    current: tuple[Row, ...]
    tried: tuple[Tried, ...]
    outcome: Outcome | None
    base: Prompts
    mode: str
    metric: str
    folder: Path
    record: Mapping[str, Any]
    lines: tuple[str, ...]


def run_trial(
    trials: Trials,
    base: Prompts,
    candidates: Mapping[str, Prompts],
    parts: Splits,
    *,
    metric: str,
    home: Path,
    out: Path,
    seed: int = 0,
    accept: bool = False,
    again: bool = False,
) -> Trial:
    """Try every candidate on train; with ``accept`` let valid choose one and test confirm it.

    The result is written to a new folder in ``out``.
    """
    if not parts.train:
        raise CaseError("there are no train cases to try on; the splits leave none")
    known, trial_mode = Known(parts.all), trials.mode
    options: dict[str, Any] = {"metric": metric, "known": known, "seed": seed}
    current, tried = try_all(trials, base, candidates, parts.train, **options)
    folder = new_run(out, datetime.now(UTC))
    record = tried_record(current, tried, base, trial_mode, metric)
    lines = [f"what the trials took now: {usage_line(trials.fresh)}"]
    lines += _said_already(known, base, candidates)
    outcome = None
    if accept:
        if not parts.valid:
            raise CaseError("there are no valid cases to choose on; add chats between other people")
        fit = {
            one.name: one.prompts for one in tried if not (one.faults or one.leaks or one.unread)
        }
        if not fit:
            lines.append("nothing to accept: every candidate has a fault")
        else:
            _, on_valid = try_all(trials, base, fit, parts.valid, **options)
            best = max(on_valid, key=lambda one: (not one.unread, one.gain))
            outcome = confirm(
                best.name, best.prompts, base, trials, parts, metric=metric, known=known,
                ledger=Ledger(home / "tune" / FILE), folder=folder, again=again, seed=seed,
            )  # fmt: skip
            record["outcome"] = outcome_record(outcome)
            lines += outcome_lines(outcome)
    finish(folder, record)
    lines.append(f"written to {folder}")
    return Trial(current, tried, outcome, base, trial_mode, metric, folder, record, tuple(lines))


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
