"""The extractive planner: question → plan, by words and the chat's own names and days."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time, timedelta

from sayso.core.asking_when import WHEN_ASKED
from sayso.core.chat import Chat
from sayso.core.models import Filter, Intent, Plan
from sayso.core.people import Named, named
from sayso.core.seams import Planning
from sayso.core.simplified import simplified
from sayso.core.time_expressions import (
    DayRange,
    TimeMention,
    find_times,
    resolve,
    resolve_on_timeline,
)
from sayso.core.time_words import HOLIDAYS, MONTHS, SEASONS, any_of
from sayso.reasoning.mentioned import mention_asked
from sayso.reasoning.only_saying import only_saying
from sayso.reasoning.reaching import reaching
from sayso.reasoning.several_times import Read, together

_DID = r"\bhow (?:did|has|have|had|does|do|was|were|is|are)\b"
_SPAN = (
    r"(?:over|across|through|throughout|during|as) (?:(?:the|these|those|this|that|all|whole|entire"
    r"|past|last|next|following|coming|few|two|three|first) )+(?:days|weeks|months|years|season"
    r"|spring|summer|autumn|fall|winter|term|semester|holidays|course|chats?|conversations?)\b"
)
# Of what is over in hours the outcome is asked for, and no development.
_OCCASION = (
    r"(?:exam|test|quiz|interview|audition|date|dinner|lunch|breakfast|brunch|party|concert|gig|recital"
    r"|meeting|appointment|check-?up|call|presentation|talk|speech|lecture|class|game|match|race|flight"
    r"|drive|surgery|operation|scan|wedding|funeral|birthday|ceremony|graduation|picnic|barbecue|hike)"
)
_TROUBLE = (
    r"(?:fear|phobia|anxiety|nerves|stage fright|loss|death|grief|shock|break-?up|divorce|ex|illness|flu"
    r"|cold|covid|operation|surgery|injury|accident|row|quarrel|failure|rejection|jet ?lag|it|him|her|them)"
)
# What comes after "settled" says whether it was a quarrel or in Spain.
_AND_NO_MORE = (
    r"(?=\s*(?:[?!.,;:]|$)| (?:after|before|between|among|until|over|once|when|where|as|at first"
    r"|at last|in the end)\b)"
)
# A development is asked for by a verb of change, by its both ends, by its span, or by its name.
_DEVELOPMENT = (
    rf"{_DID}.*\b(?:change[sd]?|evolve[sd]?|develop(?:ed|s|ing)?|unfold(?:ed|s)?|progress(?:ed|es)?"
    r"|shift(?:ed|s)?|grow|grew|turn(?:ed)? out|play(?:ed)? out|pan(?:ned)? out|come together"
    r"|fall apart|fall out|(?:go|move) from|get (?:resolved|settled)|c[ao]me (?:about|along)"
    r"|process(?! of)|end(?:ed)? up|sort(?:ed)? out|recover(?:ed)?|heal(?:ed)?|work(?:ed)? out"
    r"|track(?:ed)? down|r[ua]n its course|take shape|fare[ds]?|escalate[ds]?|fluctuate[ds]?"
    r"|transform(?:ed)?)\b",
    rf"{_DID}.*\b(?:get (?:from (?:\w+ing\b.+\bto|.+\bto (?:\w+ )?\w+ing)\b|on with\b"
    rf"|(?:better|worse){_AND_NO_MORE}|over (?:[\w'’]+ ){{0,3}}{_TROUBLE}\b)"
    rf"|settle (?:into\b|in{_AND_NO_MORE}))",
    rf"\bhow (?:was|were|is|are|did|has|have)\b.*\b(?:settled|sorted|resolved){_AND_NO_MORE}"
    r"|\bhow (?:was|were|is|are)\b.*\bcoming along\b(?! (?:to|with)\b)"
    r"|\bhow (?:did|has) it (?:all )?(?:go|gone) with\b|^\W*what(?: has|'s|’s)? happened with\b",
    rf"{_DID}[^?;]*\bgo(?:ne|ing)?\b(?=\s*(?:[?!.,;:]|$|(?:over|through|during|since|across|between"
    r"|after)\b))",
    rf"{_DID}.*,\s*(?:from|starting with)\b.+\b(?:to|until|till|onwards?)\b",
    rf"{_DID}.*\b{_SPAN}",
    rf"{_DID} [\w'’]+ \w+, \w+,? and \w+",  # "… plan, book and look back on …"
    r"\bhow\b.*(?:,|\band) how\b(?! (?:many|much|long|often|old|far)\b)",
    r"\bwhat (?:has |had |ever )?(?:became|become|came|come) of\b",
    r"\bat (?:each|every) (?:point|stage|step|turn)\b|\bover time\b|\bover the (?:weeks|months|years"
    r"|course)\b|\b(step|stage|bit|week|month|day) by \1\b|\blittle by little\b"
    r"|\b(?:start|beginning|first) to (?:the )?(?:finish|end|last)\b|\bups and downs\b"
    r"|\btwists and turns\b",
    r"\b(?:story (?:of|behind)|(?:timeline|evolution|arc|saga|trajectory|progression|stages|phases)"
    r" of|(?:course|development|progress) of (?:the|his|her|their|\w+['’]s)"
    r"|journey (?:of|with|from))\b",
    r"\b(?:trace|chart|recount|retrace|recap|(?:walk|talk|take|run|lead) (?:me|us) through)\b",
    r"(?:怎么|如何|怎样).{0,24}(?:变化|发展|演变|改变|一步步|变成|展开|转变|进展|试出来"
    r"|变的|定下来|做起来|好起来|收场|走过来"
    r"|(?:解决|恢复)[的了好]|恢复(?:联系|关系)|走到.{1,6}的|走到了?(?:今天|现在|如今|最后|这一?步|这个?地步|一起|分手|离婚))",
    # 经过 is a verb, too: 谁经过超市？
    r"(?:事情|事件|事故|整个|全部|详细)的?经过|的经过(?=\W|$|是|如何|怎|呢|说|讲)"
    r"|(?<![谁天有在都会没])经过(?=\W*$|是什么|是怎|如何|怎么?样)|经过了?(?:哪些|什么|怎样的)(?:阶段|波折|曲折|变化|过程)",
    r"来龙去脉|一步一步"
    r"|(?:怎么|如何|怎样).{0,24}(?:一点点|慢慢)地?(?:变|和好|好|恢复|适应|接受|长|熟|转|起来|走)"
    r"|是(?:怎么|如何|怎样)(?:一路)?从.{1,20}(?:变|换|转|熬|走到|做到|成).{0,12}的(?=\W*$)"
    r"|有(?:什么|哪些|过哪些)(?:起伏|波折|进展|起色)"
    r"|前前后后(?!.*多少)|始末|历程|一路走来|(?:进展|发展)(?:如何|怎么样|怎样)",
    r"从.{1,24}到.{1,24}(?:(?:怎么|如何|怎样).{0,12}(?:变|发展|一步步|过来的|决定)"
    r"|(?:怎么|如何|怎样)(?!走|去|坐|骑|开|到|来|回|过[去来]).{1,14}[的了](?=\W*$)|经历|阶段|过程)"
    r"|(?:变化|发展|演变|转变|恢复|成长)的?过程",
)
_ARC = re.compile("|".join(_DEVELOPMENT), re.IGNORECASE | re.DOTALL)
_OUTCOME = re.compile(
    rf"^{_DID}[^?.!,;:]*\b{_OCCASION}s?(?: (?:with|at|on|in|for|last|this|yesterday|today|tonight)\b"
    r"[^?.!,;:]*)? (?:go|turn out)\W*$",
    re.IGNORECASE,
)
# Read in this order: an earlier row wins.  "how many times" counts, "when … last" asks for order.
_INTENTS: tuple[tuple[Intent, re.Pattern[str]], ...] = (
    ("arc", _ARC),
    ("count", re.compile(r"\bhow many\b|\bhow often\b|\bnumber of\b|几次|多少(?:次|个|人|本|只)|几(?:个|回|本|只|人)", re.I)),
    ("last", re.compile(r"\b(?:when|who|what|which|where)\b.*\b(?:last time|most recent(?:ly)?|latest|last)\b|最后一次|最近一次|最后", re.I)),
    ("first", re.compile(r"\b(?:when|who|what|which|where)\b.*\b(?:first|earliest)\b|第一(?:次|回|位|[个個条條句](?![月星礼禮]))|最早|最先|首先|谁先", re.I)),
    ("when", WHEN_ASKED),
    ("list", re.compile(
        r"^(?:what|which)\b(?:\s+\w+){0,3}?\s+(?:kinds|types|sorts|(?!(?:does|was|has|his|this|its)\b)\w+[^s\W]s)\b|^(?:what|which) (?:are|were)\b|\blist\b|\ball (?:the|of)\b"
        r"|\b(?:both|each of)\b|哪些|有什么|分别|都(?:有|去|做|买|送)", re.I)),
)  # fmt: skip
# What is one of a kind in itself, so that no message is asked for that came first: "first prize".
_OF_A_KIND = (
    r"prizes?|class|languages?|goals?|anniversar(?:y|ies)|jobs?(?!\s+(?:interview|offer|appli))|names?"
    r"|aid|degree|floor|gear|communion|cousins?|lady|impressions?|resort|straw|minute"
    # "The last place they stayed at" is one of several.
    r"|place(?=\s*(?:[?!.,;]|$)|\s+(?:in|at|for|on|with|this|and|again|last|overall)\b)"
)
_RANKED = r"(?:c[ao]m(?:e|es|ing)|finish(?:es|ed|ing)?|plac(?:es?|ed|ing)|rank(?:s|ed|ing)?)"
_NO_ORDER = re.compile(
    rf"\blast\s+(?:(?:week|weekend|month|year|night|semester|term|\w+day)\b|{any_of(SEASONS)}\b"
    rf"|{any_of(MONTHS)}\b|{any_of(HOLIDAYS)}(?!\w))"
    rf"|\b(?:first|last)[\s-]+(?:{_OF_A_KIND})\b"
    rf"|\b{_RANKED}\s+(?:first|last)\b(?!\s+time\b)"
    r"|\bat\s+(?:first|(?:long\s+)?last)\b(?!\s+\w+ing\b)"
    r"|\bfirst\s+(?:of\s+all|and\s+foremost|things?\s+first)\b|\blast\s+but\s+not\s+least\b"
    r"|\bfirst\s+thing\s+(?:in|on|tomorrow)\b",
    re.IGNORECASE,
)
_READ = 400  # characters; the intent patterns look ahead, and a question is short
_WIDEST_WINDOW = timedelta(days=366)


def plan(given: Planning, names: Mapping[str, str]) -> Plan:
    """What the question asks for; the first query is the question without the people's names."""
    question = given.question.text.strip()
    who = named(question, names)
    intent = intent_of(who.neutral)
    # "first" and "mentioned" are no words that the message would hold.
    mention = mention_asked(question, names, given.chat.owner)
    query = mention.topic if mention else who.rest
    # Without the names: April cooks at any time.
    since, until = window(who.rest, given.chat, given.question.asked_at)
    limits = given.question.limits
    if only_saying(who.rest):
        if since is None and intent in ("first", "last"):
            since, until = _at_the_end(given, who.surely, last=intent == "last")
        elif since is None:
            since, until = _latest(who.rest, given)
        else:
            since, until = _last_reading(who, given) or (since, until)
        if since is not None and until is not None:
            # "What did Ana say on the 2nd?" asks for that day's messages and nothing else.
            limits = _within(limits, who.surely, since, until)
    return Plan(
        intent=intent,
        queries=(query,) if query else (),
        people=who.people,
        since=since,
        until=until,
        limits=limits,
    )


def _within(limits: Filter, people: tuple[str, ...], since: datetime, until: datetime) -> Filter:
    """The question's own limits, and these where they meet."""
    since = since if limits.since is None else max(since, limits.since)
    until = until if limits.until is None else min(until, limits.until)
    if since >= until:
        return limits
    return Filter(senders=limits.senders or people, since=since, until=until)


def _last_reading(who: Named, given: Planning) -> tuple[datetime, datetime] | None:
    """Of several readings of one time ("on the 29th") the last on which somebody asked for wrote.

    The hull of all would hold months of other days. None where there are not several.
    """
    chat = given.chat
    mentions, ranges = _readings(who.rest, chat, given.question.asked_at)
    if len(mentions) != 1 or len(ranges) < 2:
        return None
    wrote = {
        m.sent_at.astimezone(chat.zone).date()
        for m in chat.messages
        if (not who.surely or m.sender in who.surely) and given.question.limits.admits(m)
    }
    written = [r for r in ranges if any(day in r for day in wrote)]
    return moments([max(written or ranges, key=lambda r: r.last)], chat)


def _latest(rest: str, given: Planning) -> tuple[datetime | None, datetime | None]:
    """The last day that a bare weekday can mean: "what did Ana say on Friday?".

    Elsewhere it favours no time: what was done on a Friday may have been told on any day.
    """
    mentions, chat = find_times(rest), given.chat
    if len(mentions) != 1 or not chat.messages:
        return None, None
    asked_at = given.question.asked_at or chat.messages[-1].sent_at
    if given.question.limits.until is not None:
        asked_at = min(asked_at, given.question.limits.until)
    days = resolve(replace(mentions[0], lean="past"), asked_at.astimezone(chat.zone))
    return moments([days], chat) if days else (None, None)


def _at_the_end(
    given: Planning, people: tuple[str, ...], *, last: bool
) -> tuple[datetime | None, datetime | None]:
    """The moment of the first or last message (of the person named): "what did Greta say last?"."""
    messages = reversed(given.chat.messages) if last else given.chat.messages
    found = next(
        (
            m.sent_at
            for m in messages
            if m.kind not in ("system", "deleted")
            and (not people or m.sender in people)
            and given.question.limits.admits(m)
        ),
        None,
    )
    return (found, found + timedelta(seconds=1)) if found else (None, None)


def intent_of(question: str) -> Intent:
    """The kind of answer that the question's words ask for."""
    # "Last Friday" is a date and "first name" a kind of name: neither asks for one of several.
    text = simplified(_NO_ORDER.sub(" ", question[:_READ]))
    asked = (intent for intent, words in _INTENTS if words.search(text))
    if _OUTCOME.search(text):
        asked = (intent for intent in asked if intent != "arc")
    return next(asked, "fact")


def window(
    question: str, chat: Chat, asked_at: datetime | None = None
) -> tuple[datetime | None, datetime | None]:
    """The time the question speaks of, on the chat's own time line; (None, None) where it names none.

    The time line ends on the day the question was asked, where that is known, else with the chat.
    Of several readings (a bare day in a chat of many months) those count on which somebody wrote.
    Several of these give their hull if that is at most a year, else nothing: too wide a window
    favours nobody.
    """
    _, ranges = _readings(question, chat, asked_at)
    if not ranges:
        return None, None
    since, until = moments(ranges, chat)
    return (since, until) if until - since <= _WIDEST_WINDOW else (None, None)


def _readings(
    question: str, chat: Chat, asked_at: datetime | None
) -> tuple[Sequence[TimeMention], list[DayRange]]:
    """The times that a question speaks of, and all that they can mean on the chat's time line."""
    mentions = find_times(question)
    if not mentions or not chat.messages:
        return mentions, []
    days = chat.days
    today = days[-1] if asked_at is None else max(days[0], asked_at.astimezone(chat.zone).date())

    def written(found: DayRange) -> bool:
        return any(day in found for day in days)

    read: list[Read] = []
    for mention in mentions:
        found = resolve_on_timeline(mention, days[0], today)
        read.append((mention, [r for r in found if written(r)] or list(found)))
    if len(mentions) > 1:
        read = together(question, read, written)
    ranges = [r for _, found in read for r in found]
    if len(read) == 1:
        ranges = [reaching(question, read[0][0], r, DayRange(days[0], today)) for r in ranges]
    return [mention for mention, _ in read], ranges


def days_meant(question: str, chat: Chat, asked_at: datetime | None = None) -> DayRange | None:
    """The days of the one time that the question names; None where it names none or several.

    Of several readings ("on the 29th") the last on which somebody wrote.
    """
    mentions, ranges = _readings(question, chat, asked_at)
    if len(mentions) != 1 or not ranges:
        return None
    written = [r for r in ranges if any(day in r for day in chat.days)]
    return max(written or ranges, key=lambda r: r.last)


def moments(ranges: Sequence[DayRange], chat: Chat) -> tuple[datetime, datetime]:
    """From the first moment of all the days, in the chat's timezone, to that after the last."""
    since = datetime.combine(min(r.first for r in ranges), time.min, chat.zone)
    until = datetime.combine(max(r.last for r in ranges), time.min, chat.zone)
    return since, until + timedelta(days=1)
