import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from sayso.cli.rendering import Ink, body, columns, excerpt, fitted, heading, local_time, say_json
from sayso.core.chat import Chat, Message

PLAIN, COLOUR = Ink(False), Ink(True)
AT = datetime(2024, 5, 1, 16, 30, tzinfo=UTC)


def message(text: str, **more: object) -> Message:
    given = {"local_id": 7, "sender": "Ana", "sent_at": AT, "text": text, **more}
    return Message.model_validate(given)


def test_time_is_the_chats_own() -> None:
    assert local_time(AT, ZoneInfo("Asia/Shanghai")) == "Thu 2024-05-02 00:30"


def test_a_heading_names_id_sender_and_local_time() -> None:
    chat = Chat(chat_id="c", title="c", platform="test", timezone="Asia/Shanghai")

    assert heading(message("hi"), chat, PLAIN) == "#7  Ana  Thu 2024-05-02 00:30"


def test_a_heading_without_a_sender_names_the_kind() -> None:
    chat = Chat(chat_id="c", title="c", platform="test")

    shown = heading(message("Ana joined", sender="", kind="system"), chat, PLAIN)

    assert shown == "#7  (system)  Wed 2024-05-01 16:30"


def test_a_sender_cannot_command_the_terminal() -> None:
    chat = Chat(chat_id="c", title="c", platform="test")

    shown = heading(message("hi", sender="A\x1b[2J"), chat, PLAIN)

    assert shown == "#7  A␛[2J  Wed 2024-05-01 16:30"


def test_the_cited_words_are_marked_without_colour() -> None:
    assert body(message("A😀B moved"), PLAIN, cited=(2, 3)) == ["A😀«B» moved"]


def test_the_cited_words_are_coloured_where_there_is_colour() -> None:
    assert body(message("A😀B"), COLOUR, cited=(2, 3)) == ["A😀\x1b[33m\x1b[1mB\x1b[0m"]


def test_a_message_cited_whole_needs_no_marks() -> None:
    assert body(message("all of it"), PLAIN, cited=(0, 9)) == ["all of it"]


def test_a_cited_part_is_marked_on_each_of_its_lines() -> None:
    assert body(message("one\ntwo\nsix"), PLAIN, cited=(1, 6)) == ["o«ne»", "«tw»o", "six"]


def test_escape_sequences_in_a_message_stay_inert_in_colour_too() -> None:
    assert body(message("\x1b[31m[red]"), COLOUR, cited=(5, 10)) == [
        "␛[31m\x1b[33m\x1b[1m[red]\x1b[0m"
    ]


def test_a_right_to_left_line_is_isolated_with_its_marks_inside() -> None:
    assert body(message("Hello שלום 12"), PLAIN, cited=(6, 10)) == ["\u2068Hello «שלום» 12\u2069"]


def test_a_long_message_is_shortened_around_the_cited_words() -> None:
    text = "a" * 500 + "HERE" + "b" * 500

    (line,) = body(message(text), PLAIN, cited=(500, 504))

    assert line == "… " + "a" * 160 + "«HERE»" + "b" * 160 + " … (340 more characters)"


def test_a_long_message_is_shown_whole_when_asked_for() -> None:
    assert body(message("a" * 1000), PLAIN, whole=True) == ["a" * 1000]


def test_a_photo_shows_its_caption_and_an_empty_message_its_kind() -> None:
    assert body(message("look", kind="photo", caption="a loaf"), PLAIN) == [
        "look",
        "[photo: a loaf]",
    ]
    assert body(message("look", caption="a loaf"), PLAIN) == ["look", "[picture: a loaf]"]
    assert body(message("", kind="voice"), PLAIN) == ["[voice]"]
    assert excerpt(message("", kind="photo", caption="a\nloaf")) == "[photo: a⏎loaf]"


def test_columns_are_aligned_by_terminal_cells() -> None:
    assert columns([["小明", "x"], ["Ana", "y"]]) == ["小明  x", "Ana   y"]


def test_a_cut_line_closes_its_isolate() -> None:
    assert fitted("\u2068שלום שלום\u2069", 5) == "\u2068שלום…\u2069"
    assert fitted("short", 5) == "short"


def test_json_keeps_every_script_readable(capsys: pytest.CaptureFixture[str]) -> None:
    say_json({"text": "小明 \x1b"}, indent=None)

    assert capsys.readouterr().out == '{"text": "小明 \\u001b"}\n'
    assert json.loads('"\\u001b"') == "\x1b"
