"""``sayso eval report RUN``: a run's page written anew, from what lies in its folder."""

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

    engine = ctx.obj if isinstance(ctx.obj, Engine) else installed_engine(thinks=False)
    click.echo(str(report_of(run, engine, to=to)))


def report_of(run: Path, engine: "Engine", *, to: Path | None = None) -> Path:
    """The page of the run in that folder, with the scores that stand there; its path.

    A run that was killed before it wrote its results is shown by the rows that it has. InputError
    where the folder, its cases or its chats are gone.
    """
    import json
    from dataclasses import replace
    from datetime import datetime

    from eval.folder import RESULTS, open_folder
    from eval.preparing import prepare
    from eval.report.page import write_report
    from eval.results import results_record
    from eval.resuming import request_of

    folder, record = open_folder(run)
    request = request_of(record)
    ready = prepare(replace(request, modes=()), engine).cases
    places = {one.case.case_id: place for place, one in enumerate(ready)}
    rows = sorted(folder.kept().rows, key=lambda row: places.get(row.case_id, len(places)))
    written = folder.path / RESULTS
    if written.is_file():
        results = json.loads(written.read_text(encoding="utf-8"))
    else:
        results = results_record(
            rows,
            request.kind,
            modes=request.modes,
            at=datetime.fromisoformat(record["timestamp"]),
            config=record["config"],
            complete=False,
        )
    return write_report(
        to or folder.path / "report.html",
        results=results,
        rows=rows,
        chats={one.chat.chat_id: one.chat for one in ready},
        cases={one.case.case_id: one.case for one in ready},
    )
