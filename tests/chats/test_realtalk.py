import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sayso.chats.importers import Imported, ImportOptions, import_file

Importing = Callable[..., Imported]


def message(text: Any, time: Any = "29.12.2023, 22:42:04", **more: Any) -> dict[str, Any]:
    return {"clean_text": text, "speaker": "A", "date_time": time, **more}


def test_the_golden_export_reads_as_by_hand(exports: Path) -> None:
    (imported,) = import_file(exports / "realtalk.json")
    chat = imported.chat

    rows = [
        (m.local_id, m.sender, m.sent_at.isoformat(), m.text, m.kind, m.source_id, m.caption)
        for m in chat.messages
    ]
    assert rows == [
        (1, "Ines", "2023-12-29T22:42:04+00:00", "Did you feed the cat?", "text", "D1:1", None),
        (2, "tom", "2023-12-29T22:43:00+00:00", "She fed herself 😼", "text", "D1:2", "a cat on a table"),
        (3, "Ines", "2023-12-30T00:01:09+00:00", "no!", "text", "D1:4", None),
        (4, "tom", "2023-12-31T10:00:00+00:00", "", "photo", "D1:5", "an empty bowl"),
        (5, "tom", "2023-12-31T10:00:00+00:00", "Yes.", "text", "D1:6", None),
    ]  # fmt: skip
    assert (chat.chat_id, chat.title, chat.platform) == ("realtalk", "Ines and tom", "realtalk")
    assert (chat.timezone, chat.timezone_origin) == ("UTC", "assumed")
    assert chat.names == ("Ines", "tom")
    report = imported.report
    assert report.kinds == {"text": 4, "photo": 1}
    assert report.people == {"tom": 3, "Ines": 2}
    assert report.first.isoformat() == "2023-12-29T22:42:04+00:00"
    assert report.last.isoformat() == "2023-12-31T10:00:00+00:00"
    assert (report.unread.count, report.repaired.count, report.duplicates.count) == (0, 0, 0)
    assert len(report.notes) == 1
    assert "read as UTC" in report.notes[0]


def test_local_ids_are_dense_over_the_messages_that_exist(importing: Importing) -> None:
    there = [n for n in range(1, 16) if n != 5]
    session = [message(f"n{n}", f"29.12.2023, 22:{n:02}:00", dia_id=f"D1:{n}") for n in there]

    chat = importing(json.dumps({"session_1": session})).chat

    assert chat.by_source_id["D1:4"].local_id == 4
    assert chat.by_source_id["D1:15"].local_id == 14
    assert "D1:5" not in chat.by_source_id


def test_order_comes_from_the_time_and_ties_keep_file_order(importing: Importing) -> None:
    export = {
        "session_2": [message("late", "02.01.2024, 10:00:00", dia_id="D1:1")],
        "session_1": [
            message("first of two", "01.01.2024, 10:00:00", dia_id="D9:9"),
            message("second of two", "01.01.2024, 10:00:00", dia_id="D9:1"),
        ],
    }

    chat = importing(json.dumps(export)).chat

    assert [(m.local_id, m.text) for m in chat.messages] == [
        (1, "first of two"),
        (2, "second of two"),
        (3, "late"),
    ]


def test_the_named_timezone_is_the_clock_of_the_times(exports: Path) -> None:
    (imported,) = import_file(exports / "realtalk.json", ImportOptions(timezone="Europe/Berlin"))

    assert imported.chat.messages[0].sent_at.isoformat() == "2023-12-29T22:42:04+01:00"
    assert (imported.chat.timezone, imported.chat.timezone_origin) == ("Europe/Berlin", "named")
    assert imported.report.notes == ()


def test_the_second_message_of_one_dia_id_is_kept_without_it_and_reported(
    importing: Importing,
) -> None:
    session = [message("one", dia_id="D1:1"), message("two", dia_id="D1:1")]

    imported = importing(json.dumps({"session_1": session}))

    assert [(m.text, m.source_id) for m in imported.chat.messages] == [
        ("one", "D1:1"),
        ("two", None),
    ]
    assert imported.report.duplicates.count == 1
    assert imported.report.duplicates.shown[0].where == "/session_1/1"


def test_one_bad_timestamp_among_three_leaves_two_and_is_reported(importing: Importing) -> None:
    session = [message("a"), message("b", "31.02.2024, 10:00:00"), message("c")]

    imported = importing(json.dumps({"session_1": session}))

    assert [m.text for m in imported.chat.messages] == ["a", "c"]
    assert imported.report.unread.count == 1
    assert imported.report.unread.shown[0].where == "/session_1/1"
    assert "31.02.2024" in imported.report.unread.shown[0].reason


def test_every_other_bad_part_is_reported_with_its_place(importing: Importing) -> None:
    export = {
        "session_1": [
            message("good"),
            "not a message",
            message(7),
            {**message("x"), "speaker": None},
            message("y", None),
            message(None, img_file=[]),
        ],
        "session_2": {"speaker": "A"},
    }

    report = importing(json.dumps(export)).report

    assert report.messages == 1
    assert {fault.where: fault.reason for fault in report.unread.shown} == {
        "/session_1/1": "expected a message, found 'not a message'",
        "/session_1/2": "expected clean_text to be text, found 7",
        "/session_1/3": "expected a speaker, found nothing",
        "/session_1/4": "expected date_time such as '29.12.2023, 22:42:04', found None",
        "/session_1/5": "no text and no image",
        "/session_2": "expected a list of messages, found {'speaker': 'A'}",
    }


def test_a_lone_surrogate_becomes_u_fffd_at_the_same_offset_and_is_reported(
    importing: Importing,
) -> None:
    export = '{"session_1": [{"clean_text": "hi \\ud83d!", "speaker": "A", "date_time": "29.12.2023, 22:42:04"}]}'

    imported = importing(export)

    assert imported.chat.messages[0].text == "hi \ufffd!"
    assert imported.report.repaired.count == 1
    assert imported.report.repaired.shown[0].where == "/session_1/0"


def test_the_list_of_faults_is_capped_and_its_count_is_not(importing: Importing) -> None:
    session = [message("good"), *(message(None) for _ in range(50))]

    unread = importing(json.dumps({"session_1": session})).report.unread

    assert (unread.count, len(unread.shown)) == (50, 20)


def test_text_is_stored_exactly_as_sent(importing: Importing) -> None:
    text = "  e\u0301 \u2060 \u200e😀\r\n\u2028 ﬁ  "

    chat = importing(json.dumps({"session_1": [message(text)]})).chat

    assert chat.messages[0].text == text
