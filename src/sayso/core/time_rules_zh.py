"""How times are written in Chinese, in simplified and traditional characters."""

import re
from dataclasses import replace
from functools import cache

from sayso.core.time_meanings import Meaning, Shift, Through, Unit, Unplaced
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
_SPOKEN_AWAY = {"前": -2, "昨": -1, "今": 0, "明": 1}
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

# 二十来天津 and 初十来 are of those who come.
_ABOUT = r"(?<![初月点點\d一二三四五六七八九])(?:[1-9]0|[二三四五六七八九]?十)[来來](?!天[津安])"
_FEW = rf"(?:(?:[一二三四五六七八九]?十|好)?[几幾][十百]?|{_ABOUT})"
_N = r"(?:\d{1,4}|[零一二三四五六七八九十百两兩]{1,4})"
_COUNT = rf"(?P<count>\d{{1,4}}|[零一二三四五六七八九十百两兩]{{1,4}}|{_FEW}|半)"
_LENGTH = rf"{_COUNT}(?P<more>多)?(?:(?:个|個)(?P<over>多)?(?P<half>半)?(?P<long>小时|小時|钟头|星期|礼拜|禮拜|月)|(?P<unit>分钟|分鐘|小时|小時|天|日|晚|周|週|年)(?P<halved>半(?![夜价價路边邊天晚数數载載]))?)"
_FEW_OF = re.compile(r"(?P<base>[一二三四五六七八九]?十)?好?[几幾](?P<times>[十百])?")
_NEIGHBOURS = re.compile(
    r"(?P<base>[一二三四五六七八九]?十)?(?P<low>[一二两兩三四五六七八])"
    r"(?P<high>[二两兩三四五六七八九])(?P<times>[十百])?"
)
_WEEK = "(?:周|週|星期|礼拜|禮拜)"
_DAYS = "[一二三四五六日天末]"
_PART_OF_DAY = "(?:早上|早晨|上午|中午|下午|傍晚|晚上|凌晨|半夜|深夜|夜里|清晨|晚(?!上))"
_NO_HOUSE = "(?![线線楼樓店门門房机機位选車车院馆桌])"
# 一块五一斤 is a price; 周五一早 and 初五一早 are early on another day.
_NO_PRICE = "(?<![零一二三四五六七八九十百千万两兩几幾块塊元点點毛角周週期拜初第老])"
_NO_MEASURE = (
    "(?![斤克号號杯碗份瓶盒串枚颗粒盘桶箱袋升米件根]|公斤|千克|[个個](?!人)|次(?!日)"
    "|天(?![天津气氣安台])|只(?![有能是会會要想放好在去]))"
)
# The eighth of a lunar month is 初八, its beginning is only 初.
_LUNAR = "(?:[二三四五六七八九十]|一(?![起直些]))(?![零一二三四五六七八九十百千万几幾个個天次号號周週月点點处處手亚亞卦夕])"
# 中秋, 中考, 中国, 初中 begin other words.
_PART = f"(?P<part>[上中下]旬|[底末]|初(?![中级級]|{_LUNAR})|中(?![中国國学學级級秋考奖獎午]))"
# 上 and 下 belong to the word before: 楼上周阿姨 is Ms Zhou upstairs. After words that as often
# end a longer one (新车下周到) only at the beginning of a phrase or with what Ms Zhou is called.
_PLACES = "[车車手地网網线線台山]"
_NO_PLACE = (
    "(?!(?<=[楼樓晚早路桌床船街身])上|(?<=[楼樓桌床])下)"
    rf"(?!(?:(?<=[\W在从從到往]{_PLACES})|(?<=^{_PLACES}))[上下])"
    rf"(?!(?<={_PLACES})[上下][周週](?:老师|老師|阿姨|经理|經理|[叔姨总總哥姐]))"
)
_NO_ROUND = r"(?![围圍](?!观|觀)|[边邊]|[转轉](?=[不资資率期金]))"
# 毕业前两年 counts from another day, 我前两年 from this one.
_FROM_NOW = r"(?<![^\W我你您他她它们們妈爸哥姐弟妹爷奶叔姨是就从從在和跟但也还還都])"
# 剩下半年 and 用上半年 say how long, 那年上半年 is in a year told before.
_NO_RESULT = "(?<![年的一以晚早路楼车手身马加算赶花用等待住干做学读剩余留乡接活])"
_SHORT_HOUR = r"(?<![零一二三四五六七八九十百第\d.])(?:1\d|2[0-4]|\d|十[一二三四五六七八九]?|二十[一二三四]?|[一二两兩三四五六七八九])"
_MINUTE = r"(?:[0-5]\d(?!\d)|[一二三四五]?十[一二三四五六七八九]?|零[一二三四五六七八九])"
_NO_SUM = r"(?![零一二三四五六七八九十百千万萬亿億几幾多块塊元个個名人倍米斤岁歲度页頁条條%]|[公厘][里斤分米]|\.\d)"


@cache
def rules() -> tuple[Rule, ...]:
    """The rules, compiled once, longer ways of writing before the shorter that they contain."""
    then = rf"{_PART_OF_DAY}(?!的?{_N}[点點])"
    step, years = any_of(_STEPS), any_of(_YEARS_AWAY)
    frequency, clock = always(Unplaced("frequency")), always(Unplaced("clock"))
    numerals = {word for word in HOLIDAYS if set(word) <= set("一二三四五六七八九十")}
    holidays = any_of(word for word in HOLIDAYS if word > "一" and word not in numerals)
    table = [
        (rf"(?:(?P<years>{years})的?|(?<!\d)(?P<year>(?:19|20)?\d\d|[一二][〇○零九一二三四五六七八]{{3}})年的?|{_NO_RESULT})(?P<half>[上下])半年", _half_year),
        (rf"(?P<year>(?:19|20)\d\d|[一二][〇○零九一二三四五六七八]{{3}}|(?<!\d)\d\d(?=年\d))年(?:(?P<month>{_N})月(?:份)?(?:(?P<day>{_N})[日号號]?{_PART}?)?)?", _dated),
        (rf"(?<!\d)(?P<month>{_N})月(?:份)?(?P<day>{_N})[日号號](?:[-–~到至](?P<last>{_N})[日号號])?{_NO_HOUSE}", _dated),
        (rf"(?<!\d)(?<!个)(?P<month>{_N})月(?!初{_LUNAR})(?:份)?(?:{_PART}|(?![饼球亮光台]))", _dated),
        (rf"(?<![一以]){_NO_PLACE}(?P<step>{step})(?:个|個)?{_WEEK}{_NO_ROUND}(?:的?{_WEEK}(?={_DAYS}))?(?P<weekday>{_DAYS})?", _week),
        (rf"(?<![一以])(?P<step>{step})(?:个|個)?月(?:(?P<day>{_N})[日号號]|月?{_PART})?", _month),
        (rf"每(?:(?:隔)?{_N}?(?:个|個)?(?:{_WEEK}{_DAYS}?|小时|天|日|月|年|晚|早|次周末)(?:{_PART_OF_DAY})?|逢{_WEEK}[一二三四五六日天])(?:{_N}[次回趟])?", frequency),
        (rf"(?:一|{_N})(?:个|個)?(?:天|周|週|星期|礼拜|月|年)(?:{_N}|几|好几)[次回趟]", frequency),
        (rf"{_LENGTH}(?P<past>多)?(?:之|以)?前", _ago),
        (rf"{_LENGTH}(?P<past>多)?(?:之|以)?[后後]", _ahead),
        (rf"{_FROM_NOW}前(?P<count>[两兩几幾])年(?![级級多半])", _some_years_back),
        (rf"(?:最近|过去|近|这){_LENGTH}", _rolling),
        (rf"(?<!第)(?<![有那这某])(?:{_LENGTH}(?!级)|整天|整晚|一整天|半辈子)", _length),
        (any_of(_LOOSELY), lambda m: Shift("day", *_LOOSELY[m.group()])),
        (rf"(?:{any_of(_AWAY)})(?:{then})?", _away),
        (rf"(?:[昨今明][儿兒](?![子女童媳孙孫科歌])(?:个|個)?|{_FROM_NOW}前晚(?![饭飯餐会會安点點])(?:上(?![周週个個月]))?)(?:{then})?", _spoken_away),
        (rf"(?P<years>{years})(?:年?{_PART})?", _year),
        # Without 大年 or 正月 初三 may be a class of school: 今年初三.
        (rf"(?:(?:大年|正月)初|(?<![今去明前后後每那])年初(?={_LUNAR})|(?<=年)初(?![一二三])(?={_LUNAR}))(?P<nth>[一二三四五六七八九十])", _lunar_new_year),
        (rf"(?<![大正腊臘])[年月]{_PART}", _edge),
        (rf"{_WEEK}(?P<weekday>{_DAYS})(?:{then})?", _weekday),
        (rf"{holidays}|{_NO_PRICE}{any_of(numerals)}{_NO_MEASURE}", lambda m: Named(holiday=HOLIDAYS[m.group()])),
        (r"(?P<season>[春夏秋冬])(?:天|季)", lambda m: Named(season=_SEASONS[m["season"]])),
        (rf"{_PART_OF_DAY}(?:的)?{_N}[点點](?:半|一刻|三刻|整|钟|鐘|{_N}分?)?", clock),
        (rf"{_N}[点點](?:半|一刻|三刻|整|钟|鐘|{_N}分|多|左右|(?=[见見开開到集出]))", clock),
        (rf"{_SHORT_HOUR}[点點]{_MINUTE}{_NO_SUM}", clock),
        # 快一点吧 and 我说三点吧 are no hours.
        (rf"(?![一二两兩三1-3][点點]){_SHORT_HOUR}[点點](?=吧)", clock),
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


def _bounds(text: str) -> tuple[int, int]:
    """The least and the most that a numeral means: 三五 is three to five, 十来 eight to twelve."""
    if text[-1] in "来來":
        return number(text[:-1]) - 2, number(text[:-1]) + 2
    if few := _FEW_OF.fullmatch(text):
        if few["base"]:
            return _above(number(few["base"]))
        times = number(few["times"] or "一")
        return (2, 6) if times == 1 else (2 * times, 9 * times)
    if two := _NEIGHBOURS.fullmatch(text):
        low, high = number(two["low"]), number(two["high"])
        if high - low == 1 or (low, high) == (3, 5):
            base, times = number(two["base"] or "零"), number(two["times"] or "一")
            return base + low * times, base + high * times
    return number(text), number(text)


def _above(base: int) -> tuple[int, int]:
    """What lies between a round number and the next as round."""
    return base + 1, base + (99 if base % 100 == 0 else 9)


def _dated(match: Match) -> Meaning | None:
    given = {name: text for name, text in match.groupdict().items() if text}
    month = number(given["month"]) if "month" in given else None
    day = number(given["day"]) if "day" in given else None
    last = number(given["last"]) if "last" in given else None
    if not 1 <= (month or 1) <= 12 or month == 0 or not 1 <= (1 if day is None else day) <= 31:
        return None
    if last is not None and not (day or 1) <= last <= 31:
        return None
    year = _full_year(given["year"]) if "year" in given else None
    return Named(year, month, day, last, part=_PARTS.get(given.get("part", "")))


def _full_year(text: str) -> int:
    year = number(text)
    return year + 2000 if year < 100 else year


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


def _half_year(match: Match) -> Meaning | None:
    first = 1 if match["half"] == "上" else 7
    begin = Named(month=first, year_shift=_YEARS_AWAY.get(match["years"] or "", 0))
    if match["year"]:
        begin = Named(_full_year(match["year"]), first)
    return Through(begin, replace(begin, month=first + 5))


def _some_years_back(match: Match) -> Meaning | None:
    low, high = (1, 2) if match["count"] in "两兩" else _bounds(match["count"])
    return Shift("year", -high, -low)


def _lunar_new_year(match: Match) -> Meaning | None:
    return Named(holiday=f"lunar new year, day {number(match['nth'])}")


def _edge(match: Match) -> Meaning | None:
    unit: Unit = "year" if match.group()[0] == "年" else "month"
    return Shift(unit, 0, 0, part=_PARTS[match["part"]])


def _away(match: Match) -> Meaning | None:
    word = next(w for w in sorted(_AWAY, key=len, reverse=True) if match.group().startswith(w))
    return Shift("day", _AWAY[word], _AWAY[word])


def _spoken_away(match: Match) -> Meaning | None:
    days = _SPOKEN_AWAY[match.group()[0]]
    return Shift("day", days, days)


def _weekday(match: Match) -> Meaning | None:
    weekday = _WEEKDAYS[match["weekday"]]
    return Named(weekday=weekday, last_weekday=6 if match["weekday"] == "末" else None)


def _amount(match: Match) -> tuple[Unit, int, int]:
    unit = _UNITS[match["long"] or match["unit"]]
    if match["count"] == "半":
        halves: dict[Unit, tuple[Unit, int]] = {"year": ("month", 6), "month": ("day", 15)}
        unit, low = halves.get(unit, (unit, 0))
        high = low
    else:
        low, high = _bounds(match["count"])
    if match["more"] and low == high and low and low % 10 == 0:
        low, high = _above(low)
    if match["over"] or match.groupdict().get("past"):
        high += 1
    return and_a_half(unit, low, high, bool(match["half"] or match["halved"]))


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
