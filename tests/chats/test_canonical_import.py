from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest

from sayso.chats.importers import Imported, ImportOptions, import_file
from sayso.chats.store import read_chat, write_chat
from sayso.errors import ImportFormatError, InputError

Importing = Callable[..., Imported]
HEADER = '{"sayso": "chat", "version": 1, "chatId": "c", "title": "C", "platform": "p", "timezone": "UTC"}\n'
ONE = '{"localId": 1, "sender": "A", "sentAt": "2024-01-01T10:00:00Z", "text": "hi"}\n'


def test_the_golden_export_reads_as_by_hand(exports: Path) -> None:
    (imported,) = import_file(exports / "canonical.jsonl")
    chat = imported.chat

    rows = [
        (m.local_id, m.sender, m.sent_at.isoformat(), m.text, m.reply_to) for m in chat.messages
    ]
    assert rows == [
        (1, "Ada", "2024-03-30T23:59:00+01:00", "The clock\nis odd", None),
        (4, "Cleo", "2024-03-31T01:30:00+01:00", "I saw it", None),
        (3, "Ben", "2024-03-31T03:00:00+02:00", "It skipped an hour", 1),
        (5, "Ada", "2024-04-01T08:00:00+02:00", "Fixed", None),
    ]
    assert (chat.chat_id, chat.title, chat.timezone_origin) == ("attic", "The attic", "export")
    assert chat.names == ("Ada", "Ben", "Cleo")
    assert chat.participants[1].aliases == ("Benny",)
    assert [(f.where, f.reason) for f in imported.report.duplicates.shown] == [
        ("line 4", "no localId; this message is 4 now"),
        ("line 5", "localId 3 stands there twice; this message is 5 now"),
    ]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            HEADER + ONE.replace("text", "txt"),
            "line 2: unknown key 'txt'; known keys: attachments, caption",
        ),
        (HEADER.replace("title", "name") + ONE, "line 1: unknown key 'name'; known keys: chatId"),
        (HEADER + '{"localId": 1, "local_id": 1}', "line 2: 'localId' is given twice"),
        (HEADER.replace("1,", "2,", 1) + ONE, "version 2"),
        (HEADER.replace('"c"', "[]") + ONE, "line 1: chatId"),
    ],
)
def test_a_broken_schema_is_an_error_that_names_key_and_line(
    importing: Importing, content: str, said: str
) -> None:
    with pytest.raises(ImportFormatError) as caught:
        importing(content)

    assert said in str(caught.value)


def test_an_unknown_timezone_or_an_impossible_id_in_the_header_is_an_error(
    importing: Importing,
) -> None:
    with pytest.raises(InputError, match="line 1: unknown timezone 'Moon'"):
        importing(HEADER.replace("UTC", "Moon") + ONE)
    with pytest.raises(InputError, match="'a/b' cannot be a chat's id"):
        importing(HEADER.replace('"c"', '"a/b"') + ONE)


def test_lines_with_bad_values_are_reported_and_the_rest_is_imported(importing: Importing) -> None:
    bad = [
        '{"localId": 0, "sender": "A", "sentAt": "2024-01-01T10:00:00Z", "text": "x"}',
        '{"localId": true, "sender": "A", "sentAt": "2024-01-01T10:00:00Z", "text": "x"}',
        '{"localId": 2, "sender": "A", "sentAt": "yesterday", "text": "x"}',
        '{"localId": 2, "sender": "A", "text": "x"}',
        '{"localId": 2, "sender": 5, "sentAt": "2024-01-01T10:00:00Z", "text": "x"}',
        '{"localId": 2, "sender": "A", "sentAt": "0001-01-01T00:00:00+14:00", "text": "x"}',
        '["not", "an", "object"]',
        '{"localId": 2, "sender": "A", "se',
    ]

    report = importing(HEADER + ONE + "\n" + "\n".join(bad)).report

    assert report.messages == 1
    assert [f.where for f in report.unread.shown] == [f"line {n}" for n in range(4, 12)]


@pytest.mark.parametrize("name", ["", " ", "\\t", "\u3000"])
def test_a_blank_sender_is_reported_and_a_notice_of_nobody_is_none(
    importing: Importing, name: str
) -> None:
    said = '{"sender": "%s", "sentAt": "2024-01-01T10:00:00Z", "text": "x"%s}'
    lines = [
        said % (name, ""),
        said % ("", ', "kind": "system"'),
        said % ("", ', "kind": "deleted"'),
    ]

    report = importing(HEADER + ONE + "\n" + "\n".join(lines)).report

    assert report.messages == 3
    (fault,) = report.unread.shown
    assert fault.where == "line 4"
    assert fault.reason.startswith("sender: expected a name, found '")


@pytest.mark.parametrize("person", ['" "', '{"name": ""}'])
def test_a_participant_without_a_name_is_an_error(importing: Importing, person: str) -> None:
    header = HEADER.replace('"timezone"', f'"participants": [{person}], "timezone"')

    with pytest.raises(InputError, match="participants: expected a name, found '"):
        importing(header + ONE)


def test_a_named_timezone_rereads_assumed_clocks_and_keeps_known_instants(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    options = ImportOptions(timezone="Asia/Tokyo")

    path.write_text(HEADER + ONE)
    (known,) = import_file(path, options)
    path.write_text(HEADER.replace('"UTC"', '"UTC", "timezoneOrigin": "assumed"') + ONE)
    (assumed,) = import_file(path, options)

    assert known.chat.messages[0].sent_at.isoformat() == "2024-01-01T19:00:00+09:00"
    assert known.chat.timezone_origin == "export"
    assert assumed.chat.messages[0].sent_at.isoformat() == "2024-01-01T10:00:00+09:00"
    assert assumed.chat.timezone_origin == "named"


def test_a_second_source_id_is_dropped_and_reported(importing: Importing) -> None:
    lines = [
        ONE.replace("}", ', "sourceId": "s"}'),
        ONE.replace("1,", "2,", 1).replace("}", ', "sourceId": "s"}'),
    ]

    imported = importing(HEADER + "".join(lines))

    assert [m.source_id for m in imported.chat.messages] == ["s", None]
    assert imported.report.duplicates.count == 1


def test_a_lone_surrogate_is_repaired_in_header_and_message(importing: Importing) -> None:
    imported = importing(HEADER.replace('"C"', '"C\\ud83d"') + ONE.replace("hi", "hi \\ud83d"))

    assert imported.chat.title == "C\ufffd"
    assert imported.chat.messages[0].text == "hi \ufffd"
    assert imported.report.repaired.count == 1


def test_where_the_largest_id_is_taken_the_lowest_free_ones_are_given(importing: Importing) -> None:
    last = ONE.replace('"localId": 1,', '"localId": 9007199254740992,')
    bare = ONE.replace('"localId": 1, ', "")

    chat = importing(HEADER + last + ONE + bare + bare).chat

    assert [m.local_id for m in chat.messages] == [1, 2, 3, 9007199254740992]


@pytest.mark.parametrize(
    ("first", "last"),
    [("0002-01-01T00:00:00+00:00", "9998-12-31T23:59:59+00:00")],
    ids=["the first and the last second"],
)
def test_a_time_at_the_end_of_the_calendar_is_kept_in_every_zone(
    importing: Importing, tmp_path: Path, first: str, last: str
) -> None:
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        lines = [ONE.replace("2024-01-01T10:00:00Z", at) for at in (first, last)]

        chat = importing(HEADER.replace("UTC", zone) + "".join(lines)).chat
        write_chat(chat, tmp_path / "c.jsonl")

        assert [m.sent_at.astimezone(UTC).isoformat() for m in chat.messages] == [first, last]
        assert read_chat(tmp_path / "c.jsonl") == chat


def test_a_time_beyond_the_calendar_is_reported_and_the_others_are_kept(
    importing: Importing,
) -> None:
    early = ONE.replace("2024-01-01T10:00:00Z", "0002-01-01T00:30:00+01:00")

    imported = importing(HEADER + early + ONE)

    assert len(imported.chat.messages) == 1
    (fault,) = imported.report.unread.shown
    assert (fault.where, "expected a year in 2..9998" in fault.reason) == ("line 2", True)


@pytest.mark.parametrize("zone", ["localtime", "posixrules", "Factory"])
def test_a_zone_that_means_this_machines_is_no_zone(importing: Importing, zone: str) -> None:
    with pytest.raises(InputError, match=f"unknown timezone '{zone}'"):
        importing(HEADER + ONE, timezone=zone)
