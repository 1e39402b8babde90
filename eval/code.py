"""The code that a run came from, as digests: a version says little of a checkout under change."""

import hashlib
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from sayso import errors


def code_record(modes: Iterable[str]) -> dict[str, str]:
    """SHA-256 of this installation's code under "sayso", and of the file of each MODULE:FUNCTION.

    A module without a readable file is left out.
    """
    record = {"sayso": code_digest()}
    for mode in modes:
        module = sys.modules.get(mode.partition(":")[0]) if ":" in mode else None
        file = getattr(module, "__file__", None)
        if file and Path(file).is_file():
            record[mode] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    return record


@cache
def code_digest() -> str:
    """SHA-256 of what answers and what scores, in hex: neither commands nor the report."""
    engine, scoring = Path(errors.__file__).parent, Path(__file__).parent
    answering = [p for p in engine.rglob("*.py") if p.relative_to(engine).parts[0] != "cli"]
    files = [*answering, *engine.glob("*.json"), *scoring.glob("*.py"), *scoring.glob("metrics/*")]
    read = hashlib.sha256()
    for path in sorted(path for path in files if path.suffix in (".py", ".json")):
        read.update(path.name.encode() + b"\0" + path.read_bytes())
    return read.hexdigest()
