"""What a fit of the engine's numbers came to, as a person reads it and as JSON."""

from typing import Any

from eval.table import plain
from eval.tune.fitting import Fitted
from eval.tune.points import Gain
from eval.tune.records import gain_record

KEPT = "kept: no gain of fitted numbers is shown on people whom they have not seen"
IMPROVED = "improved: the fitted numbers are better on people whom they have not seen"


def fit_lines(done: Fitted) -> list[str]:
    """A line for each data set, and which numbers it comes to."""
    lines = [_line(gain, seen=gain.dataset in done.in_sample) for gain in done.gains]
    return [*lines, IMPROVED if done.improved else KEPT]


def fit_record(done: Fitted) -> dict[str, Any]:  # a JSON object
    """The same as JSON."""
    return {
        "result": "improved" if done.improved else "kept",
        "groups": done.groups,
        "in_sample": list(done.in_sample),
        "gains": [gain_record(gain) for gain in done.gains],
    }


def _line(gain: Gain, *, seen: bool) -> str:
    where = " (in-sample)" if seen else ""
    change, low, high = (100 * v for v in (gain.after - gain.before, gain.low, gain.high))
    return (
        f"{plain(gain.dataset)}: {100 * gain.before:.1f} points with the present numbers{where}, "
        f"{100 * gain.after:.1f} with fitted ones, cross-validated "
        f"({change:+.1f}, 95 % {low:+.1f} to {high:+.1f}, n {gain.difference.n}): {gain.verdict}"
    )
