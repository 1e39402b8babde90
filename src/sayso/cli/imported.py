"""What an import tells, for people and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from sayso.assembly import UNTOUCHED, ImportedChat
from sayso.chats.importers.report import Faults
from sayso.chats.merging import MergeReport
from sayso.cli.chats import chat_json, people
from sayso.cli.rendering import Ink, local_time
from sayso.cli.visible import inline

_FAULTS_SHOWN = 5
_NUMBERS_SHOWN = 20


def import_json(imported: ImportedChat) -> dict[str, Any]:
    """The chat as it now stands, what the file held, and what the merge added."""
    return {
        **chat_json(imported.outline),
        "report": imported.report.model_dump(mode="json", by_alias=True),
        "merge": imported.merge.model_dump(mode="json", by_alias=True),
        "dryRun": imported.index_note == UNTOUCHED,
        "index": imported.index_note,
        "notes": list(imported.notes),
    }


def import_lines(imported: ImportedChat, ink: Ink) -> list[str]:
    """The same for people, a fact a line."""
    chat, report = imported.outline.header, imported.report
    kinds = ", ".join(f"{count} {kind}" for kind, count in report.kinds.items())
    first, last = (
        local_time(moment, imported.outline.zone) for moment in (report.first, report.last)
    )
    lines = [
        f"{ink(inline(chat.chat_id), 'name')}  {inline(chat.title)} ({inline(report.format)})",
        f"  {report.messages} messages: {kinds}",
        f"  people: {people(report.people)}",
        f"  {first} to {last}, {chat.timezone}",
        f"  {_merged(imported)}",
        *_changes(imported.merge, ink),
    ]
    for what, found in (
        ("could not be read", report.unread),
        ("repaired", report.repaired),
        ("ids missing or twice", report.duplicates),
    ):
        lines += _faults(what, found, ink)
    lines += [ink(f"  warning: {inline(text)}", "warning") for text in report.warnings]
    notes = (*report.notes, *imported.notes)
    return lines + [ink(f"  note: {inline(text)}", "dim") for text in notes]


def _merged(imported: ImportedChat) -> str:
    merge, total = imported.merge, imported.outline.messages
    if merge.added == total:
        return f"all {total} are new; {imported.index_note}"
    added = f"{merge.added} new" if merge.added else "nothing new"
    return (
        f"{added}, {merge.already_there} there already; {total} messages in all; "
        f"{imported.index_note}"
    )


def _changes(merge: MergeReport, ink: Ink) -> Iterator[str]:
    """What became other than it was: what quoted it may no longer hold."""
    if merge.edited:
        yield ink(
            f"  edited since: {_numbers(merge.edited)}; their former words are kept as revisions, "
            "and what quoted them may no longer hold",
            "warning",
        )
    if merge.completed:
        yield f"  {merge.completed} messages stand there in full now"
    if merge.deleted:
        yield f"  deleted since, their words stay: {_numbers(merge.deleted)}"
    for person in merge.renamed:
        yield f"  {inline(person.before)} goes by {inline(person.now)}"
    if merge.owner is not None:
        yield f"  this is the archive of {inline(merge.owner)} now"


def _numbers(local_ids: Sequence[int]) -> str:
    shown = ", ".join(f"#{n}" for n in local_ids[:_NUMBERS_SHOWN])
    more = len(local_ids) - _NUMBERS_SHOWN
    return f"{shown} and {more} more (all in --json)" if more > 0 else shown


def _faults(what: str, found: Faults, ink: Ink) -> Iterator[str]:
    if not found.count:
        return
    yield ink(f"  {what}: {found.count}", "warning")
    for fault in found.shown[:_FAULTS_SHOWN]:
        yield f"    {inline(fault.where)}: {inline(fault.reason)}"
    if found.count > _FAULTS_SHOWN:
        yield ink(f"    and {found.count - _FAULTS_SHOWN} more", "dim")
