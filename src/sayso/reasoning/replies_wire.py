"""What a model is asked to reply: small schemas, forgiving where nothing is lost by it.

A model names messages by the numbers it was shown and may quote them; it never writes offsets.
"""

import json
import re
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

_WHOLE = re.compile(r"-?\d{1,9}")
_BETWEEN = r"[\s,;&\[\]()#]"
_ONLY_NUMBERS = re.compile(
    rf"{_BETWEEN}*\d{{1,9}}(?:(?:{_BETWEEN}|and)+\d{{1,9}})*{_BETWEEN}*", re.IGNORECASE
)
_NUMBER = re.compile(r"\d{1,9}(?:\.\d+)?|\.\d+")
_NOTHING = frozenset({"", "null", "none", "n/a", "nothing", "unknown"})


def _text(given: Any) -> Any:  # pydantic hands over whatever the reply held, here and below
    return " ".join(map(str, given)) if isinstance(given, list) else given


def _or_none(given: Any) -> Any:
    return None if isinstance(given, str) and given.strip().casefold() in _NOTHING else given


def _whole(given: Any) -> Any:
    """The first number in the words: [12], "12" and "#12" are 12."""
    found = _WHOLE.search(given) if isinstance(given, str) else None
    return int(found.group()) if found else given[0] if _is_single(given) else given


def _number(given: Any) -> Any:
    found = _NUMBER.search(given) if isinstance(given, str) else None
    return float(found.group()) if found else given


def _is_single(given: Any) -> bool:
    return isinstance(given, list) and len(given) == 1


def _list(given: Any) -> Any:
    if given is None or _or_none(given) is None:
        return []
    return given if isinstance(given, list) else [given]


def _cites(given: Any) -> Any:
    """A list; "12, 13" and "[12] and [13]" are two of it."""
    found: list[Any] = []
    for one in _list(given):
        several = isinstance(one, str) and _ONLY_NUMBERS.fullmatch(one)
        found += _WHOLE.findall(one) if several else [one]
    return found


Text = Annotated[str, BeforeValidator(_text)]
Words = Annotated[str | None, BeforeValidator(_or_none)]
Names = Annotated[list[str], BeforeValidator(_list)]
Day = Annotated[
    str | None,
    BeforeValidator(_or_none),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "YYYY-MM-DD"}),
]


def _one_of(*words: str) -> WithJsonSchema:
    """Fixed words in the schema; another word is read, and then means nothing in particular."""
    return WithJsonSchema({"type": "string", "enum": list(words)})


class Wire(BaseModel):
    """Base of every reply: unknown keys are let be, numbers may stand where words should."""

    model_config = ConfigDict(
        extra="ignore",
        coerce_numbers_to_str=True,
        # What a docstring says is for who reads this; the prompt tells the model.
        json_schema_extra=lambda schema: schema.pop("description", None),
    )


class SubQuery(Wire):
    """One search that the model asks for; a bare string is its text."""

    kind: Annotated[str, _one_of("aspect", "person", "time", "message")] = "aspect"
    text: Text
    people: Names = Field(default_factory=list)
    since: Day = None
    until: Day = None

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, given: Any) -> Any:
        return {"text": given} if isinstance(given, str) else given


SubQueries = Annotated[list[SubQuery], BeforeValidator(_list)]


class PlanReply(Wire):
    """The planner's: what kind of answer, and 3 to 6 searches."""

    intent: Annotated[str, _one_of("fact", "when", "list", "count", "first", "last", "arc")] = ""
    queries: SubQueries = Field(min_length=1)
    people: Names = Field(default_factory=list)
    since: Day = None
    until: Day = None


class Grade(Wire):
    """How much message ``n`` helps, from 0 to 3."""

    n: Annotated[int, BeforeValidator(_whole)]
    relevance: Annotated[
        float,
        BeforeValidator(_number),
        Field(ge=0),
        WithJsonSchema({"type": "integer", "enum": [0, 1, 2, 3]}),
    ]


class GradesReply(Wire):
    """The grader's: grades (what is left out has 0), what is still missing, what to search next."""

    grades: list[Grade]
    missing: Words = None
    queries: SubQueries = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _as_mapping(cls, given: Any) -> Any:
        """Some models write the grades as {"12": 3}."""
        if isinstance(given, dict) and isinstance(given.get("grades"), dict):
            grades = [{"n": n, "relevance": r} for n, r in given["grades"].items()]
            return {**given, "grades": grades}
        return given


class Cite(Wire):
    """Message ``n``, and the words of it that matter; a bare number cites all of it."""

    n: Annotated[int, BeforeValidator(_whole)]
    quote: Words = None

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, given: Any) -> Any:
        return given if isinstance(given, dict) else {"n": given}


Cites = Annotated[list[Cite], BeforeValidator(_cites)]


class ClaimReply(Wire):
    """One statement with the messages that say so."""

    text: Text = ""
    cite: Cites = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, given: Any) -> Any:
        return {"text": given} if isinstance(given, str) else given


class PhaseReply(Wire):
    """One stage of a development."""

    title: Text
    summary: Text = ""
    cite: Cites = Field(default_factory=list)


class AnswerReply(Wire):
    """The generator's; the evidence comes before the answer that is made of it."""

    claims: Annotated[list[ClaimReply], BeforeValidator(_list)] = Field(default_factory=list)
    phases: Annotated[list[PhaseReply], BeforeValidator(_list)] = Field(default_factory=list)
    nothing_found: bool = False
    answer: Text

    @property
    def cites(self) -> list[Cite]:
        """All citations, claims' first."""
        parts: list[ClaimReply | PhaseReply] = [*self.claims, *self.phases]
        return [cite for part in parts for cite in part.cite]

    @model_validator(mode="after")
    def _says_something(self) -> "AnswerReply":
        if not self.nothing_found and not self.cites:
            raise ValueError(
                "no message is cited: name the numbers of the messages that say so in claims (or "
                "phases), or set nothing_found to true"
            )
        if not self.nothing_found and not self.answer.strip():
            raise ValueError("answer is empty: write the answer")
        return self


def schema_line(schema: type[BaseModel]) -> str:
    """The schema on one line, without titles and defaults, each definition where it is used."""
    whole = schema.model_json_schema()
    bare = _bare(whole, whole.get("$defs", {}))
    return json.dumps(bare, ensure_ascii=False, separators=(",", ":"))


def _bare(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_bare(part, definitions) for part in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _bare(definitions[node["$ref"].rsplit("/", 1)[-1]], definitions)
    made = {
        key: _bare(part, definitions)
        for key, part in node.items()
        if key not in ("title", "default", "$defs", "required", "minItems", "properties")
    }
    if "properties" in node:
        made["properties"] = {
            name: _bare(part, definitions) for name, part in node["properties"].items()
        }
    return made
