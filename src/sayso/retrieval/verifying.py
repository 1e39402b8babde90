"""Files of a package, held to the digest that they had when they were measured."""

import hashlib
from pathlib import Path

from sayso.errors import StoreError


def verified(path: Path, expected: str) -> bytes:
    """What the file holds; StoreError where it is missing or of another digest."""
    if not path.is_file():
        raise StoreError(f"{path}: missing; reinstall sayso and its dependencies")
    held = path.read_bytes()
    found = hashlib.sha256(held).hexdigest()
    if found != expected:
        raise StoreError(
            f"{path}: sha256 is {found}, expected {expected}; the file is damaged or of another "
            "version: reinstall sayso and its dependencies"
        )
    return held
