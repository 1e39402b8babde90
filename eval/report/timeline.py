"""An arc on a time line: the expected phases above, what each mode told as phases below."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from unicodedata import east_asian_width
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from eval.report.calendar_ticks import ticks
from eval.report.drawing import WIDTH, drawing, label, line, mark, mode_class, rect
from eval.scoring import Row
from sayso.core.chat import Chat

_LEFT, _RIGHT = 10.0, WIDTH - 10.0
_PHASE = 28.0  # its title, and its bar below
_MOST_PHASES = 12  # a lane

HOW_TO_READ = (
    "A bar is a phase, from its first message to its last; in it each message has its mark, a "
    "filled one where the message was expected, a hollow one where it was not."
)


@dataclass(frozen=True)
class Stretch:
    """A phase on the line: its title, the times of its messages, and which were expected."""

    title: str
    times: tuple[datetime, ...]
    hits: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Lane:
    """The phases of the gold (``at`` None) or of the mode at that place; ``none`` if it has none."""

    name: str
    phases: tuple[Stretch, ...]
    at: int | None = None
    none: str = "no phase"


def lanes_of(
    chat: Chat,
    rows: Sequence[tuple[int, Row]],
    expected: Sequence[tuple[str, Sequence[int]]],
) -> tuple[Lane, ...]:
    """The expected phases (title, localIds), then those of each row's answer."""
    phases = tuple(_stretch(title, ids, chat) for title, ids in expected if ids)
    lanes = [Lane("expected", phases, none="nothing: to abstain is right")]
    wanted = {i for _, ids in expected for i in ids}
    for at, row in rows:
        told = tuple(
            _stretch(p.title, [e.local_id for e in p.evidence], chat, wanted)
            if p.evidence
            else Stretch(p.title, (p.start, p.end))
            for p in (row.trail.answer.phases if row.trail else ())
        )
        if not told and row.returned_ids:
            told = (_stretch("cited, in no phase", row.returned_ids, chat, wanted),)
        none = "failed" if row.error else "abstained" if row.abstained else "no phase"
        lanes.append(Lane(row.mode, told, at, none))
    return tuple(lanes)


def _stretch(
    title: str, ids: Sequence[int], chat: Chat, wanted: Collection[int] | None = None
) -> Stretch:
    return Stretch(
        title,
        tuple(chat.by_id[i].sent_at for i in ids),
        tuple(wanted is None or i in wanted for i in ids),
    )


def timeline(title: str, lanes: Sequence[Lane], zone: ZoneInfo) -> Element | None:
    """Each phase a bar from its first to its last message, each message a mark; None for no time."""
    times = [t for lane in lanes for phase in lane.phases for t in phase.times]
    if not times:
        return None
    first, last = min(times), max(times)
    whole = max((last - first).total_seconds(), 1.0)

    def x(at: datetime) -> float:
        return _LEFT + 4 + (_RIGHT - _LEFT - 8) * (at - first).total_seconds() / whole

    found = ticks(first.astimezone(zone), last.astimezone(zone))
    drawn: list[Element] = []
    y = 2.0
    for lane in lanes:
        of_lane, height = _lane(lane, y, x)
        drawn += of_lane
        y += height
    parts = [line(x(tick.at), 4, x(tick.at), y + 2, class_="grid") for tick in found]
    parts += drawn
    parts.append(line(_LEFT, y + 2, _RIGHT, y + 2, class_="axis"))
    for tick in found:
        room = 3.1 * len(tick.words)  # half of it stands on either side
        place = min(max(x(tick.at), _LEFT + room), _RIGHT - room)
        parts.append(label(tick.words, place, y + 15, anchor="middle", kind="n"))
    days = (f"{first.astimezone(zone):%Y-%m-%d}", f"{last.astimezone(zone):%Y-%m-%d}")
    below = y + (30 if found else 16)
    parts += [
        label(days[0], _LEFT, below, kind="n"),
        label(days[1], _RIGHT, below, anchor="end", kind="n"),
    ]
    told = "; ".join(
        f"{lane.name}: " + (", ".join(p.title for p in lane.phases) or lane.none) for lane in lanes
    )
    return drawing(title, f"From {days[0]} to {days[1]}. {told}.", below + 6, parts)


def _lane(lane: Lane, top: float, x: Callable[[datetime], float]) -> tuple[list[Element], float]:
    """The lane drawn from ``top`` down, and its height."""
    kind = "gold" if lane.at is None else mode_class(lane.at)
    name = lane.name if lane.phases else f"{lane.name}: {lane.none}"
    parts = [label(name, _LEFT, top + 12, kind=f"lane {kind}")]
    y = top + 18
    for number, phase in enumerate(lane.phases[:_MOST_PHASES], 1):
        ends = [x(t) for t in phase.times]
        low, high = min(ends), max(ends)
        title = _fitting(f"{number}. {phase.title}", _RIGHT - _LEFT)
        # The title begins where its bar does, or as far to the left as its length needs.
        start = max(_LEFT, min(low - 4, _RIGHT - _wide(title)))
        parts.append(label(title, start, y + 9, kind="phase", whole=True))
        parts.append(rect(low - 4, y + 13, high - low + 8, 9, rx=4, class_=f"span {kind}"))
        for place, hit in zip(ends, phase.hits or [False] * len(ends), strict=True):
            if lane.at is None:
                parts.append(_stroke(place, y + 17.5))
            else:
                parts.append(mark(place, y + 17.5, lane.at, 2.6, hollow=not hit))
        y += _PHASE
    more = len(lane.phases) - _MOST_PHASES
    if more > 0:
        parts.append(label(f"and {more} more phases", _LEFT, y + 9, kind="n"))
        y += _PHASE / 2
    return parts, y - top + 6


def _stroke(x: float, y: float) -> Element:
    """An expected message: an upright stroke."""
    return line(x, y - 4.5, x, y + 4.5, class_="tick")


def _widths(text: str) -> list[float]:
    """How far each letter's end is from the beginning: some 6 a letter, and 11 a wide one."""
    return list(accumulate(11.0 if east_asian_width(c) in "WF" else 6.0 for c in text))


def _wide(text: str) -> float:
    return _widths(text)[-1] if text else 0.0


def _fitting(text: str, room: float) -> str:
    """As much of the text as so many units hold."""
    fits = sum(width <= room for width in _widths(text))
    return text if fits == len(text) else text[: max(fits - 1, 1)] + "…"
