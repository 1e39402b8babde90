"""``sayso export CHAT``."""

import sys
from pathlib import Path

import click

from sayso.assembly import load_chat
from sayso.chats.canonical import format_chat
from sayso.cli.rendering import note, say, say_json
from sayso.cli.visible import inert_json
from sayso.core.models import Chat
from sayso.errors import StoreError
from sayso.paths import home


@click.command("export")
@click.argument("chat_name", metavar="CHAT")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Instead of stdout.")
@click.option("--force", is_flag=True, help="Write over FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the chat, or what FILE got.")
def export_command(chat_name: str, out: Path | None, force: bool, as_json: bool) -> None:
    """Write CHAT (an imported id or a file) as canonical JSONL."""
    chat = load_chat(chat_name, home=home())
    if out is None:
        lines = format_chat(chat)  # JSON as it is, with --json or without
        say(map(inert_json, lines) if sys.stdout.isatty() else lines)
        return
    write(chat, out, force=force)
    if as_json:
        say_json({"chatId": chat.chat_id, "file": str(out), "messages": len(chat.messages)})
    else:
        note(f"{out}: {len(chat.messages)} messages written")


def write(chat: Chat, out: Path, *, force: bool = False) -> None:
    """The chat in a file; raises StoreError when there is one already, or none can be written."""
    try:
        with out.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in format_chat(chat))
    except FileExistsError as error:
        raise StoreError(f"{out}: exists already; --force writes over it") from error
    except OSError as error:
        raise StoreError(f"{out}: cannot be written: {error.strerror}") from error
