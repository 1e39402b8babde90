"""``sayso chats``."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import click

from sayso.chats.store import ChatStore
from sayso.cli.rendering import Ink, columns, ink, local_time, note, say, say_json
from sayso.cli.visible import inline
from sayso.core.chat import Chat
from sayso.errors import SaysoError
from sayso.paths import home

HOW = "no chat is imported yet; import one with: sayso import FILE"


@click.command("chats")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def chats_command(ctx: click.Context, as_json: bool) -> None:
    """List the imported chats."""
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


def chat_json(chat: Chat) -> dict[str, Any]:
    """What is known of a chat beside its messages."""
    first, last = _ends(chat)
    return {
        "chatId": chat.chat_id,
        "title": chat.title,
        "platform": chat.platform,
        "timezone": chat.timezone,
        "timezoneOrigin": chat.timezone_origin,
        "messages": len(chat.messages),
        "people": list(chat.names),
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
