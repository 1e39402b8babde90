"""Where things are: environment override, then the installed wheel, then the checkout."""

import os
from pathlib import Path

import platformdirs

from sayso.errors import ConfigurationError

_SHIPPED = Path(__file__).parent / "_shipped"
_CHECKOUT = Path(__file__).parents[2]


def home() -> Path:
    """The data folder: ``SAYSO_HOME`` or the platform's user data folder (may not exist yet)."""
    named = os.environ.get("SAYSO_HOME")
    return _named("SAYSO_HOME", named) if named else Path(platformdirs.user_data_dir("sayso"))


def private_folder(folder: Path) -> Path:
    """The folder, made for its owner only, with every parent that was missing; OSError if refused."""
    missing = []
    at = folder
    while not at.is_dir():
        missing.append(at)
        at = at.parent
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)
    return folder


def arc_data_dir() -> Path:
    """The shipped conversations and cases."""
    return _find("SAYSO_ARC_DATA", "arc_data")


def prompts_dir() -> Path:
    """The shipped prompts."""
    return _find("SAYSO_PROMPTS", "prompts")


def _find(variable: str, name: str) -> Path:
    named = os.environ.get(variable)
    if named:
        return _named(variable, named)
    shipped = _SHIPPED / name
    return shipped if shipped.is_dir() else _CHECKOUT / name


def _named(variable: str, value: str) -> Path:
    try:
        return Path(value).expanduser()
    except RuntimeError as error:
        raise ConfigurationError(
            f"{variable}={value}: there is no such user; name a folder by its full path"
        ) from error
