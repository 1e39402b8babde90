"""Sentences and content words of a message, with their offsets."""

import itertools
import re

from sayso.core.stopwords import STOPWORDS
from sayso.core.time_words import MONTHS, any_of

# A point after these ends no sentence: "Dr. Patel", "No. 5", "usw. und" …
ABBREVIATED = (
    r"(?:(?:[Ss]t|[Mm]rs?|[Dd]r|[Pp]rof|[Mm]t|[Jj]r|Hr|Fr|vs|(?<!\d )(?:[Mm]s|[Ff]t))\.(?=[^\S\n]?\w)"
    r"|(?:No|[Nn]r|[Ss]tr|Tel|[Aa]pt)\.(?=[^\S\n]?\d)|(?:etc|usw)\.(?=[^\S\n][a-zà-ÿ]))"
)
# … "z.B. Pizza", "ca. 5", which tell nothing themselves …
BY_THE_WAY = (
    r"(?:[Ee]\.[Gg]|[Ii]\.e|[Zz]\.[^\S\n]?B|[Dd]\.[^\S\n]?h|[Uu]\.[^\S\n]?a|bzw|[Cc]a|[Aa]pprox|evtl|ggf|inkl)"
    r"\.(?=[^\S\n]?\w)"
)
# … and in German or Nordic "11. März", "vom 3. bis", "am 11.3. um". "We were 5. May I …"
# and "I was 30. then we …" are English, and two sentences.
_DATED = any_of(
    (MONTHS.keys() - {"may", "mar"})
    | {"montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonnabend", "sonntag"}
)
ORDINAL = (
    r"(?<![\w.,:/$€£¥])\d{1,2}\.(?:(?:0?[1-9]|1[0-2])\.)?"
    rf"(?=[^\S\n]+(?i:{_DATED})\b)"
    # "Got home at 3. slept till noon" goes on with a small letter, too, and is two.
    r"|(?<![\w.,:/$€£¥])(?:(?<=\b[ai]m )|(?<=\bab )|(?<=\b(?:der|dem|den|vom|bis|zum) ))\d{1,2}\.(?:(?:0?[1-9]|1[0-2])\.)?"
    r"(?=[^\S\n]+[a-zà-ÿ])"
)
_GOES_ON = re.compile(rf"(?<!\w)(?:{ABBREVIATED}|{BY_THE_WAY}|{ORDINAL})")
_BACK, _AHEAD = 8, 16  # characters
# A mark inside a number, an abbreviation or an address ends no sentence; 好吗?好 has two.
# What it begins with is told first: most characters end nothing.
_END = re.compile(
    r"(?=[.!?…。！？\n])(?:"
    r"[.!?…]+[\"”’')\]]*(?=\s|$)|(?:[。！？]|[!?](?=[^\x00-\x7f]))+[”’」』）]*|\n+)"
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_WORD = re.compile(rf"(?P<han>[{_HAN}]+)|(?:(?![{_HAN}])[^\W_])+(?:['’](?:(?![{_HAN}])[^\W_])+)*")


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences as ``[start, end)`` without the white space around them, in order.

    A text without an end mark is one sentence; an empty or blank text has none.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        if match.group() == "." and _goes_on(text, match.end()):
            continue
        _add(found, text, start, match.end())
        start = match.end()
    _add(found, text, start, len(text))
    return tuple(found)


def _goes_on(text: str, end: int) -> bool:
    """Whether the point before ``end`` belongs to an abbreviation or an ordinal."""
    found = _GOES_ON.finditer(text, max(0, end - _BACK), end + _AHEAD)
    return any(m.start() < end <= m.end() for m in found)


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry content, casefolded, each once, in their order.

    A run of Chinese characters, which marks no words, gives its pairs.
    """
    words = (w.casefold().replace("’", "'") for m in _WORD.finditer(text) for w in _parts(m))
    return tuple(
        dict.fromkeys(
            w for w in words if w not in STOPWORDS and w.replace("'", "") not in STOPWORDS
        )
    )


def _parts(match: re.Match[str]) -> list[str]:
    run = match.group()
    if match.lastgroup != "han" or len(run) < 3:
        return [run]
    return [a + b for a, b in itertools.pairwise(run)]


def _add(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if piece.strip():
        lead = len(piece) - len(piece.lstrip())
        found.append((start + lead, start + len(piece.rstrip())))
