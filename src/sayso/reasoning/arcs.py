"""How something evolved: the relevant messages in order of time, parted into phases."""

from sayso.core.models import Citation, Draft, DraftPhase
from sayso.core.seams import Narrating
from sayso.reasoning.arc_choice import told
from sayso.reasoning.arc_phases import parts
from sayso.reasoning.arc_titles import lead_of, summary_of, title_of
from sayso.reasoning.phrasing import day_words, phrases_for
from sayso.weights import Weights


def arc_draft(given: Narrating, weights: Weights) -> Draft:
    """Two to five phases where the messages allow, each titled by what changed in it.

    An abstention where the chat does not hold the development.
    """
    question, zone = given.question.text, given.chat.zone
    phrases = phrases_for(question)
    chosen = told(given, weights)
    if not chosen:
        return Draft(answer=phrases.nothing, abstained=True)
    relevance = {t.message.local_id: t.relevance for t in chosen}
    messages = sorted((t.message for t in chosen), key=lambda m: m.order)
    phases = []
    for part in parts(messages):
        lead = lead_of(part, relevance, question)
        summary = summary_of(part, lead, relevance, zone, question)
        phases.append(
            DraftPhase(
                title=title_of(lead, question) or summary,
                summary=summary,
                citations=tuple(Citation(local_id=m.local_id) for m in part),
            )
        )
    first, last = (
        day_words(m.sent_at.astimezone(zone), question) for m in (messages[0], messages[-1])
    )
    head = [phrases.arc.format(n=len(phases), first=first, last=last)] if len(phases) > 1 else []
    lines = [f"{i}. {p.title} — {p.summary}" for i, p in enumerate(phases, start=1)]
    return Draft(answer="\n".join([*head, *lines]), phases=tuple(phases))
