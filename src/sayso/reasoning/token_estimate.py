"""How many tokens a text may take, without any model's tokenizer: rather too many than too few."""

import re

_CLASSES = (
    (re.compile(r"[\d_]|[^\w\s]"), 0.6),  # figures and marks, often a token each
    (re.compile(r"[A-Za-z\u00c0-\u024f\s]"), 1 / 3.5),
    (re.compile(r"[\u0370-\u10ff\u1e00-\u1fff]"), 0.7),  # other alphabets
)
_ASTRAL = re.compile(r"[\U00010000-\U0010ffff]")


def estimate(text: str) -> int:
    """Tokens of the text: 3.5 Latin letters are one, a Chinese, Japanese or Korean character is one.

    A character outside of the basic plane, such as an emoji, counts as two.
    """
    rest, astral = _ASTRAL.subn("", text)
    total = 2.0 * astral
    for pattern, weight in _CLASSES:
        rest, found = pattern.subn("", rest)
        total += weight * found
    return int(total + len(rest)) + 1
