"""ChatLab's format written: what it holds comes back as it was, the rest is told."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sayso.chats.as_chatlab import as_json, as_lines, left_out
from sayso.chats.importers import import_file
from sayso.core.chat import (
    Attachment,
    Chat,
    Kind,
    Message,
    Participant,
    Reaction,
    Revision,
    in_message_order,
)

START = datetime(2024, 1, 5, 21, 3, 4, tzinfo=UTC)


def said(local_id: int, text: str, sender: str = "Ana", **more: Any) -> Message:
    sent_at = START + timedelta(seconds=local_id)
    fields = {"local_id": local_id, "sent_at": sent_at, "sender": sender, "text": text}
    return Message.model_validate(fields | more)


def a_chat(*messages: Message, **more: Any) -> Chat:
    fields = {
        "chat_id": "c", "title": "The trip", "platform": "whatsapp", "messages": messages,
        "participants": ("Ana", Participant(name="Bo", aliases=("Bobby",))), "owner": "Bo",
    }  # fmt: skip
    return Chat.model_validate(fields | more)


def test_the_json_is_the_standards() -> None:
    chat = a_chat(
        said(1, "Ana created the group", sender="", kind="system"),
        said(2, "where?", source_id="m2"),
        said(3, "here", sender="Bo", reply_to=2),
        said(4, "", kind="photo"),
    )

    written = "\n".join(as_json(chat, exported_at=1700000000))

    assert json.loads(written) == {
        "chatlab": {"version": "0.0.2", "exportedAt": 1700000000, "generator": "sayso"},
        "meta": {"name": "The trip", "platform": "whatsapp", "type": "private", "ownerId": "Bo"},
        "members": [
            {"platformId": "Ana", "accountName": "Ana"},
            {"platformId": "Bo", "accountName": "Bo", "aliases": ["Bobby"]},
        ],
        "messages": [
            {"sender": "system", "accountName": "", "timestamp": 1704488585, "type": 80,
             "content": "Ana created the group"},
            {"platformMessageId": "m2", "sender": "Ana", "accountName": "Ana",
             "timestamp": 1704488586, "type": 0, "content": "where?"},
            {"sender": "Bo", "accountName": "Bo", "timestamp": 1704488587, "type": 25,
             "content": "here", "replyToMessageId": "m2"},
            {"sender": "Ana", "accountName": "Ana", "timestamp": 1704488588, "type": 1,
             "content": None},
        ],
    }  # fmt: skip


def test_the_lines_are_header_members_and_messages() -> None:
    lines = list(map(json.loads, as_lines(a_chat(said(1, "hi"), said(2, "yo")), exported_at=7)))

    assert [line["_type"] for line in lines] == ["header", "member", "member", "message", "message"]
    assert lines[0]["chatlab"]["version"] == "0.0.2"
    assert lines[3]["content"] == "hi"


def test_what_has_no_place_there_is_told() -> None:
    chat = a_chat(
        said(1, "hi", edited_at=START, revisions=(Revision(text="hu"), Revision(text="ho"))),
        said(2, "", kind="photo", caption="a kayak", attachments=(Attachment(name="a.jpg"),)),
        said(3, "which?", kind="poll", reactions=(Reaction(emoji="👍"),), caption="x"),
        said(7, "so", reply_to=1, forwarded_from="Zoe"),
        said(8, ""),
        timezone="Europe/Berlin",
    )

    assert left_out(chat) == (
        "the timezone Europe/Berlin (times stay; name it again with --timezone)",
        "times of edits (1)",
        "messages' former texts (1)",
        "captions, written as the text (1)",
        "messages' files (1)",
        "messages of kind poll, written as other (1)",
        "captions (1)",
        "messages' reactions (1)",
        "senders of forwarded messages (1)",
        "localIds, which are numbered anew (2)",
        "messages of kind text, written as other (1)",
        "messages without an id, which got one for replies to name (1)",
    )


def test_a_chat_that_fits_leaves_nothing_out() -> None:
    assert left_out(a_chat(said(1, "hi"), said(2, "yo", sender="Bo"))) == ()


def test_replies_to_messages_without_an_id_are_still_replies(tmp_path: Path) -> None:
    chat = a_chat(said(1, "a", source_id="sayso:2"), said(2, "b"), said(3, "c", reply_to=2))
    path = tmp_path / "c.json"
    path.write_text("\n".join(as_json(chat, exported_at=0)), encoding="utf-8")

    (imported,) = import_file(path)

    assert [m.source_id for m in imported.chat.messages] == ["sayso:2", "sayso:2'", None]
    assert imported.chat.messages[2].reply_to == 2


names = st.sampled_from(["Ana", "小明", " Bo", "Bo", "x\0y", "\u202eA", "  "])
words = st.text(st.characters(codec="utf-8"), max_size=20)
kinds: list[Kind] = [
    "photo", "video", "voice", "sticker", "file", "location", "contact", "call", "link", "system",
    "deleted",
]  # fmt: skip
told = st.one_of(
    st.builds(dict, kind=st.just("text"), text=words.filter(bool), sender=names),
    st.builds(dict, kind=st.sampled_from(kinds), text=words, sender=names),
    st.builds(dict, kind=st.just("system"), text=words, sender=st.just("")),
)


@st.composite
def chats(draw: st.DrawFn) -> Chat:
    """Chats of what the format can hold: seconds, ids that count, people who speak."""
    seconds = sorted(draw(st.lists(st.integers(-(10**9), 4 * 10**9), min_size=1, max_size=6)))
    messages = []
    for n, at in enumerate(seconds, 1):
        sent_at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at)
        reply = draw(st.none() | st.integers(1, len(seconds)).filter(lambda to, n=n: to != n))
        fields = {"local_id": n, "sent_at": sent_at, "source_id": f"m{n}", "reply_to": reply}
        messages.append(Message.model_validate(fields | draw(told)))
    last = datetime(2099, 1, 1, tzinfo=UTC)
    messages.append(Message(local_id=len(messages) + 1, sender="Ana", sent_at=last, text="end"))
    people = dict.fromkeys(m.sender for m in messages if m.sender and m.kind != "system")
    aliases = draw(st.lists(st.sampled_from(["Annie", "安"]), unique=True, max_size=2))
    return Chat(
        chat_id="c", title=draw(st.sampled_from(["T", "题 “x”"])), platform="qq",
        owner=draw(st.none() | st.sampled_from(list(people))),
        participants=tuple(
            Participant(name=n, aliases=tuple(aliases) if n == "Ana" else ()) for n in people
        ),
        messages=in_message_order(messages),
    )  # fmt: skip


@pytest.mark.parametrize("write", [as_json, as_lines])
@given(chat=chats())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_chat_that_is_written_and_imported_is_the_same(
    tmp_path: Path, write: Any, chat: Chat
) -> None:
    path = tmp_path / "c"
    path.write_text("\n".join(write(chat, exported_at=1)), encoding="utf-8", newline="\n")

    (imported,) = import_file(path)

    assert imported.chat == chat
    assert left_out(chat) == ()
