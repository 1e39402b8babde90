"""The extractive generator: chosen messages → a short answer out of quoted sentences."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sayso.core.chat import Message
from sayso.core.models import Citation, Draft, DraftClaim, Graded
from sayso.core.seams import Narrating
from sayso.core.sentences import sentences
from sayso.core.time_expressions import days_spoken_of, has_time
from sayso.reasoning.answer_types import asked
from sayso.reasoning.arcs import arc_draft
from sayso.reasoning.choosing import chosen
from sayso.reasoning.phrase_words import words
from sayso.reasoning.phrases import answer_span
from sayso.reasoning.phrasing import Phrases, day_words, phrases_for, said_by
from sayso.weights import Weights


def narrate(given: Narrating, weights: Weights) -> Draft:
    """The answer with a claim a message; an abstention where nothing reaches the bar."""
    phrases = phrases_for(given.question.text)
    if given.plan.intent == "arc":
        return arc_draft(given, weights)
    cited = chosen(given, weights)
    if not cited:
        return Draft(answer=phrases.nothing, abstained=True)
    return _draft(given, _ordered(given, cited), phrases, weights)


_OCCASIONS = re.compile(r"\bhow many times\b|\bhow often\b|几次|多少次|几回", re.IGNORECASE)


class Quote(NamedTuple):
    """The words of a message that answer, None for all of it, and what to show of it.

    ``cited`` stands in the text where :func:`sayso.core.citing.locate` looks for it.
    """

    cited: str | None
    shown: str


def quote_of(message: Message, question: str, people: Sequence[str], weights: Weights) -> Quote:
    """The phrase of the message that answers, shown with the sentence that it stands in.

    A message without text is cited whole and shown by its caption, if it has one.
    """
    text = message.text
    if not text.strip():
        return Quote(None, message.caption or "")
    span = answer_span(question, text, people=people, weights=weights)
    if span is None:
        return Quote(None, text)
    start, end = span
    around = [s for s in sentences(text) if s[0] < end and start < s[1]]
    first, last = min(start, around[0][0]), max(end, around[-1][1])
    # A quote is sought from the start of the message: one that stands there before is made longer.
    for cited in ((start, end), (start, last), (first, last)):
        if text.find(text[slice(*cited)]) == cited[0]:
            return Quote(text[slice(*cited)], text[first:last])
    return Quote(None, text[first:last])


def _ordered(given: Narrating, cited: Sequence[Graded]) -> list[Message]:
    """As chosen (most relevant first, or first by order); several by time where they are counted."""
    messages = [given.chat.by_id[g.local_id] for g in cited]
    match given.plan.intent:
        case "count" | "list":
            return sorted(messages, key=lambda m: m.order)
        case _:
            return messages


def _draft(
    given: Narrating, messages: Sequence[Message], phrases: Phrases, weights: Weights
) -> Draft:
    people = [name for p in given.chat.participants for name in (p.name, *p.aliases)]
    quotes = [quote_of(m, given.question.text, people, weights) for m in messages]
    lines = [said(given, m, quote.shown) for m, quote in zip(messages, quotes, strict=True)]
    claims = [
        DraftClaim(text=line, citations=(Citation(local_id=m.local_id, quote=quote.cited),))
        for m, quote, line in zip(messages, quotes, lines, strict=True)
    ]
    match given.plan.intent:
        case "count":
            told = _tells_how_many(given, messages, quotes)
            head = lines[told] if told is not None else phrases.count.format(n=len(messages))
            answer = "\n".join([head, *(f"- {x}" for i, x in enumerate(lines) if i != told)])
        case "first" | "last" as end:
            head = getattr(phrases, end).format(said=lines[0])
            answer = "\n".join([head, *(f"- {line}" for line in lines[1:])])
        case "when":
            when = _when(given, messages[0], quotes[0].cited)
            head = phrases.when.format(when=when, said=lines[0]) if when else lines[0]
            answer = "\n".join([head, *(f"- {line}" for line in lines[1:])])
        case _ if len(lines) > 1:
            answer = "\n".join(
                [phrases.several.format(n=len(lines)), *(f"- {line}" for line in lines)]
            )
        case _:
            answer = lines[0]
    return Draft(answer=answer, claims=tuple(claims))


def _tells_how_many(
    given: Narrating, messages: Sequence[Message], quotes: Sequence[Quote]
) -> int | None:
    """Which message answers with a number itself, the most relevant of them: then none is counted.

    None where occasions are asked for, since a message tells of one.
    """
    if _OCCASIONS.search(given.question.text):
        return None
    relevance = {g.local_id: g.relevance for g in given.graded}
    telling = [
        i for i, q in enumerate(quotes) if q.cited and any(w.mark == "N" for w in words(q.cited))
    ]
    return max(telling, key=lambda i: relevance[messages[i].local_id], default=None)


def said(given: Narrating, message: Message, shown: str) -> str:
    """One line that says who wrote what and when."""
    day = day_words(message.sent_at.astimezone(given.chat.zone), given.question.text)
    return said_by(message, shown, day, given.question.text)


def _when(given: Narrating, message: Message, cited: str | None) -> str | None:
    """The time that the message speaks of, else the day on which it was sent.

    A day, or in the message's own words how long or at what hour; None where it does not say that.
    """
    question = given.question.text
    if asked(question).kind in ("duration", "clock"):
        return cited if cited and has_time(cited) else None
    sent = message.sent_at.astimezone(given.chat.zone)
    # The phrase that answers may be one of several times in the message.
    spoken = days_spoken_of(cited or "", sent) or days_spoken_of(message.text, sent)
    if not spoken:
        return day_words(sent, question)
    first, last = (day_words(d, question) for d in (spoken[0].first, spoken[0].last))
    if first == last:
        return first
    return phrases_for(question).period.format(first=first, last=last)
