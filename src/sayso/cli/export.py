"""``sayso export CHAT``."""

import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, get_args

import click

from sayso.assembly import load_chat
from sayso.chats.as_chatlab import as_json as chatlab_json
from sayso.chats.as_chatlab import as_lines as chatlab_lines
from sayso.chats.as_chatlab import left_out
from sayso.chats.canonical import format_chat
from sayso.cli.rendering import is_narrow, note, say, say_json
from sayso.cli.visible import ascii_json, inert_json
from sayso.core.chat import Chat
from sayso.errors import StoreError
from sayso.paths import home

FileFormat = Literal["canonical", "chatlab", "chatlab-jsonl"]


@click.command("export")
@click.argument("chat_name", metavar="CHAT")
@click.option(
    "--format",
    "form",
    type=click.Choice(get_args(FileFormat)),
    default="canonical",
    help="sayso's own JSONL (which holds everything), or ChatLab's standard JSON or JSONL.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Instead of stdout.")
@click.option("--force", is_flag=True, help="Write over FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the chat, or what FILE got.")
def export_command(
    chat_name: str, form: FileFormat, out: Path | None, force: bool, as_json: bool
) -> None:
    """Write CHAT (an imported id or a file) as canonical JSONL, or for other tools.

    What another format cannot hold is told on stderr. A FILE that ends in .jsonl makes chatlab
    JSONL.
    """
    chat = load_chat(chat_name, home=home())
    if form == "chatlab" and out is not None and out.suffix == ".jsonl":
        form = "chatlab-jsonl"
    if out is None:
        say(map(_printed, written_as(form, chat)))  # JSON as it is, with --json or without
    else:
        write(chat, out, form=form, force=force)
    lost = left_out(chat) if form != "canonical" else ()
    if lost:
        note(f"ChatLab's format has no place for all of it: {'; '.join(lost)}")
    if out is not None and as_json:
        told = {"chatId": chat.chat_id, "file": str(out), "messages": len(chat.messages)}
        say_json(told | {"format": form, "leftOut": list(lost)})
    elif out is not None:
        note(f"{out}: {len(chat.messages)} messages written")


def written_as(form: FileFormat, chat: Chat) -> Iterator[str]:
    """The lines of the chat's file in that format, without line ends."""
    match form:
        case "canonical":
            return format_chat(chat)
        case "chatlab":
            return chatlab_json(chat, exported_at=int(time.time()))
        case "chatlab-jsonl":
            return chatlab_lines(chat, exported_at=int(time.time()))


def write(chat: Chat, out: Path, *, form: FileFormat = "canonical", force: bool = False) -> None:
    """The chat in a file, the whole of it or what was there before.

    Raises StoreError when there is one already, or none can be written.
    """
    if out.is_dir():
        raise StoreError(f"{out}: is a folder; name a file in it")
    if out.exists() and not force:
        raise StoreError(f"{out}: exists already; --force writes over it")
    try:
        _write_whole(out, (f"{line}\n" for line in written_as(form, chat)))
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
