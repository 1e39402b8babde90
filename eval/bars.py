"""Bars that a run must reach: ``--fail-under METRIC=VALUE``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval.cases import CaseKind
from eval.scoring import METRICS
from sayso.errors import ConfigurationError


@dataclass(frozen=True)
class Bar:
    """The least mean, a fraction, that every mode must reach in the metric."""

    metric: str
    value: float


def parse_bar(text: str, kind: CaseKind) -> Bar:
    """``METRIC=VALUE`` as a bar; ConfigurationError for an unknown metric or no fraction."""
    metric, _, value = text.partition("=")
    if metric not in METRICS[kind]:
        known = ", ".join(METRICS[kind])
        raise ConfigurationError(
            f"--fail-under {text}: no {kind.upper()} metric {metric!r}; known metrics: {known}"
        )
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ConfigurationError(
            f"--fail-under {text}: expected METRIC=VALUE with a fraction from 0 to 1, as in "
            f"{metric}=0.5; found {value!r}"
        )
    return Bar(metric, number)


def missed(bars: Sequence[Bar], results: Mapping[str, Any]) -> tuple[str, ...]:
    """A line for each bar that a mode does not reach; a mean without a value reaches none.

    ``results`` is what ``results.json`` holds; each data set is held against the bar by itself.
    """
    sets = results.get("datasets") or {"": {"modes": results["modes"]}}
    lines = []
    for bar in bars:
        for name, of in sets.items():
            for mode, record in of["modes"].items():
                where = f"{bar.metric} of {mode}{f' on {name}' if name else ''}"
                mean = record["metrics"][bar.metric]["mean"]
                if mean is None:
                    lines.append(f"{where} has no value, which is below {bar.value:g}")
                elif mean < bar.value:
                    lines.append(f"{where} is {mean:.4f}, below {bar.value:g}")
    return tuple(lines)
