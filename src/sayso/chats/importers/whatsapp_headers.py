"""The line that begins a WhatsApp message: its date and time as the phone's locale writes them.

iOS ``[date, time] Name: text``, Android ``date, time - Name: text``, and the cousin without a
bracket or a dash, ``date time, Name : text``. Digits of every script; separators ``/ . -`` and
年月日; marks of direction anywhere in the stamp; the part of the day before or after the time.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

Style = Literal["ios", "android", "comma"]
Shape = tuple[Style, str, bool, bool, bool, str, bool]

MARKS = "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
SPACES = " \t\u00a0\u2007\u2009\u202f"

_M = f"[{MARKS}]{{0,3}}"
_GAP = f"[{MARKS}{SPACES}]{{0,4}}"
_SPACE = f"[{SPACES}]"
_WORD = r"[^\W\d_][^\d\[\]:,\-–]{0,15}?"
_HEADER = re.compile(
    rf"{_M}(?P<open>\[?){_M}"
    rf"(?P<a>\d{{1,4}}){_GAP}(?P<sep>[/.\-年]){_GAP}(?P<b>\d{{1,2}}){_GAP}(?:(?P=sep)|月){_GAP}"
    rf"(?P<c>\d{{1,4}}){_M}[.日]?(?:{_SPACE}?г\.?)?"
    rf"(?:{_M}(?P<comma>[,،、]){_GAP}|{_M}{_SPACE}{_GAP})"
    rf"(?P<before>{_WORD})??{_GAP}"
    rf"(?P<hour>\d{{1,2}})(?P<tick>[:.]|{_SPACE}?h{_SPACE}?)(?P<minute>\d{{2}})"
    rf"(?:(?P=tick)(?P<second>\d{{2}}))?(?!\d){_GAP}(?P<after>{_WORD})??{_GAP}"
    rf"(?P<close>\]|[-–]{_M}{_SPACE}|,{_SPACE}){_M}{_SPACE}?(?P<rest>.*)",
    re.DOTALL,
)
# Words between date and time, and units after it, that are no part of the day.
_FILLERS = frozenset(
    [
        "um",
        "à",
        "a",
        "às",
        "as",
        "kl",
        "klo",
        "v",
        "в",
        "ob",
        "o",
        "u",
        "at",
        "alle",
        "ore",
        "den",
        "kello",
        "ч",
        "uhr",
        "h",
        "น",
        "hrs",
        "hs",
        "χ",
    ]
)


class Header(NamedTuple):
    """A line that begins like a message. ``date`` holds the three numbers as they stand.

    ``period`` is the word for the part of the day, folded; ``raw_period`` as it stands; both empty
    on a 24-hour clock. ``rest`` is what follows what stands ``before`` it.
    """

    line: int
    date: tuple[int, int, int]
    hour: int
    minute: int
    second: int
    period: str
    raw_period: str
    shape: Shape
    before: str
    rest: str

    @property
    def stamp(self) -> str:
        """Date and time as they stand."""
        return self.before.strip(SPACES + MARKS + "[]-–,")


def header_at(line: str, number: int) -> Header | None:
    """The header of that line (``number`` is 1-based), or None where it does not begin one."""
    found = _HEADER.match(line)
    if found is None:
        return None
    opening, a, sep, b, c, comma, before, hour, _, minute, second, after, close, rest = (
        found.groups("")
    )
    if (opening == "[") != (close == "]"):
        return None
    if len(a) == 3 or len(c) == 3 or (len(a) == 4 and len(c) == 4):
        return None
    side = "before" if folded(before) not in _NO_PERIOD else "after"
    raw = before if side == "before" else after
    period = folded(raw)
    period = "" if period in _NO_PERIOD else period
    style: Style = "ios" if opening else "comma" if close[0] == "," else "android"
    return Header(
        number,
        (int(a), int(b), int(c)),
        int(hour),
        int(minute),
        int(second or 0),
        period,
        raw.strip(SPACES + MARKS) if period else "",
        (style, sep, len(a) == 4, len(c) == 4, bool(second), side if period else "", bool(comma)),
        line[: -len(rest)] if rest else line,
        rest,
    )


@lru_cache(maxsize=256)
def folded(word: str) -> str:
    """The word without case, spaces, dots and marks: ``p. m.`` and ``PM`` are both ``pm``."""
    kept = (c for c in unicodedata.normalize("NFKC", word).casefold() if not c.isspace())
    return "".join(c for c in kept if c not in MARKS and c not in ".,·")


_NO_PERIOD = _FILLERS | {""}
