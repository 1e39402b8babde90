"""``sayso threads``: what was asked before, listed, shown, removed."""

from typing import Any

import click

from sayso.chats.threads import Thread, ThreadStore
from sayso.cli.rendering import columns, ink, note, say, say_json
from sayso.cli.talk import thread_name
from sayso.cli.visible import inline
from sayso.errors import InputError
from sayso.paths import home

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_EXCERPT = 60


@click.group("threads", invoke_without_command=True)
@_JSON
@click.pass_context
def threads_command(ctx: click.Context, as_json: bool) -> None:
    """List the threads that `sayso ask --thread NAME` keeps, the last asked first."""
    if ctx.invoked_subcommand is not None:
        return
    store = ThreadStore(home())
    found = [t for name in store.names() if (t := store.load(name)) is not None]
    if as_json:
        say_json([_line_json(thread) for thread in found])
    elif found:
        rows = [["name", "chat", "turns", "when (UTC)", "last question"]]
        for thread in found:
            last = thread.turns[-1]
            asked = inline(last.turn.question[:_EXCERPT])
            row = [inline(thread.name), inline(thread.chat_id), str(len(thread.turns))]
            rows.append([*row, f"{last.at:%Y-%m-%d %H:%M}", asked])
        head, *lines = columns(rows, right=frozenset({2}))
        say([ink()(head, "dim"), *lines])
    else:
        note("no thread is kept; keep one with: sayso ask --thread NAME QUESTION")


@threads_command.command("show")
@click.argument("name")
@_JSON
def show_thread(name: str, as_json: bool) -> None:
    """Show the questions and answers of the thread NAME."""
    thread = ThreadStore(home()).load(thread_name(name))
    if thread is None:
        raise InputError(f"no thread {name!r}; sayso threads lists them")
    if as_json:
        say_json(thread.model_dump(mode="json", by_alias=True))
        return
    for kept in thread.turns:
        cited = " ".join(f"#{i}" for i in kept.turn.cited)
        say([f"? {inline(kept.turn.question)}", f"  {inline(kept.turn.answer)}  {cited}".rstrip()])


@threads_command.command("rm")
@click.argument("name")
def remove_thread(name: str) -> None:
    """Forget the thread NAME."""
    if not ThreadStore(home()).remove(thread_name(name)):
        raise InputError(f"no thread {name!r}; sayso threads lists them")
    note(f"removed {name}")


def _line_json(thread: Thread) -> dict[str, Any]:
    last = thread.turns[-1]
    return {
        "name": thread.name,
        "chatId": thread.chat_id,
        "turns": len(thread.turns),
        "lastQuestion": last.turn.question,
        "at": last.at.isoformat(),
    }
