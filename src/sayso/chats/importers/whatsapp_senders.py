"""Who a WhatsApp line is from, and which "senders" are the group itself."""

from collections.abc import Iterable

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
    name = label.strip(MARKS + SPACES)
    if name[:1] == "~" and name[1:2] and name[1] in SPACES:
        name = name[1:].lstrip(MARKS + SPACES)
    if not name or not _QUOTES.isdisjoint(name):
        return None, rest
    return name, text


def group_names(system: Iterable[tuple[str, str]], speakers: frozenset[str]) -> tuple[str, ...]:
    """Senders of system texts who are no person, in order of appearance.

    ``system`` holds (sender, text): a person's label is the person who acts, and the text begins
    with that name, or a person who speaks elsewhere.
    """
    names = {s: None for s, text in system if s not in speakers and not text.startswith(s)}
    return tuple(names)
