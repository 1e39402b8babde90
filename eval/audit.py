"""What is doubtful in the gold of case files, and repairs that a person may sign.

Nothing is changed by an audit. Proposals are guesses from the form of an id: only a person who
reads the messages can tell, so a proposal counts once it is signed (``eval.overlay``).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from eval.cases import ArcCase, Case, Id, QaCase, ReadyCase
from eval.gold import resolve, truth_of
from sayso.core.chat import Chat
from sayso.core.language import language_of
from sayso.retrieval.analyzer import terms

Kind = Literal[
    "repaired id",
    "unreachable id",
    "unreachable case",
    "duplicate id",
    "duplicate question",
    "phases out of order",
    "evidence outside its phase",
    "no shared word",
    "doubtful category",
]
KINDS: tuple[Kind, ...] = (
    "repaired id", "unreachable id", "unreachable case", "duplicate id", "duplicate question",
    "phases out of order", "evidence outside its phase", "no shared word", "doubtful category",
)  # fmt: skip

_NUMBERS = re.compile(r"\d{1,18}")
_WHEN = re.compile(r"^\s*(?:when|(?:on )?(?:what|which) (?:date|day|month|year)|how long)\b", re.I)
_BESIDE = 1  # messages before and after that may hold the words of a short reply


@dataclass(frozen=True)
class Finding:
    """One doubt about a case. ``ids`` are those it is about, as the file gives them."""

    case_id: str
    kind: Kind
    story: str
    ids: tuple[Id, ...] = ()


@dataclass(frozen=True)
class Proposal:
    """Evidence that could stand in place of the published; localIds, in message order."""

    case_id: str
    published: tuple[Id, ...]
    proposed: tuple[int, ...]
    why: str


def audit(cases: Sequence[ReadyCase]) -> tuple[Finding, ...]:
    """Every doubt, in the order of the cases and of ``KINDS`` within one."""
    twice = _asked_before(cases)
    found: list[Finding] = []
    for ready in cases:
        of_case = [*_ids(ready), *_phases(ready), *_words(ready), *_category(ready.case)]
        if ready.case.case_id in twice:
            story = f"asks what {twice[ready.case.case_id]} asks of the same chat"
            of_case.append(Finding(ready.case.case_id, "duplicate question", story))
        found += sorted(of_case, key=lambda finding: KINDS.index(finding.kind))
    return tuple(found)


def proposals(cases: Sequence[ReadyCase]) -> tuple[Proposal, ...]:
    """A repair for each QA case whose lost ids can be read in one way that exists.

    ``D:11:26`` may be ``D11:26``, ``D17;39`` may be ``D17:39``, ``D13:45:D20:19`` may be both; a
    reading is proposed only where it names messages, and shares a word with question or answer.
    """
    made = []
    for ready in cases:
        case, chat = ready.case, ready.chat
        if not isinstance(case, QaCase) or not case.answerable:
            continue
        expected = truth_of(case, chat).expected
        lost = [given for given in case.evidence if resolve((given,), chat).unreachable]
        readings = {given: _reading(given, case, chat) for given in lost}
        ids = {i for read in readings.values() for i in read} | set(expected.local_ids)
        if ids == set(expected.local_ids):
            continue
        why = "; ".join(
            f"{given!r} read as {list(read)}" for given, read in readings.items() if read
        )
        ordered = tuple(sorted(ids, key=chat.position.__getitem__))
        made.append(Proposal(case.case_id, case.evidence, ordered, why))
    return tuple(made)


def _ids(ready: ReadyCase) -> Iterator[Finding]:
    case, chat = ready.case, ready.chat
    given = _given(case)
    for one in resolve(given, chat).repaired:
        names = [chat.by_id[i].source_id or i for i in one.local_ids]
        story = f"{one.given!r} was read as {', '.join(map(str, names)) or 'nothing'}"
        yield Finding(case.case_id, "repaired id", story, (one.given,))
    truth = truth_of(case, chat)
    if truth.expected.unreachable:
        lost = truth.expected.unreachable
        story = f"names no message: {', '.join(map(repr, lost))}"
        yield Finding(case.case_id, "unreachable id", story, lost)
    if truth.gold == "unreachable":
        story = "has no evidence that can be found, and is not marked unanswerable"
        yield Finding(case.case_id, "unreachable case", story, given)
    again = tuple(dict.fromkeys(i for i in given if given.count(i) > 1))
    if again:
        story = f"names {', '.join(map(repr, again))} more than once"
        yield Finding(case.case_id, "duplicate id", story, again)


def _phases(ready: ReadyCase) -> Iterator[Finding]:
    case, chat = ready.case, ready.chat
    if not isinstance(case, ArcCase):
        return
    days: list[tuple[str, date]] = []
    for phase in case.phases:
        local_ids = resolve(phase.evidence, chat).local_ids
        when = [chat.by_id[i].sent_at.astimezone(chat.zone).date() for i in local_ids]
        if when:
            days.append((phase.title, min(when)))
        first, last = _time_range(phase.time_range)
        strays = [d for d in when if (first and d < first) or (last and d > last)]
        if strays:
            told = ", ".join(sorted({f"{d}" for d in strays}))
            story = f"phase {phase.title!r} ({phase.time_range}) has evidence of {told}"
            yield Finding(case.case_id, "evidence outside its phase", story, phase.evidence)
    for (title, start), (following, then) in pairwise(days):
        if then < start:
            story = f"phase {following!r} begins {then}, before {title!r} ({start})"
            yield Finding(case.case_id, "phases out of order", story)


def _words(ready: ReadyCase) -> Iterator[Finding]:
    case, chat = ready.case, ready.chat
    if not isinstance(case, QaCase) or not case.answerable:
        return
    speech = _language(chat)
    sought = set(terms(f"{case.question} {case.answer or ''}", speech))
    expected = truth_of(case, chat).expected.local_ids
    strangers = tuple(i for i in expected if not sought & _said_around(chat, i, speech))
    if strangers and len(strangers) == len(expected):
        named = [chat.by_id[i].source_id or i for i in strangers]
        story = (
            f"no evidence ({', '.join(map(str, named))}), with its neighbours, "
            "shares a word with question or answer"
        )
        yield Finding(case.case_id, "no shared word", story, strangers)


def _category(case: Case) -> Iterator[Finding]:
    if not isinstance(case, QaCase) or case.category is None:
        return
    name, parts = case.category, len(case.evidence)
    checks: tuple[tuple[bool, str], ...] = (
        (name == "single-hop" and parts > 1, f"single-hop with {parts} messages of evidence"),
        (name == "multi-hop" and case.answerable and parts == 1, "multi-hop with one message"),
        (name == "temporal" and not _asks_time(case), "temporal, but asks for no time"),
        (
            name in ("single-hop", "open-domain") and bool(_WHEN.search(case.question)),
            f"{name}, but asks when",
        ),
    )
    for wrong, story in checks:
        if wrong:
            yield Finding(case.case_id, "doubtful category", story)


def _asks_time(case: QaCase) -> bool:
    asks = re.compile(
        r"\b(?:when|date|day|days|week|weeks|month|months|year|years|time|long|ago|before|after|"
        r"since|until|first|last|recent\w*|often|how many|during|in (?:19|20)\d\d)\b|[时時日月年]",
        re.I,
    )
    return bool(asks.search(case.question)) or bool(asks.search(str(case.answer or "")))


def _asked_before(cases: Sequence[ReadyCase]) -> dict[str, str]:
    first: dict[tuple[str, str], str] = {}
    twice: dict[str, str] = {}
    for ready in cases:
        key = (ready.chat.chat_id, " ".join(re.findall(r"\w+", ready.case.question.casefold())))
        other = first.setdefault(key, ready.case.case_id)
        if other != ready.case.case_id:
            twice[ready.case.case_id] = other
    return twice


def _reading(given: Id, case: QaCase, chat: Chat) -> tuple[int, ...]:
    """The messages that an id of wrong form may name: its numbers in pairs, session and message."""
    if not isinstance(given, str):
        return ()
    numbers = [int(n) for n in _NUMBERS.findall(given)]
    if not numbers or len(numbers) % 2:
        return ()
    names = [f"D{numbers[at]}:{numbers[at + 1]}" for at in range(0, len(numbers), 2)]
    found = [resolve((name,), chat).local_ids for name in names]
    speech = _language(chat)
    sought = set(terms(f"{case.question} {case.answer or ''}", speech))
    sure = all(ids and sought & _said_around(chat, ids[0], speech) for ids in found)
    return tuple(i for ids in found for i in ids) if sure else ()


def _said_around(chat: Chat, local_id: int, speech: str) -> set[str]:
    said = " ".join(
        f"{m.sender} {m.text} {m.caption or ''}" for m in chat.around(local_id, _BESIDE)
    )
    return set(terms(said, speech))


def _given(case: Case) -> tuple[Id, ...]:
    if isinstance(case, ArcCase):
        return tuple(i for phase in case.phases for i in phase.evidence)
    return case.evidence


def _time_range(text: str | None) -> tuple[date | None, date | None]:
    first, _, last = (text or "").partition("/")
    parse: Callable[[str], date | None] = _day
    return parse(first), parse(last or first)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None


def _language(chat: Chat) -> str:
    return _language_of(chat.chat_id, tuple(m.text for m in chat.messages[:500]))


@lru_cache(maxsize=64)
def _language_of(chat_id: str, texts: tuple[str, ...]) -> str:
    return language_of(texts)
