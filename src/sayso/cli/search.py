"""``sayso search QUESTION``: the ranked candidates, before any grading."""

import shutil
from datetime import date
from typing import Any

import click

from sayso.assembly import deps_for, load_chat
from sayso.cli.asking import question_text
from sayso.cli.limits import Limits, limit_options
from sayso.cli.rendering import (
    Ink,
    columns,
    excerpt,
    fitted,
    ink,
    local_time,
    note,
    progress,
    say,
    say_json,
)
from sayso.cli.visible import inline
from sayso.core.chat import Chat
from sayso.core.models import Candidate, Question
from sayso.core.seams import Q1, Deps, Planning
from sayso.paths import home
from sayso.settings import read_settings


@click.command("search")
@click.argument("words", metavar="QUESTION", nargs=-1)
@click.option(
    "--chat",
    "chat_name",
    metavar="CHAT",
    help="An imported id (sayso chats), or a file.  [default: the only imported chat]",
)
@click.option(
    "-k",
    "k",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    metavar="N",
    help="How many.",
)
@limit_options
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, with what speaks for each message."
)
def search_command(
    words: tuple[str, ...],
    chat_name: str | None,
    k: int,
    senders: tuple[str, ...],
    since: date | None,
    until: date | None,
    as_json: bool,
) -> None:
    """Rank the messages of a chat for QUESTION, best first; nothing is answered."""
    text = question_text(words)
    limits = Limits(senders, since, until)
    chat = load_chat(chat_name, home=home())
    question = Question(text=text, chat_id=chat.chat_id, limits=limits.within(chat))
    deps = deps_for(chat, read_settings(), home=home(), progress=progress())
    for lacking in deps.notes:
        note(lacking)
    found = ranked(question, deps, k)
    if as_json:
        say_json([_as_json(candidate) for candidate in found])
    elif found:
        say(_table(found, chat, ink()))
    else:
        note(f"no message of {chat.chat_id} matches")


def ranked(question: Question, deps: Deps, k: int) -> tuple[Candidate, ...]:
    """At most ``k`` candidates for the question as both modes plan it, best first."""
    plan = deps.reasoner.think(Q1, Planning(question, deps.chat)).value
    return deps.retriever.search(plan, k)


def _as_json(candidate: Candidate) -> dict[str, Any]:
    return {"localId": candidate.local_id, "score": candidate.score, "why": candidate.why}


def _table(found: tuple[Candidate, ...], chat: Chat, ink: Ink) -> list[str]:
    rows = [["", "score", "id", "when", "who", "text"]]
    for rank, candidate in enumerate(found, start=1):
        message = chat.by_id[candidate.local_id]
        when, who = local_time(message.sent_at, chat.zone), fitted(inline(message.sender), 24)
        rows.append(
            [
                f"{rank}",
                f"{candidate.score:.3f}",
                f"#{message.local_id}",
                when,
                who,
                excerpt(message),
            ]
        )
    lines = columns(rows, right=frozenset({0, 1, 2}))
    if ink.on:
        width = shutil.get_terminal_size().columns
        lines = [fitted(line, width) for line in lines]
    return [ink(lines[0], "dim"), *lines[1:]]
