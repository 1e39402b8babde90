"""``sayso eval``: parse, run, print. Nothing heavy is imported before the command runs."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from eval.bars import Bar
    from eval.benchmark import Finished, Prepared
    from eval.engine import Engine

BELOW_BAR = 1
SOME_FAILED = 3
INTERRUPTED = 130
_LONGEST = 800
_PATHS = click.Path(exists=True, path_type=Path)


class ManyValues(click.Command):
    """A command whose options in ``many`` take all values up to the next option."""

    many = ("--cases", "--chats")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each further value: ``--cases a b`` = ``--cases a --cases b``."""
        spread: list[str] = []
        current = ""
        for arg in args:
            if arg.startswith("-"):
                name = arg.partition("=")[0]
                current = name if name in self.many else ""
            elif current and spread[-1] != current:
                spread.append(current)
            spread.append(arg)
        return super().parse_args(ctx, spread)


@click.command("eval", cls=ManyValues, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--mode",
    type=click.Choice(["agent", "oneshot", "both"]),
    default="both",
    show_default=True,
    help="Which mode to replay the cases through.",
)
@click.option("--arc-cases", is_flag=True, help="Run ARC cases and their metrics instead of QA.")
@click.option(
    "--cases",
    multiple=True,
    type=_PATHS,
    metavar="PATH…",
    help="Files or folders of cases.  [default: the shipped conversations]",
)
@click.option(
    "--chats",
    multiple=True,
    metavar="DIR…",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folders that hold the chats of the cases.  [default: a folder chats beside the cases, "
    "and the imported chats]",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the first N cases, in file order or in that of --seed.",
)
@click.option("--seed", type=int, metavar="S", help="Shuffle the cases with this seed.")
@click.option(
    "--split",
    type=click.Choice(["train", "valid", "test", "all"]),
    default="all",
    show_default=True,
    help="Only the cases of this split.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1, max=64),
    default=1,
    show_default=True,
    metavar="N",
    help="How many cases run at once.",
)
@click.option("--verbose", is_flag=True, help="Print each case with its evidence and metrics.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs"),
    show_default=True,
    metavar="DIR",
    help="Where the run's new folder is made.",
)
@click.option(
    "--fail-under",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Exit with 1 when a mode's mean is below this fraction; repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print results.json and nothing else.")
@click.pass_context
def eval_command(
    ctx: click.Context,
    /,
    mode: str,
    verbose: bool,
    as_json: bool,
    arc_cases: bool,
    fail_under: tuple[str, ...],
    **options: Any,  # the fields of Request, under the names of their flags
) -> None:
    """Score answers against known evidence.

    Replays cases through one mode or both, and scores the messages and characters they cite.
    Each run writes rows.jsonl, results.json and cases.csv to a new folder.

    Exit codes: 0 done, 1 a score below --fail-under, 2 bad input, 3 some cases failed,
    130 interrupted.
    """
    from eval.bars import parse_bar
    from eval.benchmark import Request, prepare
    from eval.engine import Engine, installed_engine

    request = Request(
        kind="arc" if arc_cases else "qa",
        modes=() if mode == "both" else (mode,),
        command=tuple(sys.argv),
        **options,
    )
    bars = [parse_bar(text, request.kind) for text in fail_under]
    # A caller within Python may hand over an engine of its own as the context's object.
    engine = ctx.obj if isinstance(ctx.obj, Engine) else installed_engine()
    prepared = prepare(request, engine)
    for note in prepared.notes:
        _note(note)
    finished = _run(prepared, engine)
    _show(finished, prepared, as_json=as_json, verbose=verbose)
    ctx.exit(_exit_code(finished, prepared, bars))


def _run(prepared: "Prepared", engine: "Engine") -> "Finished":
    from eval.benchmark import benchmark
    from eval.progress import progress

    with progress(prepared.total) as shown:
        return benchmark(
            prepared,
            engine,
            on_row=lambda row: shown.advance(),
            on_chat=lambda chat: shown.enter(chat.chat_id),
            on_note=_note,
        )


def _show(finished: "Finished", prepared: "Prepared", *, as_json: bool, verbose: bool) -> None:
    from eval.table import case_view, console, summary

    if verbose:
        output = console(stderr=as_json)
        chats = {ready.case.case_id: ready.chat for ready in prepared.cases}
        for row in finished.rows:
            output.print(case_view(row, chats[row.case_id]))
    if as_json:
        click.echo(_printed((finished.folder / "results.json").read_text(encoding="utf-8")))
    elif finished.rows:
        console().print(summary(finished.results))
    _note(f"written to {finished.folder}")


def _exit_code(finished: "Finished", prepared: "Prepared", bars: "Sequence[Bar]") -> int:
    from eval.bars import missed

    if not finished.complete:
        _note(f"interrupted: {len(finished.rows)} of {prepared.total} runs are saved")
        return INTERRUPTED
    if finished.failed:
        _note(f"{finished.failed} of {prepared.total} runs failed; their rows say why")
    below = missed(bars, finished.results["modes"])
    for line in below:
        _note(line)
    if below:
        return BELOW_BAR
    return SOME_FAILED if finished.failed else 0


def _printed(written: str) -> str:
    """The JSON for stdout; escaped where that cannot carry every character, or is a terminal."""
    narrow = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    if not narrow and not sys.stdout.isatty():
        return written.rstrip("\n")
    return json.dumps(json.loads(written), indent=2)


def _note(text: str) -> None:
    from eval.table import plain

    line = plain(text)
    with suppress(OSError):  # what stderr cannot take must not end a run
        click.echo(f"sayso: {line[:_LONGEST]}{'…' if len(line) > _LONGEST else ''}", err=True)
