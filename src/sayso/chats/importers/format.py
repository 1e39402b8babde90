"""What an importer declares: its name, how its files are recognised, and how they are read."""

from collections.abc import Callable
from dataclasses import dataclass

from sayso.chats.importers.export import Export
from sayso.chats.importers.report import Imported, ImportOptions


@dataclass(frozen=True)
class Format:
    """One export format.

    ``recognises`` looks at the content, never at the name. ``read`` gives every chat of the file,
    at least one, and raises ImportFormatError where there is none to be had.
    """

    name: str
    recognises: Callable[[Export], bool]
    read: Callable[[Export, ImportOptions], tuple[Imported, ...]]
