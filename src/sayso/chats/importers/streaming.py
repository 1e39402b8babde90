"""Large JSON without holding all of it: its long lists are read from the file as they are walked.

What is below :data:`LARGE` is read in one piece, which is faster and tells where it is broken.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, Any

import ijson

from sayso.errors import ImportFormatError

LARGE = 64 * 2**20  # bytes
_HEAD = 5

Opened = Callable[[], AbstractContextManager[IO[bytes]]]


@dataclass(frozen=True)
class Streamed:
    """A list in a file: its first items, and all of them by walking it, as often as one likes."""

    opened: Opened
    prefix: str
    head: tuple[Any, ...]
    name: str

    def __iter__(self) -> Iterator[Any]:
        """The items, read from the file."""
        with self.opened() as file:
            try:
                yield from ijson.items(file, f"{self.prefix}.item".lstrip("."), use_float=True)
            except ijson.JSONError as error:
                raise broken(self.name, error) from error


def listed(value: Any) -> Iterable[Any] | None:  # a file may hold anything
    """The items of a list, however it is kept; None where it is none."""
    return value if isinstance(value, list | Streamed) else None


def head_of(value: Any) -> list[Any]:
    """The first few items of a list; none where it is none."""
    if isinstance(value, Streamed):
        return list(value.head)
    return value[:_HEAD] if isinstance(value, list) else []


def outline(opened: Opened, name: str) -> Any:
    """The JSON value with its long lists as :class:`Streamed`.

    Those are ``messages`` of the top object, the lists of chats of an account, and a top list.
    Raises ImportFormatError for broken JSON.
    """
    builder = ijson.ObjectBuilder()
    inside: str | None = None
    streams: dict[str, list[Any]] = {}
    item = ijson.ObjectBuilder()
    with opened() as file:
        try:
            for prefix, event, value in ijson.parse(file, use_float=True):
                if inside is None:
                    builder.event(event, value)
                    if event == "start_array" and _is_long(prefix):
                        inside, streams[prefix] = prefix, []
                        item = ijson.ObjectBuilder()
                elif event == "end_array" and prefix == inside:
                    builder.event(event, value)
                    inside = None
                elif len(streams[inside]) < _HEAD:
                    item.event(event, value)
                    if prefix == f"{inside}.item".lstrip(".") and not event.startswith("start"):
                        streams[inside].append(item.value)
                        item = ijson.ObjectBuilder()
        except ijson.JSONError as error:
            raise broken(name, error) from error
    tree = builder.value
    for prefix, head in streams.items():
        tree = _put(tree, prefix, Streamed(opened, prefix, tuple(head), name))
    return tree


def broken(name: str, error: Exception) -> ImportFormatError:
    """The error of JSON that stops in the middle or is none."""
    return ImportFormatError(
        f"{name}: broken JSON, {' '.join(str(error).split())[:120]}; it may have been cut short: "
        "export or download it again"
    )


def _is_long(prefix: str) -> bool:
    return prefix in {"", "messages", "chats.list", "left_chats.list"}


def _put(tree: Any, prefix: str, stream: Streamed) -> Any:
    if not prefix:
        return stream
    *path, last = prefix.split(".")
    at = tree
    for key in path:
        at = at[key]
    at[last] = stream
    return tree
