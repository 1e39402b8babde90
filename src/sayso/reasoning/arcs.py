"""How something evolved: the relevant messages in order of time, parted into phases."""

import itertools
from collections.abc import Sequence

from sayso.core.models import Citation, Draft, DraftPhase, Message
from sayso.core.seams import Narrating
from sayso.core.sentences import content_words, sentences
from sayso.reasoning.choosing import wide_cut
from sayso.reasoning.phrasing import day_words, is_chinese, phrases_for, said_by
from sayso.weights import Weights

_MOST_PHASES = 5
_TITLE_WORDS = 9
_TITLE_CHARACTERS = 70
_TITLE_HAN = 24
_SAME_PHASE_SECONDS = 6 * 3600


def arc_draft(given: Narrating, weights: Weights) -> Draft:
    """Two to five phases where the messages allow, each titled by what its best message says."""
    phrases = phrases_for(given.question.text)
    chosen = wide_cut(
        given.graded, int(weights.cuts["arc_most"]), weights.cuts["arc_relevance"]
    ) or tuple(given.graded[:1])
    relevance = {g.local_id: g.relevance for g in chosen}
    messages = sorted((given.chat.by_id[g.local_id] for g in chosen), key=lambda m: m.order)
    phases = tuple(_phase(given, part, relevance) for part in parts(messages))
    days = [
        day_words(m.sent_at.astimezone(given.chat.zone), given.question.text)
        for m in (messages[0], messages[-1])
    ]
    head = phrases.arc.format(n=len(phases), first=days[0], last=days[1])
    lines = [f"{i}. {p.title} — {p.summary}" for i, p in enumerate(phases, start=1)]
    return Draft(answer="\n".join([head, *lines]), phases=phases)


def parts(messages: Sequence[Message]) -> list[list[Message]]:
    """Messages in order of time, cut at the widest silences into at most five runs.

    Messages within six hours of each other stay together.
    """
    gaps = [
        ((b.sent_at - a.sent_at).total_seconds(), i)
        for i, (a, b) in enumerate(itertools.pairwise(messages), start=1)
    ]
    wide = sorted((g for g in gaps if g[0] > _SAME_PHASE_SECONDS), key=lambda g: (-g[0], g[1]))
    cuts = sorted(i for _, i in wide[: _MOST_PHASES - 1])
    return [list(messages[a:b]) for a, b in zip([0, *cuts], [*cuts, len(messages)], strict=True)]


def _phase(
    given: Narrating, messages: Sequence[Message], relevance: dict[int, float]
) -> DraftPhase:
    question = given.question.text
    lead = max(messages, key=lambda m: (_has_words(m), relevance[m.local_id], -m.local_id))
    day = day_words(lead.sent_at.astimezone(given.chat.zone), question)
    text = _lead_sentence(lead, question)
    summary = said_by(lead, text, day, question)
    return DraftPhase(
        title=_title(text) or summary,
        summary=summary,
        citations=tuple(Citation(local_id=m.local_id) for m in messages),
    )


def _has_words(message: Message) -> bool:
    return bool(message.text.strip() or (message.caption or "").strip())


def _lead_sentence(message: Message, question: str) -> str:
    text = message.text if message.text.strip() else message.caption or ""
    asked = set(content_words(question))
    spans = sentences(text)
    if not spans:
        return ""
    start, end = max(
        spans, key=lambda s: (len(asked.intersection(content_words(text[slice(*s)]))), -s[0])
    )
    return " ".join(text[start:end].split())


def _title(sentence: str) -> str:
    """The head of a sentence, cut at a word (or a character, in a script without spaces)."""
    short = " ".join(sentence.split(" ")[:_TITLE_WORDS])
    most = _TITLE_HAN if is_chinese(sentence) else _TITLE_CHARACTERS
    short = short[:most].rstrip()
    return short + "…" if len(short) < len(sentence) else short
