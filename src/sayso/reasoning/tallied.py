"""A question for how many messages or photos somebody sent, when, or who sent most: read and counted."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sayso.core.chat import Kind, Message
from sayso.core.simplified import simplified
from sayso.reasoning.mentioned import people_meant
from sayso.reasoning.phrasing import is_chinese

Sort = Literal["message", "photo", "video", "voice", "sticker", "file", "location", "poll"]
Sought = Literal["count", "when", "first", "last", "most"]


@dataclass(frozen=True)
class Tally:
    """What is asked of which sort of message, sent by whom (empty: by anybody)."""

    sought: Sought
    sort: Sort
    people: tuple[str, ...]


_SORTS: tuple[tuple[Sort, str, str], ...] = (
    ("photo", r"photos?|photographs?|pictures?|pics?|images?", "照片|图片|相片"),
    ("video", r"videos?", "视频"),
    ("voice", r"voice\s*(?:messages?|notes?|memos?)|voicemails?|audio\s+messages?", "语音(?:消息)?|语音条"),
    ("sticker", r"stickers?", "表情包?|贴纸"),
    ("file", r"files?|documents?", "文件"),
    ("location", r"locations?", "定位|位置"),
    ("poll", r"polls?", "投票"),
    ("message", r"messages?|texts?|text\s+messages?|msgs?", "消息|信息|微信"),
)  # fmt: skip
_SORT = "(?:" + "|".join(f"(?P<{sort}>{words})" for sort, words, _ in _SORTS) + ")"
_SORT_HAN = "(?:" + "|".join(f"(?P<{sort}>{words})" for sort, _, words in _SORTS) + ")"
_SENT = (
    r"(?:sen[dt]|sends|sending|share[sd]?|sharing|post(?:s|ed|ing)?|text(?:s|ed)?"
    r"|(?P<wrote>wr(?:ites?|ote|itten)))"
)
_DID = r"(?:did|do|does|has|have|had)"
_END_OF = r"(?:very\s+)?(?P<{}>first|last|latest|earliest|most\s+recent)"
# "The photo" is one that was spoken of, and any only where the first or the last is asked for.
_A = r"(?:an?|any|some)"
_THE = r"(?:an?|the|his|her|their|my|our|your)"
_FORMS = (
    rf"how\s+many\s+{_SORT}\s+{_DID}\s+(?P<who>.+?)\s+(?:ever\s+|already\s+)?{_SENT}",
    rf"how\s+many\s+{_SORT}\s+(?:are|were|is|was|have\s+been)(?:\s+there)?(?:\s+{_SENT})?"
    r"(?:\s+(?:by|from)\s+(?P<who>.+))?",
    rf"how\s+many\s+{_SORT}\s+(?:(?:came|come)\s+)?(?:by|from)\s+(?P<who>.+?)(?:\s+(?:are|were)\s+there)?",
    rf"who\s+(?:has\s+|had\s+)?{_SENT}\s+(?:the\s+)?(?P<most>most)\s+{_SORT}",
    r"who\s+(?:has\s+|had\s+)?(?:wrote|written|writes|texted|texts|posted|posts)\s+(?P<most>(?:the\s+)?most)",
    rf"when\s+{_DID}\s+(?P<who>.+?)\s+(?:{_END_OF.format('order')}\s+)?{_SENT}\s+"
    rf"(?:{_A}|{_THE}\s+{_END_OF.format('late')})\s+{_SORT}(?:\s+for\s+the\s+(?P<time>first|last)\s+time)?",
    rf"when\s+(?:was|were)\s+the\s+{_END_OF.format('order')}\s+{_SORT}\s+(?:sent|shared|posted|from)"
    r"(?:\s+(?:by|from)\s+(?P<who>.+))?",
    rf"who\s+{_END_OF.format('order')}\s+{_SENT}\s+(?:{_A}\s+)?{_SORT}",
    rf"who\s+{_SENT}\s+{_THE}\s+{_END_OF.format('late')}\s+{_SORT}",
    rf"did\s+(?P<who>.+?)\s+(?:ever\s+)?{_SENT}\s+{_A}\s+{_SORT}",
)
_FORMS_HAN = (
    rf"(?P<who>.*?)(?:一共|总共)?(?:发|(?P<wrote>写)|传|分享)(?:了|过|送了|送过)?(?:多少|几)[张个条段份]?{_SORT_HAN}",
    rf"谁(?:发|(?P<wrote>写)|传|分享)(?:了|过|送)?的?{_SORT_HAN}(?P<most>(?:是)?最多)",
    rf"(?P<who>.*?)(?:是)?(?P<when>什么时候|哪一?天|何时)(?:发|传|分享)(?:了|过|的|送过)?{_SORT_HAN}的?",
)
_READ = [re.compile(form, re.IGNORECASE) for form in _FORMS]
_READ_HAN = [re.compile(form) for form in _FORMS_HAN]
_LONGEST = 400  # characters; a question is short, and the forms look ahead
_END = re.compile(r"[\s?!.,;:？！。，呢吗啊呀]+$")
_ASIDE = re.compile(
    r"\s+(?:in\s+(?:the|this|our)\s+(?:whole\s+)?(?:chat|conversation|group)|here|so\s+far"
    r"|in\s+(?:total|all)|altogether|overall|ever)$",
    re.IGNORECASE,
)
_TO = re.compile(r"\s+to\s+(?P<whom>[^\W\d_]+)$", re.IGNORECASE)
# What a file may be of which the export does not tell.
UNNAMED: frozenset[Sort] = frozenset({"photo", "video", "voice", "sticker", "file"})
# These words mean things outside the chat as well: that none was sent does not answer.
ELSEWHERE: frozenset[Sort] = frozenset({"file", "location"})
_NO_MESSAGE: frozenset[Kind] = frozenset({"system", "deleted", "call"})


def tally_asked(
    question: str, names: Mapping[str, str], owner: str | None, *, pair: bool
) -> Tally | None:
    """What the question asks to be counted; None where it asks for something else.

    None, too, where more is asked for than sort and sender ("photos of the boat") and where it is
    not known who is meant. ``owner`` is who "I" is. ``pair``: of two people each writes to the other.
    """
    text = _END.sub("", " ".join(question[:_LONGEST].split()))
    while aside := _ASIDE.search(text):
        text = text[: aside.start()]
    to = _TO.search(text)
    if pair and to and people_meant(to["whom"], names, owner):
        text = text[: to.start()]
    if is_chinese(text):
        text = simplified(text)
    for form in (*_READ, *_READ_HAN):
        if found := form.fullmatch(text):
            return _asked(found, names, owner)
    return None


def _asked(found: re.Match[str], names: Mapping[str, str], owner: str | None) -> Tally | None:
    told = {name: words for name, words in found.groupdict().items() if words}
    sort: Sort = next((sort for sort, *_ in _SORTS if sort in told), "message")
    people = people_meant(told.get("who", ""), names, owner)
    sought = _sought(told, found.string)
    # When somebody sent any message at all tells nothing.
    nothing_asked = sort == "message" and sought not in ("count", "most")
    written = "wrote" in told and sort != "message"
    if people is None or nothing_asked or written:
        return None
    return Tally(sought, sort, people)


def _sought(told: Mapping[str, str], text: str) -> Sought:
    if "most" in told:
        return "most"
    order = (told.get("order") or told.get("late") or told.get("time") or "").lower()
    if order:
        return "first" if order in ("first", "earliest") else "last"
    return "when" if "when" in told or text.lower().startswith("when") else "count"


def amount(message: Message, sort: Sort) -> int:
    """How many of a sort the message is: 1 or 0, or as many as came with it."""
    if message.kind in _NO_MESSAGE:
        return 0
    if sort == "message":
        return 1
    return max(int(message.kind == sort), sum(a.kind == sort for a in message.attachments))


def is_unnamed(message: Message) -> bool:
    """Whether it was a file of which an export without media does not tell what it was."""
    return message.kind == "file" and not (message.text or message.caption or message.attachments)
