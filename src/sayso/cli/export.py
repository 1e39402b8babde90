"""``sayso export CHAT``."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from sayso.assembly import load_chat
from sayso.chats.canonical import format_chat
from sayso.cli.rendering import is_narrow, note, say, say_json
from sayso.cli.visible import ascii_json, inert_json
from sayso.core.chat import Chat
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
        say(map(_printed, format_chat(chat)))  # JSON as it is, with --json or without
        return
    write(chat, out, force=force)
    if as_json:
        say_json({"chatId": chat.chat_id, "file": str(out), "messages": len(chat.messages)})
    else:
        note(f"{out}: {len(chat.messages)} messages written")


def write(chat: Chat, out: Path, *, force: bool = False) -> None:
    """The chat in a file, the whole of it or what was there before.

    Raises StoreError when there is one already, or none can be written.
    """
    if out.is_dir():
        raise StoreError(f"{out}: is a folder; name a file in it")
    if out.exists() and not force:
        raise StoreError(f"{out}: exists already; --force writes over it")
    try:
        _write_whole(out, [f"{line}\n" for line in format_chat(chat)])
    except OSError as error:
        raise StoreError(f"{out}: cannot be written: {error.strerror}") from error


def _write_whole(out: Path, lines: Iterable[str]) -> None:
    if out.exists() and not out.is_file():  # a device or a pipe, which takes what comes
        with out.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        return
    place = out.resolve()
    part = place.with_name(f".sayso-{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            file.writelines(lines)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _printed(line: str) -> str:
    line = inert_json(line) if sys.stdout.isatty() else line
    return ascii_json(line) if is_narrow() else line
