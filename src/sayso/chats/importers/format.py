"""What an importer declares: its name, how its files are recognised, and how they are read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.report import ImportOptions


@dataclass(frozen=True)
class Format:
    """One export format.

    ``id`` is what one types, ``name`` what one reads, ``example`` a command that imports one.
    ``recognises`` looks at the content, never at the name. ``read`` gives every chat of the file,
    at least one, and raises ImportFormatError where there is none to be had. ``join`` reads all
    files of this format in a folder or an archive as one export, where that is more than each by
    itself.
    """

    id: str
    name: str
    example: str
    recognises: Callable[[Export], bool]
    read: Callable[[Export, ImportOptions], tuple[Draft, ...]]
    join: Callable[[Sequence[Export], ImportOptions], tuple[Draft, ...]] | None = None
