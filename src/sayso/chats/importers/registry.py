"""The formats that can be imported, in the order in which they are asked: one line each."""

from sayso.chats.importers.canonical import CANONICAL
from sayso.chats.importers.chatlab import CHATLAB
from sayso.chats.importers.discord import DISCORD
from sayso.chats.importers.format import Format
from sayso.chats.importers.line import LINE
from sayso.chats.importers.locomo import LOCOMO
from sayso.chats.importers.longmemeval import LONGMEMEVAL
from sayso.chats.importers.messenger import MESSENGER
from sayso.chats.importers.realtalk import REALTALK
from sayso.chats.importers.slack import SLACK
from sayso.chats.importers.table import TABLE
from sayso.chats.importers.telegram import TELEGRAM
from sayso.chats.importers.wechat import WECHAT
from sayso.chats.importers.wechat_csv import WECHAT_CSV
from sayso.chats.importers.whatsapp import WHATSAPP

IMPORTERS: tuple[Format, ...] = (
    CANONICAL,
    REALTALK,
    LOCOMO,
    LONGMEMEVAL,
    TELEGRAM,
    CHATLAB,
    DISCORD,
    MESSENGER,
    SLACK,
    LINE,
    WECHAT,
    WECHAT_CSV,
    TABLE,
    WHATSAPP,
)
