"""The options that the commands of ``sayso tune`` share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from eval.many_values import ManyValues

PATH = click.Path(exists=True, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
F = TypeVar("F", bound=Callable[..., Any])  # any command's function


class TuneCommand(ManyValues):
    """Its options ``--cases``, ``--chats`` and ``--prompts`` take all values up to the next option."""

    many = (*ManyValues.many, "--prompts")


CASES = click.option(
    "--cases", multiple=True, type=PATH, metavar="PATH…",
    help="Files or folders of cases.  [default: the shipped conversations]",
)  # fmt: skip
CHATS = click.option(
    "--chats", multiple=True, metavar="DIR…", type=FOLDER,
    help="Folders that hold the chats of the cases.",
)  # fmt: skip
_SHARED = (
    click.option("--step", metavar="STEP", help="agent/planner, agent/grader, agent/generator, "
                 "oneshot/q1 or oneshot/q4."),
    CASES,
    CHATS,
    click.option("--arc-cases", is_flag=True, help="ARC cases instead of QA."),
    click.option("--metric", metavar="METRIC",
                 help="What a case is worth.  [default: evidence_f1, for arcs global_recall]"),
    click.option("--seed", type=int, default=0, show_default=True, metavar="S",
                 help="Deals cases without a split out, and orders the search."),
    click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True, metavar="N",
                 help="How many cases run at once."),
    click.option("--case-seconds", type=click.FloatRange(min=0.01), default=600.0, metavar="S",
                 show_default=True, help="Give a case up after so long."),
    click.option("--again", is_flag=True, help="Score test cases that were used before; the "
                 "result says so."),
    click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("runs"),
                 show_default=True, metavar="DIR", help="Where the run's new folder is made."),
    click.option("--demo", is_flag=True, help="A rule stands in for the language model."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
)  # fmt: skip


def shared(command: F) -> F:
    """The command with the options that ``try`` and ``evolve`` share."""
    for option in reversed(_SHARED):
        command = option(command)
    return command
