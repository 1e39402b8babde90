"""Files of a package, held to the digest that they had when they were measured."""

import hashlib
from pathlib import Path

from sayso.errors import StoreError


def verified(path: Path, expected: str) -> bytes:
    """What the file holds; StoreError where it is missing, cannot be read or has another digest."""
    try:
        held = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StoreError(f"{path}: missing; reinstall sayso and its dependencies") from error
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be read: {error.strerror}; expected a file that you may read: change its "
            "rights, or reinstall sayso and its dependencies"
        ) from error
    found = hashlib.sha256(held).hexdigest()
    if found != expected:
        raise StoreError(
            f"{path}: sha256 is {found}, expected {expected}; the file is damaged or of another "
            "version: reinstall sayso and its dependencies"
        )
    return held
