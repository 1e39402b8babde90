"""A later export of the same chat: edits, new names, another owner; no message is ever lost."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.chats.importers import ImportOptions, import_file
from sayso.chats.importers.importing import drafts_of
from sayso.chats.merging import MergeReport, merge
from sayso.chats.renaming import Renamed
from sayso.chats.spooling import Spool
from sayso.chats.store import ChatStore
from sayso.core.chat import Chat, Revision
from sayso.errors import InputError

Adding = Callable[..., tuple[Chat, MergeReport]]


@pytest.fixture
def adding(tmp_path: Path) -> Adding:
    """Imports a text into one chat of one archive; the options by name."""
    store = ChatStore(tmp_path / "home")

    def add(content: str | dict[str, Any], **options: Any) -> tuple[Chat, MergeReport]:
        path = tmp_path / "export.txt"
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        (imported,) = import_file(path, ImportOptions.model_validate({"chat_id": "c", **options}))
        return store.add(imported.chat, sure=True, owner_told="owner" in options)

    return add


def said(chat: Chat) -> list[tuple[int, str, str]]:
    return [(m.local_id, m.sender, m.text) for m in chat.messages]


def telegram(*messages: tuple[int, str, str], **more: Any) -> dict[str, Any]:
    """Messages of (id, sender, text), a minute apart; ``more`` goes to the first of them."""
    return {
        "name": "T", "type": "personal_chat", "id": 1,
        "messages": [
            {"id": n, "type": "message", "date_unixtime": str(1700000000 + 60 * n), "from": sender,
             "from_id": "user1" if sender != "Bo" else "user2", "text": text,
             **(more if at == 0 else {})}
            for at, (n, sender, text) in enumerate(messages)
        ],
    }  # fmt: skip


JANUARY = "13/01/24, 9:05 - Ana: ok\n13/01/24, 9:05 - Ana: ok\n13/01/24, 9:06 - Bo: see you at 6\n"


def test_an_edited_text_becomes_the_text_and_the_old_one_a_revision(adding: Adding) -> None:
    adding(telegram((1, "Ana", "at six"), (2, "Bo", "fine")))

    chat, report = adding(
        telegram((1, "Ana", "at seven"), (2, "Bo", "fine"), edited_unixtime="1700009999")
    )

    assert said(chat) == [(1, "Ana", "at seven"), (2, "Bo", "fine")]
    assert chat.messages[0].revisions == (
        Revision(text="at six", until=chat.messages[0].edited_at),
    )
    assert (report.added, report.already_there, report.edited) == (0, 2, (1,))


def test_an_older_export_never_takes_an_edit_back(adding: Adding) -> None:
    edited = telegram((1, "Ana", "at seven"), (2, "Bo", "fine"), edited_unixtime="1700009999")
    first, _ = adding(edited)

    older, report = adding(telegram((1, "Ana", "at six"), (2, "Bo", "fine")))
    again, repeated = adding(telegram((1, "Ana", "at six"), (2, "Bo", "fine")))

    assert said(older) == said(first)
    assert [r.text for r in older.messages[0].revisions] == ["at six"]
    assert report.edited == ()
    assert (again, repeated.changed) == (older, 0)


def test_without_a_time_of_edit_the_export_that_reaches_further_has_the_text(
    adding: Adding,
) -> None:
    longer = telegram((1, "Ana", "at seven"), (2, "Bo", "fine"), (3, "Bo", "bye"))
    adding(longer)

    chat, report = adding(telegram((1, "Ana", "at six"), (2, "Bo", "fine")))

    assert chat.messages[0].text == "at seven"
    assert chat.messages[0].revisions == (Revision(text="at six"),)
    assert report.edited == ()


def test_an_edit_that_a_platform_without_ids_marks_is_found_by_time_and_sender(
    adding: Adding,
) -> None:
    adding(JANUARY)

    chat, report = adding(JANUARY.replace("at 6", "at 7 <This message was edited>"))

    assert said(chat) == [(1, "Ana", "ok"), (2, "Ana", "ok"), (3, "Bo", "see you at 7")]
    assert [r.text for r in chat.messages[2].revisions] == ["see you at 6"]
    assert (report.added, report.edited) == (0, (3,))


def test_two_like_messages_of_one_minute_without_a_mark_of_edit_stay_two(adding: Adding) -> None:
    adding(JANUARY)

    chat, report = adding(JANUARY.replace("at 6", "at 7"))

    assert [text for *_, text in said(chat)] == ["ok", "ok", "see you at 6", "see you at 7"]
    assert report.added == 1


@pytest.mark.parametrize("deleted_first", [False, True])
def test_a_message_that_was_deleted_keeps_its_words(adding: Adding, deleted_first: bool) -> None:
    gone = JANUARY.replace("see you at 6", "This message was deleted")
    adding(gone if deleted_first else JANUARY)

    chat, report = adding(JANUARY if deleted_first else gone)

    assert said(chat)[2:] == [(3, "Bo", "see you at 6")]
    assert report.added == 0
    assert report.deleted == (() if deleted_first else (3,))
    assert (report.edited, report.completed) == ((), 1 if deleted_first else 0)


@pytest.mark.parametrize("with_media_first", [False, True])
def test_an_export_with_its_media_and_one_without_are_one_chat(
    adding: Adding, with_media_first: bool
) -> None:
    without = JANUARY + "13/01/24, 9:07 - Bo: <Media omitted>\n"
    beside = JANUARY + "13/01/24, 9:07 - Bo: IMG-20240113-WA0001.jpg (file attached)\n"
    adding(beside if with_media_first else without)

    chat, report = adding(without if with_media_first else beside)

    assert (report.added, report.edited) == (0, ())
    assert report.completed == (0 if with_media_first else 1)
    assert chat.messages[3].text == "IMG-20240113-WA0001.jpg (file attached)"
    assert (chat.messages[3].kind, chat.messages[3].revisions) == ("photo", ())
    assert [a.name for a in chat.messages[3].attachments] == ["IMG-20240113-WA0001.jpg"]


MEDIA = (
    "[13/01/24, 9:05:00] Ana: \u200eimage omitted\n[13/01/24, 9:05:00] Ana: \u200eimage omitted\n"
    "[13/01/24, 9:05:00] Ana: our hut \u200evideo omitted\n[13/01/24, 9:06:00] Bo: nice\n"
    "[13/01/24, 9:07:00] Bo: \u200eContact card omitted\n"
)
# As they were stored when the exporter's words were taken for the message's.
FORMER = {1: "image omitted", 2: "image omitted", 3: "our hut \u200evideo omitted", 5: "Contact card omitted"}  # fmt: skip


@pytest.mark.parametrize("rest", ["", "[14/01/24, 9:07:00] Ana: late\n"], ids=["same", "later"])
@pytest.mark.parametrize("large", [False, True], ids=["in memory", "on disk"])
def test_a_chat_that_was_stored_with_the_exporters_words_for_files_takes_none_of_them_twice(
    tmp_path: Path, rest: str, large: bool
) -> None:
    store, path = ChatStore(tmp_path / "home"), tmp_path / "c.txt"
    path.write_text(MEDIA, encoding="utf-8")
    chat = import_file(path)[0].chat
    former = (m.model_copy(update={"text": FORMER.get(m.local_id, m.text)}) for m in chat.messages)
    store.save(chat.model_copy(update={"messages": tuple(former)}))
    path.write_text(MEDIA + rest, encoding="utf-8")

    with Spool() as spool:
        (draft,) = drafts_of(path, ImportOptions(), spool)
        _, report = store.add_large(draft, spool) if large else store.add(draft.chat)

    assert said(store.load("c"))[:5] == [
        (1, "Ana", ""), (2, "Ana", ""), (3, "Ana", "our hut"), (4, "Bo", "nice"), (5, "Bo", ""),
    ]  # fmt: skip
    assert all(m.revisions == () for m in store.load("c").messages)
    assert (report.added, report.already_there) == (bool(rest), 5)
    assert (report.edited, report.completed) == ((), 0)


def test_an_earlier_export_takes_the_exporters_words_away_too(adding: Adding) -> None:
    later, _ = adding(MEDIA + "[14/01/24, 9:07:00] Ana: late\n")
    former = (m.model_copy(update={"text": FORMER.get(m.local_id, m.text)}) for m in later.messages)
    old = later.model_copy(update={"messages": tuple(former)})

    merged, report = merge(old, adding(MEDIA)[0])

    assert said(merged) == said(later)
    assert (report.added, report.edited, report.completed) == (0, (), 0)


def test_of_an_image_that_another_phone_calls_media_the_kind_is_kept(adding: Adding) -> None:
    adding("[13/01/24, 9:05:00] Ana: \u200eimage omitted\n[13/01/24, 9:06:00] Bo: nice\n")

    chat, report = adding(
        "13/01/24, 9:05 - Ana: <Media omitted>\n13/01/24, 9:06 - Bo: nice\n13/01/24, 9:07 - Bo: late\n"
    )

    assert [(m.text, m.kind) for m in chat.messages] == [
        ("", "photo"), ("nice", "text"), ("late", "text"),
    ]  # fmt: skip
    assert report.added == 1


@pytest.mark.parametrize("newer_first", [False, True])
def test_a_contact_who_is_saved_under_another_name_is_one_person(
    adding: Adding, newer_first: bool
) -> None:
    newer = JANUARY.replace("Ana", "Ana Work") + "14/02/24, 9:05 - Ana Work: hm\n"
    adding(newer if newer_first else JANUARY)

    chat, report = adding(JANUARY if newer_first else newer)

    assert said(chat) == [
        (1, "Ana Work", "ok"), (2, "Ana Work", "ok"), (3, "Bo", "see you at 6"), (4, "Ana Work", "hm"),
    ]  # fmt: skip
    assert chat.participants[0].model_dump() == {"name": "Ana Work", "aliases": ["Ana"]}
    assert report.renamed == (Renamed(before="Ana", now="Ana Work"),)


@pytest.mark.parametrize("newer_first", [False, True])
def test_what_the_system_says_of_a_renamed_contact_is_told_once(
    adding: Adding, newer_first: bool
) -> None:
    older = (
        '13/01/24, 9:00 - Ana created group "Ana\'s plot"\n13/01/24, 9:01 - Ana added Anabel\n'
        + JANUARY
    )
    newer = older.replace("Ana:", "Ana Work:").replace("Ana created", "Ana Work created")
    newer = newer.replace("Ana added", "Ana Work added").replace("\"Ana's", "\"Ana Work's")
    newer += "14/02/24, 9:05 - Ana Work added Cleo\n"
    adding(newer if newer_first else older)

    chat, report = adding(older if newer_first else newer)

    assert report.renamed == (Renamed(before="Ana", now="Ana Work"),)
    assert [m.text for m in chat.messages if m.kind == "system"] == [
        "Ana Work created group \"Ana Work's plot\"", "Ana Work added Anabel",
        "Ana Work added Cleo",
    ]  # fmt: skip


def test_an_unsaved_contact_and_a_number_get_the_name_they_are_saved_under(adding: Adding) -> None:
    adding("13/01/24, 9:05 - ~ anuska: hi\n13/01/24, 9:06 - +44 7700 900123: yo\n")

    chat, report = adding("13/01/24, 9:05 - Ana: hi\n13/01/24, 9:06 - Bo: yo\n")
    again, repeated = adding(
        "13/01/24, 9:05 - ~ anuska: hi\n13/01/24, 9:06 - +44 7700 900123: yo\n"
    )

    assert said(chat) == [(1, "Ana", "hi"), (2, "Bo", "yo")]
    assert {r.before: r.now for r in report.renamed} == {"anuska": "Ana", "+44 7700 900123": "Bo"}
    assert (len(again.messages), repeated.added) == (2, 0)
    assert "Bo" in again.names  # a number is no better name


def test_a_person_who_is_renamed_on_a_platform_with_ids_is_one_person(adding: Adding) -> None:
    adding(telegram((1, "Ana", "hi"), (2, "Bo", "yo")))

    chat, report = adding(telegram((1, "Ana Silva", "hi"), (2, "Bo", "yo"), (3, "Ana Silva", "hm")))

    assert said(chat) == [(1, "Ana Silva", "hi"), (2, "Bo", "yo"), (3, "Ana Silva", "hm")]
    assert report.renamed == (Renamed(before="Ana", now="Ana Silva"),)


def test_an_account_that_was_deleted_keeps_the_name_it_had(adding: Adding) -> None:
    adding(telegram((1, "Ana", "hi"), (2, "Bo", "yo")))
    later = telegram((1, "Ana", "hi"), (2, "Bo", "yo"), (3, "Ana", "hm"))
    for message in (later["messages"][0], later["messages"][2]):
        message["from"] = None

    chat, _ = adding(later)

    assert said(chat) == [(1, "Ana", "hi"), (2, "Bo", "yo"), (3, "Ana", "hm")]


def test_an_alias_that_is_named_at_a_later_import_holds_for_what_was_there(adding: Adding) -> None:
    adding(JANUARY.replace("13/01/24, 9:05 - Ana", "13/01/24, 9:05 - Ana Work", 1))

    chat, report = adding(
        JANUARY.replace("13/01/24, 9:05 - Ana", "13/01/24, 9:05 - Ana Work", 1),
        aliases=[("Ana Work", "Ana")],
    )

    assert [sender for _, sender, _ in said(chat)] == ["Ana", "Ana", "Bo"]
    assert report.renamed == (Renamed(before="Ana Work", now="Ana"),)
    assert report.added == 0


def test_an_alias_of_whom_the_later_export_says_nothing_holds_for_what_was_there(
    adding: Adding,
) -> None:
    adding("13/01/24, 9:05 - Ana Work: ok\n13/01/24, 9:06 - Bo: hi\n")

    chat, report = adding(
        "14/02/24, 9:05 - Ana: hm\n14/02/24, 9:06 - Bo: oh\n", aliases=[("Ana Work", "Ana")]
    )

    assert [sender for _, sender, _ in said(chat)] == ["Ana", "Bo", "Ana", "Bo"]
    assert chat.participants[0].model_dump() == {"name": "Ana", "aliases": ["Ana Work"]}
    assert report.renamed == (Renamed(before="Ana Work", now="Ana"),)


def test_an_alias_that_was_named_once_need_not_be_named_again(adding: Adding) -> None:
    text = JANUARY.replace("13/01/24, 9:05 - Ana", "13/01/24, 9:05 - Ana Work", 1)
    adding(text, aliases=[("Ana Work", "Ana")])

    chat, report = adding(text + "14/01/24, 9:05 - Ana Work: hm\n")

    assert [sender for _, sender, _ in said(chat)] == ["Ana", "Ana", "Bo", "Ana"]
    assert report.added == 1


def test_an_owner_whom_the_user_named_stays_though_an_export_takes_another_for_it(
    adding: Adding,
) -> None:
    export = telegram((1, "Ana", "hi"), (2, "Bo", "yo")) | {"name": "Ana"}
    named, _ = adding(export, owner="Ana")

    again, report = adding(export)

    assert (named.owner, again.owner, report.owner) == ("Ana", "Ana", None)


def test_another_owner_is_taken_over_and_told(adding: Adding) -> None:
    adding(JANUARY, owner="Ana")

    same = adding(JANUARY)
    other = adding(JANUARY, owner="Bo")

    assert (same[0].owner, same[1].owner) == ("Ana", None)
    assert (other[0].owner, other[1].owner) == ("Bo", "Bo")


def test_one_like_message_of_two_chats_without_a_person_in_common_is_chance(
    tmp_path: Path,
) -> None:
    store = ChatStore(tmp_path)
    chats = []
    for who, more in (("Ana", "see you"), ("Carla", "never")):
        path = tmp_path / "_chat.txt"
        text = f"13/01/24, 9:05 - {who}: ok\n14/01/24, 9:06 - {who}: {more}\n"
        path.write_text(text, encoding="utf-8")
        chats.append(import_file(path)[0].chat)
    store.add(chats[0])

    with pytest.raises(InputError, match="imported already, with other people"):
        store.add(chats[1])


def test_two_people_of_one_minute_are_never_taken_for_one(adding: Adding) -> None:
    adding("13/01/24, 9:05 - Ana: ok\n13/01/24, 9:06 - Bo: ok\n")

    chat, report = adding(
        "13/01/24, 9:05 - Ana: ok\n13/01/24, 9:06 - Zoe: ok\n13/01/24, 9:06 - Bo: ok\n"
    )

    assert [sender for _, sender, _ in said(chat)] == ["Ana", "Bo", "Zoe"]
    assert report.renamed == ()
