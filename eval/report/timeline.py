"""An arc on a time line: the expected phases above, what each mode told as phases below."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from unicodedata import east_asian_width
from xml.etree.ElementTree import Element
from zoneinfo import ZoneInfo

from eval.report.drawing import WIDTH, drawing, label, line, mark, mode_class, rect
from eval.scoring import Row
from sayso.core.chat import Chat

_LEFT, _RIGHT = 10.0, WIDTH - 10.0
_PHASE = 15.0
_MOST_PHASES = 12  # a lane


@dataclass(frozen=True)
class Stretch:
    """A phase on the line: its title and the times of its messages, in order."""

    title: str
    times: tuple[datetime, ...]


@dataclass(frozen=True)
class Lane:
    """The phases of the gold (``at`` None) or of the mode at that place."""

    name: str
    phases: tuple[Stretch, ...]
    at: int | None = None


def lanes_of(
    chat: Chat,
    rows: Sequence[tuple[int, Row]],
    expected: Sequence[tuple[str, Sequence[int]]],
) -> tuple[Lane, ...]:
    """The expected phases (title, localIds), then those of each row's answer."""
    lanes = [
        Lane(
            "expected",
            tuple(
                Stretch(title, tuple(chat.by_id[i].sent_at for i in ids))
                for title, ids in expected
                if ids
            ),
        )
    ]
    for at, row in rows:
        phases = row.trail.answer.phases if row.trail else ()
        told = tuple(
            Stretch(p.title, tuple(e.sent_at for e in p.evidence) or (p.start, p.end))
            for p in phases
        )
        if not told and row.returned_ids:
            told = (
                Stretch(
                    "cited, in no phase", tuple(chat.by_id[i].sent_at for i in row.returned_ids)
                ),
            )
        lanes.append(Lane(row.mode, told, at))
    return tuple(lanes)


def timeline(title: str, lanes: Sequence[Lane], zone: ZoneInfo) -> Element | None:
    """Each phase a bar from its first to its last message, each message a mark; None for no time."""
    times = [t for lane in lanes for phase in lane.phases for t in phase.times]
    if not times:
        return None
    first, last = min(times), max(times)
    whole = max((last - first).total_seconds(), 1.0)

    def x(at: datetime) -> float:
        return _LEFT + 4 + (_RIGHT - _LEFT - 8) * (at - first).total_seconds() / whole

    parts: list[Element] = []
    y = 2.0
    for lane in lanes:
        drawn, height = _lane(lane, y, x)
        parts += drawn
        y += height
    days = (f"{first.astimezone(zone):%Y-%m-%d}", f"{last.astimezone(zone):%Y-%m-%d}")
    parts += [
        line(_LEFT, y + 2, _RIGHT, y + 2, class_="axis"),
        label(days[0], _LEFT, y + 16, kind="n"),
        label(days[1], _RIGHT, y + 16, anchor="end", kind="n"),
    ]
    told = "; ".join(
        f"{lane.name}: " + (", ".join(p.title for p in lane.phases) or "no phase") for lane in lanes
    )
    return drawing(title, f"From {days[0]} to {days[1]}. {told}.", y + 22, parts)


def _lane(lane: Lane, top: float, x: Callable[[datetime], float]) -> tuple[list[Element], float]:
    """The lane drawn from ``top`` down, and its height."""
    kind = "gold" if lane.at is None else mode_class(lane.at)
    parts = [label(lane.name, _LEFT, top + 12, kind="lane")]
    y = top + 20
    for phase in lane.phases[:_MOST_PHASES]:
        ends = [x(t) for t in phase.times]
        low, high = min(ends), max(ends)
        parts.append(rect(low - 4, y, high - low + 8, 8, rx=4, class_=f"span {kind}"))
        for end in ends:
            parts.append(_stroke(end, y + 4) if lane.at is None else mark(end, y + 4, lane.at, 2.4))
        # The title stands where there is more room.
        if high + 8 < WIDTH * 0.55:
            parts.append(label(_fitting(phase.title, WIDTH - high - 12), high + 8, y + 8, kind="n"))
        else:
            parts.append(
                label(_fitting(phase.title, low - 8), low - 8, y + 8, anchor="end", kind="n")
            )
        y += _PHASE
    more = len(lane.phases) - _MOST_PHASES
    if more > 0:
        parts.append(label(f"and {more} more phases", _LEFT, y + 8, kind="n"))
        y += _PHASE
    if not lane.phases:
        parts.append(label("no phase", _LEFT + 70, top + 12, kind="n"))
    return parts, y - top + 6


def _stroke(x: float, y: float) -> Element:
    """An expected message: an upright stroke."""
    return line(x, y - 4, x, y + 4, class_="tick")


def _fitting(text: str, room: float) -> str:
    """As much of the text as so many units hold, at some 6 a letter and 11 a wide one."""
    widths = accumulate(11.0 if east_asian_width(c) in "WF" else 6.0 for c in text)
    fits = sum(width <= room for width in widths)
    return text if fits == len(text) else text[: max(fits - 1, 1)] + "…"
