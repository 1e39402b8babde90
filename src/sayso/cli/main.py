"""The console entry: a group that imports a command only when it runs, and the exit codes.

``sayso --help`` prints the table below and imports no command, so it costs nothing.
"""

import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

import click

from sayso.cli.visible import one_line
from sayso.errors import SaysoError

UNEXPECTED = 4
INTERRUPTED = 130


@dataclass(frozen=True)
class Entry:
    """Where a command lives and what it does, in a line."""

    module: str
    attribute: str
    summary: str


COMMANDS = {
    "import": Entry("sayso.cli.importing", "import_command", "Read chat exports into the archive."),
    "chats": Entry("sayso.cli.chats", "chats_command", "List the imported chats."),
    "show": Entry("sayso.cli.show", "show_command", "Show a message and its neighbours."),
    "search": Entry("sayso.cli.search", "search_command", "Rank messages for a question."),
    "ask": Entry("sayso.cli.ask", "ask_command", "Answer a question, or a session of them."),
    "threads": Entry("sayso.cli.threads", "threads_command", "List the threads of questions."),
    "mcp": Entry("sayso.cli.mcp", "mcp_command", "Serve the chats to an assistant (MCP)."),
    "eval": Entry("eval.command", "eval_command", "Score answers against known evidence."),
    "tune": Entry("eval.tune.command", "tune_command", "Tune prompts and numbers, with proof."),
    "doctor": Entry("sayso.cli.doctor", "doctor_command", "Show how sayso is set up, and faults."),
    "export": Entry("sayso.cli.export", "export_command", "Write a chat as JSONL (or ChatLab's)."),
}


# \b keeps the lines as they stand.
FIRST_STEPS = """\b
First steps:
  sayso import "WhatsApp Chat with Ana.txt" --as ana
  sayso ask "When did Ana move?" --chat ana
"""


class LazyGroup(click.Group):
    """A group whose subcommands come from a table of places."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None for a name that is not in the table."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = getattr(importlib.import_module(entry.module), entry.attribute)
        assert isinstance(command, click.Command), f"{entry.module}.{entry.attribute}"
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table's lines; nothing is imported."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    epilog=FIRST_STEPS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="sayso", prog_name="sayso")
def sayso() -> None:
    """Answers from your chat history, with the exact messages that say so."""


def main() -> None:
    """Run the command line and exit with its code."""
    _write_any_text()
    code = run(sys.argv[1:])
    if code == INTERRUPTED:
        _end_interrupted()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """The exit code of one command; every error becomes one line on stderr."""
    stdout = sys.stdout
    try:
        code = sayso.main(args=list(arguments), prog_name="sayso", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as shown:
        click.echo(shown.ctx.get_help() if shown.ctx else "", err=True)
        return shown.exit_code
    except click.UsageError as error:
        return _complain(_usage(error), error.exit_code)
    except click.ClickException as error:
        return _complain(error.format_message(), SaysoError.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except SaysoError as error:
        _trace()
        return _complain(str(error), error.exit_code)
    except BrokenPipeError:
        return _leave_quietly()
    except OSError as error:  # a full disk, a folder that may not be written
        _trace()
        return _complain(_refused(error), SaysoError.exit_code)
    except SystemExit:
        # Where a pipe broke, click puts a muffled stdout in place and exits with 1, which here
        # would mean a score below its bar.
        if sys.stdout is not stdout:
            return _leave_quietly()
        raise
    except Exception as error:
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            return INTERRUPTED  # ctrl-C while a compiled library loads arrives as its ImportError
        _trace()
        return _complain(_unexpected(error), UNEXPECTED)
    return code if isinstance(code, int) else 0


def _complain(text: str, code: int) -> int:
    with suppress(OSError):  # where stderr is full too, the code still tells
        click.echo(f"sayso: {one_line(text)}", err=True)
    return code


def _refused(error: OSError) -> str:
    if error.filename is None:
        return f"cannot write (a full disk?) or find the working folder: {error.strerror or error}"
    return f"{error.filename}: cannot be read or written: {error.strerror or error}"


def _usage(error: click.UsageError) -> str:
    path = error.ctx.command_path if error.ctx else "sayso"
    return f"{error.format_message()} (see: {path} --help)"


def _unexpected(error: Exception) -> str:
    told = f"{type(error).__name__}: {error}"
    return f"unexpected error, a fault of sayso: {told}{'' if _debug() else ' (SAYSO_DEBUG=1 shows the traceback)'}"


def _debug() -> bool:
    return os.environ.get("SAYSO_DEBUG", "") not in ("", "0")


def _trace() -> None:
    if _debug():
        traceback.print_exc()


def _end_interrupted() -> NoReturn:
    # Ctrl-C within an exec() marks the interpreter, which would then end by the signal instead.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED)


def _leave_quietly() -> int:
    # The reader has seen enough. The interpreter flushes stdout once more at exit, which
    # would complain, so what is left goes nowhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _write_any_text() -> None:
    # A stream that the caller closed is None, which nobody here expects.
    sys.stdin, sys.stdout, sys.stderr = (
        stream or io.StringIO() for stream in (sys.stdin, sys.stdout, sys.stderr)
    )
    # A terminal with a small character set must not turn an emoji into a crash.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
