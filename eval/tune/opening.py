"""From a command's options to what it works with: tools, candidates, cases in their splits, trials.

The commands import this when they run, since all that is heavy hangs on it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from eval.preparing import Prepared, Request, prepare
from eval.saying import note
from eval.scoring import METRICS
from eval.tune.feedback import STEPS
from eval.tune.keeping import FILE, Kept
from eval.tune.runs import Asked, reopen
from eval.tune.splits import Splits, split
from eval.tune.tools import Tools, installed_tools
from eval.tune.trials import Trials
from eval.tune.tries import candidates_of, changed_steps, default_metric, modes_of
from eval.tune.versions import read_candidate
from sayso.model_flags import MODEL_SETTINGS
from sayso.reasoning.prompts import Prompts, load_prompts

Options = Mapping[str, Any]  # a command's, by the names that click gives them

# What may be said anew when a run goes on.
_FREE = {"resume", "jobs", "case_seconds", "again", "as_json", "out"}
_KEPT = ("step", "arc_cases", "metric", "budget", "batch", "seed", "reflection_model",
         "reflection_calls", "reflection_tokens", "max_cost", "demo")  # fmt: skip


def asked_for(ctx: click.Context, options: Options, resume: Path | None) -> Asked:
    """What is to be run: as the flags say, or as the folder to go on with says."""
    if resume is not None:
        source = click.core.ParameterSource.COMMANDLINE
        stray = [n for n in ctx.params if ctx.get_parameter_source(n) == source and n not in _FREE]
        if stray:
            flag = stray[0].replace("_", "-")
            raise click.UsageError(f"--{flag} cannot change what a resumed run is; leave it out")
        return reopen(resume)[0]
    step_named(options["step"])
    flags = {n: _absolute(options[n]) for n in MODEL_SETTINGS if options.get(n) is not None}
    return Asked(
        **{name: options[name] for name in _KEPT},
        cases=tuple(str(path.absolute()) for path in options["cases"]),
        chats=tuple(str(path.absolute()) for path in options["chats"]),
        flags=flags,
    )


def tools_of(ctx: click.Context, options: Options, *, base: Path | None = None) -> Tools:
    """The tools of this installation, or those that a caller within Python gave as the context."""
    if isinstance(ctx.obj, Tools):
        return ctx.obj
    flags = {name: options[name] for name in MODEL_SETTINGS if options.get(name) is not None}
    tools = installed_tools(flags | ({"prompts": base} if base else {}), demo=options["demo"])
    for text in tools.engine.notes:
        note(text)
    return tools


def candidates_from(
    base: Prompts, step: str | None, files: tuple[Path, ...], sets: tuple[Path, ...]
) -> dict[str, Prompts]:
    """The candidates by name, each a whole set; UsageError where they are named neither way or both."""
    if bool(files) == bool(sets):
        raise click.UsageError("name candidates: FILE… with --step, or --prompts DIR…")
    if sets:
        if step is not None:
            raise click.UsageError("--step goes with FILE…; sets of --prompts are taken whole")
        return {_name(path, sets): load_prompts(path) for path in sets}
    read = {_name(path, files): read_candidate(path, step_named(step)) for path in files}
    return candidates_of(base, read)


def step_named(step: str | None) -> str:
    """The step, if it has a prompt that can be tuned; UsageError where it has none."""
    if step is None or step not in STEPS:
        found = "--step is missing" if step is None else f"--step {step}"
        raise click.UsageError(f"{found}: expected one of {', '.join(STEPS)}")
    return step


def cases_of(tools: Tools, options: Options) -> tuple[Prepared, Splits]:
    """The cases with their chats, and the parts they fall into; what there is to say is said."""
    request = Request(
        kind="arc" if options["arc_cases"] else "qa", cases=options["cases"], chats=options["chats"]
    )
    prepared = prepare(request, tools.engine)
    parts = split(prepared.cases, seed=options["seed"])
    for text in parts.notes:
        note(text)
    return prepared, parts


def metric_of(options: Options, prepared: Prepared) -> str:
    """The metric that cases are scored by; UsageError for one that this kind of case has not."""
    known = METRICS[prepared.request.kind]
    metric: str = options["metric"] or default_metric(prepared.cases)
    if metric not in known:
        raise click.UsageError(f"--metric {metric}: unknown; known metrics: {', '.join(known)}")
    return metric


def trials_of(
    tools: Tools,
    base: Prompts,
    candidates: Mapping[str, Prompts],
    options: Options,
    advance: Callable[[], None],
    step: str | None = None,
) -> Trials:
    """Trials of the mode whose prompts are tuned; UsageError where these are of two modes."""
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


def most_trials(parts: Splits, candidates: int, *, accept: bool) -> int:
    """How many rows a trial can come to, for its progress."""
    more = len(parts.valid) * (1 + candidates) + 2 * len(parts.test) if accept else 0
    return len(parts.train) * (1 + candidates) + more


def _name(path: Path, all_of_them: tuple[Path, ...]) -> str:
    alike = [other for other in all_of_them if other.stem == path.stem]
    return path.stem if len(alike) == 1 else str(path)


def _absolute(value: Any) -> Any:  # a setting's value; a run goes on from any working folder
    return str(value.absolute()) if isinstance(value, Path) else value
