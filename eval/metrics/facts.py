"""The names, numbers and dates that a text mentions, read by rule.

* **Dates**: ISO (2023-05-08), 8/5/2023 in either order, "8 May 2023", "May 8th", "May 2023",
  "2023", "the 8th", weekdays and months by name, 2023年5月8日; and times of day (19:04, 7 pm),
  read on the twelve-hour dial.
* **Numbers**: digits, and the words "two" to "twelve" ("one" is as often a pronoun).
* **Names**: capitalised words that do not begin a sentence or a quotation, and the participants'
  names wherever they stand, written as the chat writes them.

Where a mention can be read in several ways, each reading is kept: "7th" is a day or a number.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TypeAlias


@dataclass(frozen=True)
class Day:
    """A calendar day as far as it is said; None for what is not. Monday is weekday 0."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    @classmethod
    def of(cls, day: date) -> "Day":
        """The day with everything said."""
        return cls(day.year, day.month, day.day, day.weekday())

    def fits(self, other: "Day") -> bool:
        """Whether the other says all that this one says, and the same."""
        return all(mine in (None, vars(other)[part]) for part, mine in vars(self).items())


@dataclass(frozen=True)
class Clock:
    """A time on the twelve-hour dial: ``hour`` 0 to 11, since chats leave out am and pm."""

    hour: int
    minute: int


@dataclass(frozen=True)
class Name:
    """A name, folded."""

    text: str


Reading: TypeAlias = Day | Clock | Name | Decimal
Mention: TypeAlias = tuple[Reading, ...]
"""One mention with its readings; it is borne out when one of them is."""


def mentions(text: str, participants: Iterable[str] = ()) -> list[Mention]:
    """Every name, number and date of the text; ``participants`` are names to know by sight."""
    text = unicodedata.normalize("NFKC", text)
    found: list[Mention] = []
    for name in participants:
        if _name_pattern(name).search(text):
            found.append((Name(fold(name)),))
    rest = text
    for pattern, read in _RULES:
        for match in pattern.finditer(rest):
            readings = read(match)
            if readings:
                found.append(readings)
                # Read once: "8 May 2023" is no number 8 as well. Offsets stay as they are.
                rest = rest[: match.start()] + "\0" * len(match[0]) + rest[match.end() :]
    return found + list(_capitalised(rest))


def fold(text: str) -> str:
    """The text for comparing names: NFKC and casefold."""
    return unicodedata.normalize("NFKC", text).casefold()


def words(text: str) -> set[str]:
    """The folded words of the text, without a possessive 's; "Jean-Luc" is also "jean" and "luc"."""
    whole = {_bare(match[0]) for match in _WORD.finditer(fold(text))}
    return whole | {part for word in whole for part in re.split("['’-]", word)}


def names_it(name: str, text: str) -> bool:
    """Whether the name occurs in the text as a whole, whatever the case."""
    return _name_pattern(fold(name)).search(fold(text)) is not None


def numerals(text: str) -> set[Decimal]:
    """Every number that the text could be said to hold: generous, for sources.

    Digits count also inside dates and times, and so do "one" and the Chinese numerals to 12.
    """
    text = unicodedata.normalize("NFKC", text)
    digits = {_decimal(match[0]) for match in _DIGITS.finditer(text)}
    spelt = {_SPELT[word] for word in words(text) if word in _SPELT}
    return digits | spelt | {_CHINESE[match[0]] for match in _CHINESE_NUMERAL.finditer(text)}


_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_DIGITS = re.compile(r"\d+(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:[.,]\d+)?")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve")  # fmt: skip
_SPELT = {word: Decimal(i) for i, word in enumerate(_NUMBERS, 1)}
_CHINESE = {numeral: Decimal(i) for i, numeral in enumerate("一二三四五六七八九十", 1)}
_CHINESE |= {"两": Decimal(2), "十一": Decimal(11), "十二": Decimal(12)}
_CHINESE_NUMERAL = re.compile("十[一二]|[一二两三四五六七八九十]")

# Not from calendar, which speaks the language of the machine.
_MONTH_NAMES = ("january", "february", "march", "april", "may", "june", "july", "august",
                "september", "october", "november", "december")  # fmt: skip
_DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_LONG_MONTHS = {name: i for i, name in enumerate(_MONTH_NAMES, 1)}
_SHORT_MONTHS = {name[:3]: i for name, i in _LONG_MONTHS.items()} | {"sept": 9}
_MONTHS = _LONG_MONTHS | _SHORT_MONTHS
_WEEKDAYS = {name: i for i, name in enumerate(_DAY_NAMES)}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_OPENING = '"“„‘«「『([*'
_CLOSING = ' \t"”’»」』)]*'
_ORDINAL = "(?:st|nd|rd|th)"


def _day(year: str | None, month: int, day: str | None) -> Mention:
    years = int(year) + 2000 * (len(year) == 2) if year else None
    days = int(day) if day else None
    try:
        # 2000 has a 29 February: a day without its year is as good as its best year.
        date(2000 if years is None else years, month, 1 if days is None else days)
    except ValueError:
        return ()
    return (Day(years, month, days),)


def _by_name(match: re.Match[str]) -> Mention:
    name = match["month"].casefold()
    parts = match.groupdict()
    return _day(parts.get("year"), _MONTHS[name], parts.get("day"))


def _either_order(match: re.Match[str]) -> Mention:
    first, second, year = match.groups()
    return tuple(dict.fromkeys(_day(year, int(second), first) + _day(year, int(first), second)))


def _clock(match: re.Match[str]) -> Mention:
    hour, minute = int(match["hour"]), int(match["minute"])
    return (Clock(hour % 12, minute),) if hour < 25 and minute < 60 else ()


def _rule(
    pattern: str, read: Callable[[re.Match[str]], Mention]
) -> tuple[re.Pattern[str], Callable[[re.Match[str]], Mention]]:
    return re.compile(pattern, re.IGNORECASE), read


_RULES = [
    _rule(
        r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)",
        lambda m: _day(m[1], int(m[3]), m[4]),
    ),
    _rule(
        r"(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})[日号])?",
        lambda m: _day(m[1], int(m[2]), m[3]),
    ),
    _rule(r"(\d{4})年", lambda m: (Day(year=int(m[1])),)),
    _rule(r"(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)", _either_order),
    _rule(
        rf"\b(?P<day>\d{{1,2}}){_ORDINAL}?\s+(?:of\s+)?(?P<month>{_MONTH})\b\.?(?:,?\s+(?P<year>\d{{4}})\b)?",
        _by_name,
    ),
    _rule(
        rf"\b(?P<month>{_MONTH})\b\.?\s+(?:the\s+)?(?P<day>\d{{1,2}}){_ORDINAL}?\b(?!:\d)(?:,?\s+(?P<year>\d{{4}})\b)?",
        _by_name,
    ),
    _rule(rf"\b(?P<month>{_MONTH})\b\.?,?\s+(?:of\s+)?(?P<year>\d{{4}})\b", _by_name),
    _rule(r"(?<!\d)(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::\d{2})?(?!\d)(?:\s?[ap]\.?m\b)?", _clock),
    _rule(
        r"(?<!\d)(\d{1,2})\s?[ap]\.?m\b",
        lambda m: (Clock(int(m[1]) % 12, 0), Decimal(m[1])),
    ),
    _rule(rf"\b(\d{{1,2}}){_ORDINAL}\b", lambda m: (Day(day=int(m[1])), Decimal(m[1]))),
    _rule(
        r"(?<![\d.,])((?:19|20)\d\d)(?![\d]|[.,]\d)",
        lambda m: (Day(year=int(m[1])), Decimal(m[1])),
    ),
    _rule(_DIGITS.pattern, lambda m: (_decimal(m[0]),)),
    _rule(rf"\b({'|'.join(_NUMBERS[1:])})\b", lambda m: (_SPELT[m[1].casefold()],)),
    _rule(
        rf"\b({'|'.join(_WEEKDAYS)})(?=s?\b)",
        lambda m: (Day(weekday=_WEEKDAYS[m[1].casefold()]), Name(m[1].casefold())),
    ),
]


def _decimal(digits: str) -> Decimal:
    # "1,200" groups thousands; "3,5" is a decimal comma.
    grouped = re.fullmatch(r"\d+(?:,\d{3})+(?:\.\d+)?", digits)
    return Decimal(digits.replace(",", "" if grouped else "."))


def _capitalised(text: str) -> Iterator[Mention]:
    for match in _WORD.finditer(text):
        word = _bare(match[0])
        if not word[0].isupper() or word.split("'")[0].split("’")[0] == "I":
            continue
        if not _starts_sentence(text[: match.start()]):
            name = Name(word.casefold())
            month = _MONTHS.get(name.text)
            yield (Day(month=month), name) if month else (name,)


def _starts_sentence(before: str) -> bool:
    if before[-1:] in _OPENING:
        return True
    # What opens a line of a list is no part of a sentence; a closing quote keeps its full stop.
    line = before.rpartition("\n")[2].strip(" \t-•>").rstrip(_CLOSING)
    return not line or line[-1] in ".!?…:;。！？：；—–"


def _bare(word: str) -> str:
    return re.sub("['’]s$", "", word)


def _name_pattern(name: str) -> re.Pattern[str]:
    """The name as a whole; scripts without case write without spaces and have no word edge."""
    left = r"(?<!\w)" if name[:1].lower() != name[:1].upper() else ""
    right = r"(?!\w)" if name[-1:].lower() != name[-1:].upper() else ""
    return re.compile(left + re.escape(name) + right)
