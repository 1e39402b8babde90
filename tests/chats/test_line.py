from collections.abc import Callable

import pytest

from sayso.chats.importers import Imported

Importing = Callable[..., Imported]


def read(importing: Importing, *lines: str, **options: str) -> Imported:
    return importing("[LINE] Chat history with Aoi\n\n" + "\n".join(lines) + "\n", **options)


@pytest.mark.parametrize(
    ("day", "right"),
    [
        ("2024/1/5(金)", "2024-01-05"),
        ("2024.01.05 Friday", "2024-01-05"),
        ("Fri, 1/5/2024", "2024-01-05"),
        ("vie, 5/1/2024", "2024-01-05"),
        ("2024/01/05（週五）", "2024-01-05"),
        ("2024년 1월 5일 금요일", "2024-01-05"),
        ("2024年1月5日 星期五", "2024-01-05"),
    ],
)
def test_a_day_is_read_in_every_language_and_the_week_settles_its_order(
    importing: Importing, day: str, right: str
) -> None:
    imported = read(importing, day, "09:03\tAoi\thi")

    assert imported.chat.messages[0].sent_at.date().isoformat() == right
    assert imported.report.warnings == ()


@pytest.mark.parametrize(
    ("time", "hour"),
    [("21:03", 21), ("9:03 PM", 21), ("12:03 AM", 0), ("午後9:03", 21), ("上午12:03", 0),
     ("오후 9:03", 21), ("9:03\u202fPM", 21), ("21:03 น.", 21)],
)  # fmt: skip
def test_the_part_of_the_day_is_read_in_every_language(
    importing: Importing, time: str, hour: int
) -> None:
    imported = read(importing, "2024/1/5(金)", f"{time}\tAoi\thi")

    assert imported.chat.messages[0].sent_at.hour == hour


def test_days_that_nothing_settles_are_said_and_a_flag_settles_them(importing: Importing) -> None:
    lines = ("1/5/2024", "9:03\tAoi\thi", "", "2/6/2024", "9:03\tAoi\tho")

    open_still = read(importing, *lines)
    settled = read(importing, *lines, date_order="mdy")

    assert open_still.report.warnings[0].startswith("ambiguous dates: line 3, '1/5/2024'")
    assert settled.report.warnings == ()
    assert settled.chat.messages[0].sent_at.date().isoformat() == "2024-01-05"


def test_the_repeated_hour_is_settled_by_order(importing: Importing) -> None:
    imported = read(
        importing, "2023/10/29(日)", "02:30\tAoi\ta", "02:10\tAoi\tb", timezone="Europe/Berlin"
    )

    assert [m.sent_at.isoformat() for m in imported.chat.messages] == [
        "2023-10-29T02:30:00+02:00", "2023-10-29T02:10:00+01:00",
    ]  # fmt: skip


def test_what_looks_like_a_day_or_a_time_within_a_message_is_its_text(importing: Importing) -> None:
    imported = read(
        importing,
        "2024/1/5(金)",
        '09:03\tAoi\t"plan:',
        "",
        "2024/1/6",
        '10:00 leave"',
        "09:04\tRen\tok",
    )

    assert [m.text for m in imported.chat.messages] == ["plan:\n\n2024/1/6\n10:00 leave", "ok"]


def test_a_minute_that_no_clock_has_is_a_line_not_understood(importing: Importing) -> None:
    one = read(importing, "2024/03/10 Sun", "12:01\tPim\thello", "12:81\tPim\tand then")

    assert [m.text for m in one.chat.messages] == ["hello"]
    assert [f.reason for f in one.report.unread.shown] == ["no such time: '2024/03/10 Sun', 12:81"]
