"""A message as marked words: what each does in its sentence, guessed without a model.

A few hundred function words and the place of the others tell enough: what follows "I", "will" or
"to" is a verb, what stands between function words is a phrase. Chinese, which writes no spaces,
is cut at its function words in the same way.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from sayso.core.sentences import ABBREVIATED, BY_THE_WAY, ORDINAL
from sayso.reasoning.phrase_marks import (
    HAN_MARKS,
    HAN_MEASURES,
    MARKS,
    PLACES_GONE_TO,
    SAME_WORD,
    listed,
)
from sayso.stemming import stemmed

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# What is added to the letter before it, and the scripts that write vowels so.
_ADDED = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e\u200c\u200d"
)
# Letters of any script but Chinese; the common ones at one go.
_LETTERS = rf"(?:[a-zA-ZÀ-ÿ]++|(?![{_HAN}])[^\W_]|[{_ADDED}])+"
_LETTER = rf"(?:(?![{_HAN}])[^\W_])"
_SHORT = rf"{ABBREVIATED}|(?:[A-Z]\.){{2,}}"
_UNIT = f"公斤|厘米|小时|分钟|块钱|个月|[{HAN_MEASURES}]"
# The space before it is passed over at one go, and plain letters before one are tried first: most
# of a text is those.
_TOKEN = re.compile(
    rf"[^\S\n]?+(?:(?P<filler>{BY_THE_WAY})|(?P<word>[a-zA-Z]++(?=[\s,!?]|$)|{_SHORT}|https?://\S+|(?=[^\W\d_]){_LETTERS}(?:(?:[.](?=[^\W_A-Z])|['’&-]){_LETTERS})*)"
    rf"|(?P<number>{ORDINAL}|[$€£¥]?\d+(?:[.,:/]\d+)*(?:[万千百亿]\d*(?:块钱|[元块本个])?|%|{_UNIT}|{_LETTER}*)"
    rf"(?:-{_LETTER}+)*)"
    rf"|(?P<han>[{_HAN}]+)"
    r"|(?P<stop>[.!?…。！？]+|\n+)"
    r"|(?P<quote>[\"“”「」『』《》])"
    r"|(?P<other>[^\w\s'’`*~-]))"
)
_HAN_DIGITS = "零一二两三四五六七八九十百千万亿几半"
# 三十八度五, 六点二十 and 八块五一斤, but 五块一个 and 三点一起.
_HAN_REST = (
    rf"[一三]刻|[{_HAN_DIGITS}]+分(?!钟)|[{_HAN_DIGITS}]++(?!{_UNIT}|[起些样直定般共边会下])"
    rf"|[{_HAN_DIGITS}](?=一[{HAN_MEASURES}])"
)
_HAN_CUT = re.compile(
    rf"(?P<number>[{_HAN_DIGITS}]+(?:[度块米点](?:{_HAN_REST})|{_UNIT})|[{_HAN_DIGITS}]{{2,}})|"
    + "|".join(re.escape(w) for w in sorted(HAN_MARKS, key=len, reverse=True))
)
_BY_NEIGHBOURS = frozenset({"as", "one", "to"})
_KINDS = {"filler": "A", "number": "N", "stop": ".", "quote": '"'}
_SUBJECTS = listed("i you he she we they u who")


class Word(NamedTuple):
    """A word, a mark, or a piece of a Chinese run at ``[start, end)`` of the text.

    ``low`` is casefolded. ``mark`` as in :mod:`sayso.reasoning.phrase_marks`; also "." the end of
    a sentence, "," a mark inside one (an emoji too) and '"' a quotation mark. ``capital``: it
    begins with a capital letter.
    """

    start: int
    end: int
    low: str
    mark: str
    capital: bool = False
    han: bool = False


# What many questions find, they read again.
@lru_cache(maxsize=1024)
def words(text: str) -> tuple[Word, ...]:
    """The words and marks of a text in order."""
    found: list[Word] = []
    for match in _TOKEN.finditer(text.replace("’", "'")):
        kind = match.lastgroup or ""
        start, end = match.span(kind)
        written = match[kind]
        if kind == "word":
            low = written.casefold()
            found.append(Word(start, end, low, MARKS.get(low, "W"), written[0].isupper()))
        elif kind == "han":
            _cut_han(text, start, end, found)
        else:
            found.append(Word(start, end, written.casefold(), _KINDS.get(kind, ",")))
    return tuple(_placed(found))


@lru_cache(maxsize=20_000)
def stem(low: str) -> str:
    """The stem of a casefolded word; one for all forms of an irregular verb."""
    base = low.removesuffix("'s").replace("'", "")
    return stemmed(SAME_WORD.get(base, base), "english")


def _cut_han(text: str, start: int, end: int, found: list[Word]) -> None:
    at = start
    for match in _HAN_CUT.finditer(text, start, end):
        if match.start() > at:
            _add_han(text, at, match.start(), found)
        mark = "N" if match["number"] else HAN_MARKS[match.group()]
        found.append(Word(*match.span(), match.group(), mark, han=True))
        at = match.end()
    if at < end:
        _add_han(text, at, end, found)


def _add_han(text: str, start: int, end: int, found: list[Word]) -> None:
    if end - start > 1 and text[start] in HAN_MEASURES and found and found[-1].mark in "VH":
        # 寄了个挂钟: a measure without its number is an article.
        found.append(Word(start, start + 1, text[start], "D", han=True))
        start += 1
    found.append(Word(start, end, text[start:end], "W", han=True))


def _placed(found: list[Word]) -> list[Word]:
    """The marks that hang on a word's place: verbs, parts of names, "to" before a name."""
    before = "."  # the mark of the last word that is no adverb
    for i, word in enumerate(found):
        mark = word.mark
        if mark == "W":
            if not word.han and _is_verb(found, i, before):
                mark = "V"
        elif word.low in _BY_NEIGHBOURS or (word.capital and mark in "APV" and before != "."):
            mark = _mark_by_neighbours(found, i, before)
        if mark != word.mark:
            found[i] = Word(word.start, word.end, word.low, mark, word.capital)
        if mark != "A":
            before = mark
    return found


def _mark_by_neighbours(found: list[Word], i: int, before: str) -> str:
    word = found[i]
    last = found[i - 1] if i else None
    after = found[i + 1] if i + 1 < len(found) else None
    if word.capital and before != "." and word.mark in "APV" and _beside_capital(last, after):
        return "W"
    if word.low == "as" and last and last.low.startswith("work"):
        return "G"
    if word.low == "one" and last and last.mark == "D":
        return "S"
    if word.mark == "T" and after and after.capital:
        return "P"
    return word.mark


def _beside_capital(*words: Word | None) -> bool:
    return any(w is not None and w.capital and w.low != "i" for w in words)


def _is_verb(found: list[Word], i: int, before: str) -> bool:
    """Whether an unknown word stands where only a verb can."""
    word = found[i]
    low = word.low
    if before not in "SMT" and not low.endswith(("ing", "ed")):
        return False
    if word.capital and before != ".":
        return False
    after = found[i + 1].mark if i + 1 < len(found) else "."
    match before:
        case "S":
            return _subject_before(found, i) in _SUBJECTS
        case "M":
            return True
        case "T":
            return found[i - 1].mark == "T" and low not in PLACES_GONE_TO
        case "H":
            return low.endswith("ed")
        case "B":
            return low.endswith("ing")
        case "W" | "N":
            return low.endswith(("ing", "ed")) and after in "DPTSN" and len(low) > 4
        case _:
            return low.endswith("ing") and after in "DS" and len(low) > 4


def _subject_before(found: list[Word], i: int) -> str:
    at = i - 1
    while at > 0 and found[at].mark == "A":
        at -= 1
    return found[at].low
