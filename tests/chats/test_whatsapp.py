from collections.abc import Callable
from pathlib import Path

from sayso.chats.importers import Imported, ImportOptions, import_file

Importing = Callable[..., Imported]
Row = tuple[int, str, str, str, str]


def rows(imported: Imported) -> list[Row]:
    return [
        (m.local_id, m.sent_at.strftime("%Y-%m-%d %H:%M:%S"), m.sender, m.kind, m.text)
        for m in imported.chat.messages
    ]


def test_an_ios_group_reads_as_by_hand(exports: Path) -> None:
    (imported,) = import_file(exports / "whatsapp_ios_group.txt")

    assert rows(imported) == [
        (1, "2024-02-28 21:58:01", "", "system", "Messages and calls are end-to-end encrypted. Only people in this chat can read them."),
        (2, "2024-02-28 21:58:01", "Marta", "system", "Marta created group “Sunday Hikers”"),
        (3, "2024-02-28 21:58:40", "", "system", "Marta added you"),
        (4, "2024-02-28 22:01:12", "Marta", "text", "Who brings the map?\n\nLast time nobody did :-)"),
        (5, "2024-02-28 22:01:12", "Ole P.", "text", "not me"),
        (6, "2024-02-28 22:02:59", "Marta", "photo", ""),
        (7, "2024-02-28 22:03:05", "Marta", "photo", "our hut \u200e<attached: 00000012-PHOTO-2024-02-28-22-03-05.jpg>"),
        (8, "2024-02-28 22:04:00", "Ole P.", "voice", ""),
        (9, "2024-02-29 00:00:00", "+49\u00a0151\u00a0000000", "text", "happy leap day"),
        (10, "2024-02-29 12:00:30", "Marta", "deleted", "This message was deleted."),
        (11, "2024-02-29 12:01:30", "Marta", "call", "Missed voice call, Tap to call back"),
        (12, "2024-02-29 12:02:30", "Marta", "poll", "POLL:\nWhich day?\n\u200eOPTION: Sunday (2 votes)"),
        (13, "2024-02-29 12:03:30", "Marta", "location", "Location: https://maps.google.com/?q=47.1,11.2"),
        (14, "2024-02-29 12:04:30", "Ole P.", "sticker", ""),
    ]  # fmt: skip
    assert imported.chat.title == "Sunday Hikers"
    assert imported.chat.names == ("Marta", "Ole P.", "+49\u00a0151\u00a0000000")
    assert imported.report.people == {"Marta": 7, "Ole P.": 3, "+49\u00a0151\u00a0000000": 1}
    assert imported.report.warnings == ()


def test_an_american_android_chat_reads_as_by_hand(exports: Path) -> None:
    (imported,) = import_file(exports / "whatsapp_android_us.txt")

    assert rows(imported) == [
        (1, "2023-12-30 09:58:00", "", "system", "Messages and calls are end-to-end encrypted. No one outside of this chat can read them."),
        (2, "2023-12-30 09:59:00", "", "system", 'Ruth changed the subject from "Trip: old" to "Trip: new"'),
        (3, "2023-12-30 10:00:00", "Ruth", "text", "Ready?"),
        (4, "2023-12-30 10:00:00", "Ruth", "text", "Ready?"),
        (5, "2023-12-30 12:05:00", "Sol", "text", "not before 1/2/24, 9:00 - you know me"),
        (6, "2023-12-31 00:05:00", "Sol", "file", ""),
        (7, "2023-12-31 00:06:00", "Sol", "photo", "IMG-20231231-WA0003.jpg (file attached)\nthe tent"),
        (8, "2023-12-31 00:07:00", "Ruth", "video", "VID-20231231-WA0004.mp4 (file attached)"),
        (9, "2023-12-31 00:07:00", "Ruth", "voice", "PTT-20231231-WA0005.opus (file attached)"),
        (10, "2023-12-31 00:07:00", "Ruth", "sticker", "STK-20231231-WA0006.webp (file attached)"),
        (11, "2023-12-31 00:07:00", "Ruth", "file", "packing list.pdf (file attached)"),
        (12, "2024-01-01 00:08:00", "Sol", "deleted", "You deleted this message"),
        (13, "2024-01-01 00:09:00", "", "call", "Missed video call"),
        (14, "2024-01-01 20:10:00", "Sol", "text", "<3 <Media omitted> is what it said  "),
    ]  # fmt: skip
    assert imported.chat.names == ("Ruth", "Sol")
    assert (imported.report.warnings, imported.report.unread.count) == ((), 0)


def test_a_spanish_android_chat_reads_as_by_hand(exports: Path) -> None:
    (imported,) = import_file(exports / "whatsapp_android_es.txt")

    assert rows(imported) == [
        (1, "2017-06-20 20:28:00", "Ana", "text", "hola"),
        (2, "2017-06-20 20:29:00", "Beto", "photo", "IMG-20170620-WA0001.jpg (archivo adjunto)"),
        (3, "2017-06-21 00:01:00", "Ana", "deleted", "Eliminaste este mensaje."),
        (4, "2017-06-21 12:02:00", "Ana", "file", ""),
        (5, "2017-06-21 13:02:00", "Beto", "text", "¿Vienes a las 3: o qué?"),
    ]


def test_a_german_android_chat_reads_as_by_hand(exports: Path) -> None:
    (imported,) = import_file(exports / "whatsapp_android_de.txt")

    assert rows(imported) == [
        (1, "2024-01-05 21:03:00", "", "system", "Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt."),
        (2, "2024-01-05 21:03:00", "Jörg", "text", "Bis morgen um 9?"),
        (3, "2024-01-06 08:59:00", "Änne", "file", ""),
        (4, "2024-01-06 09:04:00", "Jörg", "deleted", "Diese Nachricht wurde gelöscht."),
    ]  # fmt: skip
    assert imported.report.warnings == ()


def test_an_arabic_android_chat_reads_as_by_hand(exports: Path) -> None:
    (imported,) = import_file(exports / "whatsapp_android_ar.txt")

    assert rows(imported) == [
        (1, "2024-01-05 21:03:00", "أحمد", "text", "مرحبا"),
        (2, "2024-01-06 00:03:00", "ليلى", "text", "صباح النور"),
    ]
    assert imported.report.warnings == ()


def test_a_chinese_ios_chat_reads_as_by_hand(exports: Path) -> None:
    (imported,) = import_file(exports / "whatsapp_ios_zh.txt")

    assert rows(imported) == [
        (1, "2024-01-05 21:03:04", "小明", "text", "你好"),
        (2, "2024-01-06 00:03:04", "小红", "text", "还没睡？"),
        (3, "2024-01-06 12:30:00", "小明", "photo", ""),
    ]


def test_lines_that_look_like_beginnings_but_are_dated_otherwise_are_text(
    importing: Importing,
) -> None:
    imported = importing(
        "13/12/23, 9:05 - A: look what she wrote:\n"
        "[01/02/2022, 10:00:00] Bob: hi\n"
        "[01/02/2022, 10:01:00] Bob: you there?\n"
        "13/12/23, 9:06 - B: oh\n"
    )

    assert rows(imported) == [
        (1, "2023-12-13 09:05:00", "A", "text",
         "look what she wrote:\n[01/02/2022, 10:00:00] Bob: hi\n[01/02/2022, 10:01:00] Bob: you there?"),
        (2, "2023-12-13 09:06:00", "B", "text", "oh"),
    ]  # fmt: skip
    assert len(imported.report.warnings) == 1
    assert imported.report.warnings[0].startswith("line 2 (and 1 more) looks like")


def test_lines_far_out_of_time_are_text_and_said(importing: Importing) -> None:
    imported = importing(
        "13/12/23, 9:05 - A: remember?\n"
        "14/02/22, 23:10 - Bob: never again\n"
        "and more\n"
        "13/12/23, 9:06 - B: oh\n"
        "13/12/25, 9:06 - A: from the future\n"
        "13/12/23, 9:07 - B: hm\n"
        "13/12/23, 9:08 - A: bye\n"
    )

    assert rows(imported) == [
        (1, "2023-12-13 09:05:00", "A", "text", "remember?\n14/02/22, 23:10 - Bob: never again\nand more"),
        (2, "2023-12-13 09:06:00", "B", "text", "oh\n13/12/25, 9:06 - A: from the future"),
        (3, "2023-12-13 09:07:00", "B", "text", "hm"),
        (4, "2023-12-13 09:08:00", "A", "text", "bye"),
    ]  # fmt: skip
    assert imported.report.notes[0].startswith("line 2 (and 1 more) looks like")
    assert "Bob" not in imported.chat.names


def test_a_strangers_line_some_hours_back_is_text_a_late_message_is_not(
    importing: Importing,
) -> None:
    imported = importing(
        "13/12/23, 19:05 - A: see\n"
        "13/12/23, 9:05 - Stranger: hi\n"
        "13/12/23, 19:06 - B: oh\n"
        "13/12/23, 8:00 - A: sent without a signal\n"
        "13/12/23, 19:07 - B: ah\n"
        "13/12/23, 19:08 - B: bye\n"
    )

    assert [row[2:] for row in rows(imported)] == [
        ("A", "text", "sent without a signal"),
        ("A", "text", "see\n13/12/23, 9:05 - Stranger: hi"),
        ("B", "text", "oh"),
        ("B", "text", "ah"),
        ("B", "text", "bye"),
    ]


def test_a_file_put_together_from_several_keeps_every_message_and_says_so(
    importing: Importing,
) -> None:
    day = "".join(f"{d}/12/23, 9:05 - A: n{d}\n" for d in range(13, 20))

    imported = importing(day + day)

    assert imported.report.messages == 14
    assert len(imported.report.warnings) == 1
    assert imported.report.warnings[0].startswith("line 8 is more than a day earlier")


def test_what_cannot_be_dated_or_stands_before_the_first_message_is_reported(
    importing: Importing,
) -> None:
    imported = importing(
        "Chat history\n"
        "13/12/23, 9:05 - A: one\n"
        "45/12/23, 9:05 - A: two\n"
        "more of two\n"
        "14/12/23, 29:05 - A: three\n"
        "14/12/23, 9:05 - A: four\n"
    )

    assert [row[4] for row in rows(imported)] == ["one", "four"]
    assert [(f.where, f.reason) for f in imported.report.unread.shown] == [
        ("line 1", "before the first message: 'Chat history'"),
        ("line 3", "no such date (day/month): '45/12/23, 9:05'"),
        ("line 5", "no such time: '14/12/23, 29:05'"),
    ]


def test_an_unknown_part_of_the_day_is_reported_never_guessed(importing: Importing) -> None:
    imported = importing(
        "[2024/1/5 下午9:03:04] 小明: 你好\n[2024/1/6 日暮9:03:04] 小明: 早\n[2024/1/6 下午9:03:04] 小明: 好\n"
    )

    assert [row[4] for row in rows(imported)] == ["你好", "好"]
    assert imported.report.unread.shown[0].reason.startswith("unknown part of the day '日暮'")


def test_the_repeated_hour_is_settled_by_the_order_of_the_lines(importing: Importing) -> None:
    imported = importing(
        "29/10/2023, 01:59 - A: a\n"
        "29/10/2023, 02:30 - A: b\n"
        "29/10/2023, 02:10 - A: c\n"
        "29/10/2023, 02:40 - A: d\n"
        "29/10/2023, 03:10 - A: e\n",
        timezone="Europe/Berlin",
    )

    assert [(m.text, m.sent_at.isoformat()) for m in imported.chat.messages] == [
        ("a", "2023-10-29T01:59:00+02:00"),
        ("b", "2023-10-29T02:30:00+02:00"),
        ("c", "2023-10-29T02:10:00+01:00"),
        ("d", "2023-10-29T02:40:00+01:00"),
        ("e", "2023-10-29T03:10:00+01:00"),
    ]


def test_the_timezone_is_utc_assumed_unless_it_is_named(exports: Path) -> None:
    (assumed,) = import_file(exports / "whatsapp_android_es.txt")
    (named,) = import_file(
        exports / "whatsapp_android_es.txt", ImportOptions(timezone="America/Bogota")
    )

    assert (assumed.chat.timezone, assumed.chat.timezone_origin) == ("UTC", "assumed")
    assert (named.chat.timezone, named.chat.timezone_origin) == ("America/Bogota", "named")
    assert named.chat.messages[0].sent_at.isoformat() == "2017-06-20T20:28:00-05:00"


def test_newlines_and_other_line_characters_stay_as_sent(importing: Importing) -> None:
    imported = importing("13/12/23, 9:05 - A: a\u2028b\x0bc\n\n  d \n\n13/12/23, 9:06 - A: \n")

    assert [m.text for m in imported.chat.messages] == ["a\u2028b\x0bc\n\n  d \n", ""]
