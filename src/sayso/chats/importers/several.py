"""Exports of several chats: each is read by itself, and what says nothing is left out."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sayso.chats.importers.draft import Draft
from sayso.chats.importers.export import Export
from sayso.chats.importers.report import ImportOptions
from sayso.errors import ImportFormatError

Part = TypeVar("Part")


def read_several(
    parts: Iterable[tuple[str, Part]],
    read: Callable[[Part, ImportOptions], Draft],
    options: ImportOptions,
    export: Export,
) -> tuple[Draft, ...]:
    """Each (chat id, part) as a chat under that id, in order.

    A part in which nobody says anything is left out, and the first chat's report says so. Raises
    ImportFormatError where that is all of them.
    """
    drafts: list[Draft] = []
    failures: list[str] = []
    for chat_id, part in parts:
        try:
            drafts.append(read(part, options.model_copy(update={"chat_id": chat_id})))
        except ImportFormatError as error:
            failures.append(f"{chat_id}: {str(error).removeprefix(f'{export.name}: ')}")
    if not drafts:
        why = failures[0] if failures else "it holds no chat"
        raise ImportFormatError(f"{export.name}: {why}")
    return told(drafts, failures)


def told(drafts: Sequence[Draft], left_out: Sequence[str]) -> tuple[Draft, ...]:
    """The chats; what could not be had of the export is told once, with the first of them."""
    if not left_out:
        return tuple(drafts)
    more = f" (and {len(left_out) - 1} more)" if len(left_out) > 1 else ""
    first, *rest = drafts
    return (first.warned(f"left out: {left_out[0]}{more}"), *rest)
