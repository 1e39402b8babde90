"""One person under one name, over two imports of a chat.

A contact is saved under another name, a person renames themselves, the user says ``--alias A=B``:
a later export then tells of the same messages under another sender. Who is who follows from the
aliases that either import knows, and from messages that are the same in all but the sender. The
name of the export that reaches further is kept, the other becomes an alias.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import NamedTuple

from sayso.chats.importers.whatsapp_kinds import words_of
from sayso.core.chat import Chat, Message, Participant, Reaction
from sayso.core.value import Value

_NAMELESS = "Deleted account ("

Renames = Mapping[str, str]


class Renamed(Value):
    """A person who goes by another name now; the one before is an alias."""

    before: str
    now: str


class Naming(NamedTuple):
    """What each name of the old chat becomes, and each of the new one; those that stay are not in it."""

    old: dict[str, str]
    new: dict[str, str]


@dataclass
class Evidence:
    """What messages tell of who is who: by parts of two chats, or all of both at once.

    ``pairs`` counts messages that are the same but for two senders (old, new); ``ours`` and
    ``theirs`` count old and new messages by sender, within the time of both chats; ``before`` and
    ``now`` are who speaks in the one and in the other.
    """

    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    ours: Counter[str] = field(default_factory=Counter)
    theirs: Counter[str] = field(default_factory=Counter)
    before: Set[str] = frozenset()
    now: Set[str] = frozenset()


def evidence_of(old: Chat, new: Chat) -> Evidence:
    """All that the messages of both tell."""
    return Evidence(
        pairs_of(old.messages, new.messages),
        Counter(_within(old, new)),
        Counter(_within(new, old)),
        frozenset(_speakers(old)),
        frozenset(_speakers(new)),
    )


def one_name_each(old: Chat, new: Chat, *, later: bool, told: Evidence | None = None) -> Naming:
    """Who in the one chat is who in the other; ``later`` is whether the new one reaches further.

    With ``told`` the chats' own messages are not looked at.
    """
    told = told or evidence_of(old, new)
    naming = Naming({}, {})
    theirs, ours = _aliases(new.participants), _aliases(old.participants)
    for alias, name in theirs.items():  # the import that is being made knows that both are one
        if alias in old.names and alias not in new.names:
            naming.old[alias] = name
    for alias, name in ours.items():
        known = alias in new.names and alias not in old.names and name not in naming.old
        if known and (name not in new.names or told.pairs[name, alias]):
            naming.new[alias] = name
    for before, now in _same_people(told):
        if before in naming.old or now in naming.new or now in naming.old.values():
            continue
        if _is_name(now) > _is_name(before) or (later and _is_name(now) == _is_name(before)):
            naming.old[before] = now
        else:
            naming.new[now] = before
    return naming


def renamed(chat: Chat, renames: Renames) -> Chat:
    """The chat with each person under the new name; the former one is an alias."""
    if not renames:
        return chat
    people: dict[str, Participant] = {}
    for person in chat.participants:
        name = renames.get(person.name, person.name)
        known = people.get(name, Participant(name=name)).aliases
        others = dict.fromkeys([*known, person.name, *person.aliases])
        people[name] = Participant(name=name, aliases=tuple(n for n in others if n != name))
    fields = {name: getattr(chat, name) for name in Chat.model_fields}
    told = {
        "messages": tuple(under_new_names(m, renames) for m in chat.messages),
        "participants": tuple(people.values()),
        "owner": renames.get(chat.owner or "", chat.owner),
    }
    return Chat.model_validate(fields | told)


def united(old: Iterable[Participant], new: Iterable[Participant]) -> tuple[Participant, ...]:
    """The old people, then the new ones; a person of both has the aliases of both."""
    people = {p.name: p for p in old}
    known = {alias: p.name for p in people.values() for alias in p.aliases}
    known |= {name: name for name in people}
    for person in new:
        if person.name not in known:
            people[person.name] = person
            continue
        name = known[person.name]
        aliases = dict.fromkeys([*people[name].aliases, *person.aliases])
        taken = tuple(a for a in aliases if a != name and a not in people)
        people[name] = Participant(name=name, aliases=taken)
    return tuple(people.values())


def _aliases(people: Iterable[Participant]) -> dict[str, str]:
    """By an alias that one person alone has and nobody's name is: that person's name."""
    people = tuple(people)
    times = Counter(alias for p in people for alias in p.aliases)
    names = {p.name for p in people}
    return {a: p.name for p in people for a in p.aliases if times[a] == 1 and a not in names}


def pairs_of(old: Iterable[Message], new: Iterable[Message]) -> Counter[tuple[str, str]]:
    """How many messages are the same but for these two senders."""
    by_source: dict[str, Message] = {}
    there: dict[object, Message] = {}
    for m in old:
        there[_said(m)] = there[m.sender, _said(m)] = m
        if m.source_id is not None:
            by_source[m.source_id] = m
    found: Counter[tuple[str, str]] = Counter()
    for m in new:
        other = by_source.get(m.source_id) if m.source_id is not None else None
        if other is None and (m.sender, _said(m)) not in there:
            other = there.get(_said(m))
            if other is not None and other.source_id is not None and m.source_id is not None:
                other = None  # the platform says that they are two
        if other is not None and other.sender != m.sender and other.sender and m.sender:
            found[other.sender, m.sender] += 1
    return found


def _same_people(told: Evidence) -> Iterable[tuple[str, str]]:
    """(former, new name) of those of whose messages, where both tell of a time, most are the same."""
    # In two chats without a person in common one like message among others may be chance.
    chance = not told.before & told.now and told.pairs.total() < 2
    open_still = {
        pair: n
        for pair, n in told.pairs.items()
        if pair[0] not in told.now and pair[1] not in told.before
    }
    best = Counter(open_still).most_common()
    for (a, b), n in best:
        rivals = [k for (x, y), k in best if (x == a) != (y == b)]
        of = min(told.ours[a], told.theirs[b])
        if n >= (of if chance else of / 2) and all(n > k for k in rivals):
            yield a, b


def _within(chat: Chat, other: Chat) -> Iterable[str]:
    """The sender of each message that lies in the time of both chats."""
    if other.messages:
        first, last = other.messages[0].sent_at, other.messages[-1].sent_at
        yield from (m.sender for m in chat.messages if first <= m.sent_at <= last)


def _speakers(chat: Chat) -> Iterable[str]:
    return (m.sender for m in chat.messages if m.kind != "system")


def _said(message: Message) -> tuple[object, ...]:
    words = words_of(message.text, message.kind)
    return (message.sent_at, words, message.caption, message.kind == "system")


def _is_name(name: str) -> bool:
    """Whether a person is called that: a telephone number or a deleted account is no name."""
    return any(c.isalpha() for c in name) and not name.startswith(_NAMELESS)


def under_new_names(message: Message, renames: Renames) -> Message:
    """The message with each person in it under the new name; the system's messages name people, too."""
    who = (message.sender, *(w for r in message.reactions for w in r.who))
    if message.kind == "system" and any(name in message.text for name in renames):
        message = message.model_copy(update={"text": _retold(message.text, renames)})
    if not any(name in renames for name in who):
        return message
    reactions = tuple(_reaction(r, renames) for r in message.reactions)
    return message.model_copy(
        update={"sender": renames.get(message.sender, message.sender), "reactions": reactions}
    )


def _retold(text: str, renames: Renames) -> str:
    """What the system says, with each name that stands by itself changed.

    The longest name is read first, a new one too: where Ana is Ana Work now, Ana Work stays.
    """
    names = sorted({*renames, *renames.values()}, key=len, reverse=True)
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names if name)
    return re.sub(pattern, lambda match: renames.get(match.group(), match.group()), text)


def _reaction(reaction: Reaction, renames: Renames) -> Reaction:
    return reaction.model_copy(update={"who": tuple(renames.get(w, w) for w in reaction.who)})
