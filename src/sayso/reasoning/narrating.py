"""The extractive generator: chosen messages → a short answer out of quoted sentences."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sayso.core.chat import Message
from sayso.core.models import Citation, Draft, DraftClaim, Graded
from sayso.core.seams import Narrating
from sayso.core.sentences import sentences
from sayso.core.time_expressions import find_times
from sayso.core.time_words import NUMBERS
from sayso.reasoning.arcs import arc_draft
from sayso.reasoning.choosing import MOST, MOST_WIDE, chosen
from sayso.reasoning.phrase_words import words
from sayso.reasoning.phrases import answer_span
from sayso.reasoning.phrasing import Phrases, day_words, phrases_for, said_by
from sayso.reasoning.planning import intent_of
from sayso.reasoning.reading_closely import names_in
from sayso.reasoning.replied import with_reply
from sayso.reasoning.telling_when import Told, told_when
from sayso.weights import Weights


def narrate(given: Narrating, weights: Weights) -> Draft:
    """The answer with a claim a message; an abstention where nothing reaches the bar."""
    phrases = phrases_for(given.question.text)
    if given.plan.intent == "arc":
        return arc_draft(given, weights)
    most = MOST_WIDE if given.question.recall else MOST
    cited = chosen(given, weights)
    plan = given.plan
    cited = with_reply(given.chat, cited, given.graded, plan.intent, most=most, people=plan.people)
    if not cited:
        return Draft(answer=phrases.nothing, abstained=True)
    return _draft(given, _ordered(given, cited), phrases, weights)


_OCCASIONS = re.compile(r"\bhow many times\b|\bhow often\b|几次|多少次|几回", re.IGNORECASE)
# "The first week of January" is a time.
_STRETCH = re.compile(
    r"\b(?:first|last)\s+(?:few\s+|two\s+|three\s+)?(?:days|weeks?|weekend|months?|half|part)\s+(?:of|in)\b"
    r"|第一(?:周|个?星期|个月)",
    re.IGNORECASE,
)
_SO_OFTEN = re.compile(
    rf"(?<!last )(?<!next )(?<!first )\b(?:\d{{1,3}}|{'|'.join(NUMBERS)}) times\b|\b(?:just|only) once\b"
    r"|\btwice\b|[一二两三四五六七八九十百\d](?:次|回|遍)",
    re.IGNORECASE,
)


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
    people = names_in(given.chat)
    quotes = [quote_of(m, given.question.text, people, weights) for m in messages]
    when = None
    if given.plan.intent == "when":
        first, zone = messages[0], given.chat.zone
        when = told_when(given.question.text, zone, first, quotes[0].cited)
        quotes[0] = _with_time(quotes[0], first.text, when)
    lines = [said(given, m, quote.shown) for m, quote in zip(messages, quotes, strict=True)]
    claims = [
        DraftClaim(text=line, citations=(Citation(local_id=m.local_id, quote=quote.cited),))
        for m, quote, line in zip(messages, quotes, lines, strict=True)
    ]
    match given.plan.intent:
        case "count":
            told = _tells_how_many(given, messages, quotes)
            head = lines[told] if told is not None else _counted(phrases, len(messages))
            answer = "\n".join([head, *(f"- {x}" for i, x in enumerate(lines) if i != told)])
        case "first" | "last" as end if _at_that_end(given.question.text, messages, end):
            head = getattr(phrases, end).format(said=lines[0])
            answer = "\n".join([head, *(f"- {line}" for line in lines[1:])])
        case "when":
            head = phrases.when.format(when=when.words, said=lines[0]) if when else lines[0]
            answer = "\n".join([head, *(f"- {line}" for line in lines[1:])])
        case _ if len(lines) > 1:
            answer = "\n".join(
                [phrases.several.format(n=len(lines)), *(f"- {line}" for line in lines)]
            )
        case _:
            answer = lines[0]
    return Draft(answer=answer, claims=tuple(claims))


def _with_time(quote: Quote, text: str, when: Told | None) -> Quote:
    """The quote shown as far as the words that the time of the answer was read from."""
    if when is None or when.mention is None:
        return quote
    at = max(0, text.find(quote.shown))
    spans = [(at, at + len(quote.shown))]
    spans += [s for s in sentences(text) if s[0] < when.mention.end and when.mention.start < s[1]]
    return quote._replace(shown=text[min(s[0] for s in spans) : max(s[1] for s in spans)])


def _counted(phrases: Phrases, n: int) -> str:
    """Messages are what is counted: which of them tell of the same thing is not known."""
    return phrases.count_one if n == 1 else phrases.count.format(n=n)


def _at_that_end(question: str, messages: Sequence[Message], end: str) -> bool:
    """Whether nothing that is cited lies before the first named, or after the last named.

    Nothing is called the first where the question only names a time by that word.
    """
    orders = [m.order for m in messages]
    if orders[0] != (min(orders) if end == "first" else max(orders)):
        return False
    return not _STRETCH.search(question) or intent_of(_STRETCH.sub(" ", question)) == end


def _tells_how_many(
    given: Narrating, messages: Sequence[Message], quotes: Sequence[Quote]
) -> int | None:
    """Which message answers with a number itself, the most relevant of them: then none is counted.

    Where occasions are asked for, it has to tell how often: a message may tell of one of them.
    """
    tells = _tells_how_often if _OCCASIONS.search(given.question.text) else _tells_a_number
    relevance = {g.local_id: g.relevance for g in given.graded}
    telling = [i for i, quote in enumerate(quotes) if tells(quote)]
    return max(telling, key=lambda i: relevance[messages[i].local_id], default=None)


def _tells_a_number(quote: Quote) -> bool:
    return bool(quote.cited) and any(w.mark == "N" for w in words(quote.cited or ""))


def _tells_how_often(quote: Quote) -> bool:
    return bool(_SO_OFTEN.search(quote.shown)) or any(
        mention.kind == "frequency" for mention in find_times(quote.shown)
    )


def said(given: Narrating, message: Message, shown: str) -> str:
    """One line that says who wrote what and when."""
    day = day_words(message.sent_at.astimezone(given.chat.zone), given.question.text)
    return said_by(message, shown, day, given.question.text)
