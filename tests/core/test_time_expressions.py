from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.days import DayRange
from sayso.core.time_expressions import (
    days_spoken_of,
    find_times,
    has_time,
    resolve,
    resolve_on_timeline,
)

# A Monday.
SAID = datetime(2023, 5, 8, 13, 56, tzinfo=ZoneInfo("America/New_York"))
WINTER = (date(2023, 12, 29), date(2024, 3, 20))
YEARS = (date(2021, 3, 1), date(2023, 8, 31))


def spans(text: str) -> list[tuple[str, str]]:
    return [(m.text, m.kind) for m in find_times(text)]


def days(written: str) -> DayRange:
    """``2023-05-01..2023-05-07`` or a single day."""
    first, _, last = written.partition("..")
    return DayRange(date.fromisoformat(first), date.fromisoformat(last or first))


def meant(text: str, said_at: datetime = SAID) -> DayRange | None:
    (mention,) = find_times(text)
    return resolve(mention, said_at)


def asked(text: str, chat: tuple[date, date]) -> list[DayRange]:
    (mention,) = find_times(text)
    return list(resolve_on_timeline(mention, *chat))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went to the support group yesterday, so powerful", [("yesterday", "relative")]),
        ("see you at 5!", [("at 5", "clock")]),
        ("dinner 7 pm or 5:00pm?", [("7 pm", "clock"), ("5:00pm", "clock")]),
        ("let's meet tomorrow at 5pm", [("tomorrow at 5pm", "relative")]),
        ("drinks Friday night around 9?", [("Friday night", "partial")]),
        ("5 pm on Friday", [("5 pm on Friday", "partial")]),
        ("I've been drawing for 10 years", [("for 10 years", "duration")]),
        ("took me half an hour", [("half an hour", "duration")]),
        ("we go every Sunday, twice a week in summer", [("every Sunday", "frequency"), ("twice a week", "frequency"), ("summer", "partial")]),
        ("Monday, May 8th at 7:30pm works", [("Monday, May 8th at 7:30pm", "partial")]),
        ("born 8 May 2023, not 2023-05-09", [("8 May 2023", "date"), ("2023-05-09", "date")]),
        ("back in 2015 & married 3 yrs later", [("2015", "partial"), ("3 yrs later", "relative")]),
        ("gonna be in nyc next thurs till sunday, u free?", [("next thurs till sunday", "partial")]),
        ("start 5.30 pm at the lock", [("5.30 pm", "clock")]),
        ("um 8.30 Uhr am Bahnhof", [("um 8.30 Uhr", "clock")]),
        ("it was 5.30 in the end", []),
        ("sunday 14th april, ten miles", [("sunday 14th april", "partial")]),
        ("mum's bday is on the 14th!!", [("the 14th", "partial")]),
        ("It’s Valentine’s Day soon", [("Valentine’s Day", "partial")]),
        ("the day after, then the next day", [("the day after", "relative"), ("the next day", "relative")]),
        ("the week before 9 June 2023", [("the week before 9 June 2023", "relative")]),
        ("how was your weekend? the weekend was ok", [("the weekend", "partial")]),
        ("昨天我去了公园，三天前下雨", [("昨天", "relative"), ("三天前", "relative")]),
        ("我们上周六晚上八点半见吧", [("上周六晚上八点半", "relative")]),
        ("学了三年，每周五上课", [("三年", "duration"), ("每周五", "frequency")]),
        ("2023年5月8日下午3点半", [("2023年5月8日下午3点半", "date")]),
        ("the last two weeks of winter break", [("two weeks", "duration"), ("winter", "partial")]),
        ("hold it 30-60 seconds, for two or three weeks", [("30-60 seconds", "duration"), ("for two or three weeks", "duration")]),
        ("ok我Friday来", [("Friday", "partial")]),
        ("想一下周末去哪", [("周末", "partial")]),
        ("ayer fui al cine, el 8 de mayo de 2023", [("ayer", "relative"), ("8 de mayo de 2023", "date")]),
        ("gestern, am 8. Mai", [("gestern", "relative"), ("8. Mai", "partial")]),
        ("am Montag den 19. Mai", [("Montag den 19. Mai", "partial")]),
        ("Montag, den 19. Mai, um 8 Uhr", [("Montag, den 19. Mai, um 8 Uhr", "partial")]),
        ("Mittwoch, 12. März", [("Mittwoch, 12. März", "partial")]),
        ("on 4 April and 6 April", [("4 April", "partial"), ("6 April", "partial")]),
        ("pages 3 and 4 May", [("4 May", "partial")]),
        ("on 4 and 20 May", [("20 May", "partial")]),
        ("at 5 and 6 May", [("at 5", "clock"), ("6 May", "partial")]),
        ("3/4 May", [("4 May", "partial")]),
        ("学了十来年", [("十来年", "duration")]),
        ("六点二十到", [("六点二十", "clock")]),
        ("明天八点五十见", [("明天八点五十", "relative")]),
        ("六点零五. 3点20", [("六点零五", "clock"), ("3点20", "clock")]),
        ("六点吧", [("六点", "clock")]),
        ("晚上周老师来", [("晚上", "clock")]),
        ("剩下半年，那年上半年", [("半年", "duration"), ("半年", "duration")]),
        ("毕业前两年", [("两年", "duration")]),
        ("学了一个多月，这三天多喝水", [("一个多月", "duration"), ("这三天", "relative")]),
        ("hier soir, la semaine dernière", [("hier soir", "relative"), ("semaine dernière", "relative")]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_mentions_are_found_with_their_kinds(text: str, expected: list[tuple[str, str]]) -> None:
    assert spans(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello there, how are you?",
        "May I come in? You may be right. I may go",
        "this may be it",
        "we march on",
        "the sun sat low, out in the sun",
        "he last sat here",
        "I fall down, spring rolls",
        "give me a second, second base",
        "one day I will",
        "a day off",
        "on the 2nd floor",
        "the 3rd time",
        "24/7 and 1/2 a cup",
        "it was 12.10. The bus left.",
        "rates rose by 2.5. Then they fell",
        "I am 5.11. My brother is taller",
        "supported since 3.9. Use it",
        "I sat week after week and waited",
        "10 years old",
        "2000 people paid $2023",
        "call 555-2023",
        "see https://example.org/2023/05/08/monday",
        "at 5 different places",
        "good afternoon",
        "10:75 or 45:00",
        "chapters 3 and 4 May be hard",
        "1.2.34, 3.11.12 and 24.05.25.1",
        "24.13.25, 32.01.25, 24.05.25beta and version 10.04.11",
        "I am 5.11.20",
        "in a tag",
        "二十来天津",
        "on the 32nd",
        "2023-13-45",
        "早上好",
        "有一天我会的",
        "一点也不",
        "8号线和三点建议",
        "二十五一斤",
        "四十五一斤",
        "一块五一斤",
        "卖五一个",
        "初五一早拜年",
        "腊月二十三祭灶",
        "腊月初八喝粥",
        "五月初五吃粽子",
        "那年中国队",
        "楼上周阿姨",
        "车上周围",
        "在车上周黑鸭",
        "桌上周黑鸭",
        "手下周经理",
        "他手下周经理",
        "地下周边",
        "楼下周叔",
        "手上周转不开",
        "小明儿子考上了",
        "节前晚会",
        "六点",
        "快一点吧",
        "我补充三点吧",
        "一点二十块",
        "三点二十五万",
        "三十六点二十",
        "the elf days",
        "elf years ago",
        "guten Morgen",
        "la mañana",
        "Julio said hi",
    ],
    ids=repr,
)
def test_words_that_only_look_like_times_are_left_alone(text: str) -> None:
    assert spans(text) == []
    assert not has_time(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You may come in May", "May"),
        ("in march we marched", "march"),
        ("may 5th works", "may 5th"),
        ("next Sat works, sat is not it", "next Sat"),
        ("On Sun?", "Sun"),
        ("sun 5pm", "sun 5pm"),
        ("since the fall", "fall"),
        ("last spring I fell", "last spring"),
        ("Mar 3 or so", "Mar 3"),
        ("on 5/8 maybe", "5/8"),
        ("from 2000 people heard", "2000"),
    ],
    ids=lambda value: value,
)
def test_doubtful_words_count_with_support(text: str, expected: str) -> None:
    assert [m.text for m in find_times(text)] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("went yesterday", "2023-05-07"),
        ("today", "2023-05-08"),
        ("tonight", "2023-05-08"),
        ("this morning", "2023-05-08"),
        ("last night", "2023-05-07"),
        ("tmrw", "2023-05-09"),
        ("the day before yesterday", "2023-05-06"),
        ("the day after tomorrow", "2023-05-10"),
        ("3 days ago", "2023-05-05"),
        ("a few days ago", "2023-05-03..2023-05-06"),
        ("the other day", "2023-05-02..2023-05-07"),
        ("two weeks ago", "2023-04-21..2023-04-27"),
        ("a couple of months ago", "2023-03-01..2023-03-31"),
        ("3 years ago", "2020-01-01..2020-12-31"),
        ("2-3 days ago", "2023-05-05..2023-05-06"),
        ("winter 2021-2022", "2021-12-01..2022-02-28"),
        ("half a year ago", "2022-11-01..2022-11-30"),
        ("a year and a half ago", "2021-11-01..2021-11-30"),
        ("two and a half years ago", "2020-11-01..2020-11-30"),
        ("1.5 years ago", "2021-11-01..2021-11-30"),
        ("1.7 years ago", "2022-01-01..2022-12-31"),
        ("a month and a half ago", "2023-03-17..2023-03-30"),
        ("two and a half days ago", "2023-05-06"),
        ("the past year and a half", "2021-11-08..2023-05-08"),
        ("一年半前", "2021-11-01..2021-11-30"),
        ("一个半月前", "2023-03-17..2023-03-30"),
        ("大前天", "2023-05-05"),
        ("in two weeks", "2023-05-19..2023-05-25"),
        ("in 3 days", "2023-05-11"),
        ("last week", "2023-05-01..2023-05-07"),
        ("this week", "2023-05-08..2023-05-14"),
        ("next week", "2023-05-15..2023-05-21"),
        ("the week before last", "2023-04-24..2023-04-30"),
        ("week before last", "2023-04-24..2023-04-30"),
        ("the other week", "2023-04-17..2023-05-01"),
        ("Friday week", "2023-05-19"),
        ("Monday week", "2023-05-22"),
        ("on Monday week two starts", "2023-05-08"),
        ("it has been a week on Monday", "2023-05-08"),
        ("it has been a week tomorrow", "2023-05-09"),
        ("It is a week on Friday since we met", "2023-05-05"),
        ("the Friday after next week", "2023-05-26"),
        ("a week from Friday", "2023-05-19"),
        ("a week from tomorrow", "2023-05-16"),
        ("camp is 24 and 25 May", "2023-05-24..2023-05-25"),
        ("the 24th and 25th of May 2024", "2024-05-24..2024-05-25"),
        ("24th/25th may", "2023-05-24..2023-05-25"),
        ("24 & 25 May", "2023-05-24..2023-05-25"),
        ("am 24. und 25. Mai", "2023-05-24..2023-05-25"),
        ("between 6 and 8 june", "2023-06-06..2023-06-08"),
        ("between the 4th and 6th of April", "2023-04-04..2023-04-06"),
        ("zwischen dem 6. und 8. Juni", "2023-06-06..2023-06-08"),
        ("entre el 6 y el 8 de junio", "2023-06-06..2023-06-08"),
        ("am 24.05.25", "2025-05-24"),
        ("ab 1.2.25.", "2025-02-01"),
        ("Montag, den 14.04.25", "2025-04-14"),
        ("vor einem Tag", "2023-05-07"),
        ("in einem Tag", "2023-05-09"),
        ("last Friday week", "2023-05-05"),
        ("a decade and a half ago", "2008-01-01..2008-12-31"),
        ("a fortnight and a half ago", "2023-04-17"),
        ("1-1.5 years ago", "2021-11-01..2022-05-31"),
        ("2 and a half years ago", "2020-11-01..2020-11-30"),
        ("this past year and a half", "2021-11-08..2023-05-08"),
        ("the next week and a half", "2023-05-08..2023-05-19"),
        ("month before last year", "2021-12-01..2021-12-31"),
        ("tomorrow week", "2023-05-16"),
        ("a Friday week-long course", "2023-05-05"),
        ("am 12.10. um 8", "2023-10-12"),
        ("vom 3.5. bis 7.5.", "2023-05-03..2023-05-07"),
        ("past two weeks", "2023-04-24..2023-05-08"),
        ("recently", "2023-04-25..2023-05-08"),
        ("last month", "2023-04-01..2023-04-30"),
        ("next month", "2023-06-01..2023-06-30"),
        ("last year", "2022-01-01..2022-12-31"),
        ("end of the month", "2023-05-21..2023-05-31"),
        ("early next week", "2023-05-15..2023-05-16"),
        ("last Friday", "2023-05-05"),
        ("last Saturday", "2023-05-06"),
        ("last Monday", "2023-05-01"),
        ("this Friday", "2023-05-12"),
        ("next Friday", "2023-05-19"),
        ("this coming Friday", "2023-05-12"),
        ("Friday of last week", "2023-05-05"),
        ("the weekend", "2023-05-06..2023-05-07"),
        ("this weekend", "2023-05-13..2023-05-14"),
        ("last weekend", "2023-05-06..2023-05-07"),
        ("two weekends ago", "2023-04-29..2023-04-30"),
        ("in March", "2023-03-01..2023-03-31"),
        ("in June", "2023-06-01..2023-06-30"),
        ("in December", "2022-12-01..2022-12-31"),
        ("last August", "2022-08-01..2022-08-31"),
        ("next March", "2024-03-01..2024-03-31"),
        ("March of last year", "2022-03-01..2022-03-31"),
        ("mid-March", "2023-03-11..2023-03-20"),
        ("May 3-5", "2023-05-03..2023-05-05"),
        ("on the 2nd", "2023-05-02"),
        ("Friday the 13th", "2023-01-13"),
        ("5/8/2023", "2023-05-08"),
        ("on 5/8", "2023-05-08"),
        ("13/8/2023", "2023-08-13"),
        ("08.05.2023", "2023-05-08"),
        ("2021", "2021-01-01..2021-12-31"),
        ("early 2000s", "2000-01-01..2003-12-31"),
        ("the 90s", "1990-01-01..1999-12-31"),
        ("last summer", "2022-06-01..2022-08-31"),
        ("this winter", "2022-12-01..2023-02-28"),
        ("Christmas", "2022-12-25"),
        ("Christmas 2019", "2019-12-25"),
        ("Easter", "2023-04-09"),
        ("Thanksgiving last year", "2022-11-24"),
        ("Mother's Day", "2023-05-14"),
        ("Black Friday", "2022-11-25"),
        ("the week before 9 June 2023", "2023-06-02..2023-06-08"),
        ("the Sunday before 25 May 2023", "2023-05-21"),
        ("the weekend of 22 October, 2023", "2023-10-21..2023-10-22"),
        ("two days before Christmas", "2022-12-23"),
        ("Dec 29 to Jan 2", "2022-12-29..2023-01-02"),
        ("前天", "2023-05-06"),
        ("上周五", "2023-05-05"),
        ("下周三", "2023-05-17"),
        ("三天前", "2023-05-05"),
        ("5月8日", "2023-05-08"),
        ("2023年", "2023-01-01..2023-12-31"),
        ("下个月", "2023-06-01..2023-06-30"),
        ("上个月5号", "2023-04-05"),
        ("去年春天", "2022-03-01..2022-05-31"),
        ("今年3月初", "2023-03-01..2023-03-10"),
        ("今年年底", "2023-10-01..2023-12-31"),
        ("这周末", "2023-05-13..2023-05-14"),
        ("三月十五号到二十号", "2023-03-15..2023-03-20"),
        ("2022年春节", "2022-02-01..2022-02-07"),
        ("圣诞节前一天", "2022-12-24"),
        ("二十一号", "2023-05-21"),
        ("la semana pasada", "2023-05-01..2023-05-07"),
        ("hace tres días", "2023-05-05"),
        ("letzte Woche", "2023-05-01..2023-05-07"),
        ("lundi dernier", "2023-05-01"),
        ("demain", "2023-05-09"),
        ("五一去玩", "2023-05-01"),
        ("五一个人去", "2023-05-01"),
        ("今年五一", "2023-05-01"),
        ("2022年五一", "2022-05-01"),
        ("两三天前", "2023-05-05..2023-05-06"),
        ("三四年前", "2019-01-01..2020-12-31"),
        ("七八个月前", "2022-09-01..2022-10-31"),
        ("五六年前", "2017-01-01..2018-12-31"),
        ("两三个月后", "2023-07-01..2023-08-31"),
        ("三五天后", "2023-05-11..2023-05-13"),
        ("十五六天前", "2023-04-22..2023-04-23"),
        ("三四十年前", "1983-01-01..1993-12-31"),
        ("近两三年", "2020-05-08..2023-05-08"),
        ("二十三天前", "2023-04-15"),
        ("二零二四年", "2024-01-01..2024-12-31"),
        ("几年前", "2017-01-01..2021-12-31"),
        ("十几年前", "2004-01-01..2012-12-31"),
        ("十几天前", "2023-04-19..2023-04-27"),
        ("十来天前", "2023-04-26..2023-04-30"),
        ("十来年前", "2011-01-01..2015-12-31"),
        ("二十几年前", "1994-01-01..2002-12-31"),
        ("几十年前", "1933-01-01..2003-12-31"),
        ("20多年前", "1994-01-01..2002-12-31"),
        ("两年多前", "2020-01-01..2021-12-31"),
        ("一个多月前", "2023-03-01..2023-04-30"),
        ("三天多前", "2023-05-04..2023-05-05"),
        ("三天多以前", "2023-05-04..2023-05-05"),
        ("一百多年前", "1824-01-01..1922-12-31"),
        ("正月初八", "2023-01-29"),
        ("年初六", "2023-01-27"),
        ("大年初三", "2023-01-24"),
        ("年初一", "2023-01-22"),
        ("正月初十", "2023-01-31"),
        ("正月十五", "2023-02-05"),
        ("去年大年初三", "2022-02-03"),
        ("今年初六", "2023-01-27"),
        ("今年初三毕业", "2023-01-01..2023-12-31"),
        ("年初三十万", "2023-01-01..2023-04-30"),
        ("大年初三天天下雨", "2023-01-24"),
        ("五月初一起去", "2023-05-01..2023-05-10"),
        ("年初", "2023-01-01..2023-04-30"),
        ("今年中秋", "2023-09-29"),
        ("去年中秋", "2022-09-10"),
        ("去年中秋节", "2022-09-10"),
        ("那年中秋", "2023-09-29"),
        ("今年中考", "2023-01-01..2023-12-31"),
        ("今年中奖", "2023-01-01..2023-12-31"),
        ("今年初中毕业", "2023-01-01..2023-12-31"),
        ("五月中旬学车", "2023-05-11..2023-05-20"),
        ("楼上下周搬家", "2023-05-15..2023-05-21"),
        ("上上周", "2023-04-24..2023-04-30"),
        ("新车下周三到", "2023-05-17"),
        ("平台上周挂了", "2023-05-01..2023-05-07"),
        ("上周老师说", "2023-05-01..2023-05-07"),
        ("上周转账", "2023-05-01..2023-05-07"),
        ("路上周六见", "2023-05-06"),
        ("下周周三", "2023-05-17"),
        ("上周周五", "2023-05-05"),
        ("下周的周三", "2023-05-17"),
        ("下周周末", "2023-05-20..2023-05-21"),
        ("昨儿", "2023-05-07"),
        ("昨儿晚上", "2023-05-07"),
        ("今儿个", "2023-05-08"),
        ("明儿", "2023-05-09"),
        ("我前晚没睡", "2023-05-06"),
        ("前晚上八点", "2023-05-06"),
        ("前几年", "2017-01-01..2021-12-31"),
        ("我前两年", "2021-01-01..2022-12-31"),
        ("上半年", "2023-01-01..2023-06-30"),
        ("下半年", "2023-07-01..2023-12-31"),
        ("去年下半年", "2022-07-01..2022-12-31"),
        ("2021年上半年", "2021-01-01..2021-06-30"),
        ("nächste Woche Montag", "2023-05-15"),
        ("übernächste Woche Dienstag", "2023-05-23"),
        ("uebernaechste Woche Dienstag", "2023-05-23"),
        ("nächste Woche am Montag", "2023-05-15"),
        ("letzte Woche Freitag", "2023-05-05"),
        ("vorletzte Woche", "2023-04-24..2023-04-30"),
        ("Freitag vorletzter Woche", "2023-04-28"),
        ("vorletztes Jahr", "2021-01-01..2021-12-31"),
        ("vorletztes Wochenende", "2023-04-29..2023-04-30"),
        ("vor vier Tagen", "2023-05-04"),
        ("vor fünf Jahren", "2018-01-01..2018-12-31"),
        ("vor fuenf Jahren", "2018-01-01..2018-12-31"),
        ("vor elf Tagen", "2023-04-27"),
        ("in zwölf Monaten", "2024-05-01..2024-05-31"),
    ],
    ids=lambda value: value,
)
def test_a_message_of_8_may_2023_means(text: str, expected: str) -> None:
    assert meant(text) == days(expected)


@pytest.mark.parametrize(
    "text",
    ["for 10 years", "a year and a half", "every Sunday", "at 5", "the next day", "a week later", "三个小时", "晚上八点",
     "9999 years ago", "31 February", "Feb 29, 2023", "4/3/2021"],
    ids=lambda value: value,
)  # fmt: skip
def test_what_names_no_day_resolves_to_none(text: str) -> None:
    assert meant(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see you Friday!", "2023-05-12"),
        ("we went on Friday", "2023-05-05"),
        ("we will go on Sunday", "2023-05-14"),
        ("we went in June", "2022-06-01..2022-06-30"),
        ("we'll go in March", "2024-03-01..2024-03-31"),
        ("It was great! See you Friday", "2023-05-12"),
        ("周五我们会去", "2023-05-12"),
    ],
    ids=lambda value: value,
)
def test_the_sentence_tells_past_from_future(text: str, expected: str) -> None:
    assert meant(text) == days(expected)


# A Thursday: Tuesday is two days ago or in five days, the 5th ten days ago or in three weeks.
THURSDAY = datetime(2025, 5, 15, 12, tzinfo=UTC)
# A Saturday: Monday is five days ago or in two days.
SATURDAY = datetime(2025, 5, 17, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "broke my wrist on Monday",
        "Gran sent the parcel on Monday, should be there by now",
        "my dog died on Monday",
        "the college rang on Monday",
        "we paid the deposit on Monday",
        "heard from the bank on Monday",
        "I quit smoking on Monday",
        "she finally put the flat up for sale on Monday",
        "hurt my knee on Monday",
        "sat my test on Monday",
        "Ben cut his hand on Monday",
        "my dad quit his job on Monday",
        "the dog bit me on Monday",
        "we beat them on Monday!",
        "I'll tell you what he said on Monday",
        "moved in on Monday, will send pictures",
        "Monday just gone",
    ],
)
def test_a_verb_in_the_past_puts_a_weekday_before_the_message(text: str) -> None:
    assert meant(text, SATURDAY) == days("2025-05-12")


@pytest.mark.parametrize(
    "text",
    [
        "put the bins out on Tuesday",
        "read it on Tuesday",
        "can you put the bins out on Tuesday",
        "should I put them out on Tuesday?",
        "will he quit on Tuesday?",
        "let me know on Tuesday",
        "Ben, bring the tent on Tuesday",
        "they're coming on Tuesday",
        "heard you're coming on Tuesday",
        "see you a bit later on Tuesday",
        "are you coming on Tuesday?",
        "moving on Tuesday",
        "Tuesday works for me",
    ],
)
def test_a_request_or_a_plan_puts_a_weekday_after_the_message(text: str) -> None:
    assert meant(text, THURSDAY) == days("2025-05-20")


@pytest.mark.parametrize(
    "text",
    [
        "I've got the dentist on Tuesday",
        "it's closed on Tuesday",
        "I get paid on Tuesday",
        "covid shot on Tuesday",
        "a bit busy on Tuesday",
        "thought we could go on Tuesday",
        "forgot to say, dinner on Tuesday",
        "get it finished on Tuesday, will you",
        "excited for Tuesday",
        "I was free on Tuesday",
    ],
)
def test_what_may_be_either_leaves_a_weekday_open(text: str) -> None:
    (mention,) = find_times(text)

    assert mention.lean == ""


# A Wednesday: Friday is in two days or five days ago, Monday two days ago.
WEDNESDAY = datetime(2024, 5, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "Visit on Friday was lovely",
        "visit on Friday with Gran was lovely",
        "Going there on Friday was great",
        "Call with the bank on Friday went badly",
        "Book club on Friday was great",
        "Check-up on Friday went fine",
        "Meeting Ana on Friday was fun",
        "Move on Friday went fine",
        "Starting school on Friday was hard",
        "Flying on Friday was hell",
        "Take off on Friday was delayed",
        "Get together on Friday was fun",
        "Make up exam on Friday was hard",
        "Keep fit on Friday was good",
        "Read the book on Friday, loved it",
        "cut the cake on Friday and took some home",
        # Of what is going on now, the verb nearer to the time tells.
        "He is having a bad week, lost his job on Friday",
        "I'm eating the cake Mum made on Friday",
        "I'm returning the shoes bought on Friday",
    ],
)
def test_a_sure_past_outweighs_what_may_be_a_plan_or_a_request(text: str) -> None:
    assert meant(text, WEDNESDAY) == days("2024-05-10")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He's sulking, Monday was bad", "2024-05-13"),
        ("my leg is killing me from the run on Monday", "2024-05-13"),
        ("I'm aching all over, football on Monday", "2024-05-13"),
        ("send me the pics of the party on the 11th", "2024-05-11"),
        ("Send me the pictures taken on Monday", "2024-05-13"),
        ("tell me how the date on Monday was", "2024-05-13"),
        ("Tell you what, Monday was fun", "2024-05-13"),
        ("come Monday he was gone", "2024-05-13"),
        ("bus due on Monday never came", "2024-05-13"),
        ("Moving in October was hard", "2023-10-01..2023-10-31"),
        ("Send me a picture on the 7th", "2024-06-07"),
        ("they're coming out on the 11th", "2024-06-11"),
        ("put the bins out on Monday", "2024-05-20"),
        ("come round on Monday if you were ill", "2024-05-20"),
    ],
)
def test_a_state_or_a_request_for_what_was_puts_nothing_after_the_message(
    text: str, expected: str
) -> None:
    assert meant(text, WEDNESDAY) == days(expected)


@pytest.mark.parametrize(
    "text",
    [
        "woke up early, flight on Friday",
        "broke my leg, surgery on Friday",
        "I slept badly, exam on Friday",
        "I ran out of milk, shopping on Friday",
        "I quit smoking, dentist on Friday",
    ],
)
def test_a_verb_in_the_past_is_not_told_of_a_time_of_the_next_clause(text: str) -> None:
    assert meant(text, WEDNESDAY) == days("2024-05-17")


def test_a_time_before_a_comma_is_told_of_by_what_follows() -> None:
    assert meant("On Friday, we drove to Leeds", WEDNESDAY) == days("2024-05-10")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Send me a picture on the 5th", "2025-06-05"),
        ("they're coming out on the 5th", "2025-06-05"),
        ("I heard they're coming out on the 5th", "2025-06-05"),
        ("need it by the 5th", "2025-06-05"),
        ("form needed by the 5th", "2025-06-05"),
        ("it's due on the 5th", "2025-06-05"),
        ("the rent is due on the 5th btw", "2025-06-05"),
        ("rent due the 5th", "2025-06-05"),
        ("the 5th works", "2025-06-05"),
        ("we moved in on the 5th", "2025-05-05"),
        ("it was due on the 5th", "2025-05-05"),
        ("had it by the 5th", "2025-05-05"),
        ("show me what you bought on the 5th", "2025-05-05"),
        ("send me the one you took on the 5th", "2025-05-05"),
        ("moving to Leeds in February", "2026-02-01..2026-02-28"),
        ("I'm paying for Christmas", "2024-12-25"),
    ],
)
def test_a_day_of_the_month_lies_where_its_sentence_leans(text: str, expected: str) -> None:
    assert meant(text, THURSDAY) == days(expected)


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        (datetime(2025, 6, 2, 9, tzinfo=UTC), "two Tuesdays ago", "2025-05-20"),
        (datetime(2025, 6, 3, 9, tzinfo=UTC), "3 Tuesdays ago", "2025-05-13"),
        (SATURDAY, "the week just gone", "2025-05-05..2025-05-11"),
        (SATURDAY, "a year ago today", "2024-05-17"),
        (SATURDAY, "5 years ago to the day", "2020-05-17"),
        (SATURDAY, "two weeks ago today", "2025-05-03"),
        (SATURDAY, "a week ago yesterday", "2025-05-09"),
        (datetime(2024, 2, 29, 9, tzinfo=UTC), "a year ago today", "2023-02-28"),
        (datetime(2025, 12, 17, 9, tzinfo=UTC), "Hogmanay at ours", "2025-12-31"),
        (datetime(2024, 3, 1, 9, tzinfo=UTC), "yesterday", "2024-02-29"),
        (datetime(2025, 3, 1, 9, tzinfo=UTC), "yesterday", "2025-02-28"),
        (datetime(2024, 2, 29, 9, tzinfo=UTC), "a year ago", "2023-01-01..2023-12-31"),
        (datetime(2025, 6, 1, 9, tzinfo=UTC), "Feb 29", "2024-02-29"),
        (datetime(2024, 3, 31, 9, tzinfo=UTC), "a month ago", "2024-02-01..2024-02-29"),
        (datetime(2024, 1, 1, 9, tzinfo=UTC), "yesterday", "2023-12-31"),
        (datetime(2024, 1, 1, 9, tzinfo=UTC), "last week", "2023-12-25..2023-12-31"),
        (datetime(2024, 1, 3, 9, tzinfo=UTC), "last month", "2023-12-01..2023-12-31"),
        (datetime(2023, 12, 30, 9, tzinfo=UTC), "next month", "2024-01-01..2024-01-31"),
        (datetime(2024, 1, 2, 9, tzinfo=UTC), "in December", "2023-12-01..2023-12-31"),
        (datetime(2024, 1, 5, 9, tzinfo=UTC), "New Year's Eve", "2023-12-31"),
        (datetime(2024, 1, 5, 9, tzinfo=UTC), "this winter", "2023-12-01..2024-02-29"),
        (datetime(2023, 1, 2, 0, 30, tzinfo=timezone(timedelta(hours=8))), "today", "2023-01-02"),
        (datetime(2023, 1, 2, 0, 30, tzinfo=timezone(timedelta(hours=8))), "last night", "2023-01-01"),
        (datetime(2023, 1, 2, 0, 30, tzinfo=timezone(timedelta(hours=8))), "an hour ago", "2023-01-01"),
        # Clocks go forward on 26 March and back on 29 October: a day of 23 and one of 25 hours.
        (datetime(2023, 3, 27, 0, 30, tzinfo=ZoneInfo("Europe/Berlin")), "24 hours ago", "2023-03-25"),
        (datetime(2023, 10, 29, 23, 30, tzinfo=ZoneInfo("Europe/Berlin")), "24 hours ago", "2023-10-29"),
        (datetime(2023, 3, 26, 12, 0, tzinfo=ZoneInfo("Europe/Berlin")), "yesterday", "2023-03-25"),
        (datetime(2025, 3, 31, 12, tzinfo=UTC), "the friday after next", "2025-04-11"),
        (datetime(2025, 4, 4, 12, tzinfo=UTC), "the friday after next", "2025-04-18"),
        (datetime(2025, 5, 15, 12, tzinfo=UTC), "the sunday before last", "2025-05-04"),
        (datetime(2025, 5, 20, 12, tzinfo=UTC), "the party is a week on friday", "2025-05-30"),
        (datetime(2025, 5, 20, 12, tzinfo=UTC), "A week on Friday we fly", "2025-05-30"),
        (datetime(2025, 4, 1, 12, tzinfo=UTC), "we fly a week tomorrow", "2025-04-09"),
        (datetime(2023, 5, 7, 12, tzinfo=UTC), "last weekend", "2023-04-29..2023-04-30"),
        (datetime(2023, 5, 7, 12, tzinfo=UTC), "this weekend", "2023-05-06..2023-05-07"),
        (datetime(2023, 5, 10, 12, tzinfo=UTC), "the weekend", "2023-05-06..2023-05-07"),
        (datetime(2023, 5, 11, 12, tzinfo=UTC), "the weekend", "2023-05-13..2023-05-14"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.isoformat(),
)  # fmt: skip
def test_the_edges_of_the_calendar_hold(said: datetime, text: str, expected: str) -> None:
    assert meant(text, said) == days(expected)


@pytest.mark.parametrize(
    ("text", "chat", "expected"),
    [
        ("What happened in January?", WINTER, ["2024-01-01..2024-01-31"]),
        ("What happened in June?", WINTER, []),
        ("in June", YEARS, ["2021-06-01..2021-06-30", "2022-06-01..2022-06-30", "2023-06-01..2023-06-30"]),
        ("in December", YEARS, ["2021-12-01..2021-12-31", "2022-12-01..2022-12-31"]),
        ("first week of January", WINTER, ["2024-01-01..2024-01-07"]),
        ("last week of January", WINTER, ["2024-01-25..2024-01-31"]),
        ("the second half of February", WINTER, ["2024-02-15..2024-02-29"]),
        ("the first Friday of March", WINTER, ["2024-03-01"]),
        ("early March", WINTER, ["2024-03-01..2024-03-10"]),
        ("mid February", WINTER, ["2024-02-11..2024-02-20"]),
        ("late January", WINTER, ["2024-01-21..2024-01-31"]),
        ("at the end of 2023", WINTER, ["2023-10-01..2023-12-31"]),
        ("early 2024", WINTER, ["2024-01-01..2024-04-30"]),
        ("last spring", YEARS, ["2023-03-01..2023-05-31"]),
        ("last spring", WINTER, ["2024-03-01..2024-05-31"]),
        ("in the winter", WINTER, ["2023-12-01..2024-02-29"]),
        ("What did I say on the 2nd?", WINTER, ["2024-01-02", "2024-02-02", "2024-03-02"]),
        ("on the 31st", WINTER, ["2023-12-31", "2024-01-31"]),
        ("at Christmas", YEARS, ["2021-12-25", "2022-12-25"]),
        ("at Christmas", WINTER, []),
        ("New Year's Eve", WINTER, ["2023-12-31"]),
        ("on Valentine's day", WINTER, ["2024-02-14"]),
        ("for Halloween", YEARS, ["2021-10-31", "2022-10-31"]),
        ("Thanksgiving", YEARS, ["2021-11-25", "2022-11-24"]),
        ("春节", WINTER, ["2024-02-10..2024-02-16"]),
        ("大年初三", WINTER, ["2024-02-12"]),
        ("上半年", YEARS, ["2023-01-01..2023-06-30"]),
        ("2022年下半年", YEARS, ["2022-07-01..2022-12-31"]),
        ("on Friday", WINTER, []),
        ("at the weekend", WINTER, []),
        ("on 31 Dec 2023", WINTER, ["2023-12-31"]),
        ("in May 2022", WINTER, ["2022-05-01..2022-05-31"]),
        ("on January 3", WINTER, ["2024-01-03"]),
        ("on 1/2/2024", WINTER, ["2024-01-02", "2024-02-01"]),
        ("between Dec 29 and Jan 2", WINTER, ["2023-12-29..2024-01-02"]),
        ("from January to March", WINTER, ["2024-01-01..2024-03-31"]),
        ("the week after Valentine's Day", WINTER, ["2024-02-15..2024-02-21"]),
        ("yesterday", WINTER, ["2024-03-19"]),
        ("last month", WINTER, ["2024-02-01..2024-02-29"]),
        ("last year", WINTER, ["2023-01-01..2023-12-31"]),
        ("last Friday", WINTER, ["2024-03-15"]),
        ("recently", WINTER, ["2024-03-07..2024-03-20"]),
        ("上个月", WINTER, ["2024-02-01..2024-02-29"]),
        ("for three weeks", WINTER, []),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_question_is_read_on_the_span_of_its_chat(
    text: str, chat: tuple[date, date], expected: list[str]
) -> None:
    assert asked(text, chat) == [days(each) for each in expected]


def test_a_chat_that_ends_before_it_begins_is_an_error() -> None:
    (mention,) = find_times("in January")

    with pytest.raises(ValueError, match="ends before it starts"):
        resolve_on_timeline(mention, date(2024, 1, 2), date(2024, 1, 1))


def test_a_message_speaks_of_every_day_that_resolves() -> None:
    text = "yesterday at 5 we ran for 2 hours, next month in Rome"

    found = days_spoken_of(text, SAID)

    assert found == (days("2023-05-07"), days("2023-06-01..2023-06-30"))


def test_offsets_are_code_points_of_the_text_as_sent() -> None:
    (mention,) = find_times("😀😀 İstanbul, last Friday 😀")

    assert (mention.start, mention.end, mention.text) == (13, 24, "last Friday")


WORDS = ["last", "next", "this", "the", "a", "in", "on", "at", "from", "to", "before", "after", "of", "and", "5", "5th", "31st", "2023", "29", "feb", "may", "May", "March", "Sat", "sun", "friday", "week", "weekend", "month", "year", "ago", "two", "few", "half", "early", "end", "first", "christmas", "easter", "'s", ",", ".", "99999", "9999", "1/2", "5/8/2023", "5:30", "pm", "yesterday", "上", "下", "周五", "年", "月", "日", "三", "十", "号", "前", "后", "底", "去年", "春节", "İ", "é", "²", "٣"]  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=60),
    st.builds(
        lambda parts, gap: gap.join(parts),
        st.lists(st.sampled_from(WORDS), max_size=12),
        st.sampled_from([" ", ""]),
    ),
)
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=14))]))


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_mentions_read_back_in_order_without_overlap(text: str) -> None:
    mentions = find_times(text)

    assert all(text[m.start : m.end] == m.text and m.text for m in mentions)
    assert all(a.end <= b.start for a, b in pairwise(mentions))
    assert has_time(text) is bool(mentions)


@settings(max_examples=400, deadline=None)
@given(TEXTS, MOMENTS, st.dates(), st.dates())
def test_resolving_never_raises(text: str, said: datetime, one: date, other: date) -> None:
    for mention in find_times(text):
        near = resolve(mention, said)
        within = resolve_on_timeline(mention, min(one, other), max(one, other))

        assert near is None or near.first <= near.last
        assert list(within) == sorted(within)


def test_a_chain_of_times_is_read_however_long() -> None:
    mentions = find_times("monday to " * 3000)

    assert mentions[0].text == "monday to monday to monday"
    assert [resolve(mention, SAID) for mention in mentions[:2]] == [days("2023-05-08")] * 2
    assert resolve_on_timeline(mentions[0], *WINTER) == ()


def test_thousands_of_times_in_one_message_are_found_at_once() -> None:
    assert len(find_times("may 5, " * 15_000)) == 15_000


def test_each_mention_leans_as_its_own_sentence_does() -> None:
    text = "We met on Friday. Will we meet on Monday? Done.Tuesday we should talk"

    assert [m.lean for m in find_times(text)] == ["past", "future", "future"]


@pytest.mark.parametrize(
    ("text", "expected"), [("过了三天半夜里", ["三天", "半夜"]), ("促销三天半价", ["三天"])]
)
def test_half_is_no_part_of_midnight_or_of_half_price(text: str, expected: list[str]) -> None:
    assert [text[m.start : m.end] for m in find_times(text)] == expected
