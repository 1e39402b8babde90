"""A model's replies as the core's values: plans, gaps, drafts; what cannot be meant is noted."""

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal, cast, get_args

from sayso.core.chat import Chat, Message
from sayso.core.citing import locate
from sayso.core.models import (
    Aspect,
    Citation,
    Draft,
    DraftClaim,
    DraftPhase,
    Filter,
    Gap,
    Intent,
    Plan,
)
from sayso.core.people import named
from sayso.core.seams import Planning
from sayso.reasoning.fencing import as_stored, one_line
from sayso.reasoning.replies_wire import AnswerReply, Cite, GradesReply, PlanReply, SubQuery
from sayso.reasoning.showing import Shown

MOST_QUERIES = 6
_NAMED = 10  # of the numbers that no message has
_LONGEST_QUERY = 300
_DAY = re.compile(r"\s*(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?![\d])")
_FIRST_YEAR, _LAST_YEAR = 1900, 2999
_SPEAKER = re.compile(r"(?:\[\d+\]\s*)?(?:\d{4}-\d\d-\d\d \d\d:\d\d\s*)?[^:：]{1,60}[:：]\s*")
_MARKS = "\"'“”‘’«»„‟「」『』 "
_CUT = re.compile(r"\s*(?:\[?(?:…|\.{3})\]?)\s*$")
_KINDS = get_args(Literal["aspect", "person", "time", "message"])


@dataclass(frozen=True)
class Reader:
    """Reads replies about one chat; ``names`` as of :func:`sayso.core.people.known_names`."""

    chat: Chat
    names: Mapping[str, str]

    def people(self, said: Iterable[str]) -> tuple[str, ...]:
        """The participants meant, each once; a name that nobody bears names nobody."""
        exact = {name.casefold(): name for name in self.chat.names}
        found: dict[str, None] = {}
        for name in dict.fromkeys(said):
            if name.strip().casefold() in exact:
                found.setdefault(exact[name.strip().casefold()])
            else:  # not the first word: there a capital letter would say nothing
                found.update(dict.fromkeys(named(f"by {name}", self.names).people))
        return tuple(found)

    def window(
        self, since: str | None, until: str | None
    ) -> tuple[datetime | None, datetime | None]:
        """From the start of the first day to the end of the last; (None, None) if back to front."""
        first, last = _days(since), _days(until)
        start = self._midnight(first[0]) if first else None
        end = self._midnight(last[1] + timedelta(days=1)) if last else None
        return (None, None) if start and end and start >= end else (start, end)

    def _midnight(self, day: date) -> datetime:
        return datetime.combine(day, time.min, self.chat.zone)

    def plan(self, reply: PlanReply, base: Plan, given: Planning) -> Plan:
        """The base with the model's intent, people, window and searches; limits always stay."""
        window = self.window(reply.since, reply.until)
        since, until = window if window != (None, None) else (base.since, base.until)
        intent = reply.intent.strip().casefold()
        return base.model_copy(
            update={
                "intent": cast("Intent", intent) if intent in get_args(Intent) else base.intent,
                "aspects": tuple(self._aspects(reply.queries)),
                "people": self.people(reply.people) or base.people,
                "since": since,
                "until": until,
                "limits": self._limits(base, given.question.limits, (since, until)),
            }
        )

    def _limits(
        self, base: Plan, own: Filter, window: tuple[datetime | None, datetime | None]
    ) -> Filter:
        """Rules may limit a search to the days that they read: not if the model reads others."""
        return base.limits if window == (base.since, base.until) else own

    def _aspects(self, queries: Sequence[SubQuery]) -> list[Aspect]:
        made: dict[str, Aspect] = {}
        for query in queries:
            text = one_line(query.text, _LONGEST_QUERY)
            if text and len(made) < MOST_QUERIES:
                since, until = self.window(query.since, query.until)
                made.setdefault(
                    text.casefold(),
                    Aspect.model_validate(
                        {
                            "kind": query.kind if query.kind in _KINDS else "aspect",
                            "text": text,
                            "people": self.people(query.people),
                            "since": since,
                            "until": until,
                        }
                    ),
                )
        return list(made.values())

    def gap(self, reply: GradesReply, *, first: bool = True) -> Gap | None:
        """What is missing and how to look for it; None where the model is content.

        In the first round what is missing is a search of its own where the model writes none; later
        a model that writes none has no new idea.
        """
        if reply.missing is None:
            return None
        missing = one_line(reply.missing, _LONGEST_QUERY)
        aspects = self._aspects(reply.queries)
        windows = [(a.since, a.until) for a in aspects]
        one_window = windows[0] if len(set(windows)) == 1 else (None, None)
        people = {a.people for a in aspects}
        return Gap(
            missing=missing,
            queries=tuple(a.text for a in aspects) or ((missing,) if first else ()),
            # Searched as one: whom or when only one of them means would mislead the others.
            people=aspects[0].people if len(people) == 1 else (),
            since=one_window[0],
            until=one_window[1],
        )


@dataclass(frozen=True)
class DraftRead:
    """A draft and what there is to say of how it was read."""

    draft: Draft
    notes: tuple[str, ...] = ()


def draft_of(reply: AnswerReply, shown: Shown, chat: Chat) -> DraftRead:
    """The reply with numbers turned into localIds.

    A number that no line had becomes a localId that no message has, so that it ends among the
    unsupported citations. One that says it found nothing is an abstention without citations.
    """
    if reply.nothing_found:
        held = f"says that nothing was found, and cites {len(reply.cites)} all the same: not kept"
        draft = Draft(answer=reply.answer.strip(), abstained=True)
        return DraftRead(draft, (f"the model {held}",) if reply.cites else ())
    strangers = sorted({c.n for c in reply.cites if shown.local_id(c.n) is None})
    notes = tuple(
        f"the model cites [{n}], but the numbers go from 1 to {len(shown.numbers)}"
        for n in strangers[:_NAMED]
    )
    if strangers[_NAMED:]:
        notes += (f"and {len(strangers) - _NAMED} more such numbers",)
    draft = Draft(
        answer=reply.answer.strip(),
        claims=tuple(
            DraftClaim(
                text=claim.text.strip() or reply.answer.strip(),
                citations=_citations(claim.cite, shown, chat),
            )
            for claim in reply.claims
        ),
        phases=tuple(
            DraftPhase(
                title=one_line(phase.title),
                summary=phase.summary.strip(),
                citations=_citations(phase.cite, shown, chat),
            )
            for phase in reply.phases
        ),
    )
    return DraftRead(draft, notes)


def relevances(reply: GradesReply) -> dict[int, float]:
    """Each number's grade as a share of the best grade; grades may be 0 to 3, or parts of 1."""
    given = [g.relevance for g in reply.grades]
    in_parts = all(r <= 1 for r in given) and any(r % 1 for r in given)
    made: dict[int, float] = {}
    for grade in reply.grades:
        share = grade.relevance if in_parts else min(grade.relevance, 3.0) / 3
        made[grade.n] = max(share, made.get(grade.n, 0.0))
    return made


def _citations(cites: Sequence[Cite], shown: Shown, chat: Chat) -> tuple[Citation, ...]:
    made: dict[Citation, None] = {}
    for cite in cites:
        local_id = shown.local_id(cite.n)
        if local_id is None:
            made.setdefault(Citation(local_id=-abs(cite.n), quote=cite.quote))
        else:
            quote = _quoted(cite.quote, chat, local_id)
            made.setdefault(Citation(local_id=local_id, quote=quote))
    return tuple(made)


def _quoted(quote: str | None, chat: Chat, local_id: int) -> str | None:
    """The quote as it stands in the message, where only what the line added keeps it from that.

    Words of a picture's caption cite the message as a whole.
    """
    if quote is None:
        return None
    message = chat.by_id[local_id]
    plain = as_stored(quote)
    stripped = _uncut(plain)
    spoken = _SPEAKER.sub("", plain, count=1)
    for form in (plain, stripped, spoken, spoken.strip(_MARKS)):
        if form and locate(form, message.text) is not None:
            return form
    if message.sender in plain.removesuffix(spoken):
        plain, stripped = spoken, spoken.strip(_MARKS)
    if _shows(plain, message) or _shows(stripped, message):
        return None
    return None if not message.text.strip() else quote


def _shows(quote: str, message: Message) -> bool:
    """Whether it is words of the caption, alone or as the line has them: "text (photo: caption)"."""
    before, bracket, inside = quote.partition(f"({message.kind}:")
    words = _uncut(inside.rstrip().removesuffix(")") if bracket else before)
    if not message.caption or not words or locate(words, message.caption) is None:
        return False
    text = _uncut(before) if bracket else ""
    return not text or locate(text, message.text) is not None


def _uncut(words: str) -> str:
    return _CUT.sub("", words.strip(_MARKS)).strip(_MARKS)


def _days(said: str | None) -> tuple[date, date] | None:
    """First and last day of "2024-03-05", "2024-03" or "2024"; None for anything else."""
    found = _DAY.match(said or "")
    if found is None:
        return None
    year, month, day = (int(part) if part else None for part in found.groups())
    assert year is not None
    if not _FIRST_YEAR <= year <= _LAST_YEAR:  # how some models write an end that is open
        return None
    try:
        first = date(year, month or 1, day or 1)
        last_month = month or 12
        return first, date(year, last_month, day or monthrange(year, last_month)[1])
    except (ValueError, IndexError):
        return None
