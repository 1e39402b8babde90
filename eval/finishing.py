"""What follows a run: its judge, its files, its comparisons, its tables, its exit code."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from eval.saying import note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eval.benchmark import Finished
    from eval.cases import CaseKind
    from eval.compare_view import Drop
    from eval.engine import Engine
    from eval.preparing import Prepared
    from eval.scoring import Row

BELOW_BAR = 1
SOME_FAILED = 3
INTERRUPTED = 130


def with_verdicts(finished: "Finished", prepared: "Prepared", engine: "Engine") -> "Finished":
    """The run with the judge's verdicts in its results."""
    from dataclasses import replace

    from eval.folder import RunFolder
    from eval.judging import judge

    assert engine.judge is not None
    opened = engine.judge()
    verdicts = judge(finished.rows, prepared.cases, opened.caller, opened.prompt, finished.folder)
    results = {**finished.results, "judge": verdicts}
    RunFolder(finished.folder).finish(results, finished.rows, prepared.request.kind)
    for mode, of in verdicts["modes"].items():
        score = "n/a" if of["score"] is None else f"{100 * of['score']:.1f} %"
        note(
            f"judge {verdicts['model']}: {mode} {score} over {of['n']} (correct {of['correct']}, "
            f"partly {of['partly']}, wrong {of['wrong']}, unparsable {of['unparsable']}, "
            f"without a reply {of['failed']})"
        )
    return replace(finished, results=results)


def write_more(
    finished: "Finished",
    prepared: "Prepared",
    below: "Sequence[str] | None",
    *,
    junit: Path | None,
    trec: bool,
    report: bool,
) -> None:
    """Write the page, JUnit XML (with the bars that were missed) and TREC files asked for."""
    if report and finished.rows:
        from eval.report.page import write_report

        write_report(
            finished.folder / "report.html",
            results=finished.results,
            rows=finished.rows,
            chats={ready.chat.chat_id: ready.chat for ready in prepared.cases},
            cases={ready.case.case_id: ready.case for ready in prepared.cases},
        )
    if junit is not None:
        from eval.junit import write_junit

        write_junit(junit, finished.rows, below)
        note(f"written to {junit}")
    if trec:
        from eval.trec import write_trec

        for path in write_trec(finished.folder, finished.rows):
            note(f"written to {path}")


def rows_of_baseline(baseline: Path, kind: "CaseKind") -> "tuple[Row, ...]":
    """The rows of an earlier run; InputError where there is none, or one of another kind."""
    from eval.folder import open_folder
    from sayso.errors import InputError

    rows = open_folder(baseline)[0].kept().rows
    if not rows:
        raise InputError(f"--baseline {baseline}: has no rows yet; --resume runs its cases")
    other = rows[0].kind.upper()
    if rows[0].kind != kind:
        raise InputError(f"--baseline {baseline}: is of {other} cases, this run of {kind.upper()}")
    return rows


def compared(
    finished: "Finished",
    earlier: "Sequence[Row] | None",
    drops: "Sequence[Drop]",
    *,
    quiet: bool,
) -> list[str]:
    """The lines of what fell too far against earlier rows, after showing the comparison."""
    if earlier is None:
        return []
    from eval.compare import compare
    from eval.compare_view import comparison_view, fallen
    from eval.table import console

    lines: list[str] = []
    for mode in dict.fromkeys(row.mode for row in finished.rows):
        found = compare(
            [row for row in earlier if row.mode == mode],
            [row for row in finished.rows if row.mode == mode],
        )
        for one in found:
            console(stderr=quiet).print(comparison_view(one, f"{mode} of the baseline", mode))
        lines += fallen(drops, found, mode)
    return lines


def alike(finished: "Finished", *, aa: bool) -> list[str]:
    """With ``--aa``: how often like runs are called different; a line where that is too often."""
    if not aa:
        return []
    from eval.like import ALLOWED, like_runs

    lines = []
    for one in like_runs(finished.rows):
        told = (
            f"A/A {one.mode}{f' on {one.dataset}' if one.dataset else ''}: {one.called} of "
            f"{one.metrics} metrics called different between identical runs; "
            f"{100 * one.alarms:.1f} % false alarms over {one.trials} shuffles"
        )
        note(told)
        if one.alarms > ALLOWED:
            lines.append(f"{told}: more than {100 * ALLOWED:g} %")
    return lines


def show(
    finished: "Finished", prepared: "Prepared", engine: "Engine", *, as_json: bool, verbose: bool
) -> None:
    """Print the run: its tables, or results.json alone; with ``verbose`` each case.

    A run under an overlay is shown under the published labels, too, and these come first.
    """
    from eval.table import case_view, console, summary

    if verbose:
        output = console(stderr=as_json)
        chats = {ready.case.case_id: ready.chat for ready in prepared.cases}
        for row in finished.rows:
            output.print(case_view(row, chats[row.case_id]))
    if as_json:
        click.echo(_printed((finished.folder / "results.json").read_text(encoding="utf-8")))
    elif finished.rows:
        if prepared.repaired:
            from eval.rescoring import rescore

            click.echo("under the published labels")
            console().print(summary(rescore(finished.folder, engine, overlay=()).results))
            click.echo("under the repaired labels")
        console().print(summary(finished.results))
        for line in _headlines(finished):
            console().print(line, markup=False, highlight=False)
    note(f"written to {finished.folder}")


def _headlines(finished: "Finished") -> list[str]:
    """One line a data set and further mode: how it differs from the first of oneshot and the rest."""
    from eval.compare import compare
    from eval.compare_view import headline

    modes = list(dict.fromkeys(row.mode for row in finished.rows))
    first = "oneshot" if "oneshot" in modes else modes[0]
    base = [row for row in finished.rows if row.mode == first]
    return [
        headline(one, first, other)
        for other in modes
        if other != first
        for one in compare(base, [row for row in finished.rows if row.mode == other])
    ]


def exit_code(finished: "Finished", prepared: "Prepared", below: "Sequence[str]") -> int:
    """0, or what the run or a bar that it missed ends with; each miss is told."""
    if not finished.complete:
        note(f"interrupted: {len(finished.rows)} of {prepared.total} runs are saved")
        return INTERRUPTED
    if finished.failed:
        first = next(row for row in finished.rows if row.error is not None)
        note(
            f"{finished.failed} of {prepared.total} runs failed; their rows say why, the first "
            f"({first.case_id}, {first.mode}): {first.error}"
        )
    for line in below:
        note(line)
    if below:
        return BELOW_BAR
    return SOME_FAILED if finished.failed else 0


def _printed(written: str) -> str:
    """The JSON for stdout; escaped where that cannot carry every character, or is a terminal."""
    narrow = not (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    if not narrow and not sys.stdout.isatty():
        return written.rstrip("\n")
    return json.dumps(json.loads(written), indent=2)
