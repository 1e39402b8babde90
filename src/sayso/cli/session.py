"""Questions one after another: from a terminal with line editing, or a line each from a pipe."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

from sayso.cli.answers import answer_lines, exit_code_of, say_answer, why_lines
from sayso.cli.asking import Asking, question_text
from sayso.cli.rendering import Ink, ink, note, say
from sayso.cli.show import neighbourhood, shown
from sayso.cli.visible import inline
from sayso.core.trail import Trail
from sayso.errors import InputError, SaysoError, StoreError
from sayso.modes import EVERY_MODE
from sayso.paths import private_folder

_DIGITS = 20  # more than any localId has, fewer than Python refuses to read

Read = Callable[[], str]
"""The next line; EOFError at the end."""

HELP = {
    ":mode agent|oneshot|whole": "answer in another mode",
    ":chat NAME": "ask another chat (an imported id, or a file)",
    ":show ID": "a message and its neighbours",
    ":why": "how the last answer came about",
    ":help": "this list",
    ":quit": "leave (so does ctrl-D)",
}


def run_session(asking: Asking, *, read: Read | None = None) -> int:
    """Answer until the lines end; the exit code of the last fault from a pipe, 0 from a terminal.

    That a model failed is a fault, too, although its question was answered without it.
    """
    if asking.chat_name is not None:
        asking.turn_to(asking.chat_name)  # a wrong --chat ends here, before any question
    interactive = read is None and sys.stdin.isatty()
    session = Session(asking, interactive=interactive)
    if interactive:
        session.greet()
        session.run(_terminal(asking.home))
        return 0
    return session.run(read or _pipe)


@dataclass
class Session:
    """The state between two lines: whom we ask, and the last answer."""

    asking: Asking
    interactive: bool = False  # ctrl-C cancels a line or an answer, and does not end the session
    ink: Ink = field(default_factory=ink)
    last: Trail | None = None

    def run(self, read: Read) -> int:
        """Read and answer until the end or ``:quit``; the exit code of the last fault, else 0."""
        code = 0
        while True:
            try:
                line = read().strip()
                if line == ":quit":
                    return code
                if line:
                    code = self.answer(line) or code
            except KeyboardInterrupt:
                if not self.interactive:
                    raise
                note("cancelled")
            except EOFError:
                return code
            except SaysoError as error:
                note(str(error))
                code = error.exit_code

    def answer(self, line: str) -> int:
        """One line, a command or a question, and its exit code."""
        if line.startswith(":"):
            self._tell(self._command(*line.split(maxsplit=1)))
            return 0
        text = question_text((line,))
        if self.asking.form == "text" and not self.interactive:
            say([self.ink(f"> {inline(text)}", "heading")])  # nobody sees what a pipe asks
        self.last = self.asking.ask(text)
        if self.asking.form == "text":
            say([*answer_lines(self.last, self.asking.chat, self.ink), ""])
        else:
            say_answer(self.last, self.asking.form, indent=None)
        return exit_code_of(self.last)

    def greet(self) -> None:
        """Say whom we ask, or how to choose."""
        try:
            chat = self.asking.chat
            note(
                f"asking {inline(chat.title)} ({len(chat.messages)} messages); "
                "type a question, or :help, or :quit"
            )
        except SaysoError as error:
            note(f"{error}; or here with :chat NAME")

    def _tell(self, lines: list[str]) -> None:
        if self.asking.form != "text":  # stdout is for answers, one a line
            for line in lines:
                click.echo(line, err=True)
        else:
            say(lines)

    def _command(self, name: str, argument: str = "") -> list[str]:
        match name:
            case ":mode":
                return self._mode(argument.strip())
            case ":chat":
                return self._chat(argument.strip())
            case ":show":
                return self._show(argument.strip().removeprefix("#"))
            case ":why":
                return self._why()
            case ":help":
                width = max(map(len, HELP))
                return [f"{command:<{width}}  {does}" for command, does in HELP.items()]
        raise InputError(f"no command {name!r}; there are {', '.join(HELP)}")

    def _mode(self, name: str) -> list[str]:
        if name and name not in EVERY_MODE:
            raise InputError(f"no mode {name!r}; there are {', '.join(EVERY_MODE)}")
        self.asking.mode = name or self.asking.mode
        return [f"mode: {self.asking.mode}"]

    def _chat(self, name: str) -> list[str]:
        if name:
            self.asking.turn_to(name)
            self.last = None
        chat = self.asking.chat
        return [f"chat: {inline(chat.chat_id)}, {len(chat.messages)} messages"]

    def _show(self, local_id: str) -> list[str]:
        if not local_id.isdecimal() or len(local_id) > _DIGITS:
            raise InputError(f":show takes a localId such as 14, not {local_id!r:.60}")
        chat = self.asking.chat
        return shown(neighbourhood(chat, int(local_id), 5), int(local_id), chat, self.ink)

    def _why(self) -> list[str]:
        if self.last is None:
            raise InputError("nothing was asked yet; :why tells how the last answer came about")
        return why_lines(self.last, self.asking.chat, self.ink)


def _pipe() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _plain_line() -> str:
    click.echo("sayso> ", nl=False, err=True)
    return _pipe()


def _terminal(home: Path) -> Read:
    if os.environ.get("TERM") == "dumb":
        return _plain_line  # prompt_toolkit would hear neither ctrl-C nor ctrl-D there

    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import FileHistory
    from prompt_toolkit.output import create_output

    # The prompt is no result: with stdout in a file it belongs on stderr.
    output = None if sys.stdout.isatty() else create_output(sys.stderr)
    history = FileHistory(str(_private(home / "history")))
    prompt: PromptSession[str] = PromptSession("sayso> ", history=history, output=output)
    return prompt.prompt


def _private(path: Path) -> Path:
    """The file, which only its owner may read: questions tell as much as answers."""
    try:
        private_folder(path.parent)
        os.close(os.open(path, os.O_CREAT | os.O_APPEND, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise StoreError(f"{path}: cannot keep the history of questions: {error}") from error
    return path
