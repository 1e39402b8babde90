"""How times are written in Chinese, in simplified and traditional characters."""

from functools import cache

from sayso.core.time_meanings import Meaning, Shift, Unit, Unplaced
from sayso.core.time_named import Named
from sayso.core.time_readings import Match, always, and_a_half
from sayso.core.time_rules import Rule, rule
from sayso.core.time_words import HOLIDAYS, any_of

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "○": 0, "两": 2, "兩": 2}
_AWAY = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "昨夜": -1, "今天": 0, "今日": 0,
    "今早": 0, "今晚": 0, "今夜": 0, "明天": 1, "明日": 1, "明早": 1, "明晚": 1, "大后天": 3,
    "大後天": 3, "后天": 2, "後天": 2,
}  # fmt: skip
_LOOSELY = {
    "前几天": (-6, -2), "前两天": (-3, -1), "这几天": (-4, 0), "这两天": (-2, 0), "最近": (-13, 0),
    "近期": (-13, 0), "前阵子": (-60, -7), "前段时间": (-60, -7), "前一阵": (-60, -7),
}  # fmt: skip
_YEARS_AWAY = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2, "後年": 2}
_STEPS = {"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}
_WEEKDAYS = {c: n for n, c in enumerate("一二三四五六日")} | {"天": 6, "末": 5}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_PARTS = {
    "初": "early",
    "上旬": "early",
    "中旬": "mid",
    "中": "mid",
    "底": "end",
    "末": "end",
    "下旬": "late",
}
_UNITS: dict[str, Unit] = {
    "分钟": "minute", "分鐘": "minute", "小时": "hour", "小時": "hour", "钟头": "hour",
    "天": "day", "日": "day", "晚": "day", "周": "week", "週": "week", "星期": "week",
    "礼拜": "week", "禮拜": "week", "月": "month", "年": "year",
}  # fmt: skip

_N = r"(?:\d{1,4}|[零一二三四五六七八九十百两兩]{1,4})"
_COUNT = r"(?P<count>\d{1,4}|[零一二三四五六七八九十百两兩]{1,4}|好?几|好?幾|半)"
_LENGTH = rf"{_COUNT}(?:多)?(?:(?:个|個)(?P<half>半)?(?P<long>小时|小時|钟头|星期|礼拜|禮拜|月)|(?P<unit>分钟|分鐘|小时|小時|天|日|晚|周|週|年)(?P<halved>半(?![夜价價路边邊天晚数數载載]))?)"
_WEEK = "(?:周|週|星期|礼拜|禮拜)"
_PART_OF_DAY = "(?:早上|早晨|上午|中午|下午|傍晚|晚上|凌晨|半夜|深夜|夜里|清晨|晚(?!上))"
_NO_HOUSE = "(?![线線楼樓店门門房机機位选車车院馆桌])"


@cache
def rules() -> tuple[Rule, ...]:
    """The rules, compiled once, longer ways of writing before the shorter that they contain."""
    then = rf"{_PART_OF_DAY}(?!的?{_N}[点點])"
    step, years = any_of(_STEPS), any_of(_YEARS_AWAY)
    frequency, clock = always(Unplaced("frequency")), always(Unplaced("clock"))
    part = rf"(?P<part>{any_of(_PARTS)})"
    table = [
        (rf"(?P<year>(?:19|20)\d\d|[一二][〇○零九一二三四五六七八]{{3}}|(?<!\d)\d\d(?=年\d))年(?:(?P<month>{_N})月(?:份)?(?:(?P<day>{_N})[日号號]?{part}?)?)?", _dated),
        (rf"(?<!\d)(?P<month>{_N})月(?:份)?(?P<day>{_N})[日号號](?:[-–~到至](?P<last>{_N})[日号號])?{_NO_HOUSE}", _dated),
        (rf"(?<!\d)(?<!个)(?P<month>{_N})月(?:份)?(?:{part}|(?![饼球亮光台]))", _dated),
        (rf"(?<![一以])(?P<step>{step})(?:个|個)?{_WEEK}(?P<weekday>[一二三四五六日天末])?", _week),
        (rf"(?<![一以])(?P<step>{step})(?:个|個)?月(?:(?P<day>{_N})[日号號]|月?{part})?", _month),
        (rf"每(?:(?:隔)?{_N}?(?:个|個)?(?:{_WEEK}[一二三四五六日天末]?|小时|天|日|月|年|晚|早|次周末)(?:{_PART_OF_DAY})?|逢{_WEEK}[一二三四五六日天])(?:{_N}[次回趟])?", frequency),
        (rf"(?:一|{_N})(?:个|個)?(?:天|周|週|星期|礼拜|月|年)(?:{_N}|几|好几)[次回趟]", frequency),
        (rf"{_LENGTH}(?:之|以)?前", _ago),
        (rf"{_LENGTH}(?:之|以)?[后後]", _ahead),
        (rf"(?:最近|过去|近|这){_LENGTH}", _rolling),
        (rf"(?<!第)(?<![有那这某])(?:{_LENGTH}(?!级)|整天|整晚|一整天|半辈子)", _length),
        (any_of(_LOOSELY), lambda m: Shift("day", *_LOOSELY[m.group()])),
        (rf"(?:{any_of(_AWAY)})(?:{then})?", _away),
        (rf"(?P<years>{years})(?:年?{part}(?![国國学學中级級]))?", _year),
        (r"[年月][初中底末]", _edge),
        (rf"{_WEEK}(?P<weekday>[一二三四五六日天末])(?:{then})?", _weekday),
        (any_of(w for w in HOLIDAYS if w > "一"), lambda m: Named(holiday=HOLIDAYS[m.group()])),
        (r"(?P<season>[春夏秋冬])(?:天|季)", lambda m: Named(season=_SEASONS[m["season"]])),
        (rf"{_PART_OF_DAY}(?:的)?{_N}[点點](?:半|一刻|三刻|整|钟|鐘|{_N}分?)?", clock),
        (rf"{_N}[点點](?:半|一刻|三刻|整|钟|鐘|{_N}分|多|左右|(?=[见見开開到集出]))", clock),
        (r"(?:早上|上午|中午|下午|傍晚|晚上|凌晨|半夜|深夜)(?!好)", clock),
        (rf"(?<![\d第月])(?P<day>\d{{1,2}}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[号號]{_NO_HOUSE}", _dated),
    ]  # fmt: skip
    return tuple(rule(frozenset(), pattern, read) for pattern, read in table)


def number(text: str) -> int:
    """The value of a numeral in digits or characters (up to 9999); 0 for an odd mixture."""
    if text.isdecimal():
        return int(text)
    if not set(text) & {"十", "百"}:
        digits = "".join(str(_DIGITS.get(c, 0)) for c in text)
        return int(digits or "0")
    hundreds, found, rest = text.rpartition("百")
    total = (_DIGITS.get(hundreds, 1) * 100) if found else 0
    tens, found, ones = rest.rpartition("十")
    if found:
        total += _DIGITS.get(tens, 1) * 10
    return total + _DIGITS.get(ones, 0)


def _dated(match: Match) -> Meaning | None:
    given = {name: text for name, text in match.groupdict().items() if text}
    month = number(given["month"]) if "month" in given else None
    day = number(given["day"]) if "day" in given else None
    last = number(given["last"]) if "last" in given else None
    if not 1 <= (month or 1) <= 12 or month == 0 or not 1 <= (1 if day is None else day) <= 31:
        return None
    if last is not None and not (day or 1) <= last <= 31:
        return None
    year = number(given["year"]) if "year" in given else None
    if year is not None and year < 100:
        year += 2000
    return Named(year, month, day, last, part=_PARTS.get(given.get("part", "")))


def _week(match: Match) -> Meaning | None:
    weeks, weekday = _STEPS[match["step"]], match["weekday"]
    if weekday == "末":
        return Shift("weekend", weeks, weeks)
    return Shift("week", weeks, weeks, weekday=_WEEKDAYS[weekday] if weekday else None)


def _month(match: Match) -> Meaning | None:
    months, day = _STEPS[match["step"]], match["day"]
    part = _PARTS.get(match["part"] or "")
    return Shift("month", months, months, day=number(day) if day else None, part=part)


def _year(match: Match) -> Meaning | None:
    years = _YEARS_AWAY[match["years"]]
    return Shift("year", years, years, part=_PARTS.get(match["part"] or ""))


def _edge(match: Match) -> Meaning | None:
    unit: Unit = "year" if match.group()[0] == "年" else "month"
    return Shift(unit, 0, 0, part=_PARTS[match.group()[1]])


def _away(match: Match) -> Meaning | None:
    word = next(w for w in sorted(_AWAY, key=len, reverse=True) if match.group().startswith(w))
    return Shift("day", _AWAY[word], _AWAY[word])


def _weekday(match: Match) -> Meaning | None:
    weekday = _WEEKDAYS[match["weekday"]]
    return Named(weekday=weekday, last_weekday=6 if match["weekday"] == "末" else None)


def _amount(match: Match) -> tuple[Unit, int, int]:
    unit = _UNITS[match["long"] or match["unit"]]
    if match["count"] == "半":
        halves: dict[Unit, tuple[Unit, int]] = {"year": ("month", 6), "month": ("day", 15)}
        unit, count = halves.get(unit, (unit, 0))
        return unit, count, count
    if match["count"][-1] in "几幾":
        return unit, 2, 6
    count = number(match["count"])
    return and_a_half(unit, count, count, bool(match["half"] or match["halved"]))


def _ago(match: Match) -> Meaning | None:
    unit, low, high = _amount(match)
    return Shift(unit, -high, -low, "around")


def _ahead(match: Match) -> Meaning | None:
    unit, low, high = _amount(match)
    return Shift(unit, low, high, "around")


def _rolling(match: Match) -> Meaning | None:
    unit, _, high = _amount(match)
    return Shift(unit, -high, 0, "rolling")


def _length(match: Match) -> Meaning | None:
    # "一天" opens stories ("one day"); "一年" and the rest do say how long.
    return None if match.group() in ("一天", "一日", "一晚") else Unplaced("duration")
