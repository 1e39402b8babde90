"""Conversations that share people, as groups: what is learned in one is known in the others."""

from collections.abc import Iterable

from sayso.core.chat import Chat


def groups_of(chats: Iterable[Chat]) -> dict[str, str]:
    """The group of each chat by its chatId; a group is named after its first chat.

    Two chats are in one group when a person takes part in both, by name or alias, without regard
    to case, or when a third chat links them. Names are compared whole: a first name that two
    strangers share joins their chats, which makes tests more careful, never less.
    """
    group: dict[str, str] = {}
    of_person: dict[str, str] = {}
    for chat in chats:
        people = {n.casefold() for p in chat.participants for n in (p.name, *p.aliases)}
        linked = sorted({of_person[name] for name in people if name in of_person})
        own = next((name for name in group.values() if name in linked), chat.chat_id)
        merged = dict.fromkeys(linked, own)
        group = {chat_id: merged.get(name, name) for chat_id, name in group.items()}
        of_person = {name: merged.get(held, held) for name, held in of_person.items()}
        group[chat.chat_id] = own
        of_person |= dict.fromkeys(people, own)
    return group
