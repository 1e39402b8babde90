"""One module for each export format."""

from sayso.chats.importers.importing import import_file
from sayso.chats.importers.report import Imported, ImportOptions, ImportReport

__all__ = ["ImportOptions", "ImportReport", "Imported", "import_file"]
