"""``sayso import FILE…``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import click

from sayso.assembly import ImportedChat, import_export
from sayso.chats.importers.report import DateOrder, Faults, ImportOptions
from sayso.cli.chats import chat_json, people
from sayso.cli.rendering import Ink, ink, local_time, note, progress, say, say_json
from sayso.cli.visible import inline
from sayso.errors import SaysoError
from sayso.paths import home

_FAULTS_SHOWN = 5


@click.command("import")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--as", "chat_id", metavar="ID", help="What to call the chat, instead of the file's name."
)
@click.option(
    "--tz",
    "--timezone",
    "timezone",
    metavar="ZONE",
    help="Where the phone's clock was, as Europe/Berlin; an export that names no zone is read "
    "as UTC.",
)
@click.option(
    "--date-order",
    type=click.Choice(get_args(DateOrder)),
    help="Order of day, month and year, where the file leaves it open.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def import_command(
    ctx: click.Context,
    files: tuple[Path, ...],
    chat_id: str | None,
    timezone: str | None,
    date_order: DateOrder | None,
    as_json: bool,
) -> None:
    """Read chat exports into the archive; importing a chat again adds what is new.

    Reads WhatsApp .txt (iOS and Android), canonical chat JSONL, REALTALK and LoCoMo files; the
    content tells which. Every iOS export is called _chat.txt: name it with --as.
    """
    if chat_id is not None and len(files) > 1:
        raise click.UsageError("--as names one chat; import the files one by one")
    options = ImportOptions(chat_id=chat_id, timezone=timezone, date_order=date_order)
    told: list[dict[str, Any]] = []
    code = 0
    for file in files:
        try:
            for imported in import_export(file, options, home=home(), progress=progress()):
                told.append(import_json(imported))
                if not as_json:
                    say(import_lines(imported, ink()))
        except SaysoError as error:  # the other files are still read
            note(str(error))
            code = SaysoError.exit_code
    if as_json:
        say_json(told)
    ctx.exit(code)


def import_json(imported: ImportedChat) -> dict[str, Any]:
    """The chat as it now stands, what the file held, and what the merge added."""
    return {
        **chat_json(imported.chat),
        "report": imported.report.model_dump(mode="json", by_alias=True),
        "merge": imported.merge.model_dump(mode="json", by_alias=True),
        "index": imported.index_note,
    }


def import_lines(imported: ImportedChat, ink: Ink) -> list[str]:
    """The same for people, a fact a line."""
    chat, report = imported.chat, imported.report
    kinds = ", ".join(f"{count} {kind}" for kind, count in report.kinds.items())
    first, last = (local_time(moment, chat.zone) for moment in (report.first, report.last))
    lines = [
        f"{ink(inline(chat.chat_id), 'name')}  {inline(chat.title)} ({inline(report.format)})",
        f"  {report.messages} messages: {kinds}",
        f"  people: {people(report.people)}",
        f"  {first} to {last}, {chat.timezone}",
        f"  {_merged(imported)}",
    ]
    for what, found in (
        ("could not be read", report.unread),
        ("repaired", report.repaired),
        ("ids missing or twice", report.duplicates),
    ):
        lines += _faults(what, found, ink)
    lines += [ink(f"  warning: {inline(text)}", "warning") for text in report.warnings]
    return lines + [ink(f"  note: {inline(text)}", "dim") for text in report.notes]


def _merged(imported: ImportedChat) -> str:
    merge, total = imported.merge, len(imported.chat.messages)
    changed = f", {merge.changed} with other words than before, which stay" if merge.changed else ""
    if merge.added == total:
        return f"all {total} are new; {imported.index_note}"
    added = f"{merge.added} new" if merge.added else "nothing new"
    return (
        f"{added}, {merge.already_there} there already{changed}; "
        f"{total} messages in all; {imported.index_note}"
    )


def _faults(what: str, found: Faults, ink: Ink) -> Iterator[str]:
    if not found.count:
        return
    yield ink(f"  {what}: {found.count}", "warning")
    for fault in found.shown[:_FAULTS_SHOWN]:
        yield f"    {inline(fault.where)}: {inline(fault.reason)}"
    if found.count > _FAULTS_SHOWN:
        yield ink(f"    and {found.count - _FAULTS_SHOWN} more", "dim")
