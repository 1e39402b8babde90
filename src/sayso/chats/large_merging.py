"""Importing a large chat again: as :mod:`~sayso.chats.merging`, with both chats on disk.

What decides whether two messages are the same happens at one instant, but for the platform's own
ids. So both are walked in message order, a slice of whole instants at a time, and each slice is
merged as a small chat is. Where a slice is the same in both, which is nearly everywhere, nothing of
it has to be looked at.
"""

from collections import Counter
from collections.abc import Iterator
from heapq import merge as in_turns
from operator import itemgetter
from zoneinfo import ZoneInfo

from sayso.chats.canonical import format_header, format_message
from sayso.chats.clock import Clock, zone_named
from sayso.chats.edits import says_other, updated
from sayso.chats.importers.draft import Draft
from sayso.chats.laid import (
    Laid,
    answers,
    laid_messages,
    message_of,
    renumbered,
    unnumbered,
)
from sayso.chats.merging import MergeReport, clocks_of, reclocked, renamings, the_same
from sayso.chats.numbering import next_ids
from sayso.chats.outline import Outline
from sayso.chats.renaming import (
    Evidence,
    Naming,
    Renames,
    one_name_each,
    pairs_of,
    renamed,
    under_new_names,
    united,
)
from sayso.chats.slices import Slice, Slices, Spot
from sayso.chats.spooling import Spool
from sayso.core.chat import Chat, ChatHeader, Message


def on_one_clock(old: Laid, new: Draft, spool: Spool) -> tuple[Laid, Laid]:
    """Both laid aside, with the wall clocks of one of them read anew where that has to be."""
    header, messages = new.header, new.messages()
    match clocks_of(old.header, header):
        case "old ones anew":
            kept = reclocked((message_of(line) for line in old.lines()), _zone(header))
            old = laid_messages(_on_clock_of(old.header, header), kept, spool)
        case "new ones anew":
            messages = reclocked(messages, _zone(old.header))
            header = _on_clock_of(header, old.header)
        case "new ones shown":
            header = _on_clock_of(header, old.header)
        case "as they are":
            return old, Laid(header, new.given(), spool)
    return old, laid_messages(header, messages, spool)


def _zone(header: ChatHeader) -> ZoneInfo:
    return zone_named(header.timezone, header.chat_id)


def _on_clock_of(header: ChatHeader, like: ChatHeader) -> ChatHeader:
    zone = {"timezone": like.timezone, "timezone_origin": like.timezone_origin}
    return header.model_copy(update=zone)


class LargeMerge:
    """The union of two laid chats, on one clock; matched when made, read once by ``lines``."""

    def __init__(self, old: Laid, new: Laid, spool: Spool, *, owner_told: bool = False) -> None:
        self._old, self._new, self._spool = old, new, spool
        self._zone = _zone(old.header)
        self._later = new.last_at >= old.last_at
        self._slices = Slices(old, new, spool)
        self._naming = self._named()
        ours = renamed(_headed(old.header), self._naming.old)
        theirs = renamed(_headed(new.header), self._naming.new)
        told = theirs.owner if owner_told else None
        self._owner = told or ours.owner or theirs.owner
        self._former_owner = ours.owner
        self.header = old.header.model_copy(
            update={
                "participants": united(ours.participants, theirs.participants),
                "owner": self._owner,
            }
        )
        # By number on either side: the old message of a new one, and the localId of each new one.
        self._pairs = spool.table("old INTEGER PRIMARY KEY, new INTEGER")
        self._fresh = spool.table("new INTEGER PRIMARY KEY, local INTEGER")
        self._ids = spool.table("had INTEGER PRIMARY KEY, local INTEGER")
        self.already_there = 0
        self._match()
        self.added = new.count - self.already_there
        self.count = old.count + self.added
        self._edited: list[int] = []
        self._completed = 0
        self._gone: list[tuple[int, int]] = []

    @property
    def report(self) -> MergeReport:
        """What the merge did; whole when the lines are read."""
        return MergeReport(
            added=self.added,
            already_there=self.already_there,
            changed=len(self._edited),
            edited=tuple(self._edited),
            completed=self._completed,
            deleted=tuple(local_id for _, local_id in sorted(self._gone)),
            renamed=renamings(self._naming),
            owner=self._owner if self._owner != self._former_owner else None,
        )

    @property
    def outline(self) -> Outline:
        """The chat without its messages."""
        laid = [one for one in (self._old, self._new) if one.count]
        if not laid:
            return Outline(self.header, 0, None, None)
        ends = min(one.first_at for one in laid), max(one.last_at for one in laid)
        return Outline(self.header, self.count, *map(Clock(self._zone), ends))

    def lines(self) -> Iterator[str]:
        """The lines of the chat's file: the header, then the messages in order."""
        yield format_header(self.header)
        both = in_turns(self._kept(), self._added(), key=itemgetter(0, 1))
        for _, _, line in both:
            yield line

    def _named(self) -> Naming:
        """Who in the one chat is who in the other."""
        told = Evidence(before=self._old.senders, now=self._new.senders)
        for part in self._slices:
            if part.old and part.new and not part.is_same:
                told.pairs += pairs_of(_messages(part.old), _messages(part.new))
        if told.pairs:
            told.ours = self._within(self._old, self._new)
            told.theirs = self._within(self._new, self._old)
        heads = (_headed(self._old.header), _headed(self._new.header))
        return one_name_each(*heads, later=self._later, told=told)

    def _within(self, laid: Laid, other: Laid) -> Counter[str]:
        """How many messages each sender has in the time of both."""
        rows = self._spool.rows(
            f"SELECT line FROM {laid.table} WHERE at BETWEEN ? AND ? ORDER BY n",
            (other.first_at, other.last_at),
        )
        return Counter(message_of(line).sender for (line,) in rows)

    def _match(self) -> None:
        spool = self._spool
        free = next_ids(self._old.largest, self._old.taken())
        for part in self._slices:
            same = self._same(part)
            fresh = [(spot.n, next(free)) for spot in part.new if spot.n not in same]
            spool.fill(self._pairs, ((old.n, n) for n, old in same.items()), 2)
            spool.fill(self._fresh, fresh, 2)
            if self._new.has_replies:
                ids = {n: old.local_id for n, old in same.items()} | dict(fresh)
                spool.fill(self._ids, ((spot.local_id, ids[spot.n]) for spot in part.new), 2)
            self.already_there += len(same)

    def _same(self, part: Slice) -> dict[int, Spot]:
        """By the number of a new message the old one that it is."""
        if not (part.old and part.new):
            return {}
        if not any(self._naming) and part.is_same:
            return {new.n: old for old, new in zip(part.old, part.new, strict=True)}
        same = the_same(
            _messages(part.old, self._naming.old), _messages(part.new, self._naming.new)
        )
        old = {spot.local_id: spot for spot in part.old}
        return {s.n: old[same[s.local_id]] for s in part.new if s.local_id in same}

    def _kept(self) -> Iterator[tuple[int, int, str]]:
        """The old messages with what the new ones know, as (at, localId, line)."""
        rows = self._spool.rows(
            f"SELECT o.at, o.local, o.line, n.n, n.line FROM {self._old.table} AS o "
            f"LEFT JOIN {self._pairs} AS p ON p.old = o.n "
            f"LEFT JOIN {self._new.table} AS n ON n.n = p.new ORDER BY o.n"
        )
        for at, local_id, line, n, other in rows:
            yield at, local_id, self._updated(local_id, line, n, other)

    def _updated(self, local_id: int, line: str, n: int | None, other: str) -> str:
        if n is None:
            if not self._naming.old:
                return line
            message = under_new_names(message_of(line), self._naming.old)
            return format_message(message, self._zone)
        reply = self._id_of(answers(other))
        same = not any(self._naming) and unnumbered(line) == unnumbered(other)
        if same and reply in {None, answers(line)}:
            return line
        before = under_new_names(message_of(line), self._naming.old)
        told = under_new_names(message_of(other), self._naming.new)
        now = updated(before, told, reply_to=reply, later=self._later)
        if says_other(before, now) and now.revisions != before.revisions:
            self._edited.append(local_id)
        elif says_other(before, now):
            self._completed += 1
        if told.kind == "deleted" != before.kind:
            self._gone.append((n, local_id))
        return format_message(now, self._zone)

    def _added(self) -> Iterator[tuple[int, int, str]]:
        """The new messages that are not there yet, as (at, localId, line)."""
        rows = self._spool.rows(
            f"SELECT n.at, f.local, n.line FROM {self._fresh} AS f "
            f"JOIN {self._new.table} AS n ON n.n = f.new ORDER BY f.new"
        )
        for at, local_id, line in rows:
            reply = answers(line)
            if reply is None and not self._naming.new:
                yield at, local_id, renumbered(line, local_id)
                continue
            message = under_new_names(message_of(line), self._naming.new)
            update = {"local_id": local_id, "reply_to": self._id_of(reply)}
            yield at, local_id, format_message(message.model_copy(update=update), self._zone)

    def _id_of(self, had: int | None) -> int | None:
        """The localId now of a new message."""
        if had is None:
            return None
        found = self._spool.one(f"SELECT local FROM {self._ids} WHERE had = ?", (had,))
        return None if found is None else int(found[0])


def _headed(header: ChatHeader) -> Chat:
    """The header as a chat without messages."""
    return Chat(**{name: getattr(header, name) for name in ChatHeader.model_fields})


def _messages(spots: list[Spot], renames: Renames | None = None) -> list[Message]:
    return [under_new_names(message_of(spot.line), renames or {}) for spot in spots]
