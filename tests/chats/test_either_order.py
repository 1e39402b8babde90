"""Two exports of one chat, each with what the other lacks, imported in either order."""

import json
from pathlib import Path
from typing import Any

import pytest

from sayso.chats.importers import import_file
from sayso.chats.store import ChatStore
from sayso.core.chat import Chat, Message
from tests.chats.test_reimporting import telegram


def without_ids(chat: Chat) -> list[dict[str, Any]]:
    """The messages in order of time, with what they reply to by its text."""
    texts = {m.local_id: m.text for m in chat.messages}

    def fields(m: Message) -> dict[str, Any]:
        return m.model_dump(exclude={"local_id"}) | {"reply_to": texts.get(m.reply_to or 0)}

    return sorted((fields(m) for m in chat.messages), key=lambda f: (f["sent_at"], f["text"]))


WHATSAPP = (
    "13/01/24, 9:05 - Ana: ok\n13/01/24, 9:05 - Ana: ok\n13/01/24, 9:06 - Bo: helo\n"
    "13/01/24, 9:09 - Bo: <Media omitted>\n13/01/24, 9:10 - Ana: only in the first\n",
    "13/01/24, 9:05 - Ana Silva: ok\n13/01/24, 9:06 - Bo: hello <This message was edited>\n"
    "13/01/24, 9:08 - Bo: only in the second\n13/01/24, 9:09 - Bo: IMG-1.jpg (file attached)\n"
    "14/01/24, 9:10 - Ana Silva: late\n14/01/24, 9:10 - Ana Silva: late\n",
)
TELEGRAM = (
    telegram((1, "Ana", "at six"), (2, "Bo", "fine"), (4, "Bo", "only in the first")),
    telegram(
        (1, "Ana Silva", "at seven"), (2, "Bo", "fine"), (3, "Ana Silva", "only in the second"),
        (5, "Ana Silva", "late"), edited_unixtime="1700009999", reactions=[{"emoji": "👍", "count": 1}],
    ),
)  # fmt: skip


def chatlab(*messages: tuple[int, str, str], name: str = "Ana") -> dict[str, Any]:
    return {
        "chatlab": {"version": "0.0.2", "exportedAt": 1700000000},
        "meta": {"name": "T", "platform": "qq", "type": "private"},
        "members": [{"platformId": "1", "accountName": name}, {"platformId": "2", "accountName": "Bo"}],
        "messages": [
            {"platformMessageId": f"m{n}", "sender": sender, "accountName": name if sender == "1" else "Bo",
             "timestamp": 1700000000 + n, "type": 25 if n == 5 else 0, "content": text,
             **({"replyToMessageId": "m2"} if n == 5 else {})}
            for n, sender, text in messages
        ],
    }  # fmt: skip


CHATLAB = (
    chatlab((1, "1", "at six"), (2, "2", "fine"), (4, "2", "only in the first")),
    chatlab(
        (1, "1", "at seven"), (2, "2", "fine"), (3, "1", "only in the second"), (5, "1", "late"),
        name="Ana Silva",
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    "exports", [WHATSAPP, TELEGRAM, CHATLAB], ids=["whatsapp", "telegram", "chatlab"]
)
def test_two_exports_of_one_chat_give_the_same_chat_in_either_order(
    tmp_path: Path, exports: tuple[str | dict[str, Any], ...]
) -> None:
    chats = []
    for folder, order in (("a", exports), ("b", exports[::-1])):
        for content in (*order, *order):
            path = tmp_path / "export"
            path.write_text(content if isinstance(content, str) else json.dumps(content))
            (imported,) = import_file(path)
            chat, report = ChatStore(tmp_path / folder).add(imported.chat)
        assert (report.added, report.changed) == (0, 0)
        chats.append(chat)

    assert without_ids(chats[0]) == without_ids(chats[1])
    assert {p.name: set(p.aliases) for p in chats[0].participants} == {
        "Ana Silva": {"Ana"}, "Bo": set(),
    }  # fmt: skip
    assert {p.name: set(p.aliases) for p in chats[1].participants} == {
        "Ana Silva": {"Ana"}, "Bo": set(),
    }  # fmt: skip
    assert [m.text for m in chats[0].messages].count("only in the first") == 1
