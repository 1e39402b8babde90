"""Prompt files: read once, checked against the fields of their steps, filled in at each request."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

import yaml

from sayso.errors import PromptError
from sayso.reasoning.prompt_fields import FIELDS, Field

_FRONT = re.compile(r"---[ \t]*\n(.*?\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_PART = re.compile(r"^# (System|User)[ \t]*$", re.MULTILINE)
_KEYS: Mapping[str, type] = {"step": str, "version": int, "model": bool, "tune": str}
# Where a version came from: the digests of the file it was made from, of the cases and of the
# code that its scores were measured with. `sayso tune` writes them.
_ORIGIN: Mapping[str, type] = {"parent": str, "scores": dict, "data": str, "code": str}
_EXPECTED = {
    dict: "names with their figures",
    str: "text, in quotes where YAML reads it otherwise",
    int: "a whole number",
    bool: "true or false",
}


@dataclass(frozen=True)
class Prompt:
    """One file: what it says to the model, or (``model`` False) that its step asks none.

    ``digest`` is the sha256 of the file's bytes; ``tunable`` says in words what may be changed.
    ``system`` and ``user`` are empty without a model.
    """

    step: str
    version: int
    tunable: str
    model: bool
    system: str
    user: str
    digest: str
    path: Path

    def filled(self, values: Mapping[str, str]) -> tuple[str, str]:
        """System and user message with the variables replaced; values are never read again."""
        return Template(self.system).substitute(values), Template(self.user).substitute(values)


@dataclass(frozen=True)
class Prompts:
    """A whole set, one prompt a step."""

    folder: Path
    by_step: Mapping[str, Prompt]

    def __getitem__(self, step: str) -> Prompt:
        return self.by_step[step]


def load_prompts(folder: Path) -> Prompts:
    """Every prompt of the set in the folder; other files in it are let be.

    Raises PromptError for a file that is missing, unreadable, no UTF-8, has other front matter
    than it should, or does not fit the fields of its step.
    """
    if not folder.is_dir():
        raise PromptError(f"{folder}: no such folder; a set of prompts has {_files()}")
    return Prompts(folder, {step: load_prompt(folder, step, FIELDS[step]) for step in FIELDS})


def load_prompt(folder: Path, step: str, fields: Mapping[str, Field]) -> Prompt:
    """The one prompt file of a step that gives these fields; PromptError as for a whole set."""
    path = folder / f"{step}.md"
    return read_prompt(_bytes(path), path, step, fields)


def read_prompt(data: bytes, path: Path, step: str, fields: Mapping[str, Field]) -> Prompt:
    """The prompt that a file's bytes hold; errors name ``path``. PromptError as for a whole set."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise PromptError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    front = _FRONT.match(text)
    if front is None:
        raise PromptError(
            f"{path}: begins with no front matter; expected '---', the keys "
            f"{', '.join(_KEYS)}, and '---' again"
        )
    keys = _front_matter(path, front.group(1), step)
    if keys["model"] and not fields:
        raise PromptError(f"{path}: model: true, but step {step!r} asks no model; write false")
    system, user = _parts(path, text[front.end() :]) if keys["model"] else ("", "")
    if keys["model"]:
        _check_variables(path, step, {"System": system, "User": user}, fields)
    return Prompt(
        step=step,
        version=keys["version"],
        tunable=keys["tune"],
        model=keys["model"],
        system=system,
        user=user,
        digest=hashlib.sha256(data).hexdigest(),
        path=path,
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise PromptError(f"{path}: no such file; a set of prompts has {_files()}") from error
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error.strerror}") from error


def _front_matter(path: Path, text: str, step: str) -> dict[str, Any]:  # YAML holds anything
    try:
        keys = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise PromptError(f"{path}: the front matter is not valid YAML: {error}") from error
    if not isinstance(keys, dict) or set(keys) - set(_ORIGIN) != set(_KEYS):
        found = ", ".join(map(str, keys)) if isinstance(keys, dict) else type(keys).__name__
        raise PromptError(
            f"{path}: the front matter has exactly the keys {', '.join(_KEYS)}, and may have "
            f"{', '.join(_ORIGIN)}; found {found}"
        )
    for key, kind in {**_KEYS, **_ORIGIN}.items():
        if key in keys and (type(keys[key]) is not kind or keys[key] == ""):
            raise PromptError(f"{path}: {key}: expected {_EXPECTED[kind]}; found {keys[key]!r}")
    if keys["step"] != step:
        raise PromptError(f"{path}: step: expected {step!r} by its place, found {keys['step']!r}")
    if keys["version"] < 1:
        raise PromptError(f"{path}: version: expected 1 or more, found {keys['version']}")
    return keys


def _parts(path: Path, body: str) -> tuple[str, str]:
    heads = list(_PART.finditer(body))
    if [h.group(1) for h in heads] != ["System", "User"] or body[: heads[0].start()].strip():
        found = ", ".join(h.group() for h in heads) or "neither"
        raise PromptError(
            f"{path}: expected the headings '# System' and '# User', once each, in this order and "
            f"with nothing before; found {found}"
        )
    system, user = body[heads[0].end() : heads[1].start()].strip(), body[heads[1].end() :].strip()
    if not system or not user:
        raise PromptError(f"{path}: nothing stands below '# {'User' if system else 'System'}'")
    return system, user


def _check_variables(
    path: Path, step: str, parts: Mapping[str, str], fields: Mapping[str, Field]
) -> None:
    used: set[str] = set()
    for name, text in parts.items():
        template = Template(text)
        if not template.is_valid():
            raise PromptError(
                f"{path}: a $ below '# {name}' names no variable; write $$ for the sign itself"
            )
        used |= set(template.get_identifiers())
    given = f"step {step!r} gives {', '.join('$' + f for f in sorted(fields))}"
    unknown = sorted(used - set(fields))
    if unknown:
        raise PromptError(f"{path}: has ${', $'.join(unknown)}, but {given}")
    missing = sorted(name for name, field in fields.items() if field.needed and name not in used)
    if missing:
        raise PromptError(f"{path}: lacks ${', $'.join(missing)}, which it must have; {given}")


def _files() -> str:
    return ", ".join(f"{step}.md" for step in FIELDS)
