"""LINE's text export, in the language of whichever phone wrote it.

A line of its own tells the day; below it stands ``time<TAB>name<TAB>text``. What spans several
lines is in quotes. System lines have no name.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sayso.chats.clock import placed, zone_named
from sayso.chats.importers.assembling import assemble, header
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.format import Format
from sayso.chats.importers.line_days import Day, day_at, decided
from sayso.chats.importers.line_kinds import kind_of
from sayso.chats.importers.report import DateOrder, Fault, Findings, ImportOptions, Record
from sayso.chats.importers.whatsapp_clock import hour_of, knows_period
from sayso.chats.importers.whatsapp_headers import folded

NAME = "LINE text"
_MARK = "[LINE]"
_LOOKED_AT = 60
_STAMP = re.compile(
    r"(?P<before>[^\W\d]{1,6}\.?)?[ \u202f\u00a0]?(?P<hour>\d{1,2}):(?P<minute>\d{2})(?!\d)"
)
_SPACES = " \u202f\u00a0"


class Stamp(NamedTuple):
    """The beginning of a message's line; ``tab`` is whether a tab parts it from what follows."""

    hour: int
    minute: int
    tab: bool
    rest: str


_TITLES = (
    re.compile(r"\[LINE\] ?Chat history (?:with|in) (?P<name>.+)"),
    re.compile(r"\[LINE\] ?(?P<name>.+?)(?:との|の)トーク履歴"),
    re.compile(r"\[LINE\] ?[與与](?P<name>.+?)的聊天[記记][錄录]"),
    re.compile(r"\[LINE\] ?(?P<name>.+?)(?:님과|와|과|의) ?(?:주고받은 |나눈 )?(?:대화|채팅).*"),
    re.compile(r"\[LINE\] ?(?P<name>.+)"),
)


class Line(NamedTuple):
    """A message of the file: where it begins (1-based), its day, its time, who and what."""

    number: int
    day: Day
    hour: int
    minute: int
    sender: str | None
    text: list[str]


def recognises(export: Export) -> bool:
    """Whether it says so in its first line, or a day stands above a time with a tab behind it."""
    head = export.head.lstrip("\ufeff\u200e \r\n")
    if head.startswith(_MARK):
        return True
    day = False
    for line in head.split("\n", _LOOKED_AT)[:_LOOKED_AT]:
        line = line.rstrip("\r")
        if day_at(line, 0) is not None:
            day = True
        elif day and (found := _stamp(line)) is not None and found.tab:
            return True
    return False


def read(export: Export, options: ImportOptions) -> tuple[Draft, ...]:
    """The one chat of the file; what cannot be read is reported with its line."""
    findings = Findings()
    lines = export.lines()
    title = _title(lines)
    messages = _Messages(lines, title, options)
    order, warning = decided((one.day for one in messages.read(Findings())), options.date_order)
    if warning:
        findings.warnings.append(warning)
    head = header(export, options, "line", title=title)
    records = _records(
        messages.read(findings), order, zone_named(head.timezone, "--timezone"), findings
    )
    return (assemble(head, records, export=export, form=NAME, findings=findings, options=options),)


LINE = Format("line", NAME, 'sayso import "[LINE] Chat with Aoi.txt" --as aoi', recognises, read)


def _records(
    found: Iterable[Line], order: DateOrder, zone: ZoneInfo, findings: Findings
) -> Iterator[Record]:
    before: datetime | None = None
    for one in found:
        day = one.day.date_in(order)
        where = f"line {one.number}"
        if day is None or one.hour > 23 or one.minute > 59:
            reason = f"no such time: {one.day.shown!r}, {one.hour}:{one.minute:02d}"
            findings.unread.append(Fault(where=where, reason=reason))
            continue
        text = _unquoted(one.text)
        before = placed(_wall(day, one), zone, after=before)
        yield Record(
            where=where,
            sender=one.sender or "",
            sent_at=before,
            text=text,
            kind=kind_of(text, said=bool(one.sender)),
        )


def _title(lines: Iterable[str]) -> str | None:
    first = next((line.strip("\ufeff\u200e ") for line in lines if line.strip()), "")
    for pattern in _TITLES:
        if found := pattern.match(first):
            return found["name"].strip()
    return None


def _stamp(line: str) -> Stamp | None:
    found = _STAMP.match(line)
    if found is None:
        return None
    before, after = found["before"] or "", line[found.end() :]
    part, tab, rest = after.partition("\t")
    if not tab:  # newer phones write spaces
        if after[:1] not in _SPACES:
            return None
        part, _, rest = after.lstrip(_SPACES).partition(" ")
        if not part or not _is_period(part):
            part, rest = "", after.lstrip(_SPACES)
    word = before or part.strip(_SPACES)
    if not _is_period(word) or (before and part.strip(_SPACES)):
        return None
    hour = hour_of(int(found["hour"]), _period(word))
    return Stamp(hour, int(found["minute"]), bool(tab), rest)


def _is_period(word: str) -> bool:
    return len(word) <= 8 and knows_period(_period(word))


def _period(word: str) -> str:
    return "" if folded(word) == "น" else folded(word)


class _Messages:
    """The messages of the lines, read as often as one likes; a short file's are kept."""

    def __init__(self, lines: Iterable[str], title: str | None, options: ImportOptions) -> None:
        self._lines = lines
        self._known = [title or "", options.owner or ""]
        self._tabs = any("\t" in line and (stamp := _stamp(line)) and stamp.tab for line in lines)
        self._kept: tuple[list[Line], Findings] | None = None

    def read(self, findings: Findings) -> Iterable[Line]:
        """The messages; what stands before the first is reported."""
        if not isinstance(self._lines, list):
            return _messages(self._lines, self._known, findings, tabs=self._tabs)
        if self._kept is None:
            met = Findings()
            self._kept = (list(_messages(self._lines, self._known, met, tabs=self._tabs)), met)
        messages, met = self._kept
        findings.unread = met.unread
        return messages


def _messages(
    lines: Iterable[str], known: Sequence[str], findings: Findings, *, tabs: bool
) -> Iterator[Line]:
    day: Day | None = None
    at: Line | None = None
    blank = True
    for number, line in enumerate((line.removesuffix("\r") for line in lines), 1):
        # What a person writes may look like a day; the exporter's stand under an empty line.
        new_day = day_at(line, number) if blank or at is None else None
        if (
            new_day is not None
            and day is not None
            and (day.weekday is None) != (new_day.weekday is None)
        ):
            new_day = None
        blank = not line.strip()
        stamp = None if new_day else _stamp(line)
        if stamp is not None and tabs and not stamp.tab:
            stamp = None
        if new_day is None and (stamp is None or day is None):
            if at is not None:
                at.text.append(line)
            elif line.strip() and day is not None:
                reason = f"before the first message: {line!r:.60}"
                findings.unread.append(Fault(where=f"line {number}", reason=reason))
            continue
        if at is not None:
            yield at
            at = None
        if new_day is not None:
            day = new_day
        elif stamp is not None and day is not None:
            at = _begun(number, day, stamp, known)
    if at is not None:
        yield at


def _begun(number: int, day: Day, stamp: Stamp, known: Sequence[str]) -> Line:
    sender: str | None
    if stamp.tab:
        sender, tab, text = stamp.rest.partition("\t")
        if not tab:
            sender, text = None, stamp.rest
    else:  # a name may have spaces, too
        name = next((n for n in known if n and stamp.rest.startswith(f"{n} ")), None)
        sender, _, text = stamp.rest.partition(" ")
        if name is not None:
            sender, text = name, stamp.rest[len(name) + 1 :]
    return Line(number, day, stamp.hour, stamp.minute, sender, [text])


def _unquoted(lines: list[str]) -> str:
    """The text; several lines stand in quotes, whose own quotes are doubled. Blank ones end it."""
    while len(lines) > 1 and not lines[-1].strip():
        lines = lines[:-1]
    text = "\n".join(lines)
    if len(lines) > 1 and len(text) > 1 and text[0] == text[-1] == '"':
        inner = text[1:-1]
        single = inner.replace('""', "")
        return inner.replace('""', '"') if '"' not in single else inner
    return text


def _wall(day: date, line: Line) -> datetime:
    return datetime(day.year, day.month, day.day, line.hour, line.minute)  # noqa: DTZ001 placed by the caller
