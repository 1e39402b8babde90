"""``sayso eval``: parse, run, print. Nothing heavy is imported before the command runs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eval.finishing import (
    alike,
    compared,
    exit_code,
    rows_of_baseline,
    show,
    with_verdicts,
    write_more,
)  # fmt: skip
from eval.many_values import ManyValues
from eval.options import eval_options
from eval.saying import note
from sayso.model_flags import MODEL_SETTINGS, model_options

if TYPE_CHECKING:
    from eval.benchmark import Finished
    from eval.cases import CaseKind
    from eval.engine import Engine
    from eval.preparing import Prepared

_PATHS = click.Path(exists=True, path_type=Path)


class EvalGroup(ManyValues, click.Group):
    """``sayso eval`` itself runs the benchmark; its subcommands read what it wrote."""


@click.group(
    "eval",
    cls=EvalGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@eval_options
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
    from eval.bars import missed, parse_bar
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
    kind = prepared.request.kind
    bars = [parse_bar(text, kind) for text in fail_under]
    drops = [parse_drop(text, kind) for text in max_drop]
    if drops and baseline is None:
        raise click.UsageError("--max-drop needs --baseline RUN to fall from")
    # What cannot be compared or written is told now, not after hours of running.
    earlier = None if baseline is None else rows_of_baseline(baseline, kind)
    if junit is not None and not junit.absolute().parent.is_dir():
        raise click.UsageError(f"--junit {junit}: there is no folder {junit.parent}")
    for text in prepared.notes:
        note(text)
    if judged and engine.judge is None:
        raise click.UsageError("--judge needs a model: --model NAME, or SAYSO_MODEL")
    finished = _run(prepared, engine)
    if judged and finished.complete:
        finished = with_verdicts(finished, prepared, engine)
    show(finished, prepared, engine, as_json=as_json, verbose=verbose)
    below = [
        *missed(bars, finished.results),
        *compared(finished, earlier, drops, quiet=as_json),
        *alike(finished, aa=aa),
    ]
    held = below if bars or drops or aa else None
    write_more(finished, prepared, held, junit=junit, trec=trec, report=not no_report)
    ctx.exit(exit_code(finished, prepared, below))


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
        flag = next(p.opts[0] for p in ctx.command.params if p.name in stray)
        raise click.UsageError(f"{flag} cannot change what a resumed run is; leave it out")
    engine = with_modes(engine, tuple(open_folder(resume)[1]["request"]["modes"]))
    return going_on(
        resume,
        engine,
        retry_errors=retry_errors,
        limit=options["limit"] if "limit" in given else None,
        jobs=options["jobs"] if "jobs" in given else None,
    ), engine


def _names(modes: tuple[str, ...], context: str) -> tuple[str, ...]:
    """The modes that were named, each once; none for both, unless there is a third beside them."""
    from sayso.modes import MODES, WHOLE

    both = tuple(MODES) if not modes or "both" in modes else ()
    others = [mode for mode in modes if mode not in ("both", *both)]
    whole = (WHOLE,) if context == "all" else ()
    return tuple(dict.fromkeys((*both, *others, *whole))) if others or whole else ()


def _run(prepared: "Prepared", engine: "Engine") -> "Finished":
    from eval.benchmark import benchmark
    from eval.progress import progress

    with progress(prepared.total) as shown:
        return benchmark(
            prepared,
            engine,
            on_row=lambda row: shown.advance(),
            on_chat=lambda chat: shown.enter(chat.chat_id),
            on_note=note,
        )


def _attach() -> None:
    from eval.subcommands import COMMANDS

    for command in COMMANDS:
        eval_command.add_command(command)


_attach()
