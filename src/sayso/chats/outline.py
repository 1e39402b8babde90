"""What is known of a stored chat without its messages."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from sayso.core.chat import Chat, ChatHeader


@dataclass(frozen=True)
class Outline:
    """A chat's header, how many messages it has, and when the first and the last were sent."""

    header: ChatHeader
    messages: int
    first: datetime | None
    last: datetime | None

    @classmethod
    def of(cls, chat: Chat) -> "Outline":
        """That of a chat in memory."""
        header = ChatHeader(**{name: getattr(chat, name) for name in ChatHeader.model_fields})
        ends = (
            (chat.messages[0].sent_at, chat.messages[-1].sent_at) if chat.messages else (None,) * 2
        )
        return cls(header, len(chat.messages), *ends)

    @property
    def names(self) -> tuple[str, ...]:
        """Participants' names in the order of the header."""
        return tuple(p.name for p in self.header.participants)

    @cached_property
    def zone(self) -> ZoneInfo:
        """The chat's timezone."""
        return ZoneInfo(self.header.timezone)
