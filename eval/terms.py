"""On what terms the data is that weights are fitted on: told with ``--data``, else as told before."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

_UNTOLD = "not stated"


def _read(context: click.Context, option: click.Parameter, told: tuple[str, ...]) -> dict[str, str]:
    terms = {}
    for one in told:
        name, equals, of_it = one.partition("=")
        if not (name.strip() and equals and of_it.strip()):
            raise click.BadParameter(
                f"{one!r}: expected NAME=TERMS, such as 'mine=my own'", context, option
            )
        terms[name.strip()] = of_it.strip()
    return terms


terms_option = click.option(
    "--data", "terms", multiple=True, callback=_read, metavar="NAME=TERMS",
    help="On what terms a data set is, for the file; default: as it says now.",
)  # fmt: skip


def fitted_on(
    cases: Mapping[str, int],
    groups: Sequence[str],
    terms: Mapping[str, str],
    present: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:  # Any: JSON
    """The entries of a weights file for groups fitted anew on so many ``cases`` of each data set.

    ``present`` holds the file's entries until now: terms that are not told again stay, first those
    of the same groups.
    """
    held = sorted(present, key=lambda one: bool(set(one["groups"]) & set(groups)))
    before = {one["data"]: one["licence"] for one in held}
    return [
        {
            "data": name,
            "licence": terms.get(name, before.get(name, _UNTOLD)),
            "cases": n,
            "groups": list(groups),
        }
        for name, n in sorted(cases.items())
    ]
