"""A column of times in a table: unix numbers, ISO, or dates as people write them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sayso.chats.clock import checked, placed, zone_named
from sayso.chats.importers.fields import shown
from sayso.chats.importers.instants import unix
from sayso.chats.importers.report import Findings, ImportOptions
from sayso.chats.importers.whatsapp_clock import Dates, decided, knows_period, wall_time
from sayso.chats.importers.whatsapp_headers import Header, header_at


class Times:
    """Reads one column of times: unix numbers, ISO, else dates as people write them.

    ``given`` are the times with the numbers of their lines. ``exact`` is whether some are instants.
    What day and month are is settled from all of them.
    """

    def __init__(
        self, given: Iterable[tuple[int, Any]], options: ImportOptions, findings: Findings
    ) -> None:
        self.zone = zone_named(options.timezone or "UTC", "--timezone")
        self.exact = False
        self.order = options.date_order or "ymd"
        dates = Dates()
        for number, value in given:
            self.exact = self.exact or _is_instant(value)
            if (stamp := _stamp(value, number)) is not None:
                dates.add(stamp)
        if dates.first is not None:
            decision = decided(dates, options.date_order)
            self.order = decision.order
            if decision.warning:
                findings.warnings.append(decision.warning)

    def of(self, value: Any, before: datetime | None) -> datetime:
        """The instant; raises ValueError where it is none."""
        if (number := _number(value)) is not None:
            return number
        wall = _iso(value)
        if wall is None and (stamp := _stamp(value, 1)) is not None:
            wall = wall_time(stamp, self.order)
        if wall is None:
            raise ValueError(f"expected a time, found {shown(value)}")
        return checked(wall) if wall.tzinfo is not None else placed(wall, self.zone, after=before)


def _is_instant(value: Any) -> bool:
    if _number(value) is not None:
        return True
    at = _iso(value)
    return at is not None and at.tzinfo is not None


def _number(value: Any) -> datetime | None:
    """Unix seconds, or milli- or microseconds by their size; digits of a text, too."""
    if isinstance(value, str) and not value.strip().lstrip("-").replace(".", "", 1).isdigit():
        return None
    if _compact(value) is not None:
        return None
    try:
        size = abs(float(value))
        if isinstance(value, bool) or not 10**8 <= size < 10**17:
            return None
        return unix(value, per_second=1 if size < 10**11 else 1000 if size < 10**14 else 10**6)
    except (TypeError, ValueError, OverflowError):
        return None


def _iso(value: Any) -> datetime | None:
    text = value.strip() if isinstance(value, str) else ""
    if (compact := _compact(value)) is not None:
        return compact
    if len(text) < 14 or not text[:4].isdigit():
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _compact(value: Any) -> datetime | None:
    """``20240105210304``, with or without seconds: as milliseconds it would be in no one's life."""
    text = f"{value}".strip() if isinstance(value, str | int) else ""
    if len(text) not in {12, 14} or text[:2] not in {"19", "20"} or not text.isdigit():
        return None
    try:
        return datetime.strptime(text.ljust(14, "0"), "%Y%m%d%H%M%S")  # noqa: DTZ007 placed by the caller
    except ValueError:
        return None


def _stamp(value: Any, number: int) -> Header | None:
    text = value.strip().strip("[]") if isinstance(value, str) else ""
    if not text or len(text) > 60 or _iso(text) is not None:
        return None
    found = header_at(f"[{text}] x", number)
    return found if found is not None and knows_period(found.period) else None
