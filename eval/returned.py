"""What another system returned for a case, and the trail that one of our modes would have left."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, StrictBool, StrictInt, StrictStr

from eval.cases import Id, ReadyCase
from eval.gold import resolve
from sayso.core.chat import Chat
from sayso.core.models import Answer, Candidate, Claim, Evidence, Plan, Question, Unsupported
from sayso.core.spans import document_id
from sayso.core.trail import Trail
from sayso.core.value import Value


class Cited(Value):
    """A message, and the characters ``[start, end)`` of it; both None = the whole text."""

    local_id: StrictInt | None = None
    source_id: StrictStr | None = None
    start: StrictInt | None = Field(default=None, ge=0)
    end: StrictInt | None = Field(default=None, ge=0)


class Returned(Value):
    """What a system returned for one case."""

    case_id: StrictStr
    evidence: tuple[Id | Cited, ...] = ()
    ranking: tuple[Id, ...] | None = None
    answer: StrictStr = ""
    abstained: StrictBool | None = None  # None: it abstains by returning nothing
    seconds: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] = 0.0


def trail_of(returned: Returned, ready: ReadyCase, mode: str) -> Trail:
    """The trail as one of our modes would have left it; ids that name no message are unsupported."""
    chat = ready.chat
    evidence: list[Evidence] = []
    lost: list[Unsupported] = []
    for given in returned.evidence:
        cited = given if isinstance(given, Cited) else _whole(given)
        found = _cite(cited, chat)
        if isinstance(found, Unsupported):
            lost.append(found)
        else:
            evidence += found
    once = tuple(dict.fromkeys(sorted(evidence, key=lambda e: (e.sent_at, e.local_id, e.start))))
    ranked = returned.ranking
    if ranked is None:
        ranked = tuple(given for given in map(_named, returned.evidence) if given is not None)
    ids = _ranked(ranked, chat)
    abstained = returned.abstained if returned.abstained is not None else not once
    return Trail(
        question=Question(text=ready.case.question, chat_id=chat.chat_id),
        mode=mode,
        plan=Plan(intent="fact", queries=()),
        ranking=tuple(
            Candidate(chat_id=chat.chat_id, local_id=local_id, score=-float(rank))
            for rank, local_id in enumerate(ids)
        ),
        rounds=(),
        graded=(),
        answer=Answer(
            text=returned.answer,
            evidence=once,
            claims=(Claim(text=returned.answer, evidence=once),) if returned.answer else (),
            unsupported=tuple(lost),
            abstained=abstained,
        ),
        steps=(),
        stop_reason="single pass",
    )


def _ranked(given: Sequence[Id], chat: Chat) -> list[int]:
    """The localIds, each at its best rank; an id that names none keeps its rank as a number below 0.

    Were it dropped, all behind it would move up, and the ranking would score better for it.
    """
    places: dict[int, None] = {}
    strangers: dict[Id, int] = {}
    for one in given:
        found = resolve((one,), chat).local_ids
        if not found:
            found = (strangers.setdefault(one, -1 - len(strangers)),)
        places |= dict.fromkeys(found)
    return list(places)


def _named(cited: Id | Cited) -> Id | None:
    if not isinstance(cited, Cited):
        return cited
    return cited.source_id if cited.local_id is None else cited.local_id


def _whole(given: Id) -> Cited:
    return Cited(local_id=given) if isinstance(given, int) else Cited(source_id=given)


def _cite(cited: Cited, chat: Chat) -> list[Evidence] | Unsupported:
    given = _named(cited)
    ids = resolve((given,), chat).local_ids if given is not None else ()
    if not ids:
        number = given if isinstance(given, int) and given > 0 else 0
        return Unsupported(local_id=number, quote=None, reason=f"{given!r} names no message")
    found = []
    for local_id in ids:
        message = chat.by_id[local_id]
        start = cited.start or 0
        end = len(message.text) if cited.end is None else cited.end
        if not start <= end <= len(message.text):
            return Unsupported(
                local_id=local_id,
                quote=None,
                reason=f"[{start}, {end}) is not within its {len(message.text)} characters",
            )
        found.append(
            Evidence(
                local_id=local_id,
                sender=message.sender,
                sent_at=message.sent_at,
                doc_id=document_id(chat.chat_id, local_id),
                start=start,
                end=end,
                quote=message.text[start:end],
            )
        )
    return found
