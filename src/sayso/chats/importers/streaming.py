"""Large JSON without holding all of it: its long lists are read from the file as they are walked.

What is below :data:`LARGE` is read in one piece, which is faster and tells where it is broken.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import ijson

from sayso.chats.importers.half_characters import Mending
from sayso.errors import ImportFormatError

LARGE = 16 * 2**20  # bytes; read in one piece they take twenty times as much
_HEAD = 5
_LONG = frozenset({"", "messages", "chats.list", "left_chats.list"})
_BEGIN, _END = frozenset({"start_map", "start_array"}), frozenset({"end_map", "end_array"})
# What does not end an item, although it stands where the item does.
_WITHIN = _BEGIN | {"map_key"}
_DEEPEST = 200


@dataclass(frozen=True)
class Streamed:
    """A list in a file: its first items, and all of them by walking it, as often as one likes."""

    opened: Mending
    prefix: str
    head: tuple[Any, ...]
    name: str

    def __iter__(self) -> Iterator[Any]:
        """The items, read from the file."""
        with self.opened() as file:
            try:
                yield from ijson.items(file, f"{self.prefix}.item".lstrip("."), use_float=True)
            except (ijson.JSONError, UnicodeDecodeError) as error:
                raise broken(self.name, error) from error


def listed(value: Any) -> Iterable[Any] | None:  # a file may hold anything
    """The items of a list, however it is kept; None where it is none."""
    return value if isinstance(value, list | Streamed) else None


def head_of(value: Any) -> list[Any]:
    """The first few items of a list; none where it is none."""
    if isinstance(value, Streamed):
        return list(value.head)
    return value[:_HEAD] if isinstance(value, list) else []


def outline(opened: Mending, name: str) -> Any:
    """The JSON value with its long lists as :class:`Streamed`.

    Those are ``messages`` of the top object, the lists of chats of an account, and a top list.
    Raises ImportFormatError for broken JSON.
    """
    builder = ijson.ObjectBuilder()
    streams: dict[str, list[Any]] = {}
    with opened() as file:
        events = _events(file, name)
        try:
            for path, event, value in events:
                builder.event(event, value)
                if event == "start_array" and (prefix := ".".join(path[:-1])) in _LONG:
                    streams[prefix] = _first_items(events, len(path))
                    builder.event("end_array", None)
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise broken(name, error) from error
    tree = builder.value
    for prefix, head in streams.items():
        tree = _put(tree, prefix, Streamed(opened, prefix, tuple(head), name))
    return tree


def _first_items(events: Iterator[tuple[list[str], str, Any]], depth: int) -> list[Any]:
    """The first items of a list whose beginning was read, and the rest of it walked past."""
    items: list[Any] = []
    item = ijson.ObjectBuilder()
    for path, event, value in events:
        if event == "end_array" and len(path) < depth:
            break
        if len(items) < _HEAD:
            item.event(event, value)
            if len(path) == depth and event not in _WITHIN:
                items.append(item.value)
                item = ijson.ObjectBuilder()
    return items


def _events(file: Any, name: str) -> Iterator[tuple[list[str], str, Any]]:
    """Each event with the path within which the next one stands: a list that goes on changing.

    As ijson's ``parse``, which would write out a path of any depth and fill the memory.
    """
    path: list[str] = []
    for event, value in ijson.basic_parse(file, use_float=True):
        if event == "map_key":
            path[-1] = value
        elif event in _BEGIN:
            path.append("item" if event == "start_array" else "")
            if len(path) > _DEEPEST:
                raise ImportFormatError(f"{name}: is nested deeper than any export; not read")
        elif event in _END:
            path.pop()
        yield path, event, value


def broken(name: str, error: Exception) -> ImportFormatError:
    """The error of JSON that stops in the middle or is none."""
    return ImportFormatError(
        f"{name}: broken JSON, {' '.join(str(error).split())[:120]}; it may have been cut short: "
        "export or download it again"
    )


def _put(tree: Any, prefix: str, stream: Streamed) -> Any:
    if not prefix:
        return stream
    *path, last = prefix.split(".")
    at = tree
    for key in path:
        at = at[key]
    at[last] = stream
    return tree
