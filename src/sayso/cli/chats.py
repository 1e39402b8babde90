"""``sayso chats``, and ``sayso chats rm ID…``."""

import sys
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import click

from sayso.chats.outline import Outline
from sayso.chats.store import ChatStore
from sayso.cli.rendering import Ink, columns, ink, local_time, note, say, say_json
from sayso.cli.visible import inline
from sayso.core.chat import Chat
from sayso.errors import SaysoError
from sayso.paths import home
from sayso.settings import read_settings

HOW = "no chat is imported yet; import one with: sayso import FILE"


_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("chats", invoke_without_command=True)
@_JSON
@click.pass_context
def chats_command(ctx: click.Context, as_json: bool) -> None:
    """List the imported chats."""
    if ctx.invoked_subcommand is not None:
        return
    store = ChatStore(home())
    ids = store.ids()
    chats, faults = _loaded(store, ids)
    if as_json:
        say_json([chat_json(chat) for chat in chats])
    elif chats:
        say(_table(chats, ink()))
    if not ids:
        note(HOW)
    for fault in faults:
        note(str(fault))
    ctx.exit(faults[-1].exit_code if faults else 0)


@chats_command.command("rm")
@click.argument("ids", metavar="ID…", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@_JSON
def remove_chats(ids: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Remove imported chats, with their indexes, threads and all that quotes them.

    Cached replies of models quote messages, and which chat they are about is not known: all of
    them go. The export stays where it is, and so do runs of sayso eval.
    """
    from sayso.cli.removing import checked, remove, removed_json, removed_line, what_stays

    ids = checked(ChatStore(home()), ids)
    named = ", ".join(map(inline, ids))
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(
                f"would remove {named}; there is no terminal to ask at: say so with --yes"
            )
        if not click.confirm(f"Remove {named}, and all that is kept of it?", err=True):
            note("nothing was removed")
            return
    settings, done = read_settings(), []
    for chat_id in ids:
        done.append(remove(chat_id, home=home(), settings=settings))
        if not as_json:
            say([inline(removed_line(done[-1]))])
    if as_json:
        say_json([removed_json(removed) for removed in done])
    note(what_stays(home()))


def chat_json(chat: Chat | Outline) -> dict[str, Any]:
    """What is known of a chat beside its messages."""
    outline = chat if isinstance(chat, Outline) else Outline.of(chat)
    head, first, last = outline.header, outline.first, outline.last
    return {
        "chatId": head.chat_id,
        "title": head.title,
        "platform": head.platform,
        "timezone": head.timezone,
        "timezoneOrigin": head.timezone_origin,
        "messages": outline.messages,
        "people": list(outline.names),
        "first": first.isoformat() if first else None,
        "last": last.isoformat() if last else None,
    }


def people(names: Iterable[str]) -> str:
    """The names, separated by commas."""
    return ", ".join(map(inline, names)) or "nobody"


def _loaded(store: ChatStore, ids: Iterable[str]) -> tuple[list[Chat], list[SaysoError]]:
    chats: list[Chat] = []
    faults: list[SaysoError] = []
    for chat_id in ids:
        try:
            chats.append(store.load(chat_id))
        except SaysoError as fault:  # one broken file must not hide the other chats
            faults.append(fault)
    return chats, faults


def _ends(chat: Chat) -> tuple[datetime, datetime] | tuple[None, None]:
    return (chat.messages[0].sent_at, chat.messages[-1].sent_at) if chat.messages else (None, None)


def _table(chats: list[Chat], ink: Ink) -> list[str]:
    rows = [["id", "platform", "messages", "first", "last", "people", "title"]]
    for chat in chats:
        first, last = (local_time(t, chat.zone) if t else "" for t in _ends(chat))
        count = f"{len(chat.messages)}"
        rows.append(
            [
                inline(chat.chat_id),
                inline(chat.platform),
                count,
                first,
                last,
                _who(chat),
                inline(chat.title),
            ]
        )
    lines = columns(rows, right=frozenset({2}))
    return [ink(lines[0], "dim"), *lines[1:]]


def _who(chat: Chat) -> str:
    names = chat.names
    return people(names) if len(names) <= 3 else f"{people(names[:2])} and {len(names) - 2} more"
