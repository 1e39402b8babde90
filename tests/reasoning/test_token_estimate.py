import pytest

from sayso.reasoning.token_estimate import estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 1),
        ("a" * 35, 11),
        ("你好吗", 4),
        ("1234567890", 7),
        ("🎉🎉", 5),
        ("привет мир", 7),
    ],
)
def test_the_estimate_by_script(text, tokens):
    assert estimate(text) == tokens
