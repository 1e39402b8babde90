"""Citations to exact spans: the model names a message and may quote it, code counts.

A quote is sought as it stands, else under NFKC, casefold and collapsed white space with the
offsets mapped back; the first occurrence in that message counts, and there is no edit distance.
What cannot be found becomes :class:`~sayso.core.models.Unsupported`, never nothing.
"""

import unicodedata
from collections.abc import Collection

from sayso.core.chat import Chat
from sayso.core.models import Answer, Citation, Claim, Draft, Evidence, Phase, Unsupported
from sayso.core.spans import CharacterSpan, document_id


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Where the quote stands in the text as ``[start, end)``, or None.

    Under folding, a boundary inside a character that folds to several takes the whole character.
    """
    at = text.find(quote)
    if quote and at >= 0:
        return at, at + len(quote)
    folded, origin = _fold(text)
    sought = _fold(quote)[0].strip(" ")
    at = folded.find(sought) if sought else -1
    if at < 0:
        return None
    return origin[at][0], origin[at + len(sought) - 1][1]


def resolve(draft: Draft, chat: Chat, candidates: Collection[int]) -> Answer:
    """The draft with every citation checked against the messages it names.

    ``candidates`` are the localIds that were retrieved: a citation of any other is unsupported.
    A draft none of whose citations hold is an abstention.
    """
    unsupported: list[Unsupported] = []

    def checked(citations: tuple[Citation, ...]) -> tuple[Evidence, ...]:
        found = []
        for citation in citations:
            match cite(citation, chat, candidates):
                case Unsupported() as failed:
                    unsupported.append(failed)
                case evidence:
                    found.append(evidence)
        return tuple(dict.fromkeys(found))

    claims = tuple(Claim(text=c.text, evidence=checked(c.citations)) for c in draft.claims)
    phases = []
    for phase in draft.phases:
        evidence = _in_order(checked(phase.citations))
        if evidence:
            phases.append(
                Phase(
                    title=phase.title,
                    summary=phase.summary,
                    start=evidence[0].sent_at,
                    end=evidence[-1].sent_at,
                    evidence=evidence,
                )
            )
    phases.sort(key=lambda p: (p.start, p.end))
    found = [e for c in claims for e in c.evidence] + [e for p in phases for e in p.evidence]
    return Answer(
        text=draft.answer,
        evidence=_in_order(tuple(found)),
        claims=claims,
        phases=tuple(phases),
        unsupported=tuple(unsupported),
        abstained=draft.abstained or not found,
    )


def cite(citation: Citation, chat: Chat, candidates: Collection[int]) -> Evidence | Unsupported:
    """The evidence that the citation points at, or why it does not hold."""
    message = chat.by_id.get(citation.local_id)
    if message is None or citation.local_id not in candidates:
        reason = "no such message in this chat" if message is None else "was not retrieved"
        return Unsupported(local_id=citation.local_id, quote=citation.quote, reason=reason)
    whole = (0, len(message.text))
    found = whole if citation.quote is None else locate(citation.quote, message.text)
    if found is None:
        return Unsupported(
            local_id=citation.local_id,
            quote=citation.quote,
            reason="the quote is not in that message",
        )
    start, end = found
    span = CharacterSpan(
        document_id(chat.chat_id, message.local_id), start, end, message.text[start:end]
    )
    return Evidence(
        local_id=message.local_id,
        sender=message.sender,
        sent_at=message.sent_at,
        doc_id=span.doc_id,
        start=span.start,
        end=span.end,
        quote=message.text[start:end],
    )


def _in_order(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    return tuple(
        sorted(dict.fromkeys(evidence), key=lambda e: (e.sent_at, e.local_id, e.start, e.end))
    )


def _fold(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The folded text and, for each of its characters, the range it came from.

    NFKC composes across characters, so those that it can join fold together.
    """
    out: list[str] = []
    origin: list[tuple[int, int]] = []
    i = 0
    while i < len(text):
        j = i + 1
        while j < len(text) and _joins(text, i, j):
            j += 1
        for char in unicodedata.normalize("NFKC", text[i:j]).casefold():
            if not char.isspace():
                out.append(char)
                origin.append((i, j))
            elif out and out[-1] == " ":
                origin[-1] = (origin[-1][0], j)
            else:
                out.append(" ")
                origin.append((i, j))
        i = j
    return "".join(out), origin


def _joins(text: str, start: int, at: int) -> bool:
    """Whether NFKC may treat the character there as one with those from ``start`` on.

    Combining marks join, and so do the vowels and finals of Korean syllables stored in parts,
    which are no marks but compose all the same.
    """
    char = text[at]
    if char.isascii():
        return False
    if unicodedata.combining(char):
        return True
    before = text[start:at]
    apart = unicodedata.normalize("NFKC", before) + unicodedata.normalize("NFKC", char)
    return unicodedata.normalize("NFKC", before + char) != apart
