"""Bars that a run must reach: ``--fail-under METRIC=VALUE``."""

from collections.abc import Collection, Mapping, Sequence
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
    return Bar(*metric_and_fraction("--fail-under", text, METRICS[kind], f"{kind.upper()} metric"))


def metric_and_fraction(
    flag: str, text: str, known: Collection[str], what: str = "metric"
) -> tuple[str, float]:
    """``METRIC=VALUE`` in two; ConfigurationError, by the flag's name, for anything else."""
    metric, _, value = text.partition("=")
    if metric not in known:
        raise ConfigurationError(
            f"{flag} {text}: no {what} {metric!r}; known metrics: {', '.join(known)}"
        )
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ConfigurationError(
            f"{flag} {text}: expected METRIC=VALUE with a fraction from 0 to 1, as in "
            f"{metric}=0.5; found {value!r}"
        )
    return metric, number


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
