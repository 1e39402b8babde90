"""``sayso import FILE…``."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from sayso.assembly import PATIENCE, ImportedChat, import_export
from sayso.chats.importers.registry import IMPORTERS
from sayso.chats.importers.report import DateOrder, ImportOptions
from sayso.chats.outline import Outline
from sayso.chats.trial import Trial, trial_of
from sayso.cli.imported import import_json, import_lines
from sayso.cli.rendering import columns as columns_of
from sayso.cli.rendering import ink, note, progress, say, say_json, status
from sayso.cli.visible import inline
from sayso.core.chat import ChatHeader
from sayso.errors import SaysoError
from sayso.paths import home
from sayso.settings import read_settings


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
@click.option("--dry-run", is_flag=True, help="Tell what would be imported, and write nothing.")
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
    dry_run: bool,
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
    refused: list[SaysoError] = []

    def refuse(error: SaysoError) -> None:  # the other chats and files are still imported
        note(str(error))
        refused.append(error)

    with trial_of(home()) if dry_run else nullcontext() as trial:
        for file in files:
            try:
                for imported in _imported(file, options, refuse, trial):
                    told.append(import_json(imported))
                    if not as_json:
                        say(import_lines(imported, ink()))
            except SaysoError as error:
                refuse(error)
    if as_json:
        say_json(told)
    ctx.exit(SaysoError.exit_code if refused else 0)


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


def _imported(
    file: Path,
    options: ImportOptions,
    refuse: Callable[[SaysoError], None],
    trial: Trial | None,
) -> tuple[ImportedChat, ...]:
    """The chats of a file; an interruption says how far it came before it goes on its way."""
    at = _Stage(progress(), status())
    try:
        return import_export(
            file,
            options,
            home=home(),
            settings=read_settings(),
            stored=None if trial else at.stored,
            progress=at.embedded,
            refused=refuse,
            heard=at.heard,
            trial=trial,
        )
    except KeyboardInterrupt:
        if at.show:
            at.show(0, 0)  # the line of progress makes room
        if at.tell:
            at.tell("")
        if at.chat is not None:
            note(f"{inline(at.chat.chat_id)} is imported and can be asked; {at.rest}")
        raise


@dataclass
class _Stage:
    """How far the import of a file is; tells when a large chat can be asked already."""

    show: Callable[[int, int], None] | None
    tell: Callable[[str], None] | None = None
    chat: ChatHeader | None = None
    missing: int | None = None

    def heard(self, doing: str, done: int, total: int) -> None:
        """So much of a large file is read, or of a large chat written."""
        if self.tell:
            self.tell(f"{doing} {100 * done // max(total, 1)} %")

    def stored(self, outline: Outline) -> None:
        """The chat is in the archive."""
        self.chat, self.missing = outline.header, None
        if self.tell:
            self.tell("")

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
