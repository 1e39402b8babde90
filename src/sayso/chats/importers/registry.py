"""The formats that can be imported, in the order in which they are asked: one line each."""

from sayso.chats.importers.canonical import CANONICAL
from sayso.chats.importers.format import Format
from sayso.chats.importers.locomo import LOCOMO
from sayso.chats.importers.realtalk import REALTALK
from sayso.chats.importers.whatsapp import WHATSAPP

IMPORTERS: tuple[Format, ...] = (
    CANONICAL,
    REALTALK,
    LOCOMO,
    WHATSAPP,
)
