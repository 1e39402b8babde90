"""``sayso eval``: parse, run, print. Nothing heavy is imported before the command runs."""

import json
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eval.many_values import ManyValues
from sayso.model_flags import MODEL_SETTINGS, model_options

if TYPE_CHECKING:
    from eval.bars import Bar
    from eval.benchmark import Finished
    from eval.cases import CaseKind
    from eval.compare_view import Drop
    from eval.engine import Engine
    from eval.preparing import Prepared

BELOW_BAR = 1
SOME_FAILED = 3
INTERRUPTED = 130
_LONGEST = 800
_PATHS = click.Path(exists=True, path_type=Path)


class EvalGroup(ManyValues, click.Group):
    """``sayso eval`` itself runs the benchmark; its subcommands read what it wrote."""


@click.group(
    "eval",
    cls=EvalGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--mode",
    "modes",
    multiple=True,
    metavar="MODE",
    help="agent, oneshot, both, whole, or MODULE:FUNCTION for a system of your own; repeatable.  "
    "[default: both]",
)
@click.option(
    "--context",
    type=click.Choice(["found", "all"]),
    default="found",
    show_default=True,
    help="all: give whole chats to the model, too (mode whole), beside the other modes.",
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
@click.option(
    "--repeats",
    type=click.IntRange(min=1, max=100),
    default=1,
    show_default=True,
    metavar="N",
    help="Run each case so often, and show the spread.",
)
@click.option(
    "--case-seconds",
    type=click.FloatRange(min=0.01),
    metavar="S",
    default=600.0,
    show_default=True,
    help="Give a case up after so long; it counts as failed.",
)
@click.option(
    "--oracle",
    type=click.Choice(["retrieval", "evidence"]),
    help="Hand the expected messages to the grader, or to the generator: a part's ceiling.",
)
@click.option(
    "--oracle-retrieval",
    "oracle",
    flag_value="retrieval",
    help="The same as --oracle retrieval.",
)
@click.option(
    "--oracle-evidence",
    "oracle",
    flag_value="evidence",
    help="The same as --oracle evidence.",
)
@click.option(
    "--overlay",
    type=_PATHS,
    metavar="FILE",
    help="Score under the repaired labels signed there.",
)
@click.option(
    "--resume",
    type=_PATHS,
    metavar="RUN",
    help="Go on with the run of this folder, with its model and settings; only --limit, --jobs and "
    "--retry-errors change it.",
)
@click.option("--retry-errors", is_flag=True, help="With --resume: run failed cases again.")
@click.option(
    "--aa",
    is_flag=True,
    help="Run each mode twice and say how often like is called different (at most 5 %).",
)
@click.option(
    "--baseline",
    type=_PATHS,
    metavar="RUN",
    help="Compare with this earlier run afterwards.",
)
@click.option(
    "--max-drop",
    multiple=True,
    metavar="METRIC=VALUE",
    help="With --baseline: exit with 1 when a mean falls further; repeatable.",
)
@click.option(
    "--junit",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the cases as JUnit XML.",
)
@click.option(
    "--judge",
    "judged",
    is_flag=True,
    help="Have the configured model judge the answers against the gold answers.",
)
@click.option("--no-report", is_flag=True, help="Write no report.html.")
@click.option("--trec", is_flag=True, help="Write TREC qrels and run files into the run's folder.")
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
@model_options
@click.option("--json", "as_json", is_flag=True, help="Print results.json and nothing else.")
@click.pass_context
def eval_command(
    ctx: click.Context,
    /,
    modes: tuple[str, ...],
    verbose: bool,
    as_json: bool,
    arc_cases: bool,
    fail_under: tuple[str, ...],
    resume: Path | None,
    retry_errors: bool,
    aa: bool,
    baseline: Path | None,
    max_drop: tuple[str, ...],
    junit: Path | None,
    trec: bool,
    judged: bool,
    no_report: bool,
    **options: Any,  # the fields of Request, under the names of their flags
) -> None:
    """Score answers against known evidence.

    Replays cases through one mode or both, and scores the messages and characters they cite.
    Each run writes rows.jsonl, results.json and cases.csv to a new folder.

    Exit codes: 0 done, 1 a score below --fail-under, 2 bad input, 3 some cases failed,
    130 interrupted.
    """
    if ctx.invoked_subcommand is not None:
        return
    from eval.bars import parse_bar
    from eval.compare_view import parse_drop
    from eval.engine import Engine, installed_engine

    model_settings = {name: options.pop(name) for name in MODEL_SETTINGS}
    if resume is not None:
        from eval.resuming import resumed_flags

        model_settings = resumed_flags(resume, model_settings)
    # A caller within Python may hand over an engine of its own as the context's object.
    engine = ctx.obj if isinstance(ctx.obj, Engine) else installed_engine(model_settings)
    prepared, engine = _prepared(
        ctx, engine, modes, arc_cases=arc_cases, resume=resume, retry_errors=retry_errors,
        options=options | ({"repeats": max(2, options["repeats"])} if aa else {}),
    )  # fmt: skip
    bars = [parse_bar(text, prepared.request.kind) for text in fail_under]
    drops = [parse_drop(text) for text in max_drop]
    if drops and baseline is None:
        raise click.UsageError("--max-drop needs --baseline RUN to fall from")
    for note in prepared.notes:
        _note(note)
    if judged and engine.judge is None:
        raise click.UsageError("--judge needs a model: --model NAME, or SAYSO_MODEL")
    finished = _run(prepared, engine)
    if judged and finished.complete:
        finished = _judged(finished, prepared, engine)
    _show(finished, prepared, as_json=as_json, verbose=verbose)
    _write_more(finished, prepared, junit=junit, trec=trec, report=not no_report)
    below = [*_compared(finished, baseline, drops, quiet=as_json), *_alike(finished, aa=aa)]
    ctx.exit(_exit_code(finished, prepared, bars, below))


def _prepared(
    ctx: click.Context,
    engine: "Engine",
    modes: tuple[str, ...],
    *,
    arc_cases: bool,
    resume: Path | None,
    retry_errors: bool,
    options: dict[str, Any],  # the fields of Request, under the names of their flags
) -> "tuple[Prepared, Engine]":
    """A new run, or an earlier one to go on with; and the engine with the modes it names."""
    from eval.engine import with_modes
    from eval.folder import open_folder
    from eval.preparing import Request, prepare
    from eval.resuming import resume as going_on

    given = {
        name
        for name in ctx.params
        if ctx.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE
    }
    if resume is None:
        if retry_errors:
            raise click.UsageError("--retry-errors needs --resume RUN")
        names = _names(modes, options.pop("context"))
        engine = with_modes(engine, names)
        kind: CaseKind = "arc" if arc_cases else "qa"
        return prepare(
            Request(kind=kind, modes=names, command=tuple(sys.argv), **options), engine
        ), engine
    options.pop("context")
    stray = given - {*MODEL_SETTINGS, "resume", "retry_errors", "limit", "jobs", "verbose", "as_json", "fail_under",
                     "baseline", "max_drop", "junit", "trec", "judged", "no_report"}  # fmt: skip
    if stray:
        flag = min(stray).replace("_", "-")
        raise click.UsageError(f"--{flag} cannot change what a resumed run is; leave it out")
    engine = with_modes(engine, tuple(open_folder(resume)[1]["request"]["modes"]))
    return going_on(
        resume,
        engine,
        retry_errors=retry_errors,
        limit=options["limit"] if "limit" in given else None,
        jobs=options["jobs"] if "jobs" in given else None,
    ), engine


def _names(modes: tuple[str, ...], context: str) -> tuple[str, ...]:
    """The modes that were named; none for both, unless there is a third beside them."""
    from sayso.modes import MODES, WHOLE

    if context == "all":
        both = tuple(MODES) if not modes or "both" in modes else ()
        return tuple(dict.fromkeys((*both, *(m for m in modes if m != "both"), WHOLE)))
    return () if not modes or "both" in modes else tuple(dict.fromkeys(modes))


def _judged(finished: "Finished", prepared: "Prepared", engine: "Engine") -> "Finished":
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
        _note(
            f"judge {verdicts['model']}: {mode} {score} over {of['n']} (correct {of['correct']}, "
            f"partly {of['partly']}, wrong {of['wrong']}, unparsable {of['unparsable']})"
        )
    return replace(finished, results=results)


def _write_more(
    finished: "Finished", prepared: "Prepared", *, junit: Path | None, trec: bool, report: bool
) -> None:
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

        write_junit(junit, finished.rows)
        _note(f"written to {junit}")
    if trec:
        from eval.trec import write_trec

        for path in write_trec(finished.folder, finished.rows):
            _note(f"written to {path}")


def _compared(
    finished: "Finished", baseline: Path | None, drops: "Sequence[Drop]", *, quiet: bool
) -> list[str]:
    """The lines of what fell too far against the baseline, after showing the comparison."""
    if baseline is None:
        return []
    from eval.compare import compare
    from eval.compare_view import comparison_view, fallen
    from eval.folder import open_folder
    from eval.table import console

    earlier = open_folder(baseline)[0].kept().rows
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


def _alike(finished: "Finished", *, aa: bool) -> list[str]:
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
        _note(told)
        if one.alarms > ALLOWED:
            lines.append(f"{told}: more than {100 * ALLOWED:g} %")
    return lines


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


def _exit_code(
    finished: "Finished", prepared: "Prepared", bars: "Sequence[Bar]", fell: "Sequence[str]"
) -> int:
    from eval.bars import missed

    if not finished.complete:
        _note(f"interrupted: {len(finished.rows)} of {prepared.total} runs are saved")
        return INTERRUPTED
    if finished.failed:
        _note(f"{finished.failed} of {prepared.total} runs failed; their rows say why")
    below = [*missed(bars, finished.results), *fell]
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


def _attach() -> None:
    from eval.subcommands import COMMANDS

    for command in COMMANDS:
        eval_command.add_command(command)


_attach()
