import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.cli.visible import ascii_json, inert_json, inline, line_ranges, one_line, visible


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("a\x00b\x7fc", "a␀b␡c"),
        ("\x9b2J", "<U+009B>2J"),
        ("one\ntwo\r\nthree\u2028four", "one⏎two⏎⏎three⏎four"),
        ("a\tb", "a b"),
        ("\u202egnp.exe", "<U+202E>gnp.exe"),
        ("a\u2069b\u2066", "a<U+2069>b<U+2066>"),
        ("lone \ud83d", "lone \ufffd"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
        ("👩\u200d👧 é 小明", "👩\u200d👧 é 小明"),
    ],
    ids=[
        "colour", "title", "nul and delete", "C1", "line breaks", "tab", "override", "isolates",
        "surrogate", "markup", "joined emoji",
    ],
)  # fmt: skip
def test_what_a_terminal_would_obey_is_shown_instead(sent: str, shown: str) -> None:
    assert visible(sent) == shown


@given(st.text(st.characters()), st.text(st.characters()))
def test_a_text_may_be_cut_anywhere_before_it_is_made_visible(left: str, right: str) -> None:
    assert visible(left) + visible(right) == visible(left + right)


def test_right_to_left_text_stands_between_isolates_and_other_text_does_not() -> None:
    assert inline("Hello שלום 12") == "\u2068Hello שלום 12\u2069"
    assert inline("مرحبا") == "\u2068مرحبا\u2069"
    assert inline("Hello 12") == "Hello 12"


def test_an_isolate_in_the_text_cannot_close_ours() -> None:
    assert inline("שלום\u2069 x") == "\u2068שלום<U+2069> x\u2069"


def test_an_error_stays_on_one_line_whatever_it_quotes() -> None:
    assert one_line("bad name\n  'a\x1b[2Jb'") == "bad name 'a␛[2Jb'"


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("", [(0, 0)]),
        ("ab", [(0, 2)]),
        ("a\nbc", [(0, 1), (2, 4)]),
        ("a\r\n\nb", [(0, 1), (3, 3), (4, 5)]),
    ],
    ids=["empty", "one line", "two lines", "an empty line between"],
)
def test_lines_are_ranges_without_their_breaks(text: str, ranges: list[tuple[int, int]]) -> None:
    assert line_ranges(text) == ranges


def test_json_for_a_terminal_says_the_same_and_commands_nothing() -> None:
    text = "a\x9b2J\x7f\u202e\u2028é😀"

    written = inert_json(json.dumps(text, ensure_ascii=False))

    assert written == '"a\\u009b2J\\u007f\\u202e\\u2028é😀"'
    assert json.loads(written) == text


def test_of_a_very_long_error_the_two_ends_are_shown() -> None:
    told = one_line("chat.txt: unknown timezone " + "A" * 100_000 + "; name another")

    assert len(told) < 900
    assert told.startswith("chat.txt: unknown timezone AAA")
    assert told.endswith("AAA; name another")


def test_json_for_a_narrow_stdout_says_the_same_in_ascii() -> None:
    written = json.dumps({"é": "A😀\u2028"}, ensure_ascii=False)

    assert ascii_json(written).isascii()
    assert json.loads(ascii_json(written)) == json.loads(written)
