"""``sayso import FILE…``."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from sayso.assembly import PATIENCE, ImportedChat, import_export
from sayso.chats.importers.registry import IMPORTERS
from sayso.chats.importers.report import DateOrder, Faults, ImportOptions
from sayso.cli.chats import chat_json, people
from sayso.cli.rendering import Ink, ink, local_time, note, progress, say, say_json
from sayso.cli.rendering import columns as columns_of
from sayso.cli.visible import inline
from sayso.core.chat import Chat
from sayso.errors import SaysoError
from sayso.paths import home
from sayso.settings import read_settings

_FAULTS_SHOWN = 5


@click.command("import")
@click.argument("files", metavar="FILE…", nargs=-1, type=click.Path(path_type=Path))
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
@click.option(
    "--self", "owner", metavar="NAME", help='What you are called, where the export says "me".'
)
@click.option(
    "--alias", "aliases", metavar="A=B", multiple=True, help="A is another name of B; repeatable."
)
@click.option(
    "--map",
    "columns",
    metavar="PART=COLUMN,…",
    help="Which column of a table is what, as text=body,sender=from,time=ts.",
)
@click.option("--list", "as_list", is_flag=True, help="List the formats and an example of each.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def import_command(
    ctx: click.Context,
    files: tuple[Path, ...],
    chat_id: str | None,
    timezone: str | None,
    date_order: DateOrder | None,
    owner: str | None,
    aliases: tuple[str, ...],
    columns: str | None,
    as_list: bool,
    as_json: bool,
) -> None:
    """Read chat exports into the archive; importing a chat again adds what is new.

    Files, folders and zip archives; the content tells the format. --list shows what is read.
    """
    if as_list:
        list_formats(as_json=as_json)
        return
    if not files:
        raise click.UsageError("name the export files, or list the formats with --list")
    if chat_id is not None and len(files) > 1:
        raise click.UsageError("--as names one chat; import the files one by one")
    options = ImportOptions(
        chat_id=chat_id,
        timezone=timezone,
        date_order=date_order,
        owner=owner,
        aliases=tuple(_pair(given, "--alias", "A=B") for given in aliases),
        columns=tuple(_pair(p, "--map", "text=body") for p in columns.split(","))
        if columns
        else (),
    )
    told: list[dict[str, Any]] = []
    code = 0
    for file in files:
        try:
            for imported in _imported(file, options):
                told.append(import_json(imported))
                if not as_json:
                    say(import_lines(imported, ink()))
        except SaysoError as error:  # the other files are still read
            note(str(error))
            code = SaysoError.exit_code
    if as_json:
        say_json(told)
    ctx.exit(code)


def _pair(given: str, option: str, example: str) -> tuple[str, str]:
    left, equals, right = (part.strip() for part in given.partition("="))
    if not (left and equals and right):
        raise click.UsageError(f"{option}: expected {example}, found {given!r}")
    return left, right


def list_formats(*, as_json: bool) -> None:
    """Print every format that can be imported, with a command that imports one."""
    if as_json:
        say_json([{"id": f.id, "name": f.name, "example": f.example} for f in IMPORTERS])
        return
    rows = [["id", "format", "example"], *([f.id, f.name, f.example] for f in IMPORTERS)]
    heading, *lines = columns_of(rows)
    say([ink()(heading, "dim"), *lines])


def _imported(file: Path, options: ImportOptions) -> tuple[ImportedChat, ...]:
    """The chats of a file; an interruption says how far it came before it goes on its way."""
    at = _Stage(progress())
    try:
        return import_export(
            file,
            options,
            home=home(),
            settings=read_settings(),
            stored=at.stored,
            progress=at.embedded,
        )
    except KeyboardInterrupt:
        if at.show:
            at.show(0, 0)  # the line of progress makes room
        if at.chat is not None:
            note(f"{inline(at.chat.chat_id)} is imported and can be asked; {at.rest}")
        raise


@dataclass
class _Stage:
    """How far the import of a file is; tells when a large chat can be asked already."""

    show: Callable[[int, int], None] | None
    chat: Chat | None = None
    missing: int | None = None

    def stored(self, chat: Chat) -> None:
        """The chat is in the archive."""
        self.chat, self.missing = chat, None

    def embedded(self, done: int, total: int) -> None:
        """So many of its messages have their vectors."""
        if self.missing is None and self.chat is not None and total - done > PATIENCE:
            name = inline(self.chat.chat_id)
            note(
                f"{name} can be asked now, by its words; {total - done} messages are still to be "
                "embedded (ctrl-C is safe, a later import goes on)"
            )
        self.missing = total - done
        if self.show:
            self.show(done, total)

    @property
    def rest(self) -> str:
        """What is left to do, and when it is done."""
        again = (
            "the next import" if (self.missing or 0) > PATIENCE else "the next import or question"
        )
        return f"embedding goes on with {again}"


def import_json(imported: ImportedChat) -> dict[str, Any]:
    """The chat as it now stands, what the file held, and what the merge added."""
    return {
        **chat_json(imported.chat),
        "report": imported.report.model_dump(mode="json", by_alias=True),
        "merge": imported.merge.model_dump(mode="json", by_alias=True),
        "index": imported.index_note,
        "notes": list(imported.notes),
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
    notes = (*report.notes, *imported.notes)
    return lines + [ink(f"  note: {inline(text)}", "dim") for text in notes]


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
