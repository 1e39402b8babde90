"""The extractive generator: chosen messages → a short answer out of quoted sentences."""

from collections.abc import Sequence

from sayso.core.models import Citation, Draft, DraftClaim, Graded, Message
from sayso.core.seams import Narrating
from sayso.core.sentences import content_words, sentences
from sayso.core.time_expressions import days_spoken_of
from sayso.reasoning.arcs import arc_draft
from sayso.reasoning.choosing import chosen
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
    return _draft(given, _ordered(given, cited), phrases)


def quote_of(message: Message, question: str) -> str | None:
    """The sentence of the message that shares most with the question; None to cite it whole.

    Ties go to the earlier sentence. A message of one sentence, or none, is cited whole.
    """
    spans = sentences(message.text)
    if len(spans) < 2:
        return None
    asked = set(content_words(question))
    start, end = max(
        spans,
        key=lambda s: (len(asked.intersection(content_words(message.text[slice(*s)]))), -s[0]),
    )
    return message.text[start:end]


def _ordered(given: Narrating, cited: Sequence[Graded]) -> list[Message]:
    """As chosen (most relevant first, or first by order); several by time where they are counted."""
    messages = [given.chat.by_id[g.local_id] for g in cited]
    match given.plan.intent:
        case "count" | "list":
            return sorted(messages, key=lambda m: m.order)
        case _:
            return messages


def _draft(given: Narrating, messages: Sequence[Message], phrases: Phrases) -> Draft:
    question = given.question.text
    claims, lines = [], []
    for message in messages:
        quote = quote_of(message, question)
        line = said(given, message, quote)
        lines.append(line)
        citation = Citation(local_id=message.local_id, quote=quote)
        claims.append(DraftClaim(text=line, citations=(citation,)))
    match given.plan.intent:
        case "count":
            head = phrases.count.format(n=len(messages))
            answer = "\n".join([head, *(f"- {line}" for line in lines)])
        case "first" | "last" as end:
            head = getattr(phrases, end).format(said=lines[0])
            answer = "\n".join([head, *(f"- {line}" for line in lines[1:])])
        case "when":
            head = phrases.when.format(when=_when(given, messages[0]), said=lines[0])
            answer = "\n".join([head, *(f"- {line}" for line in lines[1:])])
        case _ if len(lines) > 1:
            answer = "\n".join(
                [phrases.several.format(n=len(lines)), *(f"- {line}" for line in lines)]
            )
        case _:
            answer = lines[0]
    return Draft(answer=answer, claims=tuple(claims))


def said(given: Narrating, message: Message, quote: str | None) -> str:
    """One line that says who wrote what and when."""
    day = day_words(message.sent_at.astimezone(given.chat.zone), given.question.text)
    text = quote or message.text
    shown = text if text.strip() else message.caption or ""
    return said_by(message, shown, day, given.question.text)


def _when(given: Narrating, message: Message) -> str:
    """The day that the message speaks of, else the day on which it was sent."""
    sent = message.sent_at.astimezone(given.chat.zone)
    spoken = days_spoken_of(message.text, sent)
    if not spoken:
        return day_words(sent, given.question.text)
    first, last = (day_words(d, given.question.text) for d in (spoken[0].first, spoken[0].last))
    if first == last:
        return first
    return phrases_for(given.question.text).period.format(first=first, last=last)
