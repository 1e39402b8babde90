"""The few words that the extractive answer adds to quotations, in the question's language."""

import re
from dataclasses import dataclass
from datetime import date, datetime

from sayso.core.chat import Message

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
    count="I count {n} in the messages that speak of it:",
    first="First: {said}",
    last="Last: {said}",
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
    count="在提到的消息里共找到 {n} 处：",
    first="最早：{said}",
    last="最后：{said}",
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
    return 3 * len(_CHINESE.findall(text)) >= len(text.replace(" ", "")) > 0


def day_words(day: date | datetime, question: str) -> str:
    """A day as people write it, the same whatever the machine's locale."""
    if is_chinese(question):
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
