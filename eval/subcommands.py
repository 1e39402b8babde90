"""``sayso eval score | audit | compare | rescore | power``: parse, call one function, print."""

import json
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eval.many_values import ManyValues
from eval.report.command import report_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eval.cases import CaseKind
    from eval.engine import Engine
    from eval.scoring import Row

_BELOW = 1
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
        _note(text)
    results, folder = write_scores(found.runs, prepared, called, out)
    if as_json:
        _say_json(results)
    else:
        console().print(summary(results))
    _note(f"written to {folder}")


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
        _note(f"{len(repairs)} proposals written to {write}; they count once they are signed")
    if as_json:
        _say_json(
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
            click.echo(f"  {_plain(one.case_id)}: {_plain(one.story)}")
    if repairs:
        click.echo(f"\nproposed repairs: {len(repairs)}" + ("" if write else " (--write FILE)"))
        for repair in repairs:
            click.echo(f"  {_plain(repair.case_id)}: {_plain(repair.why)}")


@click.command("compare")
@click.argument("first", type=_PATH, metavar="RUN_A")
@click.argument("second", type=_PATH, metavar="RUN_B", required=False)
@click.option("--mode", "mode", metavar="MODE", help="Only this mode.  [default: each they share]")
@click.option("--max-drop", multiple=True, metavar="METRIC=VALUE",
              help="Exit with 1 when a mean falls further; repeatable.")  # fmt: skip
@_JSON
@click.pass_context
def compare_command(
    ctx: click.Context,
    first: Path,
    second: Path | None,
    mode: str | None,
    max_drop: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare two runs case by case, or without RUN_B the modes of one run.

    Differences are second minus first, with 95 % intervals over conversations, sign-flip tests by
    conversation and by case, and Holm over the metrics.
    """
    from eval.compare import Comparison, compare
    from eval.compare_view import comparison_record, comparison_view, fallen, parse_drop
    from eval.folder import open_folder
    from eval.table import console

    drops = [parse_drop(text) for text in max_drop]
    ours = open_folder(first)[0].kept().rows
    theirs = open_folder(second)[0].kept().rows if second else ours
    sides = _sides(ours, theirs, mode, one_run=second is None)
    lines: list[str] = []
    told: list[dict[str, Any]] = []
    for left, right in sides:
        found: tuple[Comparison, ...] = compare(
            [row for row in ours if row.mode == left], [row for row in theirs if row.mode == right]
        )
        names = (
            (left, right)
            if second is None
            else (f"{left} of {first.name}", f"{right} of {second.name}")
        )
        lines += fallen(drops, found, right)
        if as_json:
            told.append(
                {"first": names[0], "second": names[1]}
                | {"datasets": [comparison_record(one) for one in found]}
            )
        else:
            for one in found:
                console().print(comparison_view(one, *names))
    if as_json:
        _say_json({"comparisons": told, "fallen": lines})
    for line in lines:
        _note(line)
    ctx.exit(_BELOW if lines else 0)


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
    for note in found.notes:
        _note(note)
    _note(f"{found.changed} of {len(found.rows)} rows score otherwise than when they were written")
    repaired = rescore(run, _engine(ctx), overlay=read_overlay(overlay)) if overlay else None
    if write:
        found.folder.finish(found.results, found.rows, found.prepared.request.kind)
    if as_json:
        _say_json(found.results | ({"repaired": repaired.results} if repaired else {}))
        return
    if repaired:
        click.echo("under the published labels")
    console().print(summary(found.results))
    if repaired:
        click.echo("under the repaired labels")
        console().print(summary(repaired.results))


@click.command("power")
@click.argument("run", type=_PATH, metavar="RUN")
@click.option("--delta", type=click.FloatRange(min=0.0001, max=1), required=True, metavar="D",
              help="The difference to be seen, a fraction.")  # fmt: skip
@click.option("--power", type=click.FloatRange(min=0.05, max=0.999), default=0.8, show_default=True,
              metavar="P", help="How surely it is to be seen.")  # fmt: skip
@click.option("--metric", metavar="METRIC", help="[default: evidence_f1, for arcs global_recall]")
@_JSON
def power_command(run: Path, delta: float, power: float, metric: str | None, as_json: bool) -> None:
    """How many cases it takes to see a difference, by the spread in a run of two modes."""
    from eval.compare import FLIPS_BY, pairs_of
    from eval.folder import open_folder
    from eval.scoring import METRICS
    from eval.significance import cases_needed
    from sayso.errors import ConfigurationError

    rows = open_folder(run)[0].kept().rows
    modes = list(dict.fromkeys(row.mode for row in rows))
    if len(modes) < 2:
        raise ConfigurationError(f"{run}: has one mode; the spread of differences needs two")
    name = metric or FLIPS_BY[rows[0].kind]
    if name not in METRICS[rows[0].kind]:
        known = ", ".join(METRICS[rows[0].kind])
        raise ConfigurationError(f"--metric {name}: unknown; known metrics: {known}")
    told: list[dict[str, Any]] = []
    for dataset in dict.fromkeys(row.dataset for row in rows):
        own = [row for row in rows if row.dataset == dataset and row.error is None]
        pairs = pairs_of(
            [r for r in own if r.mode == modes[0]], [r for r in own if r.mode == modes[1]], name
        )
        needed = cases_needed(pairs, delta, power=power)
        told.append({"dataset": dataset, "metric": name, "modes": modes[:2], "delta": delta,
                     "power": power, "pairs": len(pairs), "cases": needed})  # fmt: skip
    if as_json:
        _say_json(told)
        return
    for one in told:
        where = f"{_plain(one['dataset'])}: " if one["dataset"] else ""
        if one["cases"] is None:
            click.echo(f"{where}{name} does not differ in any of {one['pairs']} pairs")
        else:
            click.echo(
                f"{where}{one['cases']} cases see a difference of {delta:g} in {name} "
                f"with {100 * power:g} % power at 5 %, going by {one['pairs']} pairs"
            )


COMMANDS = (
    score_command, audit_command, compare_command, rescore_command, power_command, report_command,
)  # fmt: skip


def _sides(
    ours: "Sequence[Row]", theirs: "Sequence[Row]", mode: str | None, *, one_run: bool
) -> list[tuple[str, str]]:
    from sayso.errors import ConfigurationError

    left, right = (list(dict.fromkeys(row.mode for row in rows)) for rows in (ours, theirs))
    if one_run:
        order = [m for m in ("oneshot", "agent") if m in left] + [
            m for m in left if m not in ("oneshot", "agent")
        ]
        if len(order) < 2:
            raise ConfigurationError("the run has one mode; name a second run to compare it with")
        return [(order[0], other) for other in order[1:]]
    shared = [m for m in left if m in right and mode in (None, m)]
    if shared:
        return [(m, m) for m in shared]
    if len(left) == len(right) == 1 and mode is None:
        return [(left[0], right[0])]
    raise ConfigurationError(
        f"no mode to compare: the first has {', '.join(left)}, the second {', '.join(right)}"
    )


def _prepare(
    ctx: click.Context, cases: tuple[Path, ...], chats: tuple[Path, ...], *, arc_cases: bool
) -> Any:  # Prepared, not imported here
    from eval.preparing import Request, prepare

    kind: CaseKind = "arc" if arc_cases else "qa"
    return prepare(Request(kind=kind, cases=cases, chats=chats), _engine(ctx))


def _engine(ctx: click.Context) -> "Engine":
    from eval.engine import Engine, installed_engine

    return ctx.obj if isinstance(ctx.obj, Engine) else installed_engine(thinks=False)


def _plain(text: str) -> str:
    from eval.table import plain

    return plain(text)


def _note(text: str) -> None:
    with suppress(OSError):
        click.echo(f"sayso: {_plain(text)}", err=True)


def _say_json(value: Any) -> None:  # any value that json writes
    click.echo(json.dumps(value, indent=2, ensure_ascii=True))
