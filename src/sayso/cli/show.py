"""``sayso show CHAT LOCALID``."""

import click

from sayso.assembly import load_chat
from sayso.cli.rendering import Ink, body, heading, ink, local_time, say, say_json
from sayso.cli.visible import inline
from sayso.core.chat import Chat, Message
from sayso.errors import MessageNotFoundError
from sayso.paths import home


@click.command("show")
@click.argument("chat_name", metavar="CHAT")
@click.argument("local_id", metavar="LOCALID", type=int)
@click.option(
    "--around", default=5, show_default=True, type=click.IntRange(min=0), metavar="N",
    help="Neighbours on each side.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show_command(chat_name: str, local_id: int, around: int, as_json: bool) -> None:
    """Show a message of CHAT (an imported id or a file) and its neighbours."""
    chat = load_chat(chat_name, home=home())
    messages = neighbourhood(chat, local_id, around)
    if as_json:
        found = [m.model_dump(mode="json", by_alias=True, exclude_none=True) for m in messages]
        say_json({"chatId": chat.chat_id, "localId": local_id, "messages": found})
    else:
        say(shown(messages, local_id, chat, ink()))


def neighbourhood(chat: Chat, local_id: int, around: int) -> tuple[Message, ...]:
    """The message among its neighbours; raises MessageNotFoundError that says which exist."""
    if local_id not in chat.by_id:
        ids = chat.by_id.keys()
        held = f"its localIds run from {min(ids)} to {max(ids)}" if ids else "it has no messages"
        raise MessageNotFoundError(f"chat {chat.chat_id} has no message {local_id}; {held}")
    return chat.around(local_id, around)


def shown(messages: tuple[Message, ...], asked: int, chat: Chat, ink: Ink) -> list[str]:
    """The messages, a block each; ``asked`` is marked."""
    lines: list[str] = []
    for message in messages:
        mark = ink("▶", "match") if message.local_id == asked else " "
        lines.append(f"{mark} {heading(message, chat, ink)}{_replies(message, chat, ink)}")
        told = [*body(message, ink, whole=True), *_edits(message, chat, ink)]
        lines += [f"    {line}" for line in told]
    return lines


def _edits(message: Message, chat: Chat, ink: Ink) -> list[str]:
    """That it was edited, and what it said before, the latest first; nothing where it was not."""
    if message.edited_at is None and not message.revisions:
        return []
    told = "edited"
    # Where an export says only that it was edited, the time is that of sending.
    if message.edited_at is not None and message.edited_at > message.sent_at:
        told += f" {local_time(message.edited_at, chat.zone)}"
    before = [f"before: {inline(r.text)}" for r in reversed(message.revisions)]
    return [ink(line, "dim") for line in ("; ".join([told, *before[:1]]), *before[1:])]


def _replies(message: Message, chat: Chat, ink: Ink) -> str:
    if message.reply_to is None:
        return ""
    target = chat.by_id.get(message.reply_to)
    who = f" {inline(target.sender)}" if target else ""
    return ink(f"  ↳ replies to #{message.reply_to}{who}", "dim")
