"""Valid has chosen a winner; test is scored once, for it and the current prompts, and that is noted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.tune.keeping import case_digest, code_digest, data_digest, digest_of
from eval.tune.leakage import Known
from eval.tune.ledger import Ledger, Use
from eval.tune.points import Gain, mean_gain, overall
from eval.tune.splits import Splits
from eval.tune.tries import Trials, Tried, changed_steps, try_all
from eval.tune.versions import said_digest, write_set
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
    again: bool = False,
    seed: int = 0,
) -> Outcome:
    """Hold a winner against the current prompts: on valid, and where that speaks for it on test.

    Test cases that were scored for other prompts before are left alone unless ``again``, and the
    outcome says so. An accepted winner is written below ``folder``; else nothing is.
    """
    options: dict[str, Any] = {"metric": metric, "known": known, "seed": seed}
    _, (on_valid,) = try_all(trials, base, {name: winner}, parts.valid, **options)
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
    ours, theirs = _digest(base), _digest(winner)
    others = ledger.others(parts.test, ours, theirs)
    if others and not again:
        return Outcome(name, False, _used(others), on_valid.gains, uses=0)
    ledger.note(_use(parts, base, winner, folder))
    _, (on_test,) = try_all(trials, base, {name: winner}, parts.test, **options)
    held = overall(on_test.gains) == "higher" and not on_test.unread
    why = _wrong(on_test, "test") if on_test.unread else f"{overall(on_test.gains)} on test"
    uses = len(others) + 1
    notes = (_said_used(uses, len(parts.test)),)
    outcome = Outcome(name, held, why, on_valid.gains, on_test.gains, uses, notes)
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


def _digest(prompts: Prompts) -> str:
    return digest_of({s: said_digest(p) for s, p in prompts.by_step.items() if p.model})


def _use(parts: Splits, base: Prompts, winner: Prompts, folder: Path) -> Use:
    return Use(
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        step=", ".join(changed_steps(base, winner)),
        cases=tuple(sorted(case_digest(ready) for ready in parts.test)),
        seed=_digest(base),
        winner=_digest(winner),
        where=str(folder.absolute()),
    )


def _used(others: Sequence[Use]) -> str:
    last = others[-1]
    return (
        f"not confirmed: the test cases were scored for another prompt on {last.at[:10]} "
        f"({last.step}, {last.where}), so they are no test any more; bring new ones, or say --again "
        "and the result will say so"
    )


def _said_used(uses: int, cases: int) -> str:
    if uses == 1:
        return (
            f"the {cases} test cases have now been used, for this winner and the current prompt; "
            "they can confirm no other"
        )
    return f"the {cases} test cases have been used {uses} times: their figure is no longer a test"


def _wrong(tried: Tried, part: str) -> str:
    if tried.faults:
        return "; ".join(tried.faults)
    if tried.unread:
        return f"its replies no longer fit the schema in {len(tried.unread)} cases of {part}"
    told = ", ".join(f"{leak.words!r} ({leak.kind} of {leak.of})" for leak in tried.leaks[:5])
    return f"it says what only the cases say: {told}"
