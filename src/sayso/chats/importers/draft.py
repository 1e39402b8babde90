"""A chat as it comes out of an export: its header and report, and its messages as a stream."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sayso.chats.canonical import Given, given
from sayso.chats.clock import zone_named
from sayso.chats.importers.report import Imported, ImportReport
from sayso.core.chat import Chat, ChatHeader, Message


@dataclass(frozen=True)
class Draft:
    """A chat that is read and not stored yet.

    Its messages may be more than memory holds. They can be had for as long as the spool is open
    that they are laid into.
    """

    header: ChatHeader
    report: ImportReport
    read: Callable[[], Iterator[Message]]
    write: Callable[[], Iterator[Given]] | None = None

    def given(self) -> Iterator[Given]:
        """The messages as lines of the chat's file, in message order."""
        if self.write is not None:
            return self.write()
        zone = zone_named(self.header.timezone, self.header.chat_id)
        return (given(message, zone) for message in self.messages())

    def messages(self) -> Iterator[Message]:
        """The messages in message order; as often as one likes."""
        return self.read()

    def called(self, chat_id: str) -> "Draft":
        """The same under another id."""
        return replace(self, header=self.header.model_copy(update={"chat_id": chat_id}))

    def warned(self, *warnings: str) -> "Draft":
        """The same with more to tell."""
        told = (*self.report.warnings, *warnings)
        return replace(self, report=self.report.model_copy(update={"warnings": told}))

    @property
    def chat(self) -> Chat:
        """All of it in memory."""
        fields = {name: getattr(self.header, name) for name in ChatHeader.model_fields}
        return Chat(**fields, messages=tuple(self.messages()))

    @property
    def imported(self) -> Imported:
        """All of it in memory, with its report."""
        return Imported(chat=self.chat, report=self.report)
