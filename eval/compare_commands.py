"""``sayso eval compare | power``: how two sets of scores differ, and what it takes to see that."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eval.many_values import FiniteRange
from eval.saying import note, plain, say_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eval.cases import CaseKind
    from eval.scoring import Row

_BELOW = 1
_PATH = click.Path(exists=True, path_type=Path)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


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

    ours = open_folder(first)[0].kept().rows
    theirs = open_folder(second)[0].kept().rows if second else ours
    kind = _kind(first, second, ours, theirs)
    drops = [parse_drop(text, kind) for text in max_drop]
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
        say_json({"comparisons": told, "fallen": lines})
    for line in lines:
        note(line)
    ctx.exit(_BELOW if lines else 0)


@click.command("power")
@click.argument("run", type=_PATH, metavar="RUN", required=False)
@click.option("--delta", type=FiniteRange(min=0.0001, max=1), required=True, metavar="D",
              help="The difference to be seen, a fraction.")  # fmt: skip
@click.option("--power", type=FiniteRange(min=0.05, max=0.999), default=0.8, show_default=True,
              metavar="P", help="How surely it is to be seen.")  # fmt: skip
@click.option("--metric", metavar="METRIC", help="[default: evidence_f1, for arcs global_recall]")
@_JSON
def power_command(
    run: Path | None, delta: float, power: float, metric: str | None, as_json: bool
) -> None:
    """How many cases it takes to see a difference, by the spread in a run of two modes.

    Without RUN it is the last one in the folder runs.
    """
    from eval.compare import FLIPS_BY, pairs_of
    from eval.folder import last_run, open_folder
    from eval.scoring import METRICS
    from eval.significance import cases_needed
    from sayso.errors import ConfigurationError

    if run is None:
        run = last_run(Path("runs"))
        note(f"by {run}")
    rows = open_folder(run)[0].kept().rows
    _kind(run, None, rows, rows)
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
        say_json(told)
        return
    for one in told:
        where = f"{plain(one['dataset'])}: " if one["dataset"] else ""
        if one["cases"] is None:
            click.echo(f"{where}{name} does not differ in any of {one['pairs']} pairs")
        else:
            click.echo(
                f"{where}{one['cases']} cases see a difference of {delta:g} in {name} "
                f"with {100 * power:g} % power at 5 %, going by {one['pairs']} pairs"
            )


def _kind(
    first: Path, second: Path | None, ours: "Sequence[Row]", theirs: "Sequence[Row]"
) -> "CaseKind":
    """The kind of both; InputError where a run has no rows, or the two are of different kinds."""
    from sayso.errors import InputError

    for path, rows in ((first, ours), (second or first, theirs)):
        if not rows:
            raise InputError(f"{path}: has no rows yet; --resume runs its cases")
    if ours[0].kind != theirs[0].kind:
        raise InputError(
            f"{first} is of {ours[0].kind.upper()} cases, {second} of {theirs[0].kind.upper()}; "
            "name two runs of one kind"
        )
    return ours[0].kind


def _sides(
    ours: "Sequence[Row]", theirs: "Sequence[Row]", mode: str | None, *, one_run: bool
) -> list[tuple[str, str]]:
    from sayso.errors import ConfigurationError

    left, right = (list(dict.fromkeys(row.mode for row in rows)) for rows in (ours, theirs))
    if mode is not None and mode not in (*left, *right):
        known = ", ".join(dict.fromkeys((*left, *right)))
        raise ConfigurationError(f"--mode {mode}: there is none; known modes: {known}")
    if one_run:
        order = [m for m in ("oneshot", "agent") if m in left] + [
            m for m in left if m not in ("oneshot", "agent")
        ]
        if len(order) < 2:
            raise ConfigurationError("the run has one mode; name a second run to compare it with")
        return [(order[0], other) for other in order[1:] if mode in (None, order[0], other)]
    shared = [m for m in left if m in right and mode in (None, m)]
    if shared:
        return [(m, m) for m in shared]
    if len(left) == len(right) == 1 and mode is None:
        return [(left[0], right[0])]
    raise ConfigurationError(
        f"no mode to compare: the first has {', '.join(left)}, the second {', '.join(right)}"
    )
