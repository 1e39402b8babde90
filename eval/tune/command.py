"""``sayso tune try | evolve | fit``: parse, run, print. Nothing heavy is imported before a command runs."""

from pathlib import Path
from typing import Any

import click

from eval.many_values import ManyValues
from eval.saying import note, plain, say_json
from eval.tune.options import CASES, CHATS, FOLDER, TuneCommand, shared
from sayso.errors import ReasoningError
from sayso.model_flags import model_options, model_options_but

SOME_FAILED = 3
INTERRUPTED = 130


@click.group("tune", context_settings={"help_option_names": ["-h", "--help"]})
def tune_command() -> None:
    """Tune prompts, and the engine's numbers, with proof.

    Train cases propose, valid cases choose, test cases are scored once. People who know each other
    are never in two of these. A gain whose interval holds 0 is called no difference.
    """


@tune_command.command("try", cls=TuneCommand)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path),
                metavar="[FILE]…")  # fmt: skip
@click.option("--prompts", "sets", multiple=True, type=FOLDER, metavar="DIR…",
              help="Whole sets of prompts as candidates.")  # fmt: skip
@click.option("--base", type=FOLDER, metavar="DIR", help="The set that they are held against.  "
              "[default: the configured one]")  # fmt: skip
@click.option("--accept", is_flag=True, help="Let valid choose the best and test confirm it; "
              "write what holds as a new version.")  # fmt: skip
@shared
@model_options_but("prompts")
@click.pass_context
def try_command(
    ctx: click.Context, /, files: tuple[Path, ...], sets: tuple[Path, ...], base: Path | None,
    accept: bool, as_json: bool, **options: Any,  # see options.py and MODEL_SETTINGS
) -> None:  # fmt: skip
    """Try candidates of a step's prompt beside the current one, on the train cases.

    Exit codes: 0 done, 2 bad input, 3 runs failed, 130 interrupted; what was run by then is kept.
    """
    from eval.progress import progress
    from eval.table import console
    from eval.tune import opening
    from eval.tune.trying import run_trial, table
    from sayso.reasoning.prompts import load_prompts

    tools = opening.tools_of(ctx, options, base=base)
    current = load_prompts(base) if base else tools.prompts
    candidates = opening.candidates_from(current, options["step"], files, sets)
    prepared, parts = opening.cases_of(tools, options)
    try:
        with progress(opening.most_trials(parts, len(candidates), accept=accept)) as shown:
            trials = opening.trials_of(tools, current, candidates, options, shown.advance)
            done = run_trial(
                trials, current, candidates, parts,
                metric=opening.metric_of(options, prepared), seed=options["seed"], accept=accept,
                again=options["again"], ledger=tools.ledger, out=options["out"], say=note,
            )  # fmt: skip
    except KeyboardInterrupt:
        note("interrupted: what was run is kept; the same command goes on")
        ctx.exit(INTERRUPTED)
    except ReasoningError as error:  # none of the first runs had its model
        note(str(error))
        ctx.exit(SOME_FAILED)
    if as_json:
        say_json(done.record)
    else:
        console().print(table(done))
    for line in done.lines:
        note(line)
    if done.lost:
        note(done.lost)
        ctx.exit(SOME_FAILED)


@tune_command.command("evolve", cls=ManyValues)
@click.option("--budget", type=click.IntRange(min=1), default=300, show_default=True, metavar="N",
              help="At most so many runs of a case.")  # fmt: skip
@click.option("--batch", type=click.IntRange(min=1, max=50), default=3, show_default=True,
              metavar="N", help="Train cases that a proposal is made from.")  # fmt: skip
@click.option("--reflection-model", metavar="NAME",
              help="The model that writes proposals.  [default: that of --model]")  # fmt: skip
@click.option("--reflection-calls", type=click.IntRange(min=1), default=50, show_default=True,
              metavar="N", help="At most so many proposals.")  # fmt: skip
@click.option("--reflection-tokens", type=click.IntRange(min=1), default=500_000,
              show_default=True, metavar="N", help="At most so many tokens for them.")  # fmt: skip
@click.option("--max-cost", type=click.FloatRange(min=0, min_open=True), metavar="C",
              help="Stop at this cost of runs and proposals, by the configured prices.")  # fmt: skip
@click.option("--resume", type=FOLDER, metavar="RUN", help="Go on with the run of this folder.")
@shared
@model_options
@click.pass_context
def evolve_command(
    ctx: click.Context, /, resume: Path | None, as_json: bool,
    **options: Any,  # see above, options.py and MODEL_SETTINGS
) -> None:  # fmt: skip
    """Search for a better prompt of a step with GEPA (pip install 'sayso[tune]').

    Exit codes: 0 done, 2 bad input or too small a budget, 3 runs failed or a model cannot be
    reached, 130 interrupted; --resume goes on, and arrives where an unbroken run would have.
    """
    from eval.progress import progress
    from eval.tune import opening
    from eval.tune.searching import search, search_lines

    asked = opening.asked_for(ctx, options, resume)
    options |= {**asked.flags, "demo": asked.demo, "arc_cases": asked.arc_cases,
                "cases": tuple(map(Path, asked.cases)), "chats": tuple(map(Path, asked.chats)),
                "metric": asked.metric, "seed": asked.seed}  # fmt: skip
    tools = opening.tools_of(ctx, options)
    prepared, parts = opening.cases_of(tools, options)
    with progress(asked.budget + 2 * len(parts.test)) as shown:
        trials = opening.trials_of(
            tools, tools.prompts, {}, options, shown.advance, step=asked.step
        )
        done = search(
            asked, tools, trials, parts, metric=opening.metric_of(options, prepared),
            resume=resume, out=options["out"], again=options["again"], say=note,
        )  # fmt: skip
    if as_json:
        say_json(done.record)
    else:
        for line in search_lines(done):
            click.echo(plain(line))
    if not done.evolved.complete:
        note(f"go on with: sayso tune evolve --resume {done.folder}")
        ctx.exit(INTERRUPTED if done.evolved.why == "interrupted" else SOME_FAILED)
    if done.lost:
        note(done.lost)
        ctx.exit(SOME_FAILED)


@tune_command.command("fit", cls=ManyValues)
@CASES
@CHATS
@click.option("--seed", type=int, default=0, show_default=True, metavar="S",
              help="For the intervals.")  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Where better numbers are written.  [default: nowhere]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_context
def fit_command(
    ctx: click.Context, cases: tuple[Path, ...], chats: tuple[Path, ...], seed: int,
    out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Fit the extractive engine's weights, cuts and thresholds on QA cases; no model is needed.

    Every question is judged by numbers that have not seen its group of people. Only a gain whose
    interval is above 0 is an improvement; else the present numbers are kept.
    """
    from eval.refitting import writable, write
    from eval.tune.fit_view import fit_lines, fit_record
    from eval.tune.fitting import fit
    from sayso.paths import arc_data_dir
    from sayso.settings import read_settings
    from sayso.weights import weights_of

    if out is not None:
        writable(out)  # before the long work
    now = weights_of(read_settings().weights)
    named = cases or (arc_data_dir() / "cases" / "qa",)
    done = fit(named, chats, now=now, seed=seed, write=out is not None, say=note)
    if as_json:
        say_json(fit_record(done))
    else:
        for line in fit_lines(done):
            click.echo(plain(line))
    for dataset in done.in_sample:
        note(f"the present numbers were fitted on {dataset}: their points there are in-sample, "
              "which may hide a gain and never invents one")  # fmt: skip
    if out is not None and done.weights is not None:
        write(out, done.weights)
        note(f"written to {out}; use it with SAYSO_WEIGHTS={out}")
    elif out is not None:
        note(f"{out} was not written: the present numbers are kept")
