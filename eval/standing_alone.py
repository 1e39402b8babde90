"""A command that stands alone (``python -m eval.fit``): errors and exit codes as those of ``sayso``."""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from eval.saying import note
from sayso.errors import SaysoError

UNEXPECTED = 4
INTERRUPTED = 130

chats_option: Callable[[Any], Any] = click.option(
    "--chats",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder that holds the chats of the cases; may be given several times.",
)


def run(command: click.Command, arguments: Sequence[str] | None = None) -> int:
    """The exit code of the command on the arguments (None: those of the process).

    Every error is one line on stderr: 2 for usage, bad input and what cannot be read or written,
    4 for what nobody expected, 130 for an interruption. ``SAYSO_DEBUG=1`` shows the traceback.
    """
    stdout = sys.stdout
    try:
        code = command.main(
            args=None if arguments is None else list(arguments), standalone_mode=False
        )
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as shown:
        click.echo(shown.ctx.get_help() if shown.ctx else "", err=True)
        return shown.exit_code
    except click.ClickException as error:
        return _complain(error.format_message(), error.exit_code or SaysoError.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except SaysoError as error:
        return _complain(str(error), error.exit_code)
    except BrokenPipeError:
        return _leave_quietly()
    except OSError as error:  # a full disk, a folder that may not be written
        why = error.strerror or str(error)
        told = f"{error.filename}: {why}" if error.filename else f"cannot be read or written: {why}"
        return _complain(told, SaysoError.exit_code)
    except SystemExit as ended:
        # Where a pipe broke, click puts a muffled stdout in place and exits with 1, and so does rich,
        # which leaves stdout as it is.
        if sys.stdout is not stdout or isinstance(ended.__context__, BrokenPipeError):
            return _leave_quietly()
        raise
    except Exception as error:
        return _complain(f"unexpected error: {type(error).__name__}: {error}", UNEXPECTED)
    return code if isinstance(code, int) else 0


def _leave_quietly() -> int:
    # The reader has seen enough; what the interpreter flushes at exit goes nowhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _complain(text: str, code: int) -> int:
    if os.environ.get("SAYSO_DEBUG", "") not in ("", "0"):
        traceback.print_exc()
    note(text)
    return code
