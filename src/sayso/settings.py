"""Settings: flags over environment (``SAYSO_*``) over ``sayso.toml``; read once, then frozen."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError, WithJsonSchema

from sayso.core.metering import Budget
from sayso.core.value import Value
from sayso.errors import ConfigurationError

FILE = "sayso.toml"


# What may hold a password: an error does not repeat it.
_SECRET = frozenset({"base_url"})


def _of_a_server(address: str) -> str:
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(char <= " " or char == "\x7f" or char.isspace() for char in address):
        raise ValueError(
            "expected an address such as http://localhost:11434/v1: http or https, a host, a port in"
            " figures where there is one, no spaces; / and : in a password are written %2F and %3A"
        )
    return address


Address = Annotated[
    str,
    AfterValidator(_of_a_server),
    WithJsonSchema({"type": "string", "pattern": r"^https?://[^\s/]+"}),
]


class Price(Value):
    """What a million tokens cost, in any one currency; ``cached`` None: as any prompt token."""

    prompt: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    completion: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    cached: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


class Settings(Value):
    """What the person configured. Each field is ``SAYSO_<FIELD>`` in the environment."""

    rounds: Annotated[int, Field(ge=1, le=20)] = 3
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120.0
    pool: Annotated[int, Field(ge=1, le=1000)] = 50
    # Whose vectors find messages: none named, those that come with sayso, which stay on this
    # machine; "openai:text-embedding-3-small", or "module:factory" for any langchain Embeddings.
    embeddings: Annotated[str, Field(pattern=r"^[\w.]+:[^\s].*$")] | None = None

    # The language model that thinks; None: the extractive reasoner. Its key is never a setting,
    # so that it is in no file and no record: it stays in the environment (OPENAI_API_KEY).
    model: Annotated[str, Field(min_length=1)] | None = None
    base_url: Address | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    window: Annotated[int, Field(ge=1024)] | None = None  # tokens; None: what the model's name says
    # Tokens that one reply may have; None: a quarter of the window, at most 4096.
    completion: Annotated[int, Field(ge=64)] | None = None
    call_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 90.0
    model_calls: Annotated[int, Field(ge=1)] = 40
    tokens: Annotated[int, Field(ge=1000)] = 400_000
    retries: Annotated[int, Field(ge=0, le=20)] = 4
    max_rpm: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    votes: Annotated[int, Field(ge=1, le=9)] = 1
    prompts: Path | None = None  # None: those that come with sayso
    weights: Path | None = None  # the extractive engine's numbers; None: those that come with sayso
    strict: bool = False  # a step the model fails at is an error, not the extractive reasoner's
    offline: bool = False  # no host but this machine
    cache: bool = True
    # Per million tokens: {"gpt-x" = {prompt = 1.0, cached = 0.1, completion = 4.0}}
    prices: dict[str, Price] = Field(default_factory=dict)

    @property
    def budget(self) -> Budget:
        """What one question may use."""
        return Budget(
            rounds=self.rounds,
            seconds=self.seconds,
            model_calls=self.model_calls,
            tokens=self.tokens,
            pool=self.pool,
        )


def read_settings(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The settings for this run; raises ConfigurationError naming the source of a bad value."""
    merged: dict[str, Any] = {}
    for source, values in _layers(flags, environ, folder):
        try:
            Settings.model_validate({**merged, **values})
        except ValidationError as error:
            raise ConfigurationError(f"{source}: {_first(error)}") from error
        merged |= values
    return Settings.model_validate(merged)


def read_origins(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> dict[str, str]:
    """Where each setting's value comes from, in words; "default" where nobody named it."""
    found = dict.fromkeys(Settings.model_fields, "default")
    for source, values in _layers(flags, environ, folder):
        found |= {name: source for name in values if name in found}
    return found


def _layers(
    flags: Mapping[str, Any] | None, environ: Mapping[str, str] | None, folder: Path | None
) -> tuple[tuple[str, dict[str, Any]], ...]:
    """What names settings, the last with the last word, and what each of them says."""
    file = (folder or Path.cwd()) / FILE
    return (
        (str(file), _from_file(file)),
        ("the environment", _from_environment(os.environ if environ is None else environ)),
        ("the command line", {k: v for k, v in (flags or {}).items() if v is not None}),
    )


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    names = {f"SAYSO_{name.upper()}": name for name in Settings.model_fields}
    # The ecosystem's own name for the address of a server; ours wins.
    names = {"OPENAI_BASE_URL": "base_url"} | names
    found = {names[k]: v for k, v in environ.items() if k in names and v != ""}
    own = environ.get("SAYSO_BASE_URL")
    return found | ({"base_url": own} if own else {})


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
    said = fault["msg"].removeprefix("Value error, ")
    return f"{name}: {said}" if name in _SECRET else f"{name} = {fault['input']!r}: {said}"
