"""Options that take all values up to the next option: ``--cases a b``."""

import click


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
