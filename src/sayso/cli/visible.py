"""Chat text made inert for a terminal: what could command it is shown, what could scramble it is kept apart.

Control characters become the pictures that Unicode has for them, the invisible characters that
reorder a line become their code points, and text with right-to-left letters stands between
isolates so that the rest of the line keeps its order. Each character is mapped alone, so a
text may be cut at any offset before it is made visible.
"""

import json
import re
import unicodedata

_FIRST_STRONG_ISOLATE = "\u2068"
_POP_ISOLATE = "\u2069"
_REORDERING = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_SHOWN = (
    {code: chr(0x2400 + code) for code in range(0x20)}
    | {0x7F: "\u2421"}
    | {code: f"<U+{code:04X}>" for code in [*range(0x80, 0xA0), *_REORDERING]}
    | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    | {ord(char): "⏎" for char in "\n\r\u2028\u2029"}
    | {ord("\t"): " "}
)
# What json.dumps leaves as it is although a terminal or a line reader acts on it.
_RAW_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_LONGEST = 800
_WIDE = re.compile(r"[^\x00-\x7f]")
_LINE_BREAK = re.compile(r"\r\n|[\n\r\u2028\u2029]")


def visible(text: str) -> str:
    """The text on one line with nothing in it that a terminal would obey."""
    return text.translate(_SHOWN)


def isolated(text: str, of: str | None = None) -> str:
    """The text between isolates if it (or ``of``, what it shows) has right-to-left letters."""
    if not any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in of or text):
        return text
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}"


def inline(text: str) -> str:
    """The text fit for standing within a line of ours: a name, a title, an excerpt."""
    return isolated(visible(text))


def one_line(text: str) -> str:
    """A message of ours on one line, whatever it quotes; of a very long one the two ends."""
    line = visible(" ".join(text.split()))
    # What is wrong stands first, and what to do last.
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]} … {line[-_LONGEST // 2 :]}"


def inert_json(written: str) -> str:
    """The same JSON with what a terminal would act on escaped."""
    return _RAW_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", written)


def ascii_json(written: str) -> str:
    """The same JSON with every character beyond ASCII escaped."""
    return written if written.isascii() else _WIDE.sub(lambda c: json.dumps(c[0])[1:-1], written)


def line_ranges(text: str) -> list[tuple[int, int]]:
    """The lines of the text as ``[start, end)`` without their breaks; at least one."""
    starts, ends = [0], []
    for found in _LINE_BREAK.finditer(text):
        ends.append(found.start())
        starts.append(found.end())
    return list(zip(starts, [*ends, len(text)], strict=True))
