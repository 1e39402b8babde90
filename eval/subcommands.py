"""``sayso eval score | audit | rescore``: parse, call one function, print."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eval.compare_commands import compare_command, power_command
from eval.many_values import ManyValues
from eval.report.command import report_command
from eval.saying import note, plain, say_json

if TYPE_CHECKING:
    from eval.cases import CaseKind
    from eval.engine import Engine

_PATH = click.Path(exists=True, path_type=Path)
_CASES = click.option(
    "--cases", multiple=True, type=_PATH, metavar="PATH…",
    help="Files or folders of cases.  [default: the shipped conversations]",
)  # fmt: skip
_CHATS = click.option(
    "--chats", multiple=True, metavar="DIR…",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folders that hold the chats of the cases.",
)  # fmt: skip
_ARC = click.option("--arc-cases", is_flag=True, help="ARC cases instead of QA.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command("score", cls=ManyValues)
@_CASES
@_CHATS
@_ARC
@click.option(
    "--run", "run", type=_PATH, required=True, metavar="FILE", help="JSONL, or a TREC run."
)
@click.option("--name", default=None, metavar="NAME", help="What to call it.  [default: the stem]")
@click.option(
    "--cutoff", type=click.IntRange(min=1), default=5, show_default=True, metavar="K",
    help="How many of a TREC run's messages count as cited.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("runs"),
    show_default=True, metavar="DIR", help="Where the scores' new folder is made.",
)  # fmt: skip
@_JSON
@click.pass_context
def score_command(
    ctx: click.Context,
    cases: tuple[Path, ...],
    chats: tuple[Path, ...],
    arc_cases: bool,
    run: Path,
    name: str | None,
    cutoff: int,
    out: Path,
    as_json: bool,
) -> None:
    """Score what another system returned, as if it were one of the modes."""
    from eval.external import read_run
    from eval.scored import write_scores
    from eval.table import console, summary

    prepared = _prepare(ctx, cases, chats, arc_cases=arc_cases)
    called = name or run.stem
    found = read_run(run, prepared.cases, name=called, cutoff=cutoff)
    for text in (*prepared.notes, *found.notes):
        note(text)
    results, folder = write_scores(found.runs, prepared, called, out)
    if as_json:
        say_json(results)
    else:
        console().print(summary(results))
    note(f"written to {folder}")


@click.command("audit", cls=ManyValues)
@_CASES
@_CHATS
@_ARC
@click.option(
    "--write", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Write the proposed repairs there, for a person to sign.",
)  # fmt: skip
@click.option("--all", "whole", is_flag=True, help="Every finding, not three of a kind.")
@_JSON
@click.pass_context
def audit_command(
    ctx: click.Context,
    cases: tuple[Path, ...],
    chats: tuple[Path, ...],
    arc_cases: bool,
    write: Path | None,
    whole: bool,
    as_json: bool,
) -> None:
    """List what is doubtful in the gold of case files, and propose repairs."""
    from eval.audit import KINDS, audit, proposals
    from eval.overlay import write_overlay

    prepared = _prepare(ctx, cases, chats, arc_cases=arc_cases)
    findings, repairs = audit(prepared.cases), proposals(prepared.cases)
    if write is not None:
        write_overlay(write, repairs)
        note(f"{len(repairs)} proposals written to {write}; they count once they are signed")
    if as_json:
        say_json(
            {
                "cases": len(prepared.cases),
                "findings": [asdict(one) for one in findings],
                "proposals": [asdict(one) for one in repairs],
            }
        )
        return
    click.echo(f"{len(prepared.cases)} cases, {len(findings)} findings")
    for kind in KINDS:
        of_kind = [one for one in findings if one.kind == kind]
        if of_kind:
            click.echo(f"\n{kind}: {len(of_kind)}")
        for one in of_kind if whole else of_kind[:3]:
            click.echo(f"  {plain(one.case_id)}: {plain(one.story)}")
    if repairs:
        click.echo(f"\nproposed repairs: {len(repairs)}" + ("" if write else " (--write FILE)"))
        for repair in repairs:
            click.echo(f"  {plain(repair.case_id)}: {plain(repair.why)}")


@click.command("rescore")
@click.argument("run", type=_PATH, metavar="RUN")
@click.option("--overlay", type=_PATH, metavar="FILE", help="Also under the labels signed there.")
@click.option("--write", is_flag=True, help="Write results.json and cases.csv of the run anew.")
@_JSON
@click.pass_context
def rescore_command(
    ctx: click.Context, run: Path, overlay: Path | None, write: bool, as_json: bool
) -> None:
    """Recompute every metric of a run from its rows, with no model."""
    from eval.overlay import read_overlay
    from eval.rescoring import rescore
    from eval.table import console, summary

    found = rescore(run, _engine(ctx))
    for text in found.notes:
        note(text)
    note(f"{found.changed} of {len(found.rows)} rows score otherwise than when they were written")
    if write:
        found.write()
        note(f"written to {found.folder.path}; sayso eval report writes its page anew")
    published = repaired = None
    if overlay is not None:
        published = rescore(run, _engine(ctx), overlay=())
        repaired = rescore(run, _engine(ctx), overlay=read_overlay(overlay))
        for text in dict.fromkeys(t for t in repaired.notes if t not in found.notes):
            note(text)
    shown = published or found
    if as_json:
        say_json(shown.results | ({"repaired": repaired.results} if repaired else {}))
        return
    if repaired:
        click.echo("under the published labels")
    console().print(summary(shown.results))
    if repaired:
        click.echo("under the repaired labels")
        console().print(summary(repaired.results))


COMMANDS = (
    score_command, audit_command, compare_command, rescore_command, power_command, report_command,
)  # fmt: skip


def _prepare(
    ctx: click.Context, cases: tuple[Path, ...], chats: tuple[Path, ...], *, arc_cases: bool
) -> Any:  # Prepared, not imported here
    from eval.preparing import Request, prepare

    kind: CaseKind = "arc" if arc_cases else "qa"
    return prepare(Request(kind=kind, cases=cases, chats=chats), _engine(ctx))


def _engine(ctx: click.Context) -> "Engine":
    from eval.engine import Engine, installed_engine

    return ctx.obj if isinstance(ctx.obj, Engine) else installed_engine(thinks=False)
