"""What a chat may be called: any Unicode, as long as it is one file name."""

import re

from sayso.errors import InputError

_SURROGATE = re.compile("[\ud800-\udfff]")


def checked_chat_id(chat_id: str, where: str) -> str:
    r"""The chat id as it is; raises InputError where it cannot name a file of the store.

    Refused: blank ones, ``.`` and ``..``, ``/``, ``\``, NUL, and lone surrogates.
    """
    if (
        not chat_id.strip()
        or chat_id in {".", ".."}
        or set(chat_id) & {"/", "\\", "\0"}
        or (_SURROGATE.search(chat_id))
    ):
        raise InputError(
            f"{where}: {chat_id!r} cannot be a chat's id; an id has no / and no \\ and is not "
            "empty, '.' or '..'; name another with --as ID"
        )
    return chat_id


def mended(text: str) -> str:
    """The text with each lone surrogate as U+FFFD, so every offset stays where it was."""
    return _SURROGATE.sub("\ufffd", text)
