"""The options of ``sayso eval``, in the order of its help."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from eval.many_values import FiniteRange

F = TypeVar("F", bound=Callable[..., Any])  # any command's function
PATHS = click.Path(exists=True, path_type=Path)

_OPTIONS = (
    click.option(
        "--mode",
        "modes",
        multiple=True,
        metavar="MODE",
        help="agent, oneshot, both, whole, or MODULE:FUNCTION for a system of your own; repeatable.  "
        "[default: both]",
    ),
    click.option(
        "--context",
        type=click.Choice(["found", "all"]),
        default="found",
        show_default=True,
        help="all: give whole chats to the model, too (mode whole), beside the other modes.",
    ),
    click.option(
        "--arc-cases", is_flag=True, help="Run ARC cases and their metrics instead of QA."
    ),
    click.option(
        "--cases",
        multiple=True,
        type=PATHS,
        metavar="PATH…",
        help="Files or folders of cases.  [default: the shipped conversations]",
    ),
    click.option(
        "--chats",
        multiple=True,
        metavar="DIR…",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Folders that hold the chats of the cases.  [default: a folder chats beside the cases, "
        "and the imported chats]",
    ),
    click.option(
        "--limit",
        type=click.IntRange(min=1),
        metavar="N",
        help="Only the first N cases, in file order or in that of --seed.",
    ),
    click.option("--seed", type=int, metavar="S", help="Shuffle the cases with this seed."),
    click.option(
        "--split",
        type=click.Choice(["train", "valid", "test", "all"]),
        default="all",
        show_default=True,
        help="Only the cases of this split.",
    ),
    click.option(
        "--jobs",
        type=click.IntRange(min=1, max=64),
        default=1,
        show_default=True,
        metavar="N",
        help="How many cases run at once.",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1, max=100),
        default=1,
        show_default=True,
        metavar="N",
        help="Run each case so often, and show the spread.",
    ),
    click.option(
        "--case-seconds",
        type=FiniteRange(min=0.01, max=1_000_000),
        metavar="S",
        default=600.0,
        show_default=True,
        help="Give a case up after so long; it counts as failed.",
    ),
    click.option(
        "--oracle",
        type=click.Choice(["retrieval", "evidence"]),
        help="Hand the expected messages to the grader, or to the generator: a part's ceiling.",
    ),
    click.option(
        "--oracle-retrieval",
        "oracle",
        flag_value="retrieval",
        help="The same as --oracle retrieval.",
    ),
    click.option(
        "--oracle-evidence",
        "oracle",
        flag_value="evidence",
        help="The same as --oracle evidence.",
    ),
    click.option(
        "--overlay",
        type=PATHS,
        metavar="FILE",
        help="Score under the repaired labels signed there.",
    ),
    click.option(
        "--resume",
        type=PATHS,
        metavar="RUN",
        help="Go on with the run of this folder, with its model and settings; only --limit, --jobs and "
        "--retry-errors change it.",
    ),
    click.option("--retry-errors", is_flag=True, help="With --resume: run failed cases again."),
    click.option(
        "--aa",
        is_flag=True,
        help="Run each mode twice and say how often like is called different (at most 5 %).",
    ),
    click.option(
        "--baseline",
        type=PATHS,
        metavar="RUN",
        help="Compare with this earlier run afterwards.",
    ),
    click.option(
        "--max-drop",
        multiple=True,
        metavar="METRIC=VALUE",
        help="With --baseline: exit with 1 when a mean falls further; repeatable.",
    ),
    click.option(
        "--junit",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write the cases as JUnit XML.",
    ),
    click.option(
        "--judge",
        "judged",
        is_flag=True,
        help="Have the configured model judge the answers against the gold answers.",
    ),
    click.option("--no-report", is_flag=True, help="Write no report.html."),
    click.option(
        "--trec", is_flag=True, help="Write TREC qrels and run files into the run's folder."
    ),
    click.option("--verbose", is_flag=True, help="Print each case with its evidence and metrics."),
    click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        default=Path("runs"),
        show_default=True,
        metavar="DIR",
        help="Where the run's new folder is made.",
    ),
    click.option(
        "--fail-under",
        multiple=True,
        metavar="METRIC=VALUE",
        help="Exit with 1 when a mode's mean is below this fraction; repeatable.",
    ),
)


def eval_options(command: F) -> F:
    """All of them, as arguments under the names of their settings."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
