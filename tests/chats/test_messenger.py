import pytest

from sayso.chats.importers.messenger import mended_latin1


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("hello", "hello"),
        ("\u00c3\u00a9t\u00c3\u00a9", "été"),
        ("\u00f0\u009f\u0098\u008a", "😊"),
        ("été", "été"),
        ("Ã la carte", "Ã la carte"),
        ("😊 \u00c3\u00a9", "😊 \u00c3\u00a9"),
        ("\ud83d", "\ud83d"),
        ("", ""),
    ],
)
def test_only_a_text_whose_utf8_was_written_as_latin1_is_changed(written: str, right: str) -> None:
    assert mended_latin1(written) == right
