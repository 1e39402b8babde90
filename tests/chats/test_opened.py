import os
from datetime import UTC, datetime

import pytest

from sayso.chats.opened import OpenChats
from sayso.chats.store import ChatStore
from sayso.core.chat import Chat, Message
from sayso.core.seams import Deps
from sayso.errors import ChatNotFoundError
from sayso.settings import Settings


def a_chat(chat_id: str, *texts: str) -> Chat:
    at = datetime(2024, 3, 2, tzinfo=UTC)
    said = tuple(
        Message(local_id=i, sender="Ana", sent_at=at, text=t) for i, t in enumerate(texts, 1)
    )
    return Chat(chat_id=chat_id, title=chat_id, platform="invented", messages=said)


class Building:
    """Counts what is built."""

    def __init__(self, *notes: str) -> None:
        self.notes, self.built = notes, []

    def __call__(self, chat: Chat, settings: Settings) -> Deps:
        self.built.append(chat.chat_id)
        return Deps(chat, None, None, notes=self.notes)


@pytest.fixture
def home(tmp_path):
    ChatStore(tmp_path).save(a_chat("ana", "hello"))
    return tmp_path


def test_a_chat_is_opened_once_while_it_and_the_settings_stay_as_they_are(home):
    opened = OpenChats(home, building := Building())

    first = opened.deps("ana", Settings())

    assert opened.deps(None, Settings()) is first
    assert opened.deps("ana", Settings(rounds=1)) is not first
    assert building.built == ["ana", "ana"]


def test_a_chat_that_was_imported_again_is_read_again(home):
    opened = OpenChats(home, Building())
    before = opened.deps("ana", Settings()).chat
    ChatStore(home).save(a_chat("ana", "hello", "and more"))

    assert len(opened.deps("ana", Settings()).chat.messages) == len(before.messages) + 1


def test_deps_that_lack_something_are_not_kept(home):
    opened = OpenChats(home, building := Building("2 messages can be found by their words only"))

    opened.deps("ana", Settings())
    opened.deps("ana", Settings())

    assert building.built == ["ana", "ana"]


def test_of_many_chats_the_last_asked_stay_open(home):
    opened = OpenChats(home, building := Building())
    for name in ("b", "c", "d", "e"):
        ChatStore(home).save(a_chat(name, "hello"))

    for name in ("ana", "b", "c", "d", "ana", "e", "ana", "b"):
        opened.deps(name, Settings())

    assert building.built == ["ana", "b", "c", "d", "e", "b"]


def test_no_other_file_is_read_however_it_is_named(home, tmp_path):
    opened = OpenChats(home, Building())

    for name in (os.fspath(home / "chats" / "ana.jsonl"), "../chats/ana", "", "a" * 5000):
        with pytest.raises(ChatNotFoundError, match="imported: ana; name one of them"):
            opened.deps(name, Settings())


def test_without_a_name_several_chats_are_listed_and_none_is_said(home, tmp_path):
    ChatStore(home).save(a_chat("bo", "hello"))

    with pytest.raises(ChatNotFoundError, match="no chat was named; imported: ana, bo"):
        OpenChats(home, Building()).deps(None, Settings())
    with pytest.raises(ChatNotFoundError, match="none is imported yet"):
        OpenChats(tmp_path / "empty", Building()).chat(None)
