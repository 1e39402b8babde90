"""The numbers of the extractive engine, from one versioned file that says what they were fitted on."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from sayso.core.value import Value
from sayso.errors import ConfigurationError

SHIPPED = Path(__file__).parent / "weights.json"


class Fitted(Value):
    """Which cases the numbers come from and on what terms those are published.

    ``groups`` are the groups of weights that were fitted on them, by the word they begin with.
    """

    data: str
    licence: str
    cases: int
    groups: tuple[str, ...] = ()


class Weights(Value):
    """The fitted numbers by group and name.

    ``screening`` and ``ranking`` weigh a message's features, cheap ones and all (``ranking_arc``
    where a development is asked for); ``relevance`` (with its ``bias``) turns a candidate's features
    into the log-odds that it is evidence, ``relevance_read`` after a close reading; ``cuts`` are
    thresholds. Groups whose name has ``_lexical`` stand in where the embedder cannot read the chat's
    language, those with ``_vectors`` where it gives words no vectors of their own.
    """

    version: int
    fitted_on: tuple[Fitted, ...]
    groups: dict[str, dict[str, float]]
    cuts: dict[str, float]

    def of(self, group: str, names: Sequence[str]) -> tuple[float, ...]:
        """The weights of a group in the order of ``names``; ConfigurationError where one lacks."""
        held = self.groups.get(group, {})
        missing = [name for name in names if name not in held]
        if missing:
            raise ConfigurationError(
                f"the weights (version {self.version}) have no {group} weight for "
                f"{', '.join(missing)}; refit them with python -m eval.fit"
            )
        return tuple(held[name] for name in names)


_H = TypeVar("_H")
_VECTORS = "_vectors"
_OF_VECTORS = ("screening", "ranking", "ranking_arc", "relevance", "answerable")
_CUT_BY_VECTORS = ("abstain", "recall_relevance")


@contextmanager
def naming(path: Path | None) -> Iterator[None]:
    """Adds the file, where weights were read from one, to what the weights within are refused for."""
    try:
        yield
    except ConfigurationError as error:
        if path is None:
            raise
        raise ConfigurationError(f"{path}: {error}") from error


@cache
def shipped_weights() -> Weights:
    """The weights that come with this version."""
    return read_weights(SHIPPED)


def weights_of(path: Path | None) -> Weights:
    """The weights of a file, or those that come with this version; see :func:`read_weights`."""
    return shipped_weights() if path is None else read_weights(path)


def read_weights(path: Path) -> Weights:
    """The weights of a file; ConfigurationError says what of it does not fit.

    In a file from before embedders without vectors of words had weights of their own, the others
    stand in for these.
    """
    try:
        held = Weights.model_validate(json.loads(path.read_text(encoding="utf-8")))
        return held if any(_VECTORS in name for name in held.groups) else _stood_in(held)
    except (OSError, ValueError) as error:
        reason = error.errors()[0] if isinstance(error, ValidationError) else error
        raise ConfigurationError(
            f"{path}: not a weights file of this version ({reason}); "
            f"compare it with the shipped one, {SHIPPED.name}"
        ) from error


def _stood_in(weights: Weights) -> Weights:
    groups = {**_as_vectors(weights.groups, _OF_VECTORS), **weights.groups}
    cuts = {**_as_vectors(weights.cuts, _CUT_BY_VECTORS), **weights.cuts}
    return weights.model_copy(update={"groups": groups, "cuts": cuts})


def _as_vectors(held: Mapping[str, _H], names: Sequence[str]) -> dict[str, _H]:
    found = {}
    for name in names:
        for read in ("", "_read"):
            if f"{name}{read}" in held:
                found[f"{name}{_VECTORS}{read}"] = held[f"{name}{read}"]
    return found
