"""``sayso ask [QUESTION]``: one answer, or a session without a question."""

from datetime import date
from typing import Any, Literal

import click

from sayso.cli.answers import answer_lines, exit_code_of, say_answer
from sayso.cli.asking import Asking, question_text
from sayso.cli.limits import Limits, limit_options
from sayso.cli.rendering import ink, say
from sayso.cli.session import run_session
from sayso.cli.talk import Talk
from sayso.cli.watching import Form
from sayso.model_flags import model_options
from sayso.modes import EVERY_MODE, WHOLE
from sayso.paths import home
from sayso.settings import read_settings


@click.command("ask")
@click.argument("words", metavar="[QUESTION]", nargs=-1)
@click.option(
    "--chat",
    "chat_name",
    metavar="CHAT",
    help="An imported id (sayso chats), or a file.  [default: the only imported chat]",
)
@click.option(
    "--mode", type=click.Choice(tuple(EVERY_MODE)), default="agent", show_default=True,
    help="agent searches again while evidence is missing; oneshot is a single pass; whole gives "
    "all of the chat to a model.",
)  # fmt: skip
@click.option(
    "--context", type=click.Choice(["found", "all"]), default="found", show_default=True,
    help="all: the same as --mode whole.",
)  # fmt: skip
@click.option(
    "--recall",
    is_flag=True,
    help="Cite more messages: fewer are missed, more are beside the point.",
)
@limit_options
@click.option("--rounds", type=int, metavar="N", help="At most so many searches (agent).")
@click.option("--seconds", type=float, metavar="S", help="Start no search after so long (agent).")
@click.option("--thread", metavar="NAME", help="Go on with this thread: follow-ups lean on it.")
@click.option("--new", "anew", is_flag=True, help="Begin the thread anew.")
@model_options
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option(
    "--jsonl", "form", flag_value="jsonl", help="Print what happens, a JSON object a line."
)
@click.pass_context
def ask_command(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    chat_name: str | None,
    mode: str,
    context: Literal["found", "all"],
    recall: bool,
    senders: tuple[str, ...],
    since: date | None,
    until: date | None,
    rounds: int | None,
    seconds: float | None,
    thread: str | None,
    anew: bool,
    form: Form | None,
    **model_settings: Any,  # the settings of a model, under their names
) -> None:
    """Answer QUESTION about a chat with the exact messages that say so.

    Without a question: a session (:help lists its commands), or a question a line from stdin.
    """
    if anew and thread is None:
        raise click.UsageError("--new begins a thread anew; say which with --thread NAME")
    asking = Asking(
        home=home(),
        settings=read_settings({"rounds": rounds, "seconds": seconds} | model_settings),
        mode=WHOLE if context == "all" else mode,
        limits=Limits(senders, since, until),
        recall=recall,
        form=form or "text",
        chat_name=chat_name,
        talk=Talk(home(), thread, anew=anew, kept=thread is not None or not words),
    )
    if not words:
        ctx.exit(run_session(asking))
    trail = asking.ask(question_text(words))
    if asking.form == "text":
        say(answer_lines(trail, asking.chat, ink()))
    else:
        say_answer(trail, asking.form)
    ctx.exit(exit_code_of(trail))
