from typing import Literal

from pydantic import BaseModel, Field

from sayso.reasoning.reply_schemas import strict_schema, without_forced_nulls


class Inner(BaseModel):
    """An inner thing."""

    name: str = Field(min_length=1)
    title: str = "none"


class Outer(BaseModel):
    kind: Literal["a", "b"]
    inner: Inner | None = None
    other: Inner = Inner(name="x")
    many: list[Inner] = []
    count: int = Field(3, description="How many.")


def test_every_object_is_closed_and_every_field_required():
    made, strict = strict_schema(Outer)

    assert strict
    assert made["required"] == ["kind", "inner", "other", "many", "count"]
    assert made["additionalProperties"] is False
    assert made["$defs"]["Inner"]["required"] == ["name", "title"]
    assert made["$defs"]["Inner"]["additionalProperties"] is False


def test_a_field_that_may_be_left_out_may_be_null_instead():
    properties = strict_schema(Outer)[0]["properties"]

    assert properties["kind"] == {"enum": ["a", "b"], "type": "string"}
    assert properties["inner"] == {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}]}
    assert properties["other"] == {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}]}
    assert properties["count"] == {
        "anyOf": [{"type": "integer"}, {"type": "null"}], "description": "How many.",
    }  # fmt: skip


def test_words_that_strict_servers_refuse_are_left_away_and_fields_of_that_name_are_not():
    inner = strict_schema(Outer)[0]["$defs"]["Inner"]

    assert inner["properties"]["name"] == {"type": "string"}
    assert "title" in inner["properties"]
    assert "title" not in inner


def test_a_mapping_with_free_keys_is_not_for_strict_mode():
    class Free(BaseModel):
        scores: dict[str, float]

    assert strict_schema(Free)[1] is False


def test_nulls_for_what_is_left_out_are_dropped_at_every_depth():
    value = {
        "kind": "a", "inner": {"name": "n", "title": None}, "other": None,
        "many": [{"name": "m", "title": None}], "count": None,
    }  # fmt: skip

    assert without_forced_nulls(value, Outer) == {
        "kind": "a", "inner": {"name": "n"}, "many": [{"name": "m"}],
    }  # fmt: skip


def test_a_null_that_means_something_stays():
    value = {"kind": None, "inner": None}

    assert without_forced_nulls(value, Outer) == value
