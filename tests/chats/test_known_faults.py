"""Faults that importers are known for, each with the right value."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.chats.importers import Imported, import_file
from sayso.chats.merging import merge
from sayso.errors import ImportFormatError

Importing = Callable[..., Imported]


def said(imported: Imported) -> list[tuple[str, str, str]]:
    return [
        (m.sent_at.strftime("%Y-%m-%d %H:%M:%S"), m.sender, m.text) for m in imported.chat.messages
    ]


def as_json(importing: Importing, value: Any, **options: Any) -> Imported:
    return importing(json.dumps(value), **options)


def telegram(*messages: dict[str, Any], **chat: Any) -> dict[str, Any]:
    return {"name": "T", "type": "private_group", "id": 1, "messages": list(messages)} | chat


def test_a_narrow_space_before_pm_is_the_afternoon(importing: Importing) -> None:
    assert said(importing("[14/10/2021, 3:34:09\u202fPM] A: x\n")) == [
        ("2021-10-14 15:34:09", "A", "x")
    ]


def test_days_that_could_be_months_are_settled_by_the_whole_file_or_said(
    importing: Importing,
) -> None:
    open_still = importing("1/5/24, 9:00 - A: x\n1/7/24, 9:00 - A: y\n")
    settled = importing(
        "1/5/24, 9:00 - A: x\n12/4/24, 9:00 - A: y\n2/5/24, 9:00 - A: z\n", date_order="dmy"
    )
    backwards = importing("1/9/24, 9:00 - A: x\n2/3/24, 9:00 - A: y\n3/1/24, 9:00 - A: z\n")

    assert "ambiguous dates" in open_still.report.warnings[0]
    assert "--date-order" in open_still.report.warnings[0]
    assert settled.chat.messages[-1].sent_at.strftime("%m-%d") == "05-02"
    # Day first would be September, March, January.
    assert [m.sent_at.strftime("%m-%d") for m in backwards.chat.messages] == [
        "01-09", "02-03", "03-01",
    ]  # fmt: skip
    assert backwards.report.warnings == ()


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("20/6/2017 8:28 p.\u00a0m. - Ana: hola\n", ("2017-06-20 20:28:00", "Ana", "hola")),
        ("[2024/1/5 下午9:03:04] 小明: 你好\n", ("2024-01-05 21:03:04", "小明", "你好")),
        ("٥/١/٢٠٢٤، ٩:٠٣ م - ليلى: مرحبا\n", ("2024-01-05 21:03:00", "ليلى", "مرحبا")),
        ("٦/١/٢٠٢٤، ١٢:٠٣ ص - ليلى: ليلة\n", ("2024-01-06 00:03:00", "ليلى", "ليلة")),
        ("2024. 1. 5. 오후 9:03, Alice : 안녕\n", ("2024-01-05 21:03:00", "Alice", "안녕")),
        ("26-04-2022 12:11 - jan: hoi - daar\n", ("2022-04-26 12:11:00", "jan", "hoi - daar")),
    ],
    ids=["es", "zh", "ar evening", "ar night", "ko", "nl"],
)
def test_stamps_of_every_locale_give_the_right_hour_and_sender(
    importing: Importing, line: str, right: tuple[str, str, str]
) -> None:
    assert said(importing(line)) == [right]


def test_an_ios_group_that_speaks_is_no_participant(importing: Importing) -> None:
    imported = importing(
        "[05/01/2024, 21:03:04] My Group: \u200eBoris added you\n[05/01/2024, 21:04:04] Boris: hi\n"
    )

    assert imported.chat.messages[0].kind == "system"
    assert imported.chat.names == ("Boris",)


def test_lines_with_one_and_two_digits_are_both_messages(importing: Importing) -> None:
    imported = importing("9/9/23, 9:05 - A: x\n10/10/23, 10:05 - A: y\n")

    assert [m.text for m in imported.chat.messages] == ["x", "y"]


def test_an_account_export_gives_every_chat(exports: Path) -> None:
    imported = import_file(exports / "telegram_account.json")

    assert [one.chat.chat_id for one in imported] == [
        "小满", "小满 (22)", "Saved Messages", "老同学_二班",
    ]  # fmt: skip


def test_a_service_message_without_a_name_is_the_systems_of_a_deleted_account(
    importing: Importing,
) -> None:
    imported = as_json(
        importing,
        telegram(
            {"id": 1, "type": "service", "date_unixtime": "1700000000", "from": None,
             "actor": None, "actor_id": "user123", "action": "pin_message", "text": ""},
            {"id": 2, "type": "message", "date_unixtime": "1700000001", "from": None,
             "from_id": "user123", "text": "gone"},
        ),
    )  # fmt: skip

    assert [(m.kind, m.sender) for m in imported.chat.messages] == [
        ("system", "Deleted account (user123)"),
        ("text", "Deleted account (user123)"),
    ]


def test_unix_time_wins_around_a_clock_change(importing: Importing) -> None:
    imported = as_json(
        importing,
        telegram(
            {"id": 1, "type": "message", "date": "2023-10-29T02:50:00",
             "date_unixtime": "1698540600", "from": "A", "from_id": "user1", "text": "first"},
            {"id": 2, "type": "message", "date": "2023-10-29T02:10:00",
             "date_unixtime": "1698541800", "from": "A", "from_id": "user1", "text": "second"},
        ),
    )  # fmt: skip

    assert [m.text for m in imported.chat.messages] == ["first", "second"]
    assert imported.chat.timezone_origin == "export"
    assert "UTC+1:00 and UTC+2:00" in imported.report.notes[0]


def test_latin1_escapes_and_right_text_beside_them_are_both_read_right(exports: Path) -> None:
    (imported,) = import_file(exports / "instagram_inbox")

    assert [m.text for m in imported.chat.messages] == [
        "Iñaki", "Ã la carte", "mañana a las 5 😊", "ya está bien: café ☕",
    ]  # fmt: skip


def test_nine_names_over_ten_values_never_shift_a_column(exports: Path) -> None:
    (imported,) = import_file(exports / "wechat_memotrace_nine_names.csv")

    assert [(m.sender, m.text) for m in imported.chat.messages] == [
        ("房东", "钥匙在门垫下面"), ("我", "收到"), ("房东", ""),
    ]  # fmt: skip
    assert imported.report.warnings[0].startswith(
        "line 2 (and 3 more) has another number of values"
    )
    assert imported.report.unread.shown[0].where == "line 3"


def test_names_and_ids_that_stand_shifted_under_their_columns_are_told_apart(
    importing: Importing,
) -> None:
    imported = importing(
        "localId,TalkerId,Type,SubType,IsSender,CreateTime,Status,StrContent,StrTime,"
        "Remark,NickName,Sender\n"
        "1,3,1,0,0,1672560000,2,好,2023-01-01 16:00:00,wxid_sun,阿姨,向日葵\n"
        "2,3,1,0,0,1672560060,2,走,2023-01-01 16:01:00,阿姨,向日葵,wxid_sun\n"
    )

    assert [m.sender for m in imported.chat.messages] == ["阿姨", "阿姨"]


def test_a_byte_order_mark_and_an_empty_quoted_reply_are_imported_and_said(exports: Path) -> None:
    (imported,) = import_file(exports / "wechat_memotrace_old.csv")

    assert imported.report.warnings == (
        "line 4 is a quoted reply whose words this export left out",
    )
    assert imported.chat.by_source_id["13"].text == ""


def test_records_without_an_id_and_with_the_same_are_two_messages_and_reported(
    exports: Path,
) -> None:
    (imported,) = import_file(exports / "wechat_weflow.json")

    assert {f.where for f in imported.report.duplicates.shown} == {"/messages/2", "/messages/3"}
    assert [m.kind for m in imported.chat.messages][1:4] == ["text", "photo", "sticker"]
    assert "undefined" not in imported.chat.model_dump_json()


@pytest.mark.parametrize(
    "value",
    [
        {"session": {"wxid": "w", "type": "私聊"}, "messages": [
            {"localId": n, "createTime": 1700000000 + n, "type": "文本消息", "content": None, "isSend": 0}
            for n in range(10)]},
        {"chatlab": {"version": "0.0.2"}, "meta": {"name": "x"}, "members": [], "messages": [
            {"sender": "a", "accountName": "A", "timestamp": 1700000000 + n, "type": 0, "content": None}
            for n in range(10)]},
        [{"timestamp": 1700000000 + n, "sender": "A", "text": None} for n in range(10)],
    ],
    ids=["wechat", "chatlab", "table"],
)  # fmt: skip
def test_ten_records_without_a_body_are_an_error_with_the_reason(
    importing: Importing, value: Any
) -> None:
    with pytest.raises(ImportFormatError, match="no message with text among 10 records"):
        as_json(importing, value)


def test_january_then_january_and_february_is_the_union_with_the_ids_unchanged(
    importing: Importing,
) -> None:
    january = "13/01/24, 9:05 - A: ok\n13/01/24, 9:05 - A: ok\n"
    first = importing(january).chat
    both = importing(january + "14/02/24, 9:05 - B: hm\n").chat

    merged, report = merge(first, both)

    assert [(m.local_id, m.text) for m in merged.messages] == [(1, "ok"), (2, "ok"), (3, "hm")]
    assert (report.added, report.already_there) == (1, 2)


def test_half_a_character_is_replaced_and_reported(importing: Importing) -> None:
    imported = importing(
        '{"name": "T", "type": "personal_chat", "id": 1, "messages": [{"id": 1, "type": "message",'
        ' "date_unixtime": "1700000000", "from": "A\\udc00", "from_id": "user1",'
        ' "text": ["hi \\ud83d", {"type": "bold", "text": " x"}],'
        ' "reactions": [{"emoji": "\\ud800", "count": 1, "recent": [{"from": "\\ud801"}]}]}]}'
    )

    assert imported.chat.messages[0].text == "hi \ufffd x"
    assert imported.chat.names == ("A\ufffd",)
    assert imported.chat.messages[0].reactions[0].emoji == "\ufffd"
    assert imported.report.repaired.count == 1


def test_one_bad_time_among_three_is_reported_and_two_are_imported(importing: Importing) -> None:
    imported = as_json(
        importing,
        [
            {"timestamp": 1700000000, "sender": "A", "text": "x"},
            {"timestamp": "soon", "sender": "A", "text": "y"},
            {"timestamp": 1700000002, "sender": "A", "text": "z"},
        ],
    )

    assert [m.text for m in imported.chat.messages] == ["x", "z"]
    assert [(f.where, f.reason) for f in imported.report.unread.shown] == [
        ("/1", "expected a time, found 'soon'")
    ]


def test_the_machines_timezone_changes_nothing(
    exports: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["telegram_personal_en.json", "telegram_old_ru.json", "line_ja.txt", "table_us.csv",
             "wechat_memotrace_new.csv", "messenger_inbox", "slack_zip"]  # fmt: skip
    here = [import_file(exports / name) for name in names]

    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        there = [import_file(exports / name) for name in names]
    finally:
        monkeypatch.undo()
        time.tzset()

    assert there == here


def test_names_that_stand_for_one_person_become_one(importing: Importing) -> None:
    text = "13/12/23, 9:05 - Ana Work: a\n13/12/23, 9:06 - ~ Ana: b\n13/12/23, 9:07 - Jo: c\n"

    imported = importing(text, aliases=(("Ana Work", "Ana"), ("Nobody", "Jo")), owner="jo")

    assert [m.sender for m in imported.chat.messages] == ["Ana", "Ana", "Jo"]
    assert imported.chat.participants[0].aliases == ("Ana Work",)
    assert imported.chat.owner == "Jo"
    assert imported.report.people == {"Ana": 2, "Jo": 1}
    assert "--alias Nobody=Jo: nobody here is called 'Nobody'" in imported.report.notes


def test_an_owner_who_is_not_in_the_chat_is_said(importing: Importing) -> None:
    imported = importing("13/12/23, 9:05 - Ana: a\n", owner="Zoe")

    assert imported.report.warnings == ("--self Zoe: nobody here is called that; people: Ana",)
