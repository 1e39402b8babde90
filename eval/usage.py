"""What a mode's answers cost a model: per case and in all, and how often it was stood in for."""

from collections.abc import Sequence
from typing import Any

from eval.scoring import Row
from sayso.core.trail import Usage

COUNTS = (
    "model_calls", "cache_hits", "retries", "prompt_tokens", "cached_tokens", "completion_tokens",
    "seconds",
)  # fmt: skip

Record = dict[str, Any]  # a JSON object, written and never read here


def usage_of(row: Row) -> Usage | None:
    """What the row's case took; None where it failed before a model was asked."""
    return row.trail.usage if row.trail is not None else row.spent


def usage_record(rows: Sequence[Row]) -> Record | None:
    """``total`` and ``mean`` (a case and repeat) of each count, and the steps that fell back.

    Of the ``n`` rows with a trail, or that failed after a model was asked; None where none was.
    ``cost`` is None without prices, and ``fell_back`` counts steps a model was stood in for, and the
    rows with such a step.
    """
    trails = [row.trail for row in rows if row.trail is not None]
    used = [usage for row in rows if (usage := usage_of(row)) is not None]
    if not any(trail.model for trail in trails) and len(used) == len(trails):
        return None
    whole = sum(used, Usage())
    total: Record = {name: getattr(whole, name) for name in COUNTS} | {"cost": whole.cost}
    fell = [sum(step.fell_back for step in trail.steps) for trail in trails]
    return {
        "n": len(used),
        "total": total,
        "mean": {k: None if v is None else v / len(used) for k, v in total.items()},
        "fell_back": {"steps": sum(fell), "cases": sum(n > 0 for n in fell)},
    }


def usage_line(of: Record) -> str:
    """The record on one line, for people; means are of a case."""
    total, mean, fell = of["total"], of["mean"], of["fell_back"]
    cached = f", {total['cached_tokens']:,} of them cached" if total["cached_tokens"] else ""
    parts = [
        f"{total['model_calls']:,} calls ({mean['model_calls']:.1f} a case)",
        f"{total['cache_hits']:,} from the cache",
        f"{total['prompt_tokens']:,} prompt tokens{cached}",
        f"{total['completion_tokens']:,} completion tokens",
        f"{total['seconds']:,.0f} s of waiting ({mean['seconds']:.1f} a case)",
    ]
    if total["retries"]:
        parts.insert(2, f"{total['retries']:,} calls made again")
    if total["cost"] is not None:
        parts.append(f"cost {total['cost']:.4g}")
    steps, cases = fell["steps"], fell["cases"]
    parts.append(
        f"{steps} step{'' if steps == 1 else 's'} without the model, in {cases} case"
        f"{'' if cases == 1 else 's'}" if steps else "no step without the model"
    )  # fmt: skip
    return "; ".join(parts)
