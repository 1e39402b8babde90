"""Who is who: names by platform ids, other names of one person, and the owner of the archive.

People rename themselves and each other, and two people may bear one name; an id is the same for
ever. The latest name (or the one the export's list of members has) is the name, the others are
aliases, and of two people with one name the second to speak has the id behind it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sayso.chats.importers.report import Findings, ImportOptions, Record
from sayso.core.chat import Chat, Participant, Reaction

Roster = Mapping[str, Sequence[str]]
"""By a person's platform id: their name, then other names they are known by."""


class Named(NamedTuple):
    """The records with each person under one name; who speaks, by name; every name by its id."""

    records: list[Record]
    people: dict[str, Participant]
    names: dict[str, str]


def with_names(records: Sequence[Record], roster: Roster) -> Named:
    """The records, in the order given, with each person under one name.

    A record without a person keeps the sender's name that it has.
    """
    heard: dict[str, dict[str, None]] = {}
    for record in sorted(records, key=lambda record: record.sent_at):
        if record.person is not None:
            known = heard.setdefault(record.person, {})
            if record.sender:
                known.pop(record.sender, None)  # the latest is the last
                known[record.sender] = None
    named: dict[str, Participant] = {}
    taken = {r.sender for r in records if r.person is None and r.kind != "system"}
    for person in [*heard, *(key for key in roster if key not in heard)]:
        listed = [name for name in roster.get(person, ()) if name.strip()]
        names = list(dict.fromkeys([*listed, *reversed(heard.get(person, {}))])) or [person]
        name = names[0] if names[0] not in taken else f"{names[0]} ({person})"
        taken.add(name)
        named[person] = Participant(name=name, aliases=tuple(n for n in names[1:] if n != name))
    speaking = {r.person for r in records if r.kind != "system"}
    return Named(
        [_renamed(record, named) for record in records],
        {p.name: p for key, p in named.items() if key in speaking},
        {key: person.name for key, person in named.items()},
    )


def _renamed(record: Record, named: Mapping[str, Participant]) -> Record:
    if record.person is None and not record.reactions:
        return record
    sender = record.sender if record.person is None else named[record.person].name
    reactions = tuple(
        r.model_copy(update={"who": tuple(named[w].name if w in named else w for w in r.who)})
        for r in record.reactions
    )
    if sender == record.sender and reactions == record.reactions:
        return record
    return replace(record, sender=sender, reactions=reactions)


def as_told(chat: Chat, options: ImportOptions, findings: Findings) -> Chat:
    """The chat with the user's word on who is who: ``--alias A=B`` and ``--self NAME``."""
    renames = _renames(chat, options, findings)
    owner = renames.get(chat.owner or "", chat.owner)
    if options.owner is not None:
        owner = _meant(chat, renames.get(options.owner, options.owner)) or owner
    if not renames:
        return chat if owner == chat.owner else chat.model_copy(update={"owner": owner})
    messages = tuple(
        m.model_copy(
            update={
                "sender": renames.get(m.sender, m.sender),
                "reactions": tuple(_of(r, renames) for r in m.reactions),
            }
        )
        for m in chat.messages
    )
    people: dict[str, Participant] = {}
    for person in chat.participants:
        name = renames.get(person.name, person.name)
        known = people.get(name, Participant(name=name)).aliases
        others = dict.fromkeys([*known, person.name, *person.aliases])
        people[name] = Participant(name=name, aliases=tuple(n for n in others if n != name))
    fields = {name: getattr(chat, name) for name in Chat.model_fields}
    told = {"messages": messages, "participants": tuple(people.values()), "owner": owner}
    return Chat.model_validate(fields | told)


def _renames(chat: Chat, options: ImportOptions, findings: Findings) -> dict[str, str]:
    """By a name in the chat, what it becomes."""
    given = dict(options.aliases)
    renames: dict[str, str] = {}
    names = {p.name: p.name for p in chat.participants}
    names = {a: p.name for p in chat.participants for a in p.aliases} | names
    for alias in given:
        if alias not in names:
            findings.notes.append(
                f"--alias {alias}={given[alias]}: nobody here is called {alias!r}"
            )
            continue
        name, seen = alias, {alias}
        while name in given and given[name] not in seen:
            name = given[name]
            seen.add(name)
        name = names.get(name, name)
        if names[alias] != name:
            renames[names[alias]] = name
    if options.owner is not None and _meant(chat, options.owner) is None:
        if chat.owner is not None:
            renames[chat.owner] = options.owner
        elif options.owner not in renames.values():
            said = ", ".join(chat.names[:8]) or "nobody"
            findings.warnings.append(
                f"--self {options.owner}: nobody here is called that; people: {said}"
            )
    return renames


def _meant(chat: Chat, name: str) -> str | None:
    """Whose name or alias it is, case aside."""
    folded = name.casefold()
    for person in chat.participants:
        if folded in {n.casefold() for n in (person.name, *person.aliases)}:
            return person.name
    return None


def _of(reaction: Reaction, renames: Mapping[str, str]) -> Reaction:
    return reaction.model_copy(update={"who": tuple(renames.get(w, w) for w in reaction.who)})


def ids_for(wanted: Iterable[tuple[str, str]], prefix: str | None) -> list[str]:
    """Chat ids for several chats of (name, platform id): the name, with the id where it is taken.

    ``prefix`` is the id that the user gave to all of them together.
    """
    ids: list[str] = []
    for name, key in wanted:
        clean = "".join("_" if c in "/\\\0" or ord(c) < 32 else c for c in name).strip(" .")[:80]
        base = f"{prefix}_{clean or key}" if prefix else clean or key
        chosen, n = base, 1
        while chosen in ids:
            n += 1
            chosen = f"{base} ({key})" if n == 2 and key else f"{base} {n}"
        ids.append(chosen)
    return ids
