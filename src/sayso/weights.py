"""The numbers of the extractive engine, from one versioned file that says what they were fitted on."""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError, model_validator

from sayso.core.value import Value
from sayso.errors import ConfigurationError

SHIPPED = Path(__file__).parent / "weights.json"
# Sums and products of features, vectors and numbers up to here stay finite in float32.
MOST = 1e6
_SHOWN = 40  # characters of what was found

Number = Annotated[float, Field(strict=True, ge=-MOST, le=MOST, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, gt=0, le=MOST)]


class Fitted(Value):
    """Which cases the numbers come from and on what terms those are published.

    ``groups`` are the groups of weights that were fitted on them, by the word they begin with.
    """

    data: str
    licence: str
    cases: Annotated[int, Field(strict=True, ge=0)]
    groups: tuple[str, ...] = ()


class Form(Value):
    """A bilinear form: ``scale`` · query · left · rightᵀ · message, of the vectors of these two.

    ``left`` and ``right`` are matrices of (``dimensions``, ``rank``) whole numbers, a signed byte
    each, row by row in base64.
    """

    dimensions: Count
    rank: Count
    scale: float = Field(strict=True, gt=0, le=MOST, allow_inf_nan=False)
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
    on. Each number is finite and at most :data:`MOST` from 0.
    """

    version: Annotated[int, Field(strict=True, ge=1)]
    fitted_on: tuple[Fitted, ...]
    groups: dict[str, dict[str, Number]]
    cuts: dict[str, Number]
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
_SHARE, _OF_PHRASE = "_share", "phrase"
# By what whatever tells an answer or evidence weighs once more: how much of the question is covered, how
# much is not, and whether other than two people write.
WHERE_COVERED, UNCOVERED, AMONG_MANY = "where_covered", "uncovered", "among_many"
# What is told of a candidate that was read together with the question, as one text.
TOGETHER = ("together", "together_behind", "together_share", "together_read")
_CONTEXT = "context_cosine"
_CROSSED = ("asked_long_", "asked_list_", f"{UNCOVERED}_", f"{AMONG_MANY}_")
# What tells where more than two people write who is spoken of.
OF_PEOPLE = (
    "says_name", "says_name_beside", "person_beside", "person_near", "person_in_session",
)  # fmt: skip
# What an answer goes by, whoever embeds; the names within the groups are held against the features
# where they are weighed.
_NEEDED = (
    "screening", "ranking", "ranking_arc",
    *(
        f"{name}{blind}"
        for name in ("relevance", "answerable")
        for blind in ("", "_vectors", "_lexical")
    ),
    "arc_relevance", "arc_relevance_lexical", "arc_absence", "arc_absence_lexical", "phrases",
)  # fmt: skip
_NEEDED_CUTS = (
    *(
        f"{name}{blind}"
        for name in ("abstain", "recall_relevance")
        for blind in ("", "_vectors", "_lexical")
    ),
    "arc_absent", "arc_least", "arc_most", "arc_relevance", "arc_unseen",
)  # fmt: skip
# Cuts that are a number of messages.
_AT_LEAST_ONE = ("arc_most",)
# What pydantic says is expected, in words; what is not here it says well enough itself.
_EXPECTED = {
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "dict_type": "an object",
    "model_type": "an object",
    "tuple_type": "a list",
}


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
    """The weights of a file; ConfigurationError says what of it does not fit, and where it stands.

    In a file from before embedders without vectors of words had weights of their own, the others
    stand in for these. A ranking without a weight for a form was fitted without one, and ranking,
    relevance and what tells an answer without weights for products, or for what is read together,
    without these; so with what speaks only where more than two people write. What is weighed no longer
    is passed over, as the pairs of words that follow each other are. A group or a cut that an answer
    cannot do without has to be there.
    """
    try:
        held = Weights.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError) as error:
        raise _refused(path, _fault(error)) from error
    if not any(f"{name}{_VECTORS}" in held.groups for name in _OF_VECTORS):
        held = _stood_in(held)
    if lack := _lacking(held):
        raise _refused(path, lack)
    return _without_later(_formless(held))


def _refused(path: Path, why: str) -> ConfigurationError:
    advice = f"compare it with the shipped one, {SHIPPED.name}"
    if path == SHIPPED:
        advice = "reinstall sayso"
    return ConfigurationError(f"{path}: not a weights file of this version: {why}; {advice}")


def _fault(error: Exception) -> str:
    """What is wrong, in a few words: the place, what is expected there and what was found."""
    match error:
        case ValidationError():
            return _first_of(error)
        case OSError():
            return error.strerror or str(error)
        case json.JSONDecodeError():
            return f"no JSON: {error}"
        case RecursionError():
            return "no JSON of a usable depth: expected an object"
    return str(error)


def _first_of(error: ValidationError) -> str:
    fault: Any = error.errors(include_url=False)[0]  # pydantic's own record
    place = ".".join(map(str, fault["loc"])) or "the file"
    match fault["type"]:
        case "missing":
            return f"{place} lacks"
        case "extra_forbidden":
            return f"{place} is unknown"
        case "value_error":
            return f"{place}: {fault['msg'].removeprefix('Value error, ')}"
    expected = fault["msg"].removeprefix("Input should be ")
    return (
        f"{place}: expected {_EXPECTED.get(fault['type'], expected)}, found {_told(fault['input'])}"
    )


def _told(found: Any) -> str:  # any JSON
    """A value as JSON has it, cut short."""
    if isinstance(found, dict | list):
        return "an object" if isinstance(found, dict) else "a list"
    told = json.dumps(found, ensure_ascii=False)
    return told if len(told) <= _SHOWN else f"{told[:_SHOWN]}…"


def _lacking(weights: Weights) -> str:
    """What an answer goes by and the weights do not have, in words; empty where all is there."""
    told = [
        *(f"groups.{name}" for name in _NEEDED if name not in weights.groups),
        *(f"cuts.{name}" for name in _NEEDED_CUTS if name not in weights.cuts),
    ]
    if told:
        return f"{', '.join(told)} {'lack' if len(told) > 1 else 'lacks'}"
    small = [name for name in _AT_LEAST_ONE if weights.cuts[name] < 1]
    return f"cuts.{small[0]}: expected 1 or more, found {weights.cuts[small[0]]:g}" if small else ""


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


def _without_later(weights: Weights) -> Weights:
    """The weights with none for what a group was fitted without."""
    groups = {
        name: {**_later(name, group), **_of_contexts(name), **group}
        for name, group in weights.groups.items()
    }
    return weights.model_copy(update={"groups": groups})


def _of_contexts(name: str) -> dict[str, float]:
    """What vectors of messages among those around them weigh for a group that was fitted before these."""
    if _ranks_questions(name):
        return {_CONTEXT: 0.0, f"{UNCOVERED}_{_CONTEXT}": 0.0}
    if name.startswith("relevance"):
        return {_CONTEXT: 0.0} | {f"{_CONTEXT}_{by}": 0.0 for by in (UNCOVERED, AMONG_MANY)}
    return {}


def _later(name: str, group: Mapping[str, float]) -> dict[str, float]:
    if _ranks_questions(name):
        plain = [of for of in group if not of.startswith(_CROSSED) and of != _OF_FORM]
        later: dict[str, float] = {}
        if not any(of.startswith(f"{UNCOVERED}_") for of in group):
            later |= {f"{UNCOVERED}_{of}": 0.0 for of in plain}
        if not any(of.startswith(f"{AMONG_MANY}_") for of in group):
            later |= {f"{AMONG_MANY}_{of}": 0.0 for of in (*plain, _CONTEXT)}
            later |= dict.fromkeys(OF_PEOPLE, 0.0)
        return later
    if name.startswith("answerable"):
        by, factors = (WHERE_COVERED, AMONG_MANY), list(group)
    elif name.startswith("relevance"):
        by, factors = (UNCOVERED, AMONG_MANY), [of for of in group if _of_a_candidate(of, group)]
    else:
        return {}
    together: dict[str, float] = {}
    if name.endswith("_read") and not any(of in group for of in TOGETHER):
        together = dict.fromkeys(TOGETHER, 0.0)
    if any(of.endswith(by) for of in group):
        return together
    return together | {f"{of}_{where}": 0.0 for where in by for of in factors if of != "bias"}


def _of_a_candidate(name: str, group: Mapping[str, float]) -> bool:
    """Whether a weight of relevance is for what a search tells of a candidate: not for the question,
    which weighs by the share, too, and not for a phrase.
    """
    shared = name.endswith(_SHARE) or f"{name}{_SHARE}" in group
    return not shared and not name.startswith((_OF_PHRASE, *TOGETHER))


def _ranks_questions(group: str) -> bool:
    return group.startswith("ranking") and not group.startswith("ranking_arc")


def _as_vectors(held: Mapping[str, _H], names: Sequence[str]) -> dict[str, _H]:
    found = {}
    for name in names:
        for read in ("", "_read"):
            if f"{name}{read}" in held:
                found[f"{name}{_VECTORS}{read}"] = held[f"{name}{read}"]
    return found
