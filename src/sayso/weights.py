"""The numbers of the extractive engine, from one versioned file that says what they were fitted on."""

import json
from functools import cache
from pathlib import Path

from pydantic import ValidationError

from sayso.core.models import Value
from sayso.errors import ConfigurationError

SHIPPED = Path(__file__).parent / "weights.json"


class Fitted(Value):
    """Which cases the numbers come from and on what terms those are published."""

    data: str
    licence: str
    cases: int


class Weights(Value):
    """Weights by feature name, and the cuts.

    ``ranking`` gives a message's score; ``relevance`` (with its ``bias``) turns a candidate's
    features into the log-odds that it is evidence; ``cuts`` are thresholds in [0, 1] by name.
    """

    version: int
    fitted_on: tuple[Fitted, ...]
    ranking: dict[str, float]
    relevance: dict[str, float]
    cuts: dict[str, float]

    @property
    def bias(self) -> float:
        """The constant of the relevance model."""
        return self.relevance["bias"]


@cache
def shipped_weights() -> Weights:
    """The weights that come with this version."""
    return read_weights(SHIPPED)


def read_weights(path: Path) -> Weights:
    """The weights of a file; ConfigurationError says what of it does not fit."""
    try:
        return Weights.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        reason = error.errors()[0] if isinstance(error, ValidationError) else error
        raise ConfigurationError(
            f"{path}: not a weights file of this version ({reason}); "
            f"compare it with the shipped one, {SHIPPED.name}"
        ) from error
