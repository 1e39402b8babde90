"""The few words that the extractive answer adds to quotations, in the question's language."""

import re
from dataclasses import dataclass
from datetime import date, datetime

from sayso.core.chat import Message
from sayso.core.days import DayRange, month_of, years_of

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Phrases:
    """Templates; fields in braces are filled by :mod:`sayso.reasoning.narrating`."""

    said: str
    photo: str
    wordless: str
    when: str
    period: str
    count: str
    count_one: str
    first: str
    last: str
    several: str
    nothing: str
    arc: str
    on_day: str
    between: str


_ENGLISH = Phrases(
    said="{who}, {day}: “{quote}”",
    photo="{who}, {day}: a picture, described as “{quote}”",
    wordless="{who}, {day}: [{kind}]",
    when="{when}. {said}",
    period="{first} to {last}",
    count="I count {n} messages that speak of it:",
    count_one="I count one message that speaks of it:",
    first="The first that I found: {said}",
    last="The last that I found: {said}",
    several="{n} messages speak of it:",
    nothing="I found nothing in this chat that answers this.",
    arc="{n} stages, from {first} to {last}:",
    on_day="{first}",
    between="{first} – {last}",
)
_HAN = Phrases(
    said="{who}（{day}）：“{quote}”",
    photo="{who}（{day}）：图片，内容为“{quote}”",
    wordless="{who}（{day}）：[{kind}]",
    when="{when}。{said}",
    period="{first}至{last}",
    count="提到的消息共 {n} 条：",
    count_one="提到的消息只有 1 条：",
    first="找到的最早一条：{said}",
    last="找到的最后一条：{said}",
    several="有 {n} 条消息提到：",
    nothing="这段聊天里没有找到能回答这个问题的内容。",
    arc="共 {n} 个阶段，从{first}到{last}：",
    on_day="{first}",
    between="{first}至{last}",
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def phrases_for(question: str) -> Phrases:
    """The templates in the question's language: Chinese, else English."""
    return _HAN if is_chinese(question) else _ENGLISH


def said_by(message: Message, quote: str, day: str, question: str) -> str:
    """Who says the quoted words, and when; what it is where a message has no words at all."""
    phrases = phrases_for(question)
    if not quote.strip():
        return phrases.wordless.format(who=message.sender, day=day, kind=message.kind)
    template = phrases.said if message.text.strip() else phrases.photo
    return template.format(who=message.sender, day=day, quote=" ".join(quote.split()))


def is_chinese(text: str) -> bool:
    """Whether the text is written in Han characters for a good part."""
    return not text.isascii() and 3 * len(_CHINESE.findall(text)) >= len(text.replace(" ", "")) > 0


def day_words(day: date | datetime, question: str) -> str:
    """A day as people write it, the same whatever the machine's locale."""
    if is_chinese(question):
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def days_words(days: DayRange, question: str) -> str:
    """One day, a whole month, a whole year, or the first and the last day of another stretch."""
    first, last = days.first, days.last
    if days == years_of(first.year, first.year):
        return f"{first.year}年" if is_chinese(question) else str(first.year)
    if days == month_of(first.year, first.month):
        if is_chinese(question):
            return f"{first.year}年{first.month}月"
        return f"{_MONTHS[first.month - 1]} {first.year}"
    ends = [day_words(day, question) for day in dict.fromkeys((first, last))]
    if len(ends) == 1:
        return ends[0]
    return phrases_for(question).period.format(first=ends[0], last=ends[1])
