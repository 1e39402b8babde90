"""What a report says of a chat that was read, and the error where nobody says anything in it."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from sayso.chats.canonical import Given
from sayso.chats.clock import placed
from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.report import NO_TIMEZONE, Findings, ImportReport
from sayso.core.chat import ChatHeader, Kind, Message
from sayso.errors import ImportFormatError


class Counts(NamedTuple):
    """Messages by kind and by person, each in message order, and the times of the first and last.

    ``said`` is whether somebody says something in one of them, or shows something with a caption.
    """

    kinds: Counter[Kind]
    people: Counter[str]
    said: bool
    first: datetime | None
    last: datetime | None


def reported(
    head: ChatHeader,
    read: Callable[[], Iterator[Message]],
    write: Callable[[], Iterator[Given]],
    counts: Counts,
    *,
    export: Export,
    form: str,
    findings: Findings,
) -> Draft:
    """The chat with its report; raises ImportFormatError where nobody says anything in it."""
    if export.guess is not None:
        findings.warnings.append(
            f"the file is not UTF-8: read as {export.guess}; if words look wrong, save it as UTF-8"
        )
    if export.large is not None and export.large.count:
        findings.notes.append(f"{export.large.count} halves of characters are stored as U+FFFD")
    if not counts.said or counts.first is None or counts.last is None:
        raise _nothing_said(counts, export, findings)
    report = ImportReport(
        format=form,
        messages=counts.kinds.total(),
        kinds=dict(counts.kinds.most_common()),
        people=dict(counts.people.most_common()),
        first=counts.first,
        last=counts.last,
        unread=findings.unread.told,
        repaired=findings.repaired.told,
        duplicates=findings.duplicates.told,
        warnings=tuple(findings.warnings),
        notes=tuple(findings.notes),
    )
    return Draft(head, report, read, write)


def read_anew(report: ImportReport, zone: ZoneInfo) -> ImportReport:
    """The report of an export without a timezone whose clock was read in the zone of its chat.

    The first and the last time are the same wall clocks there.
    """
    first = placed(report.first.replace(tzinfo=None), zone)
    last = placed(report.last.replace(tzinfo=None), zone, after=first)
    told = f"the times have no timezone: read as the chat's own, {zone.key}"
    notes = tuple(told if note == NO_TIMEZONE else note for note in report.notes)
    return report.model_copy(update={"first": first, "last": last, "notes": notes})


def _nothing_said(counts: Counts, export: Export, findings: Findings) -> ImportFormatError:
    total = counts.kinds.total() + findings.unread.count
    kinds = ", ".join(f"{n} {kind}" for kind, n in counts.kinds.items())
    why = f"; {kinds}" if kinds else ""
    if (common := findings.unread.commonest) is not None:
        why += f"; {common.times} times: {common.reason} (first at {common.first})"
    return ImportFormatError(
        f"{export.name}: no message with text among {total} records{why}; export the chat again"
    )
