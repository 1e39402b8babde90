"""Who is who: names by platform ids, other names of one person, and the owner of the archive.

People rename themselves and each other, and two people may bear one name; an id is the same for
ever. The latest name (or the one the export's list of members has) is the name, the others are
aliases, and of two people with one name the second to speak has the id behind it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sayso.chats.importers.report import Findings, ImportOptions
from sayso.chats.importers.voices import Voice
from sayso.core.chat import ChatHeader, Message, Participant, Reaction

Roster = Mapping[str, Sequence[str]]
"""By a person's platform id: their name, then other names they are known by."""


class Named(NamedTuple):
    """Who is who: each person, by id, and those who speak, by name."""

    by_id: dict[str, Participant]
    speaking: dict[str, Participant]

    def name(self, voice: Voice) -> str:
        """What the voice's person is called; without an id, as the voice is."""
        return voice.sender if voice.person is None else self.by_id[voice.person].name

    def of_id(self, who: str) -> str:
        """What the person of that id is called; any other word as it is."""
        return self.by_id[who].name if who in self.by_id else who


NOBODY = Named({}, {})


def with_names(voices: Iterable[Voice], roster: Roster) -> Named:
    """Each person under one name; a voice without a person keeps the name that it has."""
    voices = [voice for voice in voices if voice.count]
    named: dict[str, Participant] = {}
    taken = {v.sender for v in voices if v.person is None and v.speaks}
    heard = _heard(voices)
    for person in [*heard, *(key for key in roster if key not in heard)]:
        listed = [name for name in roster.get(person, ()) if name.strip()]
        names = list(dict.fromkeys([*listed, *reversed(heard.get(person, ()))])) or [person]
        name = names[0] if names[0] not in taken else f"{names[0]} ({person})"
        taken.add(name)
        named[person] = Participant(name=name, aliases=tuple(n for n in names[1:] if n != name))
    speaking = {v.person for v in voices if v.speaks}
    return Named(named, {p.name: p for key, p in named.items() if key in speaking})


def _heard(voices: Iterable[Voice]) -> dict[str, list[str]]:
    """By each person's id, in order of their first message, their names, the latest last."""
    of_person: dict[str, list[Voice]] = {}
    for voice in sorted(voices, key=lambda v: v.first):
        if voice.person is not None:
            of_person.setdefault(voice.person, []).append(voice)
    return {
        person: list(reversed(dict.fromkeys(
            v.sender for v in sorted(theirs, key=lambda v: v.last, reverse=True) if v.sender
        )))
        for person, theirs in of_person.items()
    }  # fmt: skip


class Told(NamedTuple):
    """The header after the user's word on who is who, and what each name in it becomes."""

    header: ChatHeader
    renames: dict[str, str]


def as_told(head: ChatHeader, options: ImportOptions, findings: Findings) -> Told:
    """The user's word on who is who: ``--alias A=B`` and ``--self NAME``.

    An alias of which the file knows nothing is noted on the person all the same: an earlier import
    of the chat may know it.
    """
    renames = _renames(head, options, findings)
    head = _with_aliases(head, options)
    owner = renames.get(head.owner or "", head.owner)
    if options.owner is not None:
        owner = _meant(head, renames.get(options.owner, options.owner)) or owner
    people: dict[str, Participant] = {}
    for person in head.participants:
        name = renames.get(person.name, person.name)
        known = people.get(name, Participant(name=name)).aliases
        others = dict.fromkeys([*known, person.name, *person.aliases])
        people[name] = Participant(name=name, aliases=tuple(n for n in others if n != name))
    told = {"participants": tuple(people.values())} if renames else {}
    return Told(head.model_copy(update={**told, "owner": owner}), renames)


def _with_aliases(head: ChatHeader, options: ImportOptions) -> ChatHeader:
    known = {name for p in head.participants for name in (p.name, *p.aliases)}
    told = [(alias, name) for alias, name in options.aliases if alias not in known]
    people = tuple(
        p.model_copy(update={"aliases": (*p.aliases, *(a for a, name in told if name == p.name))})
        for p in head.participants
    )
    return head.model_copy(update={"participants": people})


def renamed(message: Message, renames: Mapping[str, str]) -> Message:
    """The message with each person in it under the new name."""
    who = (message.sender, *(w for r in message.reactions for w in r.who))
    if not any(name in renames for name in who):
        return message
    reactions = tuple(_of(r, renames) for r in message.reactions)
    sender = renames.get(message.sender, message.sender)
    return message.model_copy(update={"sender": sender, "reactions": reactions})


def _renames(head: ChatHeader, options: ImportOptions, findings: Findings) -> dict[str, str]:
    """By a name in the chat, what it becomes."""
    given = dict(options.aliases)
    renames: dict[str, str] = {}
    names = {p.name: p.name for p in head.participants}
    names = {a: p.name for p in head.participants for a in p.aliases} | names
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
    if options.owner is not None and _meant(head, options.owner) is None:
        if head.owner is not None:
            renames[head.owner] = options.owner
        elif options.owner not in renames.values():
            said = ", ".join([p.name for p in head.participants][:8]) or "nobody"
            findings.warnings.append(
                f"--self {options.owner}: nobody here is called that; people: {said}"
            )
    return renames


def _meant(head: ChatHeader, name: str) -> str | None:
    """Whose name or alias it is, case aside."""
    folded = name.casefold()
    for person in head.participants:
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
