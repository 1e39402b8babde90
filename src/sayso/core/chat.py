"""Chats: who wrote, what, and when. Message order is (sent_at, local_id) everywhere."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import cached_property
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import (
    AwareDatetime,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from sayso.core.language import language_of
from sayso.core.value import Value

Kind = Literal[
    "text", "photo", "video", "voice", "sticker", "file", "location", "contact",
    "call", "poll", "link", "system", "deleted", "other",
]  # fmt: skip
TimezoneOrigin = Literal["export", "named", "assumed"]


_UNWRITTEN: tuple[object, ...] = (None, (), [])


class Revision(Value):
    """What a message said before it was edited; ``until`` is when that ended, where it is known."""

    text: str
    until: AwareDatetime | None = None


class Reaction(Value):
    """An emoji (or its name) under a message and who put it there, as far as the export tells.

    ``count`` is how many did, where the export has the number alone or leaves names out.
    """

    emoji: str
    who: tuple[str, ...] = ()
    count: int | None = None


class Attachment(Value):
    """A file that came with a message: its name in the export, its kind, its size in bytes."""

    name: str
    kind: Kind = "file"
    size: int | None = None


class Message(Value):
    """One message as it was sent; ``text`` is never altered, offsets point into it.

    ``text`` is what the latest edit made it; ``revisions`` are the earlier ones, oldest first.
    ``edited_at`` is when that was; where an export says only that it was edited, ``sent_at``.
    """

    local_id: Annotated[int, Field(ge=1)]
    sender: str
    sent_at: AwareDatetime
    text: str
    kind: Kind = "text"
    reply_to: int | None = None
    source_id: str | None = None
    caption: str | None = None
    edited_at: AwareDatetime | None = None
    revisions: tuple[Revision, ...] = ()
    reactions: tuple[Reaction, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    forwarded_from: str | None = None

    @model_serializer(mode="wrap")
    def _without_unset(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _dropping(write(self), _LATER_OF_MESSAGE)

    @property
    def order(self) -> tuple[datetime, int]:
        """The sort key of message order."""
        return (self.sent_at, self.local_id)


class Participant(Value):
    """A person of the chat and the other names they go by. Reads and writes a bare string."""

    name: str
    aliases: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, given: Any) -> Any:  # pydantic hands over whatever the file held
        return {"name": given} if isinstance(given, str) else given

    @model_serializer(mode="plain")
    def _to_name(self) -> str | dict[str, Any]:
        return {"name": self.name, "aliases": list(self.aliases)} if self.aliases else self.name


class ChatHeader(Value):
    """What is known of a chat beside its messages; ``owner`` is whose archive it came from."""

    chat_id: str
    title: str
    platform: str
    timezone: str = "UTC"
    timezone_origin: TimezoneOrigin = "export"
    participants: tuple[Participant, ...] = ()
    owner: str | None = None

    @model_serializer(mode="wrap")
    def _without_unset(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return _dropping(write(self), _LATER_OF_HEADER)


class Chat(ChatHeader):
    """A chat with its messages in message order."""

    messages: tuple[Message, ...] = ()

    @cached_property
    def by_id(self) -> dict[int, Message]:
        """Messages by localId."""
        return {m.local_id: m for m in self.messages}

    @cached_property
    def by_source_id(self) -> dict[str, Message]:
        """Messages by the platform's own id, where there is one."""
        return {m.source_id: m for m in self.messages if m.source_id is not None}

    @cached_property
    def position(self) -> dict[int, int]:
        """Position in message order by localId."""
        return {m.local_id: i for i, m in enumerate(self.messages)}

    @cached_property
    def replies(self) -> dict[int, list[int]]:
        """By localId of a message that was replied to: the replies, in message order."""
        found: dict[int, list[int]] = {}
        for message in self.messages:
            if message.reply_to is not None:
                found.setdefault(message.reply_to, []).append(message.local_id)
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Participants' names in the order of the header."""
        return tuple(p.name for p in self.participants)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The chat's timezone."""
        return ZoneInfo(self.timezone)

    @cached_property
    def days(self) -> tuple[date, ...]:
        """The days on which somebody wrote, in the chat's timezone, ascending; each once."""
        return tuple(sorted({m.sent_at.astimezone(self.zone).date() for m in self.messages}))

    @cached_property
    def language(self) -> str:
        """The language that most of it is written in; see :func:`sayso.core.language.language_of`."""
        return language_of([m.text for m in self.messages])

    def around(self, local_id: int, n: int) -> tuple[Message, ...]:
        """The message and up to ``n`` neighbours on each side, in message order."""
        at = self.position[local_id]
        return self.messages[max(0, at - n) : at + n + 1]


def in_message_order(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages by (sent_at, local_id)."""
    return tuple(sorted(messages, key=lambda m: m.order))


# Younger than the first files: where they are unset nothing is written, so that files (and what is
# reckoned from them) stay as they were.
_LATER_OF_MESSAGE = frozenset(
    {
        "edited_at", "editedAt", "revisions", "reactions", "attachments", "forwarded_from",
        "forwardedFrom",
    }
)  # fmt: skip
_LATER_OF_HEADER = frozenset({"owner"})


def _dropping(fields: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {k: v for k, v in fields.items() if k not in names or v not in _UNWRITTEN}
