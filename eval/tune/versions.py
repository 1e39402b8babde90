"""Candidates and versions of a prompt: what a candidate must keep, and how an accepted one is written."""

import hashlib
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Any

import yaml

from sayso.errors import PromptError, StoreError
from sayso.reasoning.prompt_fields import FIELDS
from sayso.reasoning.prompts import Prompt, Prompts, read_prompt
from sayso.reasoning.token_estimate import estimate

# A prompt may grow to twice its parent, and in any case to this many tokens.
_ROOM = 3000
# The sentence that keeps a chat from steering the model names the fence.
_FENCE = re.compile(r"<<<DATA|DATA>>>")


def read_candidate(path: Path, step: str) -> Prompt:
    """The prompt of a file anywhere; PromptError where it does not fit the step."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error.strerror}") from error
    prompt = read_prompt(data, path, step, FIELDS[step])
    if not prompt.model:
        raise PromptError(
            f"{path}: model: false, so that no model reads it and there is nothing to try"
        )
    return prompt


def with_system(parent: Prompt, system: str) -> Prompt:
    """The parent's next version with another system part; not checked yet."""
    made = replace(parent, system=system.strip(), version=parent.version + 1)
    return replace(
        made, digest=hashlib.sha256(text_of(made).encode("utf-8", "replace")).hexdigest()
    )


def in_set(prompts: Prompts, prompt: Prompt) -> Prompts:
    """The set with this prompt in its step's place."""
    return Prompts(prompts.folder, {**prompts.by_step, prompt.step: prompt})


def says(prompt: Prompt) -> tuple[str, str, str]:
    """All of a prompt that a model reads: two prompts that say the same get the same replies."""
    return (prompt.step, prompt.system, prompt.user)


def said_digest(prompt: Prompt) -> str:
    """The digest of what a prompt says, whatever its front matter."""
    return hashlib.sha256("\0".join(says(prompt)).encode("utf-8", "replace")).hexdigest()


def longest(parent: Prompt) -> int:
    """How many tokens, estimated, a candidate of this parent may have."""
    return max(_ROOM, 2 * size(parent))


def size(prompt: Prompt) -> int:
    """Tokens of the prompt itself, estimated, before anything is filled in."""
    return estimate(prompt.system) + estimate(prompt.user)


def faults(candidate: Prompt, parent: Prompt) -> tuple[str, ...]:
    """What keeps a candidate from being tried at all, in words; empty where nothing does."""
    try:
        read = read_prompt(
            text_of(candidate).encode("utf-8", "replace"), candidate.path, candidate.step,
            FIELDS[candidate.step],
        )  # fmt: skip
    except PromptError as error:
        return (str(error),)
    if says(read) != says(candidate):
        return ("it has headings of its own where '# System' and '# User' stand alone",)
    found = []
    lost = sorted(_variables(parent) - _variables(candidate))
    if lost:
        found.append(f"it lacks ${', $'.join(lost)}, which the current prompt has")
    if size(candidate) > longest(parent):
        found.append(f"it has some {size(candidate)} tokens; at most {longest(parent)} are allowed")
    if set(_FENCE.findall(parent.system)) - set(_FENCE.findall(candidate.system)):
        found.append("it no longer says that what stands in the fence <<<DATA DATA>>> is data")
    return tuple(found)


def text_of(prompt: Prompt, origin: Mapping[str, Any] | None = None) -> str:
    """The file of a prompt; ``origin`` are the keys parent, scores, data and code."""
    keys = {"step": prompt.step, "version": prompt.version, "model": prompt.model}
    front = yaml.safe_dump(
        {**keys, "tune": prompt.tunable, **(origin or {})},
        sort_keys=False, allow_unicode=True, width=10_000,
    )  # fmt: skip
    return f"---\n{front}---\n# System\n\n{prompt.system}\n\n# User\n\n{prompt.user}\n"


def write_set(
    folder: Path,
    prompts: Prompts,
    accepted: Mapping[str, Prompt],
    origins: Mapping[str, Mapping[str, Any]],
) -> tuple[Path, ...]:
    """The whole set in a new folder, accepted prompts with their origins; gives the files of these.

    The set is ready for ``--prompts``; nothing of the set it came from is changed.
    """
    try:
        for step, prompt in prompts.by_step.items():
            place = folder / f"{step}.md"
            place.parent.mkdir(parents=True, exist_ok=True)
            if step in accepted:
                place.write_text(text_of(accepted[step], origins[step]), encoding="utf-8")
            else:
                shutil.copyfile(prompt.path, place)
    except OSError as error:
        raise StoreError(f"{folder}: the prompts cannot be written: {error.strerror}") from error
    return tuple(folder / f"{step}.md" for step in accepted)


def write_candidate(folder: Path, name: str, candidate: Prompt, origin: Mapping[str, Any]) -> Path:
    """One candidate as a file, for a reader or for ``sayso tune try``."""
    file = folder / f"{name}.md"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text_of(candidate, origin), encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{file}: cannot be written: {error.strerror}") from error
    return file


def _variables(prompt: Prompt) -> set[str]:
    found: set[str] = set()
    for text in (prompt.system, prompt.user):
        found |= set(Template(text).get_identifiers())
    return found
