from collections.abc import Callable

import pytest

from sayso.chats.importers import Imported
from sayso.errors import InputError

Importing = Callable[..., Imported]


def at(importing: Importing, *times: str, **options: str) -> list[str]:
    lines = "".join(f'"{time}",A,x{n}\n' for n, time in enumerate(times))
    chat = importing(f"time,sender,text\n{lines}", **options).chat
    return [m.sent_at.isoformat() for m in sorted(chat.messages, key=lambda m: m.text)]


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("1700000000", "2023-11-14T22:13:20+00:00"),
        ("1700000000.5", "2023-11-14T22:13:20.500000+00:00"),
        ("1700000000500", "2023-11-14T22:13:20.500000+00:00"),
        ("1700000000500000", "2023-11-14T22:13:20.500000+00:00"),
        ("20231114221320", "2023-11-14T22:13:20+00:00"),
        ("2023-11-14T22:13:20Z", "2023-11-14T22:13:20+00:00"),
        ("2023-11-14 22:13", "2023-11-14T22:13:00+00:00"),
        ("14.11.2023, 22:13:20", "2023-11-14T22:13:20+00:00"),
        ("11/14/2023 10:13 PM", "2023-11-14T22:13:00+00:00"),
        ("2023年11月14日 下午10:13", "2023-11-14T22:13:00+00:00"),
    ],
)
def test_times_are_read_as_people_and_programs_write_them(
    importing: Importing, given: str, right: str
) -> None:
    assert at(importing, given) == [right]


def test_walls_are_placed_in_the_named_zone_and_the_repeated_hour_by_order(
    importing: Importing,
) -> None:
    times = ("2023-10-29 02:30:00", "2023-10-29 02:10:00", "2023-10-29 03:10:00")

    assert at(importing, *times, timezone="Europe/Berlin") == [
        "2023-10-29T02:30:00+02:00", "2023-10-29T02:10:00+01:00", "2023-10-29T03:10:00+01:00",
    ]  # fmt: skip


def test_dates_that_could_be_either_are_said(importing: Importing) -> None:
    imported = importing("time,sender,text\n1/5/24 9:00 PM,A,x\n1/7/24 9:00 PM,A,y\n")

    assert imported.report.warnings[0].startswith("ambiguous dates: line 2, '1/5/24 9:00 PM'")


def test_a_column_that_is_not_there_is_named_with_those_that_are(importing: Importing) -> None:
    with pytest.raises(InputError, match="--map text=body: it has no such column; it has: a, b"):
        importing("a,b\n1,2\n", columns=(("text", "body"),))
    with pytest.raises(InputError, match="no column for sender, time; name them with --map"):
        importing("a,b\n1,2\n", columns=(("text", "a"),))
    with pytest.raises(InputError, match="--map words=a: expected one of text, sender"):
        importing("a,b\n1,2\n", columns=(("words", "a"),))
