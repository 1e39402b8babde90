"""``sayso ask [QUESTION]``: one answer, or a session without a question."""

from datetime import date
from typing import Any, get_args

import click

from sayso.cli.answers import answer_json, answer_lines
from sayso.cli.asking import Asking, question_text
from sayso.cli.limits import Limits, limit_options
from sayso.cli.rendering import ink, say, say_json
from sayso.cli.session import run_session
from sayso.cli.talk import Talk
from sayso.core.trail import ModeName
from sayso.model_flags import model_options
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
    "--mode", type=click.Choice(get_args(ModeName)), default="agent", show_default=True,
    help="agent searches again while evidence is missing; oneshot is a single pass.",
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def ask_command(
    ctx: click.Context,
    /,
    words: tuple[str, ...],
    chat_name: str | None,
    mode: ModeName,
    recall: bool,
    senders: tuple[str, ...],
    since: date | None,
    until: date | None,
    rounds: int | None,
    seconds: float | None,
    thread: str | None,
    anew: bool,
    as_json: bool,
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
        mode=mode,
        limits=Limits(senders, since, until),
        recall=recall,
        quiet=as_json,
        chat_name=chat_name,
        talk=Talk(home(), thread, anew=anew, kept=thread is not None or not words),
    )
    if not words:
        ctx.exit(run_session(asking, as_json=as_json))
    trail = asking.ask(question_text(words))
    if as_json:
        say_json(answer_json(trail))
    else:
        say(answer_lines(trail, asking.chat, ink()))
