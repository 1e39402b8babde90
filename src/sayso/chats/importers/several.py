"""Exports of several chats: each is read by itself, and what says nothing is left out."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from sayso.chats.importers.export import Export
from sayso.chats.importers.report import Imported, ImportOptions
from sayso.errors import ImportFormatError

Part = TypeVar("Part")


def read_several(
    parts: Sequence[tuple[str, Part]],
    read: Callable[[Part, ImportOptions], Imported],
    options: ImportOptions,
    export: Export,
) -> tuple[Imported, ...]:
    """Each (chat id, part) as a chat under that id, in order.

    A part in which nobody says anything is left out, and the first chat's report says so. Raises
    ImportFormatError where that is all of them.
    """
    imported: list[Imported] = []
    failures: list[str] = []
    for chat_id, part in parts:
        try:
            imported.append(read(part, options.model_copy(update={"chat_id": chat_id})))
        except ImportFormatError as error:
            failures.append(f"{chat_id}: {str(error).removeprefix(f'{export.name}: ')}")
    if not imported:
        why = failures[0] if failures else "it holds no chat"
        raise ImportFormatError(f"{export.name}: {why}")
    return told(imported, failures)


def told(imported: Sequence[Imported], left_out: Sequence[str]) -> tuple[Imported, ...]:
    """The chats; what could not be had of the export is told once, with the first of them."""
    if not left_out:
        return tuple(imported)
    more = f" (and {len(left_out) - 1} more)" if len(left_out) > 1 else ""
    first, *rest = imported
    warning = f"left out: {left_out[0]}{more}"
    report = first.report.model_copy(update={"warnings": (*first.report.warnings, warning)})
    return (first.model_copy(update={"report": report}), *rest)
