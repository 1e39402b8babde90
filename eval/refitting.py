"""The weights file that a fit goes on from and writes: looked at before the fit, written in one step."""

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval.terms import fitted_on
from sayso.errors import ConfigurationError
from sayso.weights import SHIPPED, read_weights

Held = Mapping[str, Any]  # a weights file, as JSON


def writable(out: Path) -> None:
    """Raise ConfigurationError where no file can be written there."""
    place = out.resolve()
    if place.exists() and not place.is_file():
        raise ConfigurationError(f"--out {out}: is no file; name one to write to")
    if not place.parent.is_dir():
        raise ConfigurationError(f"--out {out}: there is no folder {place.parent}; make it first")
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise ConfigurationError(f"--out {out}: nothing may be written in {place.parent}")
    if place.exists() and not os.access(place, os.W_OK):
        raise ConfigurationError(f"--out {out}: may not be written")


def held_for(out: Path | None) -> Held:
    """The weights that a fit goes on from: those that ``out`` has, else the shipped ones.

    Raises ConfigurationError where nothing can be written there, or what is there is no weights file.
    """
    if out is not None:
        writable(out)
    found = out if out is not None and out.exists() else SHIPPED
    read_weights(found)
    held = json.loads(found.read_text(encoding="utf-8"))
    # Either way of writing it is read, and files from before entries named their groups are.
    fitted = held.pop("fitted_on", held.get("fittedOn"))
    return {**held, "fittedOn": [{"groups": [], **one} for one in fitted]}


def refitted(
    held: Held,
    groups: Mapping[str, Mapping[str, float]],
    name: str,
    counts: Mapping[str, int],
    terms: Mapping[str, str],
) -> dict[str, Any]:
    """The weights with these groups, and on how many cases of which data set they were fitted.

    ``name`` is the word that the groups begin with: what of them was fitted before goes.
    """
    fitted = fitted_on(counts, [name], terms, held["fittedOn"])
    others = [one for one in held["fittedOn"] if one["groups"] != [name]]
    return {
        **held,
        "version": held["version"] + 1,
        "fittedOn": [*others, *fitted],
        "groups": {**held["groups"], **groups},
    }


def write(out: Path, made: Held) -> None:
    """The weights in the file, in one step: what was there stays until all is written."""
    place = out.resolve()
    told = json.dumps(made, indent=1, allow_nan=False) + "\n"
    scratch = place.with_name(f".{place.name}.{os.getpid()}.new")
    try:
        scratch.write_text(told, encoding="utf-8")
        if place.exists():
            shutil.copymode(place, scratch)
        scratch.replace(place)
    finally:
        scratch.unlink(missing_ok=True)
