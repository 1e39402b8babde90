"""What heads an answer to "when": the time that the message speaks of, or the day it was sent."""

import re
from bisect import bisect_right
from dataclasses import replace
from datetime import date, datetime, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from sayso.core.chat import Message
from sayso.core.days import DayRange
from sayso.core.time_expressions import TimeMention, find_times, resolve
from sayso.core.time_finding import found_in
from sayso.core.time_leaning import ONE_FORM, speaks_of_past
from sayso.reasoning.answer_types import asked, kind_of
from sayso.reasoning.phrase_words import words
from sayso.reasoning.phrasing import day_words, days_words, is_chinese

_HAPPENED = re.compile(r"\b(?:did|was|were|had|has|have)(?:n['’]t)?\b", re.IGNORECASE)
_NOT_YET = re.compile(
    r"\b(?:is|are|do|does|will|can|shall|should|would)\b|\bwhen['’]s\b", re.IGNORECASE
)
_AHEAD = re.compile(r"\bwill\b|\bgoing to\b|\bplan(?:s|ning)?\b|打算|将|会", re.IGNORECASE)
_DOES = re.compile(r"\b(?:do|does|shall)\b", re.IGNORECASE)
_ONE_FORM = re.compile(rf"\b(?:{'|'.join(ONE_FORM)})\b", re.IGNORECASE)
_CLAUSE_END = re.compile(
    r"[,;:.!?\n()]|\s[–—-]\s|\b(?:and|but|so|then)\b|[，。！？；]", re.IGNORECASE
)
_TO_COME = re.compile(r"tonight|tonite|this evening|later", re.IGNORECASE)
_THAT_IS = re.compile(r"[\s,;:(–—-]{1,3}(?:(?:so|on|i\.?e\.?|that['’]s)\s+)?(?:the\s+)?")
_FOR = re.compile(r"\b(?:for|to)\s+(?:the\s+)?$", re.IGNORECASE)
_READ = 400  # characters before a time
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
            return _length(question, message.text, cited) if cited else None
        case "clock":
            return Told(cited) if cited and _is_hour(cited) else None
    sent = message.sent_at.astimezone(zone)
    text = message.text
    # The phrase that answers may be one of several times in the message.
    times: list[tuple[TimeMention, TimeMention | None]] = [
        (_whole(mention, text, cited or ""), None) for mention in find_times(cited or "")
    ]
    times += [(mention, mention) for mention in find_times(text)]
    named = [(_leaning(mention, question, text), shown) for mention, shown in times]
    resolved = [(mention, resolve(mention, sent), shown) for mention, shown in named]
    resolved = [
        (mention, days, shown)
        for mention, days, shown in resolved
        if not (days and days.first > sent.date() and _is_beside_it(question, text, mention))
    ]
    if not any(days for _, days, _ in resolved):
        # "3/4/1990" and "the next day" are some day, and not the one on which that was sent.
        untold = any(mention.kind in _DAYS for mention, _, _ in resolved)
        return Told(day_words(sent, question)) if _happened(question) and not untold else None
    for mention, days, shown in resolved:
        if days and _fits(question, text, mention, days, sent.date()):
            exact = _more_exact(question, text, mention, days, sent)
            return exact or Told(days_words(days, question), shown)
    return None


def _more_exact(
    question: str, text: str, mention: TimeMention, days: DayRange, sent: datetime
) -> Told | None:
    """The day among the days that is told just after them: "in three weeks, Monday 7 July"."""
    after = next((m for m in find_times(text) if m.start >= mention.end), None)
    if after is None or after.kind not in ("partial", "date"):
        return None
    exact = resolve(after, sent) if _THAT_IS.fullmatch(text, mention.end, after.start) else None
    if exact is None or exact.days >= days.days or exact.first not in days:
        return None
    return Told(days_words(exact, question), after)


def _whole(mention: TimeMention, text: str, cited: str) -> TimeMention:
    """The mention of the phrase where it stands in the text, with what its sentence leans to."""
    at = max(0, text.find(cited))
    moved = replace(mention, start=at + mention.start, end=at + mention.end)
    same = (m for m in find_times(text) if (m.start, m.end) == (moved.start, moved.end))
    return next(same, moved)


def _leaning(mention: TimeMention, question: str, text: str) -> TimeMention:
    """The mention of a message's text, open ones as their sentence has them: "we lost on sunday".

    Where it asks when something is, a day to come is meant ("is on sunday", "booked for sunday"),
    unless the sentence tells of what was. What was may have been announced: "party on Saturday!".
    """
    if mention.kind != "partial":
        return mention
    before = _SENTENCE_END.split(text[max(0, mention.start - _READ) : mention.start])[-1]
    if _HAPPENED.search(question) and not _AHEAD.search(question):
        in_past = not mention.lean and _clause_at(question, text, mention.start).past
        was = in_past or _in_one_form(question, before)
        return replace(mention, lean="past") if was else mention
    if _NOT_YET.search(question) and not _HAPPENED.search(question):
        told = _HAPPENED.search(before) or (mention.lean == "past" and not _FOR.search(before))
        return mention if told else replace(mention, lean="future")
    return mention


def _in_one_form(question: str, before: str) -> bool:
    """Whether "cut my hand on Tuesday" tells when he cut it: by itself, it may be a request."""
    verb = _ONE_FORM.match(before.lstrip(" ,;:"))
    if verb is None:
        return False
    return verb.group().lower() in map(str.lower, _ONE_FORM.findall(question))


def _is_beside_it(question: str, text: str, mention: TimeMention) -> bool:
    """Whether what has happened is told in another clause: "I got the job! moving in October"."""
    if not _HAPPENED.search(question) or _AHEAD.search(question):
        return False
    own = _clause_at(question, text, mention.start)
    return not own.shared and _tells_past(question, text)


class _Clause(NamedTuple):
    """A clause that ends there: how many words of the question it has, and a verb in the past."""

    end: int
    shared: int
    past: bool


# A message may hold thousands of times, and each is looked at in its clause.
@lru_cache(maxsize=8)
def _clauses(question: str, text: str) -> tuple[_Clause, ...]:
    who = asked(question)
    ends = [match.end() for match in _CLAUSE_END.finditer(text)]
    found = []
    for start, end in pairwise((0, *ends, len(text) + 1)):
        clause = text[start:end]
        shared = sum(word.mark in "WNVG" and who.shares(word) for word in words(clause))
        found.append(_Clause(end, shared, speaks_of_past(clause)))
    return tuple(found)


@lru_cache(maxsize=8)
def _tells_past(question: str, text: str) -> bool:
    """Whether a clause of it tells of what the question asks as of what was."""
    return any(clause.shared and clause.past for clause in _clauses(question, text))


def _clause_at(question: str, text: str, at: int) -> _Clause:
    clauses = _clauses(question, text)
    return clauses[bisect_right(clauses, at, key=lambda clause: clause.end)]


def _fits(question: str, text: str, mention: TimeMention, days: DayRange, sent: date) -> bool:
    """What will be is not over on the day it is told, nor by the time: "they rang this morning"."""
    if _happened(question):
        return True
    ahead = _AHEAD.search(question)
    if ahead and days.last < sent:
        return False
    does = _DOES.search(question) and not speaks_of_past(question)
    if not (ahead or does) or days.last != sent or _TO_COME.match(mention.text):
        return True
    return not _clause_at(question, text, mention.start).past


def _happened(question: str) -> bool:
    if is_chinese(question):
        return bool(_HAPPENED_HAN.search(question))
    return bool(_HAPPENED.search(question)) or not _NOT_YET.search(question)


def _length(question: str, text: str, cited: str) -> Told | None:
    """The length that is cited, or one beside it whose clause shares more with the question."""
    since = _with_since(cited, text)
    if not _is_length(since):
        return None

    def shared(at: int) -> int:
        return _clause_at(question, text, at).shared

    lengths = [mention for mention in find_times(text) if mention.kind == "duration"]
    best = max(lengths, key=lambda mention: shared(mention.start), default=None)
    if since is cited and best and shared(best.start) > shared(max(0, text.find(cited))):
        return Told(best.text, best)
    return Told(since)


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
