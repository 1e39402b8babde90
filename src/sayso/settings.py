"""Settings: flags over environment (``SAYSO_*``) over ``sayso.toml``; read once, then frozen."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from sayso.core.models import Value
from sayso.core.seams import Budget
from sayso.errors import ConfigurationError

FILE = "sayso.toml"


class Settings(Value):
    """What the person configured. Each field is ``SAYSO_<FIELD>`` in the environment."""

    rounds: Annotated[int, Field(ge=1, le=20)] = 3
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120.0
    pool: Annotated[int, Field(ge=1, le=1000)] = 50
    # Whose vectors find messages: none named, those that come with sayso, which stay on this
    # machine; "openai:text-embedding-3-small", or "module:factory" for any langchain Embeddings.
    embeddings: Annotated[str, Field(pattern=r"^[\w.]+:[^\s].*$")] | None = None

    @property
    def budget(self) -> Budget:
        """What one question may use."""
        return Budget(rounds=self.rounds, seconds=self.seconds, pool=self.pool)


def read_settings(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The settings for this run; raises ConfigurationError naming the source of a bad value."""
    environ = os.environ if environ is None else environ
    layers = [
        (str((folder or Path.cwd()) / FILE), _from_file((folder or Path.cwd()) / FILE)),
        ("the environment", _from_environment(environ)),
        ("the command line", {k: v for k, v in (flags or {}).items() if v is not None}),
    ]
    merged: dict[str, Any] = {}
    for source, values in layers:
        try:
            Settings.model_validate({**merged, **values})
        except ValidationError as error:
            raise ConfigurationError(f"{source}: {_first(error)}") from error
        merged |= values
    return Settings.model_validate(merged)


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    names = {f"SAYSO_{name.upper()}": name for name in Settings.model_fields}
    return {names[k]: v for k, v in environ.items() if k in names and v != ""}


def _from_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: not valid TOML: {error}") from error
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error


def _first(error: ValidationError) -> str:
    fault = error.errors()[0]
    name = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        known = ", ".join(sorted(Settings.model_fields))
        return f"unknown setting {name!r}; known settings: {known}"
    return f"{name} = {fault['input']!r}: {fault['msg']}"
