"""Chats written to be learned from (``arc_data/lessons``): the option that names their cases."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

lessons_option: Callable[[Any], Any] = click.option(
    "--lessons",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Cases of chats written to be learned from: they teach beside the others and are not judged.",
)
