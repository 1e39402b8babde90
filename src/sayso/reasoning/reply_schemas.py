"""A reply's schema as servers want it, and a reply's nulls taken back.

OpenAI's strict mode has every object closed and every field required. So a field that may be left
out becomes one that may be null, and a null that stands for "left out" is dropped on reading.
"""

import json
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

Json = dict[str, Any]  # Any: JSON
# What a strict server may refuse, and what only costs tokens.
_LEFT_AWAY = ("default", "title", "minLength", "maxLength", "uniqueItems", "discriminator")


@lru_cache(maxsize=64)
def _plain_schema(schema: type[BaseModel]) -> Json:
    return schema.model_json_schema()


def strict_schema(schema: type[BaseModel]) -> tuple[Json, bool]:
    """The schema closed and with all fields required; False where strict mode cannot say it.

    That is so where a field is a mapping with free keys.
    """
    made = _strict(_plain_schema(schema))
    return made, not _has_free_keys(made)


def schema_text(schema: type[BaseModel]) -> str:
    """The schema as the model is shown it, on one line."""
    return json.dumps(_strict(_plain_schema(schema)), ensure_ascii=False)


def without_forced_nulls(value: Any, schema: type[BaseModel]) -> Any:
    """The value without the nulls of fields that may be left out and may not be null."""
    whole = _plain_schema(schema)
    return _without_nulls(value, whole, whole.get("$defs", {}))


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(part) for part in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:  # may have no siblings
        return {"$ref": node["$ref"]}
    made: Json = {}
    for key, part in node.items():
        if key in ("properties", "$defs"):  # names, which may be called "title" or "default"
            made[key] = {name: _strict(inner) for name, inner in part.items()}
        elif key not in _LEFT_AWAY:
            made["anyOf" if key == "oneOf" else key] = (
                part if key in ("enum", "const", "required") else _strict(part)
            )
    if "properties" in made:
        required = set(node.get("required", ()))
        made["properties"] = {
            name: inner if name in required else _nullable(inner)
            for name, inner in made["properties"].items()
        }
        made["required"] = list(made["properties"])
        made["additionalProperties"] = False
    return made


def _nullable(node: Json) -> Json:
    if _admits_null(node):
        return node
    if "anyOf" in node:
        return {**node, "anyOf": [*node["anyOf"], {"type": "null"}]}
    described = {"description": node["description"]} if "description" in node else {}
    bare = {key: part for key, part in node.items() if key != "description"}
    return {"anyOf": [bare, {"type": "null"}], **described}


def _admits_null(node: Json) -> bool:
    branches = node.get("anyOf") or node.get("oneOf") or ()
    return node.get("type") == "null" or any(_admits_null(branch) for branch in branches)


def _has_free_keys(node: Any) -> bool:
    if isinstance(node, list):
        return any(_has_free_keys(part) for part in node)
    if not isinstance(node, dict):
        return False
    free = node.get("type") == "object" and "properties" not in node
    return free or any(_has_free_keys(part) for part in node.values())


def _without_nulls(value: Any, node: Json, definitions: Json) -> Any:
    node = _resolved(node, definitions)
    if isinstance(value, list):
        items = node.get("items", {})
        return [_without_nulls(part, items, definitions) for part in value]
    if not isinstance(value, dict):
        return value
    known, required = node.get("properties", {}), node.get("required", ())
    return {
        name: _without_nulls(part, known.get(name, {}), definitions)
        for name, part in value.items()
        if not (part is None and _only_left_out(name, known, required, definitions))
    }


def _only_left_out(name: str, known: Json, required: Any, definitions: Json) -> bool:
    if name not in known or name in required:
        return False
    node = known[name]
    if "$ref" in node:
        node = definitions.get(node["$ref"].rsplit("/", 1)[-1], {})
    return not _admits_null(node)


def _resolved(node: Json, definitions: Json) -> Json:
    """The node behind a reference; of alternatives the first that is an object or a list."""
    for _ in range(10):  # a reference may lead to another; never round in a circle
        if "$ref" in node:
            node = definitions.get(node["$ref"].rsplit("/", 1)[-1], {})
        elif branches := node.get("anyOf") or node.get("oneOf"):
            node = next((b for b in branches if "$ref" in b or b.get("type") != "null"), {})
        else:
            break
    return node
