"""One chat exported from a phone that tells seconds and from one that does not."""

from pathlib import Path

import pytest

from sayso.chats.importers import import_file
from sayso.chats.importers.importing import drafts_of
from sayso.chats.importers.report import ImportOptions
from sayso.chats.outline import Outline
from sayso.chats.spooling import Spool
from sayso.chats.store import ChatStore
from sayso.core.chat import Chat
from tests.chats.test_either_order import without_ids

ANDROID = (
    "13/01/24, 9:05 - Ana: ok\n13/01/24, 9:05 - Ana: ok\n13/01/24, 9:05 - Ben: coming?\n"
    "13/01/24, 9:06 - Ana: yes\n14/01/24, 8:00 - Ben: only on Android\n"
)
IPHONE = (
    "[13/01/24, 9:05:10] Ana Silva: ok\n[13/01/24, 9:05:30] Ana Silva: ok\n"
    "[13/01/24, 9:05:50] Ben: coming?\n[13/01/24, 9:06:07] Ana Silva: yes\n"
    "[15/01/24, 7:30:12] Ben: only on the iPhone\n"
)


def stored(folder: Path, *exports: str) -> Chat:
    store = ChatStore(folder)
    for n, text in enumerate(exports):
        file = folder.parent / f"{folder.name}-{n}.txt"
        file.write_text(text, "utf-8")
        (one,) = import_file(file, ImportOptions(chat_id="trip", timezone="UTC"))
        chat, _ = store.add(one.chat)
    return chat


@pytest.mark.parametrize("order", [(ANDROID, IPHONE), (IPHONE, ANDROID)])
def test_a_message_told_with_and_without_seconds_is_one(tmp_path, order):
    chat = stored(tmp_path / "home", *order)

    assert [(f"{m.sent_at:%d %H:%M:%S}", m.text) for m in chat.messages] == [
        ("13 09:05:10", "ok"),
        ("13 09:05:30", "ok"),
        ("13 09:05:50", "coming?"),
        ("13 09:06:07", "yes"),
        ("14 08:00:00", "only on Android"),
        ("15 07:30:12", "only on the iPhone"),
    ]


def test_either_order_gives_the_same_chat(tmp_path):
    one, other = (
        stored(tmp_path / "one", ANDROID, IPHONE), stored(tmp_path / "other", IPHONE, ANDROID)
    )  # fmt: skip

    assert without_ids(one) == without_ids(other)


def test_the_ids_of_what_was_there_stay(tmp_path):
    before = stored(tmp_path / "before", ANDROID)
    after = stored(tmp_path / "after", ANDROID, IPHONE)

    said = {m.text: m.local_id for m in before.messages}
    assert {m.text: m.local_id for m in after.messages if m.text in said} == said


def test_importing_the_coarse_one_again_changes_nothing(tmp_path):
    assert stored(tmp_path / "a", IPHONE, ANDROID) == stored(
        tmp_path / "b", IPHONE, ANDROID, ANDROID, IPHONE
    )


@pytest.mark.parametrize("order", [(ANDROID, IPHONE), (IPHONE, ANDROID)])
def test_so_it_is_of_chats_that_are_laid_aside_on_disk(tmp_path, order):
    first, second = order
    there = stored(tmp_path / "home", first)
    file = tmp_path / "second.txt"
    file.write_text(second, "utf-8")
    store = ChatStore(tmp_path / "home")

    with Spool(tmp_path / "home") as spool:
        (draft,) = drafts_of(file, ImportOptions(chat_id="trip", timezone="UTC"), spool)
        outline, report = store.add_large(draft, spool)

    assert (report.already_there, report.added) == (4, 1)
    assert outline == Outline.of(store.load("trip"))
    assert store.load("trip") == stored(tmp_path / "in_memory", *order)
    assert len(there.messages) == 5
