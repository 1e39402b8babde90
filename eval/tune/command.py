"""``sayso tune try | evolve | fit``: parse, run, print. Nothing heavy is imported before a command runs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from eval.many_values import ManyValues
from eval.saying import note, plain, say_json
from sayso.model_flags import MODEL_SETTINGS, model_options, model_options_but

if TYPE_CHECKING:
    from eval.preparing import Prepared
    from eval.tune.runs import Asked
    from eval.tune.splits import Splits
    from eval.tune.tools import Tools
    from eval.tune.tries import Trials
    from sayso.reasoning.prompts import Prompts

SOME_FAILED = 3
INTERRUPTED = 130
_PATH = click.Path(exists=True, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
F = TypeVar("F", bound=Callable[..., Any])  # any command's function


class TuneCommand(ManyValues):
    """Its options ``--cases``, ``--chats`` and ``--prompts`` take all values up to the next option."""

    many = (*ManyValues.many, "--prompts")


_CASES = click.option(
    "--cases", multiple=True, type=_PATH, metavar="PATH…",
    help="Files or folders of cases.  [default: the shipped conversations]",
)  # fmt: skip
_CHATS = click.option(
    "--chats", multiple=True, metavar="DIR…", type=_FOLDER,
    help="Folders that hold the chats of the cases.",
)  # fmt: skip
_SHARED = (
    click.option("--step", metavar="STEP", help="agent/planner, agent/grader, agent/generator, "
                 "oneshot/q1 or oneshot/q4."),
    _CASES,
    _CHATS,
    click.option("--arc-cases", is_flag=True, help="ARC cases instead of QA."),
    click.option("--metric", metavar="METRIC",
                 help="What a case is worth.  [default: evidence_f1, for arcs global_recall]"),
    click.option("--seed", type=int, default=0, show_default=True, metavar="S",
                 help="Deals cases without a split out, and orders the search."),
    click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True, metavar="N",
                 help="How many cases run at once."),
    click.option("--case-seconds", type=click.FloatRange(min=0.01), default=600.0, metavar="S",
                 show_default=True, help="Give a case up after so long."),
    click.option("--again", is_flag=True, help="Score test cases that were used before; the "
                 "result says so."),
    click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("runs"),
                 show_default=True, metavar="DIR", help="Where the run's new folder is made."),
    click.option("--demo", is_flag=True, help="A rule stands in for the language model."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
)  # fmt: skip


def _shared(command: F) -> F:
    for option in reversed(_SHARED):
        command = option(command)
    return command


@click.group("tune", context_settings={"help_option_names": ["-h", "--help"]})
def tune_command() -> None:
    """Tune prompts, and the engine's numbers, with proof.

    Train cases propose, valid cases choose, test cases are scored once. People who know each other
    are never in two of these. A gain whose interval holds 0 is called no difference.
    """


@tune_command.command("try", cls=TuneCommand)
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path),
                metavar="[FILE]…")  # fmt: skip
@click.option("--prompts", "sets", multiple=True, type=_FOLDER, metavar="DIR…",
              help="Whole sets of prompts as candidates.")  # fmt: skip
@click.option("--base", type=_FOLDER, metavar="DIR", help="The set that they are held against.  "
              "[default: the configured one]")  # fmt: skip
@click.option("--accept", is_flag=True, help="Let valid choose the best and test confirm it; "
              "write what holds as a new version.")  # fmt: skip
@_shared
@model_options_but("prompts")
@click.pass_context
def try_command(
    ctx: click.Context, /, files: tuple[Path, ...], sets: tuple[Path, ...], base: Path | None,
    accept: bool, as_json: bool, **options: Any,  # see _SHARED and MODEL_SETTINGS
) -> None:  # fmt: skip
    """Try candidates of a step's prompt beside the current one, on the train cases.

    Exit codes: 0 done, 2 bad input, 130 interrupted; what was run by then is kept.
    """
    from eval.progress import progress
    from eval.tune.trying import run_trial, table

    tools = _tools(ctx, options, base=base)
    base_set = _base(tools, base)
    candidates = _candidates(base_set, options["step"], files, sets)
    prepared, parts = _cases(tools, options)
    try:
        with progress(_most_trials(parts, len(candidates), accept=accept)) as shown:
            trials = _trials(tools, base_set, candidates, options, shown.advance)
            done = run_trial(
                trials, base_set, candidates, parts,
                metric=_metric(options, prepared), seed=options["seed"], accept=accept,
                again=options["again"], home=tools.home, out=options["out"],
            )  # fmt: skip
    except KeyboardInterrupt:
        note("interrupted: what was run is kept; the same command goes on")
        ctx.exit(INTERRUPTED)
    if as_json:
        say_json(done.record)
    else:
        _print(table(done))
    for line in done.lines:
        note(line)


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
@click.option("--resume", type=_FOLDER, metavar="RUN", help="Go on with the run of this folder.")
@_shared
@model_options
@click.pass_context
def evolve_command(
    ctx: click.Context, /, resume: Path | None, as_json: bool,
    **options: Any,  # see above, _SHARED and MODEL_SETTINGS
) -> None:  # fmt: skip
    """Search for a better prompt of a step with GEPA (pip install 'sayso[tune]').

    Exit codes: 0 done, 2 bad input or too small a budget, 3 the reflecting model cannot be reached,
    130 interrupted; --resume goes on, and arrives where an unbroken run would have.
    """
    from eval.progress import progress
    from eval.tune.searching import search, search_lines

    asked = _asked(ctx, options, resume)
    options |= {**asked.flags, "demo": asked.demo, "arc_cases": asked.arc_cases,
                "cases": tuple(map(Path, asked.cases)), "chats": tuple(map(Path, asked.chats)),
                "metric": asked.metric, "seed": asked.seed}  # fmt: skip
    tools = _tools(ctx, options)
    prepared, parts = _cases(tools, options)
    with progress(asked.budget + 2 * len(parts.test)) as shown:
        trials = _trials(tools, tools.prompts, {}, options, shown.advance, step=asked.step)
        done = search(
            asked, tools, trials, parts, metric=_metric(options, prepared), resume=resume,
            out=options["out"], again=options["again"], say=note,
        )  # fmt: skip
    if as_json:
        say_json(done.record)
    else:
        for line in search_lines(done):
            click.echo(plain(line))
    if not done.evolved.complete:
        note(f"go on with: sayso tune evolve --resume {done.folder}")
        ctx.exit(INTERRUPTED if done.evolved.why == "interrupted" else SOME_FAILED)


@tune_command.command("fit", cls=ManyValues)
@_CASES
@_CHATS
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
    from eval.tune.fitting import fit
    from eval.tune.view import gain_line, gain_record
    from sayso.paths import arc_data_dir
    from sayso.settings import read_settings
    from sayso.weights import weights_of

    now = weights_of(read_settings().weights)
    named = cases or (arc_data_dir() / "cases" / "qa",)
    done = fit(named, chats, now=now, seed=seed, write=out is not None)
    word = "improved" if done.improved else "kept"
    if as_json:
        say_json({"result": word, "groups": done.groups, "in_sample": list(done.in_sample),
                   "gains": [gain_record(gain) for gain in done.gains]})  # fmt: skip
    else:
        for gain in done.gains:
            click.echo(plain(f"cross-validated points, {gain_line(gain)}"))
        click.echo(
            "improved: the fitted numbers are better on people they have not seen"
            if done.improved
            else "kept: the present numbers are no worse than fitted ones"
        )
    for dataset in done.in_sample:
        note(f"the present numbers were fitted on {dataset}: their points there are in-sample, "
              "which may hide a gain and never invents one")  # fmt: skip
    if out is not None and done.weights is not None:
        out.write_text(json.dumps(done.weights, indent=1) + "\n", encoding="utf-8")
        note(f"written to {out}; use it with SAYSO_WEIGHTS={out}")
    elif out is not None:
        note(f"{out} was not written: the present numbers are kept")


def _asked(ctx: click.Context, options: dict[str, Any], resume: Path | None) -> "Asked":
    """What is to be run: as the flags say, or as the folder to go on with says."""
    from eval.tune.runs import Asked, reopen

    if resume is not None:
        free = {"resume", "jobs", "case_seconds", "again", "as_json", "out"}
        source = click.core.ParameterSource.COMMANDLINE
        stray = [n for n in ctx.params if ctx.get_parameter_source(n) == source and n not in free]
        if stray:
            flag = stray[0].replace("_", "-")
            raise click.UsageError(f"--{flag} cannot change what a resumed run is; leave it out")
        return reopen(resume)[0]
    _step(options["step"])
    names = ("step", "arc_cases", "metric", "budget", "batch", "seed", "reflection_model",
             "reflection_calls", "reflection_tokens", "max_cost", "demo")  # fmt: skip
    flags = {n: _absolute(options[n]) for n in MODEL_SETTINGS if options.get(n) is not None}
    return Asked(
        **{name: options[name] for name in names},
        cases=tuple(str(path.absolute()) for path in options["cases"]),
        chats=tuple(str(path.absolute()) for path in options["chats"]),
        flags=flags,
    )


def _absolute(value: Any) -> Any:  # a setting's value; a run goes on from any working folder
    return str(value.absolute()) if isinstance(value, Path) else value


def _tools(ctx: click.Context, options: dict[str, Any], *, base: Path | None = None) -> "Tools":
    from eval.tune.tools import Tools, installed_tools

    # A caller within Python may hand over tools of its own as the context's object.
    if isinstance(ctx.obj, Tools):
        return ctx.obj
    flags = {name: options[name] for name in MODEL_SETTINGS if options.get(name) is not None}
    tools = installed_tools(flags | ({"prompts": base} if base else {}), demo=options["demo"])
    for text in tools.engine.notes:
        note(text)
    return tools


def _base(tools: "Tools", base: Path | None) -> "Prompts":
    from sayso.reasoning.prompts import load_prompts

    return load_prompts(base) if base else tools.prompts


def _candidates(
    base: "Prompts", step: str | None, files: tuple[Path, ...], sets: tuple[Path, ...]
) -> "dict[str, Prompts]":
    from eval.tune.tries import candidates_of
    from eval.tune.versions import read_candidate
    from sayso.reasoning.prompts import load_prompts

    if bool(files) == bool(sets):
        raise click.UsageError("name candidates: FILE… with --step, or --prompts DIR…")
    if sets:
        if step is not None:
            raise click.UsageError("--step goes with FILE…; sets of --prompts are taken whole")
        return {_name(path, sets): load_prompts(path) for path in sets}
    read = {_name(path, files): read_candidate(path, _step(step)) for path in files}
    return candidates_of(base, read)


def _name(path: Path, all_of_them: tuple[Path, ...]) -> str:
    alike = [other for other in all_of_them if other.stem == path.stem]
    return path.stem if len(alike) == 1 else str(path)


def _step(step: str | None) -> str:
    from eval.tune.feedback import STEPS

    if step not in STEPS:
        known = ", ".join(STEPS)
        raise click.UsageError(f"--step {step or ''}: expected one of {known}")
    return step


def _cases(tools: "Tools", options: dict[str, Any]) -> "tuple[Prepared, Splits]":
    from eval.preparing import Request, prepare
    from eval.tune.splits import split

    request = Request(
        kind="arc" if options["arc_cases"] else "qa", cases=options["cases"], chats=options["chats"]
    )
    prepared = prepare(request, tools.engine)
    parts = split(prepared.cases, seed=options["seed"])
    for text in parts.notes:
        note(text)
    return prepared, parts


def _most_trials(parts: "Splits", candidates: int, *, accept: bool) -> int:
    more = len(parts.valid) * (1 + candidates) + 2 * len(parts.test) if accept else 0
    return len(parts.train) * (1 + candidates) + more


def _metric(options: dict[str, Any], prepared: "Prepared") -> str:
    from eval.scoring import METRICS
    from eval.tune.tries import default_metric

    known = METRICS[prepared.request.kind]
    metric: str = options["metric"] or default_metric(prepared.cases)
    if metric not in known:
        raise click.UsageError(f"--metric {metric}: unknown; known metrics: {', '.join(known)}")
    return metric


def _trials(
    tools: "Tools",
    base: "Prompts",
    candidates: "dict[str, Prompts]",
    options: dict[str, Any],
    advance: Callable[[], None],
    step: str | None = None,
) -> "Trials":
    from eval.tune.keeping import FILE, Kept
    from eval.tune.tries import Trials, changed_steps, modes_of

    steps = [s for other in candidates.values() for s in changed_steps(base, other)]
    named = step or options["step"]
    modes = modes_of([named] if named else steps) or ("agent",)
    if len(modes) > 1:
        raise click.UsageError(
            f"the candidates change prompts of {' and '.join(modes)}; try one mode at a time"
        )
    # What is asked anew whatever was said before is kept for this run alone.
    file = tools.home / "tune" / FILE if options.get("cache") is not False else None
    return Trials(
        tools.engine, modes[0], Kept(file), jobs=options["jobs"],
        case_seconds=options["case_seconds"], on_row=lambda row, ran: advance(),
    )  # fmt: skip


def _print(shown: Any) -> None:  # anything that rich prints
    from eval.table import console

    console().print(shown)
