"""What model calls take in all, whoever paid: a kept reply counts with what it had cost when it was made.

Only so can prompts be compared: what one of them left in the cache makes the other cheaper by luck.
And only so does a run that is resumed reach its limits where an unbroken one does.
"""

from collections.abc import Sequence

from eval.scoring import Row
from sayso.core.trail import Usage


def used(rows: Sequence[Row]) -> Usage:
    """What the rows took, added up."""
    return sum((row.trail.usage for row in rows if row.trail), Usage())


def calls(usage: Usage) -> int:
    """Calls that a model answered, now or when the reply was kept."""
    return usage.model_calls + usage.cache_hits


def tokens(usage: Usage) -> int:
    """Prompt and completion tokens of these calls."""
    return usage.prompt_tokens + usage.completion_tokens + usage.saved_tokens


def cost(usage: Usage) -> float | None:
    """Of these calls, in the currency of the configured prices; None without prices."""
    known = [c for c in (usage.cost, usage.saved_cost) if c is not None]
    return sum(known) if known else None


def usage_line(usage: Usage) -> str:
    """What was used now, in words, and apart from it what replies of the cache had taken."""
    paid = "" if usage.cost is None else f", cost {usage.cost:.4f}"
    line = (
        f"{usage.model_calls} calls, {usage.prompt_tokens + usage.completion_tokens} tokens{paid}"
    )
    if not usage.cache_hits:
        return line
    saved = "" if usage.saved_cost is None else f", cost {usage.saved_cost:.4f}"
    return (
        f"{line}; {usage.cache_hits} more calls from the cache, which had taken "
        f"{usage.saved_tokens} tokens{saved}"
    )
