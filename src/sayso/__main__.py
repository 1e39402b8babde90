"""``sayso`` and ``python -m sayso``: loads the command line, which takes some tenths of a second."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command line; an interrupt while it still loads ends as quietly as any other."""
    try:
        from sayso.cli.main import main as run_command_line

        run_command_line()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            sys.stderr.write("sayso: interrupted\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
