"""Answers against a gold answer, as texts: normalised exact match and token F1.

As in SQuAD (Rajpurkar et al. 2016): lower case, no punctuation, no English articles. Beyond it,
for both alike: text is folded by NFKC and casefold; a run of Chinese, Japanese or Korean is its
single characters; a date that says its year is one token however it is written, so that
"8 May 2023" and "2023-05-08" are equal, and so is a number ("1,000.0", "1000").
"""

import re
import unicodedata
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from sayso.core.time_expressions import TimeMention, find_times, resolve

_ARTICLES = frozenset({"a", "an", "the"})
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_TOKEN = re.compile(rf"\d+(?:,\d{{3}})+(?:\.\d+)?(?!\w)|\d+\.\d+(?!\w)|[{_CJK}]|[^\W_{_CJK}]+")
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
# A date is absolute when it means the same days whenever it is said.
_SAID = (datetime(1990, 3, 7, 12, tzinfo=UTC), datetime(2061, 10, 22, 12, tzinfo=UTC))


def exact_match(given: str, gold: str) -> float:
    """1.0 when both come to the same tokens in the same order, else 0.0."""
    return float(tokens(given) == tokens(gold))


def token_f1(given: str, gold: str) -> float:
    """Harmonic mean of the shares of tokens that the two have in common, in [0, 1].

    A token counts as often as it stands in both; 1.0 when neither has any, 0.0 when one has none.
    """
    ours, theirs = tokens(given), tokens(gold)
    if not ours or not theirs:
        return float(ours == theirs)
    shared = (Counter(ours) & Counter(theirs)).total()
    return 2 * shared / (len(ours) + len(theirs))


def tokens(text: str) -> list[str]:
    """What is compared, in order; a date is ``2023-05-08`` or ``2023-05-01/2023-05-31``."""
    text = unicodedata.normalize("NFKC", text)
    found: list[str] = []
    end = 0
    for mention in find_times(text):
        days = _days(mention)
        if days:
            found += [*_words(text[end : mention.start]), days]
            end = mention.end
    return found + _words(text[end:])


def _words(text: str) -> list[str]:
    joined = _APOSTROPHE.sub("", text.casefold())
    return [_number(t) for t in _TOKEN.findall(joined) if t not in _ARTICLES]


def _number(token: str) -> str:
    try:
        return f"{Decimal(token.replace(',', '')).normalize():f}" if token[0].isdigit() else token
    except InvalidOperation:
        return token


def _days(mention: TimeMention) -> str | None:
    if mention.kind not in ("date", "partial", "relative"):
        return None
    meant = {resolve(mention, said_at) for said_at in _SAID}
    days = meant.pop()
    if meant or days is None:
        return None
    return f"{days.first}" if days.first == days.last else f"{days.first}/{days.last}"
