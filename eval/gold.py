"""Expected ids that exist: certain repairs, and what stays unreachable.

An id that names a message as it stands is taken as it stands. Else:

====================  ====================================================================
given                 becomes
====================  ====================================================================
``D5:12;D5:16``       both (so with ``; ``, a comma, white space: ``D9:1 D4:4 D4:6``)
``D12:3-D12:5``       the messages from 3 to 5 of D12 that exist
``D30:05``            ``D30:5``
``D20:6.``            ``D20:6``
``D 2:18``            ``D2:18``
``""``, ``"D1:2;"``   the empty part names nothing: dropped
``D17;39``            unreachable, both: neither names a session and a message
``D``, ``D58``        unreachable
``D:56``              unreachable
``D:11:26``           unreachable: which of the three is which is a guess
``D13:45:D20:19``     unreachable: a range over sessions, or two ids, or a slip
``D12:5-D12:3``       unreachable, and so is ``D12:3-D13:5``
``D40:2``             unreachable where the chat has no such message
====================  ====================================================================

A repair or an unreachable id never stops a run; rows and results list both.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from eval.cases import ArcCase, Case, GivenSpan, Id, QaCase
from sayso.core.chat import Chat, Message
from sayso.core.spans import CharacterSpan, document_id

Gold = Literal["full", "partial", "unreachable", "none"]
SpanTruth = Literal["given", "whole messages"]

_SEPARATORS = re.compile(r"[;,\s]+")
_TURN = re.compile(r"D0*(\d+):0*(\d+)")
_DIGITS = 18
# "D 2:18", "D2 :18": white space inside an id, to be closed before white space separates ids.
_GAP = re.compile(
    r"(?<=D)\s+(?=\d)|(?<=\d)\s+(?=:)|(?<=:)\s+(?=\d)|(?<=\d)\s+(?=[-–])|(?<=[-–])\s+(?=D)"
)


@dataclass(frozen=True)
class Repair:
    """An id that did not stand as given, and the localIds it was read as."""

    given: str
    local_ids: tuple[int, ...]


@dataclass(frozen=True)
class Expected:
    """The messages that some ids name: each once, in message order; what was repaired or lost."""

    local_ids: tuple[int, ...]
    repaired: tuple[Repair, ...] = ()
    unreachable: tuple[Id, ...] = ()


@dataclass(frozen=True)
class Truth:
    """What a case expects of one chat. ``phases`` are localIds per phase, empty for a lost phase."""

    gold: Gold
    expected: Expected
    phases: tuple[tuple[int, ...], ...] = ()
    spans: tuple[CharacterSpan, ...] = ()
    span_truth: SpanTruth | None = None


def truth_of(case: Case, chat: Chat) -> Truth:
    """What the case expects; evidence that an unanswerable case lists is left aside."""
    if not case.answerable:
        return Truth("none", Expected(()))
    match case:
        case ArcCase():
            phases = tuple(resolve(phase.evidence, chat) for phase in case.phases)
            expected = _together(phases, chat)
            return Truth(_gold(expected), expected, phases=tuple(p.local_ids for p in phases))
        case QaCase():
            expected = resolve(case.evidence or [s.message for s in case.spans], chat)
            spans, lost = _spans(case, chat)
            expected = Expected(
                expected.local_ids, expected.repaired, (*expected.unreachable, *lost)
            )
            if spans:
                return Truth(_gold(expected), expected, spans=spans, span_truth="given")
            whole = tuple(_whole(chat, chat.by_id[i]) for i in expected.local_ids)
            return Truth(_gold(expected), expected, spans=whole, span_truth="whole messages")


def resolve(ids: Sequence[Id], chat: Chat) -> Expected:
    """The messages of the chat that the ids name, after the repairs of the table above."""
    found: list[int] = []
    repaired: list[Repair] = []
    unreachable: list[Id] = []
    for given in ids:
        exact = _exact(given, chat)
        if exact is not None:
            found.append(exact)
        elif isinstance(given, int):
            unreachable.append(given)
        else:
            read, lost = _repair(given, chat)
            found.extend(read)
            unreachable.extend(lost)
            if read or not lost:
                repaired.append(Repair(given, read))
    return Expected(_in_order(found, chat), tuple(repaired), tuple(unreachable))


def _exact(given: Id, chat: Chat) -> int | None:
    if isinstance(given, int):
        return given if given in chat.by_id else None
    message = chat.by_source_id.get(given)
    return None if message is None else message.local_id


def _repair(given: str, chat: Chat) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The localIds that the parts of the string name, and the parts that name none."""
    read: list[int] = []
    lost: list[str] = []
    for part in _SEPARATORS.split(_GAP.sub("", given)):
        bare = part.strip(".")
        if not bare:
            continue
        named = _named(bare, chat)
        read.extend(named)
        if not named:
            lost.append(part)
    return tuple(read), tuple(lost)


def _named(part: str, chat: Chat) -> tuple[int, ...]:
    first, dash, last = part.replace("–", "-").partition("-")
    if dash and (exact := _exact(part, chat)) is None:
        return _range(first, last, chat)
    turn = _TURN.fullmatch(part)
    plain = f"D{turn[1]}:{turn[2]}" if turn else part
    for name in (part, plain):
        exact = _exact(name, chat)
        if exact is not None:
            return (exact,)
    return ()


def _range(first: str, last: str, chat: Chat) -> tuple[int, ...]:
    start, end = _TURN.fullmatch(first.strip(".")), _TURN.fullmatch(last.strip("."))
    if start is None or end is None or start[1] != end[1]:
        return ()
    ends = (_turn(start), _turn(end))
    # Walk the chat, not the range: "D1:1-D1:999999999" costs no more than "D1:1-D1:2".
    turns = ((_TURN.fullmatch(name), m.local_id) for name, m in chat.by_source_id.items())
    return tuple(
        i for turn, i in turns if turn and turn[1] == start[1] and ends[0] <= _turn(turn) <= ends[1]
    )


def _turn(found: re.Match[str]) -> int:
    # Python refuses to read numbers of thousands of digits; no chat has as many messages.
    return int(found[2][:_DIGITS]) if len(found[2]) <= _DIGITS else 10**_DIGITS


def _spans(case: QaCase, chat: Chat) -> tuple[tuple[CharacterSpan, ...], tuple[str, ...]]:
    """The case's spans that lie within a message, and the others in words."""
    spans: list[CharacterSpan] = []
    lost: list[str] = []
    for given in case.spans:
        named = resolve((given.message,), chat).local_ids
        text = chat.by_id[named[0]].text if len(named) == 1 else None
        if text is None or (given.quote is None and given.end > len(text)):
            lost.append(f"span {given.message} [{given.start}, {given.end})")
            continue
        place = quoted_at(given, text)
        if place is None:
            lost.append(f"span {given.message} [{given.start}, {given.end}), whose words are gone")
            continue
        name = document_id(chat.chat_id, named[0])
        spans.append(CharacterSpan(name, *place, text[slice(*place)]))
    return tuple(spans), tuple(lost)


def quoted_at(span: GivenSpan, text: str) -> tuple[int, int] | None:
    """Where the span is in the text: as given, else where its words are now; None where they are gone."""
    if span.quote is None or text[span.start : span.end] == span.quote:
        return span.start, span.end
    at = text.find(span.quote)
    return (at, at + len(span.quote)) if at >= 0 else None


def _whole(chat: Chat, message: Message) -> CharacterSpan:
    name = document_id(chat.chat_id, message.local_id)
    return CharacterSpan(name, 0, len(message.text), message.text)


def _together(parts: Sequence[Expected], chat: Chat) -> Expected:
    return Expected(
        _in_order((i for part in parts for i in part.local_ids), chat),
        tuple(repair for part in parts for repair in part.repaired),
        tuple(lost for part in parts for lost in part.unreachable),
    )


def _in_order(ids: Iterable[int], chat: Chat) -> tuple[int, ...]:
    return tuple(sorted(set(ids), key=chat.position.__getitem__))


def _gold(expected: Expected) -> Gold:
    if not expected.local_ids:
        return "unreachable"
    return "partial" if expected.unreachable else "full"
