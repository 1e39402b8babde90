"""Options beyond click's own: all values up to the next option (``--cases a b``), finite numbers."""

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """A range of numbers; "nan", which no comparison refuses, is none of them."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:  # value: as click hands it over
        """The number; a usage error for what is none within the range."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is no number", param, ctx)
        return number


class ManyValues(click.Command):
    """A command whose options in ``many`` take all values up to the next option."""

    many: tuple[str, ...] = ("--cases", "--chats")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each further value: ``--cases a b`` = ``--cases a --cases b``."""
        spread: list[str] = []
        current = ""
        for arg in args:
            if arg.startswith("-"):
                name = arg.partition("=")[0]
                current = name if name in self.many else ""
            elif current and spread[-1] != current:
                spread.append(current)
            spread.append(arg)
        return super().parse_args(ctx, spread)
