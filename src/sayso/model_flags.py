"""The options of a language model, shared by every command that asks one; each is a setting."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])  # any command's function

_OPTIONS = {
    "model": click.option("--model", metavar="NAME", help="The language model that thinks."),
    "base_url": click.option(
        "--base-url", metavar="URL", help="Its OpenAI-compatible server.  [default: OpenAI's]"
    ),
    "prompts": click.option(
        "--prompts", metavar="DIR", help="Another set of prompts.",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
    ),
    "votes": click.option("--votes", type=int, metavar="N", help="How often the grader reads."),
    "strict": click.option(
        "--strict", is_flag=True, default=None,
        help="A step the model fails at is an error.",
    ),
    "max_rpm": click.option(
        "--max-rpm", type=float, metavar="N", help="At most so many requests a minute."
    ),
    "cache": click.option(
        "--no-cache", "cache", is_flag=True, callback=lambda ctx, param, value: False if value else None,
        help="Ask the model again, whatever it said before.",
    ),
    "offline": click.option(
        "--offline", is_flag=True, default=None, help="Reach no host but this machine."
    ),
    "tokens": click.option("--tokens", type=int, metavar="N", help="At most so many tokens a question."),
    "model_calls": click.option(
        "--model-calls", type=int, metavar="N", help="At most so many calls a question."
    ),
}  # fmt: skip
MODEL_SETTINGS = tuple(_OPTIONS)


def model_options(command: F) -> F:
    """All of them, as arguments under the names of their settings."""
    return model_options_but()(command)


def model_options_but(*names: str) -> Callable[[F], F]:
    """All of them but these, where a command means something else by such a flag."""

    def with_options(command: F) -> F:
        for name, option in reversed(_OPTIONS.items()):
            command = command if name in names else option(command)
        return command

    return with_options
