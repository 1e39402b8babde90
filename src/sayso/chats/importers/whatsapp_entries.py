"""The messages of a WhatsApp file: where each begins and ends, and its time on the wall clock.

Two looks over the lines: the first finds in which shape and order the dates are written, the second
takes the messages out. Where times run backwards a look between tells which lines someone pasted.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from sayso.chats.importers.numbers_on_disk import Numbers
from sayso.chats.importers.report import DateOrder, Fault, Findings
from sayso.chats.importers.whatsapp_clock import (
    Dates,
    day_of,
    decided,
    hour_of,
    knows_period,
    wall_time,
)
from sayso.chats.importers.whatsapp_headers import Header, Shape, Style, header_at
from sayso.chats.importers.whatsapp_order import (
    NOBODY,
    NOTHING,
    ODD,
    Marks,
    backward_steps,
    pasted,
)
from sayso.chats.importers.whatsapp_senders import split_sender
from sayso.errors import ImportFormatError

_ORDERS: tuple[DateOrder, ...] = ("dmy", "mdy", "ymd")
_LONGEST = 2**26  # characters of one message
_DAY = 86_400


class Entry(NamedTuple):
    """A message: its line (1-based), its time, its sender where one is named, its text."""

    line: int
    wall: datetime
    sender: str | None
    text: str


class Plan(NamedTuple):
    """How the file is to be read: which lines begin messages, and what their dates mean.

    ``pasted`` has, by number among those with a time, which are text all the same.
    """

    shape: Shape
    order: DateOrder
    pasted: Marks
    headers: "list[Header | None] | None"

    @property
    def style(self) -> Style:
        """Of which program the file is."""
        return self.shape[0]


@dataclass
class _Seen:
    """The headers of one shape."""

    first: Header
    count: int = 0
    sure: int = 0  # those whose part of the day is known
    first_sure: int = 0
    dates: Dates = field(default_factory=Dates)
    # By order of the date: seconds of the last time, and the furthest step back, in seconds.
    last: dict[DateOrder, int] = field(default_factory=dict)
    back: dict[DateOrder, int] = field(default_factory=dict)
    _date: tuple[int, int, int] | None = None
    _days: list[tuple[DateOrder, int]] = field(default_factory=list)

    def add(self, header: Header) -> None:
        self.count += 1
        if knows_period(header.period):
            self.sure += 1
            self.first_sure = self.first_sure or header.line
        if header.date != self._date:
            self._date = header.date
            self.dates.add(header)
            days = [(order, day_of(header.date, order)) for order in _ORDERS]
            self._days = [(order, day.toordinal() * _DAY) for order, day in days if day is not None]
        second = _second_of(header)
        if second is None:
            return
        last, back = self.last, self.back
        for order, day in self._days:
            now = day + second
            before = last.get(order, now)
            if before - now > back.get(order, 0):
                back[order] = before - now
            last[order] = now


def looked_over(
    lines: Iterable[str], named: DateOrder | None, findings: Findings, folder: Path | None
) -> Plan:
    """The plan for a file of which some line begins a message."""
    headers: list[Header | None] | None = [] if isinstance(lines, list) else None
    seen: dict[Shape, _Seen] = {}
    opening: Header | None = None
    blank = True
    for n, line in enumerate(lines, 1):
        header = header_at(line.removesuffix("\r"), n)
        if headers is not None:
            headers.append(header)
        if header is not None:
            found = seen.get(header.shape)
            if found is None:
                found = seen[header.shape] = _Seen(header)
            found.add(header)
            if blank and knows_period(header.period):
                opening = header
        if blank and line and not line.isspace():
            blank = False
    chosen = seen[opening.shape] if opening is not None else _commonest(seen)
    _tell_others(seen, chosen, findings)
    decision = decided(chosen.dates, named)
    if decision.warning:
        findings.warnings.append(decision.warning)
    shape, order = chosen.first.shape, decision.order
    plan = Plan(shape, order, NOTHING, headers)
    if chosen.back.get(order, 0) <= ODD:
        return plan
    return plan._replace(pasted=_out_of_time(lines, plan, findings, folder))


def entries_of(lines: Iterable[str], plan: Plan, findings: Findings) -> Iterator[Entry]:
    """The messages in file order; lines that belong to none are reported, and unreadable times."""
    begun: _Begun | None = None
    timed = -1
    size = 0
    for n, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        header = _header(line, n, plan)
        if header is not None:
            wall, reason = _wall(header, plan.order)
            timed += wall is not None
            if wall is None or timed not in plan.pasted:
                if begun is not None:
                    yield from _whole(begun, findings)
                sender, text = split_sender(header.rest, plan.style)
                begun, size = _Begun(n, wall, reason, sender, [text]), len(text)
                continue
        if begun is None:
            if line and not line.isspace():
                reason = f"before the first message: {line!r:.60}"
                findings.unread.append(Fault(where=f"line {n}", reason=reason))
            continue
        begun.text.append(line)
        size += len(line) + 1
        if size > _LONGEST:
            raise ImportFormatError(
                f"line {begun.line} begins a message of more than {_LONGEST:,} characters, which "
                "nobody wrote; the file may be put together from several: import each of them"
            )
    if begun is not None:
        yield from _whole(begun, findings)


class _Begun(NamedTuple):
    """A message whose lines are still coming."""

    line: int
    wall: datetime | None
    reason: str
    sender: str | None
    text: list[str]


def _whole(begun: _Begun, findings: Findings) -> Iterator[Entry]:
    if begun.wall is None:
        findings.unread.append(Fault(where=f"line {begun.line}", reason=begun.reason))
    else:
        text = begun.text[0] if len(begun.text) == 1 else "\n".join(begun.text)
        yield Entry(begun.line, begun.wall, begun.sender, text)


def _header(line: str, number: int, plan: Plan) -> Header | None:
    header = header_at(line, number) if plan.headers is None else plan.headers[number - 1]
    return header if header is not None and header.shape == plan.shape else None


def _wall(header: Header, order: DateOrder) -> tuple[datetime | None, str]:
    try:
        return wall_time(header, order), ""
    except ValueError as error:
        return None, str(error)


def _second_of(header: Header) -> int | None:
    """The second of the day, or None where there is no such time."""
    if not knows_period(header.period):
        return None
    hour = hour_of(header.hour, header.period)
    if hour > 23 or header.minute > 59 or header.second > 59:
        return None
    return (hour * 60 + header.minute) * 60 + header.second


def _commonest(seen: Mapping[Shape, _Seen]) -> _Seen:
    return min((s for s in seen.values() if s.sure), key=lambda s: (-s.sure, s.first_sure))


def _tell_others(seen: Mapping[Shape, _Seen], chosen: _Seen, findings: Findings) -> None:
    others = [one for one in seen.values() if one is not chosen]
    if not others:
        return
    count = sum(one.count for one in others)
    first = min((one.first for one in others), key=lambda header: header.line)
    said = (
        f"line {first.line}{_more(count)} looks like a message's beginning, but is dated "
        f"in another way than the file's first ({first.stamp!r}); kept as text of the "
        "message before; if these are messages, import them as a file of their own"
    )
    (findings.warnings if count * 10 > chosen.count else findings.notes).append(said)


def _out_of_time(
    lines: Iterable[str], plan: Plan, findings: Findings, folder: Path | None
) -> Marks:
    """Which of the messages with a time are so far out of it that they are text of the one before."""
    with Numbers(folder) as seconds, Numbers(folder) as senders, Numbers(folder) as places:
        known: dict[str | None, int] = {None: NOBODY}
        for n, line in enumerate(lines, 1):
            header = _header(line.removesuffix("\r"), n, plan)
            wall, _ = (None, "") if header is None else _wall(header, plan.order)
            if header is not None and wall is not None:
                sender, _ = split_sender(header.rest, plan.style)
                seconds.append(wall.toordinal() * _DAY + (_second_of(header) or 0))
                senders.append(known.setdefault(sender, len(known)))
                places.append(n)
        found = pasted(seconds, senders, folder)
        if found.count:
            findings.notes.append(
                f"line {places[found.first]}{_more(found.count)} looks like a message's "
                "beginning, but is far out of time; kept as text of the message before"
            )
        elif (steps := backward_steps(seconds)).count:
            findings.warnings.append(
                f"line {places[steps.first]}{_more(steps.count)} is more than a day earlier "
                "than the message before; if the file was put together from several, import each of them"
            )
        return found


def _more(count: int) -> str:
    return f" (and {count - 1} more)" if count > 1 else ""
