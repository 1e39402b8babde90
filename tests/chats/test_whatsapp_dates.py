from collections.abc import Callable

import pytest

from sayso.chats.importers import Imported

Importing = Callable[..., Imported]

STAMPS = {
    "ios us": ("[1/25/24, 9:03:04 PM] A: x", "2024-01-25 21:03:04"),
    "ios narrow no-break space": ("[14/10/2021, 3:34:09\u202fPM] A: x", "2021-10-14 15:34:09"),
    "ios german": ("[05.01.24, 21:03:04] A: x", "2024-01-05 21:03:04"),
    "android padded": ("25/01/2024, 21:03 - A: x", "2024-01-25 21:03:00"),
    "android dutch": ("26-04-2022 12:11 - A: x", "2022-04-26 12:11:00"),
    "android spanish": ("20/6/2017 8:28 p.\u00a0m. - A: x", "2017-06-20 20:28:00"),
    "android spanish, narrow": ("20/6/2017, 12:28 a.\u202fm. - A: x", "2017-06-20 00:28:00"),
    "en-CA": ("2023-12-20, 5:46 p.m. - A: x", "2023-12-20 17:46:00"),
    "en-ZA": ("2023/12/20, 5:46 pm - A: x", "2023-12-20 17:46:00"),
    "chinese": ("[2024/1/5 下午9:03:04] A: x", "2024-01-05 21:03:04"),
    "chinese noon": ("2024/1/5 中午12:03 - A: x", "2024-01-05 12:03:00"),
    "chinese one past noon": ("2024/1/5 中午1:03 - A: x", "2024-01-05 13:03:00"),
    "chinese night": ("2024/1/5 凌晨12:03 - A: x", "2024-01-05 00:03:00"),
    "japanese zero": ("2024/01/05 午後0:03 - A: x", "2024-01-05 12:03:00"),
    "korean android": ("2024. 1. 5. 오후 9:03 - A: x", "2024-01-05 21:03:00"),
    "korean ios": ("[2024. 1. 5. 오전 12:03:04] A: x", "2024-01-05 00:03:04"),
    "korean two digits": ("24. 1. 5. 오후 9:03 - A: x", "2024-01-05 21:03:00"),
    "without bracket or dash": ("2024. 1. 5. 오후 9:03, A : x", "2024-01-05 21:03:00"),
    "arabic evening": ("٢٥\u200f/١\u200f/٢٠٢٤، ٩:٠٣ م - A: x", "2024-01-25 21:03:00"),
    "arabic ios": ("\u200f[٢٥\u200f/١\u200f/٢٠٢٤، ٩:٠٣:٠٤ ص] A: x", "2024-01-25 09:03:04"),
    "mark at line start": ("\u200e[25/01/24, 21:03:04] A: x", "2024-01-25 21:03:04"),
    "german word": ("25.01.24 um 21:03 - A: x", "2024-01-25 21:03:00"),
    "french word": ("25/01/2024 à 21:03 - A: x", "2024-01-25 21:03:00"),
    "finnish dots": ("25.1.2024 klo 21.03 - A: x", "2024-01-25 21:03:00"),
    "bulgarian": ("25.01.24 г., 21:03 ч. - A: x", "2024-01-25 21:03:00"),
    "hungarian": ("2024. 01. 25. 21:03 - A: x", "2024-01-25 21:03:00"),
    "greek": ("25/1/24, 9:03 μ.μ. - A: x", "2024-01-25 21:03:00"),
    "hindi": ("25/1/24, 9:03 अपराह्न - A: x", "2024-01-25 21:03:00"),
    "thai year": ("25/1/2567 21:03 - A: x", "2024-01-25 21:03:00"),
    "hour 24": ("25/01/24, 24:03 - A: x", "2024-01-25 00:03:00"),
    "no space after bracket": ("[25.01.24, 21:03:04]A: x", "2024-01-25 21:03:04"),
}


@pytest.mark.parametrize(("line", "time"), STAMPS.values(), ids=STAMPS.keys())
def test_every_locale_gives_the_right_hour_and_sender(
    importing: Importing, line: str, time: str
) -> None:
    imported = importing(line + "\n")

    (message,) = imported.chat.messages
    assert message.sent_at.strftime("%Y-%m-%d %H:%M:%S") == time
    assert (message.sender, message.text, message.kind) == ("A", "x", "text")
    assert imported.report.warnings == ()


def days(importing: Importing, *stamps: str, **options: str) -> tuple[list[str], tuple[str, ...]]:
    text = "".join(f"{stamp} - A: x\n" for stamp in stamps)
    imported = importing(text, **options)
    found = [m.sent_at.date().isoformat() for m in imported.chat.messages]
    return found, imported.report.warnings


def test_both_of_a_day_that_is_its_own_month_are_messages(importing: Importing) -> None:
    found, warnings = days(importing, "9/9/23, 9:05", "10/10/23, 10:05")

    assert (found, warnings) == (["2023-09-09", "2023-10-10"], ())


def test_a_number_that_can_only_be_a_day_settles_the_whole_file(importing: Importing) -> None:
    assert days(importing, "1/5/24, 9:00", "13/5/24, 9:00") == (["2024-05-01", "2024-05-13"], ())
    assert days(importing, "5/1/24, 9:00", "5/13/24, 9:00") == (["2024-05-01", "2024-05-13"], ())


def test_times_that_would_run_backwards_settle_it(importing: Importing) -> None:
    day_first = days(importing, "1/5/24, 9:00", "2/5/24, 9:00", "1/6/24, 9:00")
    month_first = days(importing, "5/1/24, 9:00", "5/2/24, 9:00", "6/1/24, 9:00")

    assert day_first == month_first == (["2024-05-01", "2024-05-02", "2024-06-01"], ())


def test_dots_and_hyphens_and_arabic_settle_it(importing: Importing) -> None:
    assert days(importing, "1.5.24, 9:00", "1.7.24, 9:00") == (["2024-05-01", "2024-07-01"], ())
    assert days(importing, "01-05-2024 9:00", "01-07-2024 9:00") == (
        ["2024-05-01", "2024-07-01"],
        (),
    )
    assert days(importing, "1/5/2024، 9:00 م") == (["2024-05-01"], ())


@pytest.mark.parametrize(
    ("stamps", "read"),
    [
        (("1/5/24, 9:00", "1/7/24, 9:00"), ["2024-05-01", "2024-07-01"]),
        (("1/5/24, 9:00 PM", "1/7/24, 9:00 AM"), ["2024-01-05", "2024-01-07"]),
        (("1/5/24, 9:00 pm", "1/7/24, 9:00 am"), ["2024-05-01", "2024-07-01"]),
    ],
    ids=["24 hours", "AM/PM", "am/pm"],
)
def test_what_stays_ambiguous_is_said_with_the_flag_that_settles_it(
    importing: Importing, stamps: tuple[str, ...], read: list[str]
) -> None:
    found, warnings = days(importing, *stamps)

    assert found == read
    assert len(warnings) == 1
    assert warnings[0].startswith(f"ambiguous dates: line 1, '{stamps[0]}', is read as {read[0]}")
    assert "--date-order dmy" in warnings[0]
    assert "--date-order mdy" in warnings[0]


def test_the_named_order_settles_it_without_a_warning(importing: Importing) -> None:
    stamps = ("1/5/24, 9:00", "1/7/24, 9:00")

    assert days(importing, *stamps, date_order="mdy") == (["2024-01-05", "2024-01-07"], ())
    assert days(importing, *stamps, date_order="dmy") == (["2024-05-01", "2024-07-01"], ())


def test_a_named_order_that_the_file_contradicts_is_followed_and_said(importing: Importing) -> None:
    found, warnings = days(importing, "1/5/24, 9:00", "13/5/24, 9:00", date_order="mdy")

    assert found == ["2024-01-05"]
    assert warnings == (
        "--date-order mdy makes 1 dates impossible or run backwards; leave it out and the file "
        "may settle it",
    )


def test_a_pasted_date_does_not_overturn_the_files_order(importing: Importing) -> None:
    found, warnings = days(
        importing, "13/12/23, 9:00", "1/2/22, 9:00", "14/12/23, 9:00", "15/12/23, 9:00"
    )

    assert (found, warnings) == (["2023-12-13", "2023-12-14", "2023-12-15"], ())


def test_a_two_digit_year_in_front_needs_more_than_an_odd_line(importing: Importing) -> None:
    odd, _ = days(importing, "13/12/23, 9:00", "13/12/23, 9:01", "13/12/23, 9:02", "14/02/22, 9:00")
    first = [f"23/12/{d} 9:00" for d in range(25, 32)] + [f"24/1/{d} 9:00" for d in range(1, 9)]
    many, warnings = days(importing, *first)

    assert odd == ["2023-12-13"] * 3
    assert (many[0], many[-1], len(many), warnings) == ("2023-12-25", "2024-01-08", 15, ())
