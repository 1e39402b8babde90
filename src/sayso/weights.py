"""The numbers of the extractive engine, from one versioned file that says what they were fitted on."""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PositiveInt, ValidationError, model_validator

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


class Form(Value):
    """A bilinear form: ``scale`` · query · left · rightᵀ · message, of the vectors of these two.

    ``left`` and ``right`` are matrices of (``dimensions``, ``rank``) whole numbers, a signed byte
    each, row by row in base64.
    """

    dimensions: PositiveInt
    rank: PositiveInt
    scale: float = Field(gt=0, allow_inf_nan=False)
    left: str
    right: str

    @model_validator(mode="after")
    def _as_large_as_told(self) -> Self:
        for name in ("left", "right"):
            try:
                size = len(base64.b64decode(getattr(self, name), validate=True))
            except binascii.Error as error:
                raise ValueError(f"{name} is no base64: {error}") from error
            if size != self.dimensions * self.rank:
                raise ValueError(
                    f"{name} holds {size} numbers, not {self.dimensions} times {self.rank}"
                )
        return self

    @classmethod
    def of(cls, left: NDArray[np.float64], right: NDArray[np.float64]) -> Self:
        """Of two matrices of (dimensions, rank), rounded."""
        most = [max(float(np.abs(m).max(initial=0.0)), 1e-12) / 127 for m in (left, right)]
        rounded = [
            np.rint(m / one).astype(np.int8) for m, one in zip((left, right), most, strict=True)
        ]
        told = [base64.b64encode(m.tobytes()).decode("ascii") for m in rounded]
        return cls(
            dimensions=left.shape[0],
            rank=left.shape[1],
            scale=most[0] * most[1],
            left=told[0],
            right=told[1],
        )

    def turned(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the form is the product of a message's vector with, for a query's, (dimensions,)."""
        left, right = self._matrices
        return np.asarray((query @ left) @ right.T, dtype=np.float32)

    @cached_property
    def _matrices(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        shape = (self.dimensions, self.rank)
        left, right = (
            np.frombuffer(base64.b64decode(told), dtype=np.int8).reshape(shape).astype(np.float32)
            for told in (self.left, self.right)
        )
        return left * np.float32(self.scale), right


class Weights(Value):
    """The fitted numbers by group and name.

    ``screening`` and ``ranking`` weigh a message's features, cheap ones and all (``ranking_arc``
    where a development is asked for); ``relevance`` (with its ``bias``) turns a candidate's features
    into the log-odds that it is evidence, ``relevance_read`` after a close reading; ``cuts`` are
    thresholds. Groups whose name has ``_lexical`` stand in where the embedder cannot read the chat's
    language, those with ``_vectors`` where it gives words no vectors of their own. ``forms`` tell
    how queries and messages go together, by the name of the embedder whose vectors they are fitted
    on.
    """

    version: int
    fitted_on: tuple[Fitted, ...]
    groups: dict[str, dict[str, float]]
    cuts: dict[str, float]
    forms: dict[str, Form] = Field(default_factory=dict)

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
_OF_FORM = "bilinear"


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
    stand in for these. A ranking without a weight for a form was fitted without one.
    """
    try:
        held = Weights.model_validate(json.loads(path.read_text(encoding="utf-8")))
        if not any(_VECTORS in name for name in held.groups):
            held = _stood_in(held)
        return _formless(held)
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


def _formless(weights: Weights) -> Weights:
    """The weights with none for a form where a ranking was fitted without one."""
    groups = {
        name: {_OF_FORM: 0.0, **group} if _ranks_questions(name) else group
        for name, group in weights.groups.items()
    }
    return weights.model_copy(update={"groups": groups})


def _ranks_questions(group: str) -> bool:
    return group.startswith("ranking") and not group.startswith("ranking_arc")


def _as_vectors(held: Mapping[str, _H], names: Sequence[str]) -> dict[str, _H]:
    found = {}
    for name in names:
        for read in ("", "_read"):
            if f"{name}{read}" in held:
                found[f"{name}{_VECTORS}{read}"] = held[f"{name}{read}"]
    return found
