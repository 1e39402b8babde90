"""Who a WhatsApp line is from."""

from functools import lru_cache

from sayso.chats.importers.whatsapp_headers import MARKS, SPACES, Style

# A contact's name has no quotes; a group's subject, told in a system line, stands in them.
_QUOTES = frozenset('"“”„«»')


def split_sender(rest: str, style: Style) -> tuple[str | None, str]:
    """The sender and the text of what follows the stamp; None where it names no sender.

    ``~ Name``, an unsaved contact, is ``Name``.
    """
    colon = " : " if style == "comma" else ": "
    label, found, text = rest.partition(colon)
    if not found:
        if not rest.endswith(colon.rstrip()):
            return None, rest
        label, text = rest[: -len(colon.rstrip())], ""
    name = _name(label)
    return (None, rest) if name is None else (name, text)


@lru_cache(maxsize=4096)
def _name(label: str) -> str | None:
    name = label.strip(MARKS + SPACES)
    if name[:1] == "~" and name[1:2] and name[1] in SPACES:
        name = name[1:].lstrip(MARKS + SPACES)
    return name if name and _QUOTES.isdisjoint(name) else None
