"""Where a text speaks of time: single expressions first, then with what stands beside them."""

import re
from bisect import bisect_left
from collections.abc import Mapping
from functools import cache

from sayso.core.time_beside import Found, extended, supported
from sayso.core.time_joining import joined
from sayso.core.time_rules import BEGIN, Rule, by_first_word
from sayso.core.time_rules_zh import rules as chinese_rules
from sayso.core.time_words import (
    CLOCK_NUMBERS,
    DAYS_AWAY,
    HOLIDAYS,
    LOOSELY_AWAY,
    MONTHS,
    MULTIPLES,
    SEASONS,
    UNITS,
    WEEKDAYS,
    WORD,
)

_HAN = "年月日号號天周週末节節春夏秋冬昨今明前后後点點午晚夜晨早近初底除夕旦元端清中国國庆圣聖情妇愚感平星礼禮期拜小时時分钟鐘每次五跨父母劳大"
_SIGN = re.compile(rf"[\d{_HAN}]")
_HAN_SIGN = re.compile(rf"[{_HAN}]")
_START = re.compile(BEGIN + r"(?:[a-zà-ÿ]+|\d|@)")
_HAN_STARTS = (
    "零一二三四五六七八九十百两兩〇○好几幾半上下这這本去今明后後前大昨年月每周週星礼禮春夏秋冬"
    "早中傍晚凌深夜清最过近整元跨除情妇愚劳母父端国万感平圣聖正初"
)
_HAN_START = re.compile(rf"(?<!\d)\d|[{_HAN_STARTS}]")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
# Words of the tables that are never the only sign of a time.
_COMMON = frozenset({"one", "the", "other", "these", "later", "earlier", "international"})
_MORE_SIGNS = (
    "noon midnight midday clock quarter half morning mañana morgen hier afternoon evening night "
    "daily weekly monthly yearly annually weekends weekdays weekday mondays tuesdays wednesdays "
    "thursdays fridays saturdays sundays ages pm tag"
)


def found_in(text: str) -> list[Found]:
    """The expressions in order, without overlaps; where two overlap, the longer."""
    low = lowered(text)
    if not may_hold(low):
        return []
    singles = _scan(low, _START, by_first_word())
    if _HAN_SIGN.search(low):
        singles += _scan(low, _HAN_START, _chinese())
    if not singles:
        return []
    apart = _longest([extended(found, low, text) for found in singles])
    pairs: list[Found] = []
    for found in apart:
        # A pair may join a third: "Monday" "8 May" "at 5".
        pair = joined(pairs[-1], found, low) if pairs else None
        if pair:
            pairs[-1] = pair
        else:
            pairs.append(found)
    return [found for found in pairs if supported(found, low)]


def may_hold(low: str) -> bool:
    """Whether a lowered text has any sign of time; False is certain, True is not."""
    return _SIGN.search(low) is not None or not _signs().isdisjoint(WORD.findall(low))


def lowered(text: str) -> str:
    """The text in lower case with straight apostrophes and no web addresses, each in its place."""
    low = text.lower()
    if len(low) != len(text):
        # A few capitals have a lower case of two characters.
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    if "’" in low:
        low = low.replace("’", "'")
    if "://" in low or "www." in low:
        low = _ADDRESS.sub(lambda address: "_" * len(address.group()), low)
    return low


@cache
def _signs() -> frozenset[str]:
    """A word of every way of writing that has neither a digit nor a Chinese character."""
    tables = (MONTHS, WEEKDAYS, SEASONS, HOLIDAYS, DAYS_AWAY, LOOSELY_AWAY, UNITS, MULTIPLES)
    phrases = (WORD.findall(phrase) for table in tables for phrase in table)
    rarest = {
        max((word for word in phrase if word not in _COMMON), key=len, default="")
        for phrase in phrases
    }
    return frozenset(rarest | set(CLOCK_NUMBERS) | set(_MORE_SIGNS.split())) - _COMMON


def _scan(low: str, starts: re.Pattern[str], rules: Mapping[str, tuple[Rule, ...]]) -> list[Found]:
    """What the rules find, each tried only where one of its first words stands."""
    singles: list[Found] = []
    done = 0
    for start in starts.finditer(low):
        word = start.group()
        if start.start() >= done and (tried := rules.get("0" if word.isdecimal() else word)):
            single = _first(low, start.start(), tried)
            if single:
                singles.append(single)
                done = single.end
    return singles


def _first(low: str, at: int, rules: tuple[Rule, ...]) -> Found | None:
    for rule in rules:
        match = rule.pattern.match(low, at)
        meaning = rule.read(match) if match else None
        if match and meaning:
            start, end = match.span("x" if "x" in rule.pattern.groupindex else 0)
            return Found(start, end, meaning, rule.is_doubtful(match))
    return None


@cache
def _chinese() -> Mapping[str, tuple[Rule, ...]]:
    return dict.fromkeys(["0", *_HAN_STARTS], chinese_rules())


def _longest(found: list[Found]) -> list[Found]:
    kept: list[Found] = []  # apart and in order, so only the two neighbours can overlap one more
    for one in sorted(found, key=lambda f: (f.start - f.end, f.start)):
        at = bisect_left(kept, one.start, key=lambda f: f.start)
        beside = kept[max(0, at - 1) : at + 1]
        if all(one.end <= other.start or other.end <= one.start for other in beside):
            kept.insert(at, one)
    return kept
