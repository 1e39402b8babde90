"""Valid has chosen a winner; test is scored once, for it and the current prompts, and that is noted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eval.tune.keeping import code_digest, data_digest
from eval.tune.leakage import Known
from eval.tune.ledger import Ledger
from eval.tune.points import Gain, chosen_among, mean_gain, overall
from eval.tune.splits import Splits
from eval.tune.trials import Trials
from eval.tune.tries import Tried, changed_steps, try_all
from eval.tune.unseen import open_test
from eval.tune.versions import write_set
from sayso.reasoning.prompts import Prompts

PROMPTS = "prompts"


@dataclass(frozen=True)
class Outcome:
    """What was decided of a winner, and on what grounds.

    ``uses`` counts how often the test cases have been scored for a winner, this time included; 0
    where they were left alone. ``written`` is the accepted prompt's file in a set of its own.
    """

    name: str
    accepted: bool
    why: str
    valid: tuple[Gain, ...]
    test: tuple[Gain, ...] = ()
    uses: int = 0
    notes: tuple[str, ...] = field(default=())
    written: Path | None = None


def confirm(
    name: str,
    winner: Prompts,
    base: Prompts,
    trials: Trials,
    parts: Splits,
    *,
    metric: str,
    known: Known,
    ledger: Ledger,
    folder: Path,
    among: int = 1,
    again: bool = False,
    seed: int = 0,
) -> Outcome:
    """Hold a winner against the current prompts: on valid, and where that speaks for it on test.

    ``among`` how many candidates valid has chosen it, so many chances it had to be best by luck.
    Test cases that were scored for other prompts or learned from before are left alone unless
    ``again``, and the outcome says so. An accepted winner is written below ``folder``; else nothing
    is.
    """
    options: dict[str, Any] = {"metric": metric, "known": known, "seed": seed}
    _, (alone,) = try_all(trials, base, {name: winner}, parts.valid, **options)
    on_valid = replace(alone, gains=chosen_among(alone.gains, among))
    if not changed_steps(base, winner) or on_valid.gain <= 0:
        return Outcome(
            name, False, "no candidate is better than the current prompt on valid; test was left alone",
            on_valid.gains,
        )  # fmt: skip
    if on_valid.faults or on_valid.unread or on_valid.leaks:
        return Outcome(name, False, _wrong(on_valid, "valid"), on_valid.gains)
    if not parts.test:
        held = overall(on_valid.gains) == "higher"
        why = "higher" if held else "no difference"
        outcome = Outcome(
            name, held, f"{why} on valid, which also chose it; there are no test cases to confirm it",
            on_valid.gains,
        )  # fmt: skip
        return _written(outcome, winner, base, parts, folder, metric)
    test = open_test(ledger, parts, base, winner, folder, again=again)
    if test.refused is not None:
        return Outcome(name, False, test.refused, on_valid.gains)
    _, (on_test,) = try_all(trials, base, {name: winner}, parts.test, **options)
    held = overall(on_test.gains) == "higher" and not on_test.unread
    why = _wrong(on_test, "test") if on_test.unread else f"{overall(on_test.gains)} on test"
    outcome = Outcome(name, held, why, on_valid.gains, on_test.gains, test.uses, test.notes)
    return _written(outcome, winner, base, parts, folder, metric)


def origin(
    outcome: Outcome, step: str, base: Prompts, parts: Splits, metric: str
) -> dict[str, Any]:
    """The front matter of an accepted version: its parent, scores, data and code."""
    scores: dict[str, Any] = {"metric": metric, "valid": _scores(outcome.valid)}
    if outcome.test:
        scores["test"] = {**_scores(outcome.test), "uses": outcome.uses}
    return {
        "parent": base[step].digest,
        "scores": scores,
        "data": data_digest(parts.all),
        "code": code_digest(),
    }


def _written(
    outcome: Outcome, winner: Prompts, base: Prompts, parts: Splits, folder: Path, metric: str
) -> Outcome:
    if not outcome.accepted:
        return outcome
    steps = changed_steps(base, winner)
    versions = {step: max(winner[step].version, base[step].version + 1) for step in steps}
    accepted = {step: replace(winner[step], version=versions[step]) for step in steps}
    origins = {step: origin(outcome, step, base, parts, metric) for step in steps}
    files = write_set(folder / PROMPTS, winner, accepted, origins)
    return Outcome(**{**vars(outcome), "written": files[0]})


def _scores(gains: Sequence[Gain]) -> Mapping[str, Any]:
    told = {
        gain.dataset or "cases": {
            "before": round(gain.before, 4),
            "after": round(gain.after, 4),
            "interval": [round(gain.low, 4), round(gain.high, 4)],
            "n": gain.difference.n,
            "verdict": gain.verdict,
        }
        for gain in gains
    }
    return {"gain": round(mean_gain(gains), 4), "sets": told}


def _wrong(tried: Tried, part: str) -> str:
    if tried.faults:
        return "; ".join(tried.faults)
    if tried.unread:
        return f"its replies no longer fit the schema in {len(tried.unread)} cases of {part}"
    told = ", ".join(f"{leak.words!r} ({leak.kind} of {leak.of})" for leak in tried.leaks[:5])
    return f"it says what only the cases say: {told}"
