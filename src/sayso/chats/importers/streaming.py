"""Large JSON without holding all of it: its long lists are read from the file as they are walked.

What is below :data:`LARGE` is read in one piece, which is faster and tells where it is broken.
"""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import ijson

from sayso.chats.importers.half_characters import Mending
from sayso.errors import ImportFormatError

LARGE = 16 * 2**20  # bytes; read in one piece they take twenty times as much
_HEAD = 5
_LONG = ("", "messages", "chats.list.item.messages", "left_chats.list.item.messages")
_BEGIN, _END = frozenset({"start_map", "start_array"}), frozenset({"end_map", "end_array"})
# What does not end an item, although it stands where the item does.
_WITHIN = _BEGIN | {"map_key"}
_DEEPEST = 200


@dataclass(frozen=True)
class Streamed:
    """A list in a file: its first items, and all of them by walking it, as often as one likes.

    It is ``count`` items from ``start`` among all that stand under the prefix.
    """

    walk: "_Walk"
    head: tuple[Any, ...]
    start: int
    count: int

    def __iter__(self) -> Iterator[Any]:
        """The items, read from the file."""
        return self.walk.items(self.start, self.count)


@dataclass
class _Walk:
    """The items of all lists under one prefix; a list that follows the one before goes on there."""

    opened: Mending
    prefix: str
    name: str
    total: int = 0
    _going: Generator[Any, None, None] | None = None
    _at: int = 0

    def items(self, start: int, count: int) -> Iterator[Any]:
        """So many items from there."""
        if self._going is None or self._at > start:
            self.stop()
            self._going = self._from_the_first()
        going = self._going
        for _ in range(start - self._at):
            next(going, None)
        self._at = start
        for item in islice(going, count):
            self._at += 1
            yield item
        if self._at >= self.total:
            self.stop()

    def stop(self) -> None:
        """Let go of the file."""
        if self._going is not None:
            self._going.close()
        self._going, self._at = None, 0

    def _from_the_first(self) -> Generator[Any, None, None]:
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

    Those are ``messages`` of the top object and of each chat of an account, and a top list. Raises
    ImportFormatError for broken JSON.
    """
    builder = ijson.ObjectBuilder()
    walks = {prefix: _Walk(opened, prefix, name) for prefix in _LONG}
    with opened() as file:
        events = _events(file, name)
        try:
            for path, event, value in events:
                if event == "start_array" and (walk := walks.get(".".join(path[:-1]))):
                    head, count = _walked_past(events, len(path))
                    builder.event("null", Streamed(walk, tuple(head), walk.total, count))
                    walk.total += count
                else:
                    builder.event(event, value)
        except (ijson.JSONError, UnicodeDecodeError) as error:
            raise broken(name, error) from error
    return builder.value


def _walked_past(events: Iterator[tuple[list[str], str, Any]], depth: int) -> tuple[list[Any], int]:
    """The first items of a list whose beginning was read, and how many there are."""
    items: list[Any] = []
    count = 0
    item = ijson.ObjectBuilder()
    for path, event, value in events:
        if event == "end_array" and len(path) < depth:
            break
        if count < _HEAD:
            item.event(event, value)
        if len(path) == depth and event not in _WITHIN:
            count += 1
            if count <= _HEAD:
                items.append(item.value)
                item = ijson.ObjectBuilder()
    return items, count


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
