"""The indexes of a chat that is removed, whoever made them; those of others stay."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sayso.core.chat import Chat, Message
from sayso.errors import ImportFormatError
from sayso.retrieval.forgetting import Moments, forget_indexes
from sayso.retrieval.storage import ENGINE_VERSION, open_index
from sayso.retrieval.wordless import Wordless


class Former(Wordless):
    """An embedder that nobody has configured any more."""

    name = "former"


def a_chat(chat_id: str, *texts: str, day: int = 1) -> Chat:
    start = datetime(2024, 1, day, tzinfo=UTC)
    messages = tuple(
        Message(local_id=n, sender="Ana", sent_at=start + timedelta(hours=n), text=text)
        for n, text in enumerate(texts, 1)
    )
    return Chat(chat_id=chat_id, title="x", platform="p", participants=("Ana",), messages=messages)


def moments(chat: Chat) -> Callable[[], Moments]:
    return lambda: [(m.local_id, m.sent_at.timestamp()) for m in chat.messages]


def damaged() -> Moments:
    raise ImportFormatError("line 7: half a message")


def folders(home: Path) -> set[str]:
    return {p.name for p in home.iterdir()}


@pytest.fixture
def mine() -> Chat:
    return a_chat("mine", "a red kayak", "in the garage", "next to the bicycle")


def test_an_index_of_an_embedder_that_is_no_longer_configured_is_known_by_its_messages(
    tmp_path: Path, mine: Chat
) -> None:
    open_index(mine, Former(), tmp_path)
    open_index(a_chat("other", "a red kayak", day=2), Former(), tmp_path)

    removed = forget_indexes(moments(mine), "mine", [Wordless.name], tmp_path, ENGINE_VERSION)

    assert removed == 1
    assert len([p for p in tmp_path.iterdir() if p.is_dir()]) == 1


def test_an_earlier_state_of_the_chat_and_its_list_go_too(tmp_path: Path, mine: Chat) -> None:
    open_index(mine, Wordless(), tmp_path)
    grown = a_chat("mine", *(m.text for m in mine.messages), *"abcdefgh")

    forget_indexes(moments(grown), "mine", [Wordless.name], tmp_path, ENGINE_VERSION)

    assert folders(tmp_path) == set()


def test_where_the_chat_cannot_be_read_no_index_stays(tmp_path: Path, mine: Chat) -> None:
    open_index(mine, Wordless(), tmp_path)
    open_index(a_chat("other", "a canoe", day=2), Wordless(), tmp_path)

    assert forget_indexes(damaged, "mine", [], tmp_path, ENGINE_VERSION) == 2


def test_an_index_that_cannot_be_read_is_removed_and_no_folder_of_indexes_is_none(
    tmp_path: Path, mine: Chat
) -> None:
    (tmp_path / "here" / "4-0123").mkdir(parents=True)

    assert forget_indexes(moments(mine), "mine", [], tmp_path / "here", ENGINE_VERSION) == 1
    assert forget_indexes(moments(mine), "mine", [], tmp_path / "nowhere", ENGINE_VERSION) == 0


def test_the_index_of_the_same_chat_under_another_id_stays(tmp_path: Path, mine: Chat) -> None:
    open_index(mine, Wordless(), tmp_path)
    open_index(mine.model_copy(update={"chat_id": "copy"}), Wordless(), tmp_path)

    removed = forget_indexes(
        moments(mine), "mine", [Wordless.name], tmp_path, ENGINE_VERSION, others=["copy"]
    )

    assert removed == 1
    assert len([p for p in tmp_path.iterdir() if p.is_dir()]) == 1
