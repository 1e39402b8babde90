"""Trials, searches and outcomes as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from eval.compare_view import comparison_record
from eval.scoring import Row
from eval.tune.choosing import Outcome
from eval.tune.evolved import Evolved
from eval.tune.points import Gain
from eval.tune.spending import calls, cost, tokens, used
from eval.tune.tries import Tried, prompt_size
from sayso.reasoning.prompts import Prompts

Record = dict[str, Any]  # a JSON object


def tried_record(
    current: Sequence[Row], tried: Sequence[Tried], base: Prompts, mode: str, metric: str
) -> Record:
    """A trial as JSON; flips carry both answers."""
    return {
        "metric": metric,
        "mode": mode,
        "current": {"cases": len(current), "prompt_tokens": prompt_size(base, mode),
                    "usage": used(current).model_dump()},
        "candidates": [
            {
                "name": one.name,
                "verdict": one.verdict,
                "prompt_tokens": prompt_size(one.prompts, mode),
                "usage": one.usage.model_dump(),
                "gains": [gain_record(gain) for gain in one.gains],
                "unread": list(one.unread),
                "leaks": [asdict(leak) for leak in one.leaks],
                "faults": list(one.faults),
                "comparisons": [comparison_record(c) for c in one.comparisons],
            }
            for one in tried
        ],
    }  # fmt: skip


def gain_record(gain: Gain) -> Record:
    """One gain as JSON."""
    return {
        "dataset": gain.dataset,
        "n": gain.difference.n,
        "before": gain.before,
        "after": gain.after,
        "low": gain.low,
        "high": gain.high,
        "gained": gain.difference.gained,
        "lost": gain.difference.lost,
        "p": gain.p,
        "verdict": gain.verdict,
    }


def outcome_record(outcome: Outcome) -> Record:
    """An outcome as JSON."""
    return {
        "name": outcome.name,
        "accepted": outcome.accepted,
        "why": outcome.why,
        "valid": [gain_record(gain) for gain in outcome.valid],
        "test": [gain_record(gain) for gain in outcome.test],
        "test_uses": outcome.uses,
        "notes": list(outcome.notes),
        "written": str(outcome.written) if outcome.written else None,
    }


def evolved_record(evolved: Evolved) -> Record:
    """A search as JSON, without what only this process knows of it."""
    best = evolved.candidates.index(evolved.best) if evolved.candidates else None
    return {
        "candidates": [
            {"mean": c.mean, "parents": list(c.parents), "system": c.prompt.system}
            for c in evolved.candidates
        ],
        "best": best,
        "runs": evolved.runs,
        "iterations": evolved.iterations,
        "reflections": evolved.reflections,
        "refused": evolved.refused,
        "reflection": {
            "calls": calls(evolved.reflection),
            "tokens": tokens(evolved.reflection),
            "cost": cost(evolved.reflection),
        },
        "why": evolved.why,
        "complete": evolved.complete,
    }
