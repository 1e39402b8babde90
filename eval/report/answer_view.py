"""An answer as it was given: its words, its claims and phases and the messages cited, what failed."""

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from eval.report.markup import clipped, h, said
from sayso.core.models import Answer, Evidence

_MOST_ANSWER = 4000
_MOST_CLAIMS = 12


def answer_view(answer: Answer) -> list[Element]:
    """The parts of one mode's answer, in reading order; claims and phases closed at first."""
    parts = []
    if answer.abstained:
        parts.append(h("p", h("span", "abstained", class_="badge")))
    if answer.text:
        parts.append(said(clipped(answer.text, _MOST_ANSWER), "p", class_="text"))
    # Claims that the text has word for word say nothing new, but for what they cite.
    if answer.claims:
        claims = [
            h("li", h("bdi", clipped(c.text, 300)), _cited(c.evidence))
            for c in answer.claims[:_MOST_CLAIMS]
        ]
        more = len(answer.claims) - _MOST_CLAIMS
        parts.append(
            h(
                "details",
                h(
                    "summary",
                    f"{len(answer.claims)} claim{'s' if len(answer.claims) != 1 else ''} and the messages cited",
                ),
                h("ul", claims),
                h("p", f"{more} more claims are left out", class_="note") if more > 0 else None,
            )
        )
    if answer.phases:
        phases = [
            h(
                "li",
                h("b", h("bdi", phase.title)),
                f" {phase.start:%Y-%m-%d} – {phase.end:%Y-%m-%d} ",
                h("bdi", clipped(phase.summary, 300)),
                _cited(phase.evidence),
            )
            for phase in answer.phases
        ]
        words = f"{len(phases)} phase{'s' if len(phases) != 1 else ''} and the messages cited"
        parts.append(h("details", h("summary", words), h("ul", phases)))
    for one in answer.unsupported:
        quote = f"“{clipped(one.quote, 200)}”" if one.quote else "its whole text"
        parts.append(
            h(
                "p",
                f"Did not hold: #{one.local_id} ",
                h("bdi", quote),
                f" ({one.reason})",
                class_="note",
            )
        )
    return parts


def _cited(evidence: Sequence[Evidence]) -> Element | None:
    if not evidence:
        return h("span", " cites nothing", class_="note")
    return h("span", f" {ids_of([e.local_id for e in evidence])}", class_="cost")


def ids_of(ids: Sequence[int]) -> str:
    """``#3, #8``, each once; "nothing" for none."""
    return ", ".join(f"#{i}" for i in dict.fromkeys(ids)) or "nothing"
