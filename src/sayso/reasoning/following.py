"""Follow-up questions without a model: "and Jonah?" read as the whole question that it stands for.

A question that stands by itself is left exactly as it is. One that leans on the turn before it
(a name, a time, an ordinal, pronouns alone) is completed from that turn's question, which may
itself have been a follow-up; what points at the answer ("who said that?", "and then?") is limited
by the messages it cited.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeVar

from sayso.core.chat import Chat
from sayso.core.days import DayRange
from sayso.core.models import Filter, Plan, Question
from sayso.core.people import named
from sayso.core.seams import Grading, Narrating, Planning
from sayso.core.sentences import content_words
from sayso.core.time_expressions import find_times
from sayso.reasoning.bare_chinese import asked_otherwise, asks_for_more, is_bare
from sayso.reasoning.followed_people import filled_in, put_in_place
from sayso.reasoning.planning import window
from sayso.reasoning.shifted_times import shifted, written

UNLIMITED = Filter()
Given = TypeVar("Given", Planning, Grading, Narrating)

_OPENER = re.compile(
    r"(?:(?:and|but|or|so|ok|okay|also|then|und|et)\b[\s,]*)+|(?:那么|还有|那|至于|而)[,，\s]*",
    re.I,
)
_ABOUT = re.compile(r"(?:what|how) about\s+|(?:the )?same for\s+|was ist mit\s+|et pour\s+", re.I)
_END = re.compile(r"(?:的话)?呢?[\s?？.!。！]*$")
_SAID = re.compile(
    r"who (?:was it (?:that )?|has |had )?(?:said|says|say|wrote|write|sent|mentioned)(?: (?:that|this|it|so))?"
    r"|(?:这|那)?(?:句)?(?:话)?(?:是)?谁(?:说|写|发|讲|提)(?:的|了)?(?:这|那)?(?:句)?话?的?", re.I
)  # fmt: skip
_AFTER = re.compile(
    r"(?:what (?:happened|came|did \w+ do) )?(?:next|then|afterwards?|later|(?:right )?after (?:that|this))"
    r"|(?:后来|然后|之后|接着)(?:怎么样|怎样|怎么|发生)?(?:了|了什么|什么)?", re.I
)  # fmt: skip
_BEFORE = re.compile(
    r"(?:what (?:happened|came) )?(?:(?:right )?before (?:that|this)|beforehand)"
    r"|(?:之前|在那之前|此前)(?:发生)?(?:了|了什么)?", re.I
)  # fmt: skip
_ASKS = re.compile(
    r"(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will)\b"
    r"|.*(?:谁|什么|哪|几|多少|怎么|怎样|如何|为何|多久|吗)", re.I
)  # fmt: skip
_POINTING = re.compile(r"\b(?:it|that|this|there|those|these|then|one|ones)\b|它|这|那", re.I)
_LIGHT = frozenset({"happen", "happened", "happens", "go", "went", "come", "came", "take", "place",
                    "start", "end", "ended", "say", "said", "exactly", "long", "time", "day", "date"})  # fmt: skip
_ORDER = re.compile(
    r"\b(?:the )?(?P<en>first|second|third|fourth|last|next)(?: (?:time|one))?\b|第[一二三四五]次|最后一次", re.I
)  # fmt: skip
_JOINING = re.compile(r"\band\b|和|跟|与", re.I)
_AT = re.compile(r"^(?:in|on|at|during|from)\s+", re.I)
_ASKING_WORDS = re.compile(
    r"什么时候|为什么|为啥|什么|哪一天|哪天|哪里|哪儿|谁|怎么样?|怎样|如何|多少|多久|几点|几号|吗"
)
_FEW = 3  # words of content that a fragment may have
_SHORT = 8  # Chinese characters of a question that is a pronoun and little else


@dataclass(frozen=True)
class Followed:
    """A question as it is understood; ``limits`` only where it points at what was cited."""

    text: str
    limits: Filter = UNLIMITED
    cited: tuple[int, ...] = ()


def followed(given: Given, names: Mapping[str, str]) -> Given:
    """The same with its question completed from the history; unchanged where it stands by itself."""
    question = given.question
    if not question.history:
        return given
    read = understood(question, given.chat, names)
    if read.text == question.text and read.limits == UNLIMITED:
        return given
    update: dict[str, object] = {"text": read.text}
    if question.limits == UNLIMITED:
        update["limits"] = read.limits
    return replace(given, question=question.model_copy(update=update))


def noted(value: object, read: Planning) -> object:
    """A plan says how its question was read; any other reply stays as it is."""
    if not isinstance(value, Plan):
        return value
    return value.model_copy(update={"notes": (*value.notes, f"read as: {read.question.text}")})


def understood(question: Question, chat: Chat, names: Mapping[str, str]) -> Followed:
    """The question read in the light of its history, each turn of which was read so too."""
    earlier: Followed | None = None
    for turn in question.history:
        read = _read(turn.question.strip(), earlier, chat, names)
        earlier = replace(read, cited=turn.cited)
    return _read(question.text.strip(), earlier, chat, names)


def _read(text: str, earlier: Followed | None, chat: Chat, names: Mapping[str, str]) -> Followed:
    if earlier is None:
        return Followed(text)
    bare = _END.sub("", text)
    core = _OPENER.sub("", bare, count=1) if _OPENER.match(bare) else bare
    about = _ABOUT.match(core)
    rest = core[about.end() :] if about else core
    leans = bool(about) or core != bare or "呢" in text[len(bare) :]
    if asks_for_more(bare):
        return Followed(_with_topic(bare, earlier, names))
    for pointing, limits in (
        (_SAID, _around), (_AFTER, _after), (_BEFORE, _before),
    ):  # fmt: skip
        if pointing.fullmatch(core) or (not core and pointing is _AFTER):
            return Followed(_with_topic(core or bare, earlier, names), limits(earlier.cited, chat))
    if len(core) == 0:
        return Followed(text)
    fragment = _fragment(rest, earlier, chat, names, leans=leans)
    if fragment is not None:
        return Followed(fragment)
    if about is None and _leans_by_pronouns(core, names):
        people = named(earlier.text, names).people
        whole = filled_in(core, people)
        if whole == core and is_bare(core):
            otherwise = asked_otherwise(earlier.text, core)
            return Followed(otherwise or _with_topic(core, earlier, names))
        if whole == core and not _POINTING.search(core) and _topical(core):
            return Followed(text)  # "they" may be anybody
        if whole == core or _POINTING.search(core):
            return Followed(_with_topic(whole, earlier, names))
        return Followed(f"{whole}{'?' if whole.isascii() else '？'}")
    return Followed(text)


def _fragment(
    rest: str, earlier: Followed, chat: Chat, names: Mapping[str, str], *, leans: bool
) -> str | None:
    """The earlier question with the fragment in its place; None where it is no fragment."""
    # Without "and" or "what about" the first word is a name only where the chat knows it.
    who = named(f" {rest}", names)
    only_names = who.rest.strip() == rest.strip() or not content_words(_JOINING.sub(" ", who.rest))
    if who.people and only_names:
        return put_in_place(earlier.text, names, who.people)
    moved = _moved_time(rest, earlier, chat)
    if moved is not None:
        return moved
    if _ASKS.match(rest) or not (leans or _ORDER.fullmatch(rest)):
        return None
    if len(content_words(_outside_times(rest))) > _FEW:
        return None
    if _ORDER.search(rest) and _ORDER.search(earlier.text):
        return _in_order(earlier.text, rest)
    return f"{_asked(earlier.text)}: {rest.strip()}?"


def _in_order(question: str, rest: str) -> str:
    """The question about another one in the same order: the second trip, not the first."""
    told, was = _ORDER.search(rest), _ORDER.search(question)
    assert told is not None
    assert was is not None
    if told["en"] and was["en"]:
        return question[: was.start("en")] + told["en"] + question[was.end("en") :]
    return question[: was.start()] + told.group() + question[was.end() :]


def _moved_time(rest: str, earlier: Followed, chat: Chat) -> str | None:
    """The earlier question at the time that the fragment tells; None where it tells none."""
    chinese = not rest.isascii()
    seen_from = _days_of(earlier, chat)
    days = shifted(rest, seen_from) if seen_from else None
    if days is not None:
        return _at_time(earlier.text, written(days, chinese=chinese), chinese=chinese)
    mentions = find_times(rest)
    if not mentions or content_words(_outside_times(rest)):
        return None
    if not any(m.kind in ("date", "partial", "relative") for m in mentions):
        return None
    return _at_time(earlier.text, rest, chinese=chinese)


def _at_time(question: str, time: str, *, chinese: bool) -> str:
    asked = _asked(question)
    mentions = find_times(asked)
    for mention in reversed(mentions[1:]):
        asked = asked[: mention.start].rstrip() + asked[mention.end :]
    if mentions:
        first = mentions[0]
        at = asked[: first.start], asked[first.end :]
        # "in" is already there, or the fragment brings its own.
        told = _AT.sub("", time)
        return f"{at[0]}{told}{at[1]}" + ("？" if chinese else "?")
    return f"{time}{asked}？" if chinese else f"{asked} {time}?"


def _leans_by_pronouns(core: str, names: Mapping[str, str]) -> bool:
    """Whether nothing in the question says what it is about but pronouns, or nothing at all."""
    if is_bare(core):
        return True
    if named(f" {core}", names).people or not _ASKS.match(core):
        return False
    about = _topical(core)
    personal = any(filled_in(core, people) != core for people in (("X",), ("X", "Y")))
    if not core.isascii():
        return personal and len(core) <= _SHORT
    if not about or (personal and len(about) <= _FEW - 1):
        return True
    return len(about) == 1 and _POINTING.search(core) is not None


def _topical(core: str) -> list[str]:
    return [word for word in content_words(core) if word not in _LIGHT]


def _with_topic(asking: str, earlier: Followed, names: Mapping[str, str]) -> str:
    """What is asked now, and after a colon what the earlier question was about."""
    who = named(earlier.text, names)
    mentions = [m.text for m in find_times(who.rest)]
    topic = _outside_times(who.rest)
    topic = (
        " ".join(content_words(topic)) if topic.isascii() else _ASKING_WORDS.sub(" ", topic).strip()
    )
    parts = [*(p for p in who.people if p not in asking), topic.strip(" ?？"), *mentions]
    colon, end = (": ", "?") if asking.isascii() else ("：", "？")
    return f"{asking}{colon}{' '.join(filter(None, parts))}{end}"


def _days_of(earlier: Followed, chat: Chat) -> DayRange | None:
    """The days the earlier question spoke of, else those of the messages it was answered with."""
    since, until = window(earlier.text, chat)
    if since is None or until is None:
        cited = [chat.by_id[i].sent_at for i in earlier.cited if i in chat.by_id]
        if not cited:
            return None
        since, until = min(cited), max(cited) + timedelta(seconds=1)
    last = (until - timedelta(seconds=1)).astimezone(chat.zone).date()
    return DayRange(since.astimezone(chat.zone).date(), last)


def _around(cited: tuple[int, ...], chat: Chat) -> Filter:
    found = [chat.by_id[i] for i in cited if i in chat.by_id]
    if not found:
        return Filter()
    sent = [m.sent_at for m in found]
    senders = tuple(dict.fromkeys(m.sender for m in found))
    return Filter(senders=senders, since=min(sent), until=max(sent) + timedelta(microseconds=1))


def _after(cited: tuple[int, ...], chat: Chat) -> Filter:
    around = _around(cited, chat)
    return Filter(since=around.until)


def _before(cited: tuple[int, ...], chat: Chat) -> Filter:
    return Filter(until=_around(cited, chat).since)


def _outside_times(text: str) -> str:
    for mention in reversed(find_times(text)):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return text


def _asked(question: str) -> str:
    return question.rstrip(" ?？.!。！")
