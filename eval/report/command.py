"""``sayso eval report RUN``: a run's page written anew, from its rows, with no model."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from eval.engine import Engine


@click.command("report")
@click.argument("run", type=click.Path(exists=True, path_type=Path), metavar="RUN")
@click.option(
    "--to", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Where the page is written.  [default: report.html in the run's folder]",
)  # fmt: skip
@click.pass_context
def report_command(ctx: click.Context, run: Path, to: Path | None) -> None:
    """Write a run as one HTML page: plots, tables, and each case with its messages.

    The page needs no network and no other file.  It holds the words of the chats: share it with
    those alone who may read them.
    """
    from eval.engine import Engine, installed_engine

    engine = ctx.obj if isinstance(ctx.obj, Engine) else installed_engine()
    click.echo(str(report_of(run, engine, to=to)))


def report_of(run: Path, engine: "Engine", *, to: Path | None = None) -> Path:
    """The page of the run in that folder, its metrics as they score today; its path.

    InputError where the folder, its cases or its chats are gone.
    """
    from eval.report.page import write_report
    from eval.rescoring import rescore

    found = rescore(run, engine)
    ready = found.prepared.cases
    return write_report(
        to or run / "report.html",
        results=found.results,
        rows=found.rows,
        chats={one.chat.chat_id: one.chat for one in ready},
        cases={one.case.case_id: one.case for one in ready},
    )
