"""What heads an answer to "when": the time that the message speaks of, or the day it was sent."""

import re
from dataclasses import replace
from datetime import date, tzinfo
from typing import NamedTuple

from sayso.core.chat import Message
from sayso.core.days import DayRange
from sayso.core.time_expressions import TimeMention, find_times, resolve
from sayso.core.time_finding import found_in
from sayso.reasoning.answer_types import kind_of
from sayso.reasoning.phrasing import day_words, days_words, is_chinese

_HAPPENED = re.compile(r"\b(?:did|was|were|had|has|have)(?:n['’]t)?\b", re.IGNORECASE)
_NOT_YET = re.compile(
    r"\b(?:is|are|do|does|will|can|shall|should|would)\b|\bwhen['’]s\b", re.IGNORECASE
)
_AHEAD = re.compile(r"\bwill\b|\bgoing to\b|\bplan(?:s|ning)?\b|打算|将|会", re.IGNORECASE)
_FOR = re.compile(r"\b(?:for|to)\s+(?:the\s+)?$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?\n]")
_HAPPENED_HAN = re.compile("[了过過]|的[？?]?$")
_DAYS = frozenset({"date", "partial", "relative"})
_FOR_SO_LONG = re.compile(
    r"\b(?:past|last|next|since|until|till)\b|\bfrom\b.*\bto\b|[以之]来|到现在", re.IGNORECASE
)


class Told(NamedTuple):
    """The words that head the answer, and the time in the message that they were read from.

    ``mention`` is None where that is the phrase that is cited anyway, or the day it was sent.
    """

    words: str
    mention: TimeMention | None = None


def told_when(question: str, zone: tzinfo, message: Message, cited: str | None) -> Told | None:
    """A day, a stretch of days, or in the message's own words how long or at what hour.

    ``cited`` is the phrase of the message that answers. None where the message does not say it:
    the day it was sent stands in for what has happened, never for what is to come or recurs.
    """
    match kind_of(question):
        case "duration":
            cited = _with_since(cited, message.text) if cited else None
            return Told(cited) if cited and _is_length(cited) else None
        case "clock":
            return Told(cited) if cited and _is_hour(cited) else None
    sent = message.sent_at.astimezone(zone)
    # The phrase that answers may be one of several times in the message.
    named = [
        (mention, None if text is cited else mention)
        for text in (cited or "", message.text)
        for mention in find_times(text)
    ]
    told = message.text
    spoken = [
        (days, shown)
        for mention, shown in named
        if (days := resolve(_leaning(mention, question, told), sent))
    ]
    if not spoken:
        # "3/4/1990" and "the next day" are some day, and not the one on which that was sent.
        untold = any(mention.kind in _DAYS for mention, _ in named)
        return Told(day_words(sent, question)) if _happened(question) and not untold else None
    fitting = (found for found in spoken if _fits(question, found[0], sent.date()))
    days, mention = next(fitting, (None, None))
    return Told(days_words(days, question), mention) if days else None


def _leaning(mention: TimeMention, question: str, text: str) -> TimeMention:
    """The mention of a message's text, open ones as their sentence has them: "we lost on sunday".

    Where it asks when something is, a day to come is meant ("is on sunday", "booked for sunday"),
    unless the sentence tells of what was. What was may have been announced: "party on Saturday!".
    """
    if mention.kind != "partial":
        return mention
    whole = next((m for m in find_times(text) if m.text == mention.text), mention)
    if _HAPPENED.search(question) and not _AHEAD.search(question):
        return replace(mention, lean=whole.lean)
    if _NOT_YET.search(question) and not _HAPPENED.search(question):
        before = _SENTENCE_END.split(text[: whole.start])[-1]
        told = _HAPPENED.search(before) or (whole.lean == "past" and not _FOR.search(before))
        return mention if told else replace(mention, lean="future")
    return mention


def _fits(question: str, days: DayRange, sent: date) -> bool:
    """What will be is not over on the day it is told."""
    return _happened(question) or not _AHEAD.search(question) or days.last >= sent


def _happened(question: str) -> bool:
    if is_chinese(question):
        return bool(_HAPPENED_HAN.search(question))
    return bool(_HAPPENED.search(question)) or not _NOT_YET.search(question)


def _is_length(cited: str) -> bool:
    """Whether it tells how long: "six weeks", "since May", and not "today"."""
    return any(
        mention.kind == "duration" or _FOR_SO_LONG.search(cited) for mention in find_times(cited)
    )


def _with_since(cited: str, text: str) -> str:
    """The phrase with the "since" that stands before it: without it a month tells no length."""
    before = re.search(rf"\bsince\s+(?:the\s+)?{re.escape(cited)}", text, re.IGNORECASE)
    return before.group() if before else cited


def _is_hour(cited: str) -> bool:
    return any(found.timed or found.meaning.kind == "clock" for found in found_in(cited))
