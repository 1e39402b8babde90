"""The grader with a model: windows of candidates among their neighbours, read and graded."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from random import Random

from sayso.core.chat import Chat
from sayso.core.models import Aspect, Gap, Graded, Verdict
from sayso.core.seams import Grading
from sayso.reasoning.asking_model import Calls
from sayso.reasoning.calling import Request
from sayso.reasoning.fencing import fenced, one_line
from sayso.reasoning.filling import shared
from sayso.reasoning.grade_memory import Held
from sayso.reasoning.neighbourhood import UNGRADED, beside, neighbour, with_neighbours
from sayso.reasoning.prompts import Prompt
from sayso.reasoning.reading_closely import unmarked
from sayso.reasoning.replies_wire import GradesReply, schema_line
from sayso.reasoning.showing import Shown, line, show
from sayso.reasoning.wire_reading import Reader, relevances

READ = 50
WINDOW = 25
_MOST_WINDOWS = 6  # a small window of the model makes more of them
_HELD, _FEW_HELD = 40, 12  # shown at most; up to how many at greater length
_GOOD, _SOME = 0.5, 0.3
_ONLY = "no more than a detail, or of somebody else: "
# A grade of 0 to 3 as a probability; between them straight lines.
_CHANCE = (0.01, 0.2, 0.6, 0.95)
# What the model has not read stays below what it gave anything for.
_UNREAD = 0.14


@dataclass
class _Round:
    """One grading as it goes: grades of every vote, and what the votes miss."""

    votes: list[dict[int, float]] = field(default_factory=list)
    stood_in: set[int] = field(default_factory=set)
    gaps: list[Gap | None] = field(default_factory=list)

    def means(self) -> dict[int, float]:
        """Each message's mean over the votes that read it."""
        found: dict[int, list[float]] = defaultdict(list)
        for vote in self.votes:
            for local_id, share in vote.items():
                found[local_id].append(share)
        return {local_id: sum(shares) / len(shares) for local_id, shares in found.items()}

    def gap(self) -> Gap | None:
        """The first that was named, if most votes name one."""
        named = [gap for gap in self.gaps if gap is not None]
        return named[0] if 2 * len(named) > len(self.gaps) else None


@dataclass(frozen=True)
class _Part:
    """Which window of a round this is, of how many as far as can be told."""

    number: int
    of: int

    @property
    def told(self) -> str:
        """In words, empty for the only one."""
        if self.of == 1:
            return ""
        last = "the last" if self.number == self.of else "more messages of this round follow"
        return f", part {self.number} of {self.of} ({last})"


def grade_with_model(
    given: Grading,
    prompt: Prompt,
    base: Verdict,
    held: Held,
    *,
    reader: Reader,
    calls: Calls,
    votes: int,
) -> Verdict:
    """The base verdict with the model's relevance for what it read, now or in an earlier round.

    The first 50 of the pool that are new are read, ``votes`` times in different orders. What no
    call could read keeps its place by the base where calls failed, else stands below.
    """
    citable = {g.local_id for g in base.graded}
    fresh = [
        c.local_id for c in given.pool if c.local_id in citable and c.local_id not in held.relevance
    ][:READ]
    held.searched += [s for s in _searches(given) if s not in held.searched]
    if fresh:
        done = _Round()
        for vote in range(votes):
            if calls.ended is None and not (vote and not done.votes):
                _vote(vote, fresh, given, prompt, held, done, reader, calls)
        for local_id, share in done.means().items():  # read again as a neighbour: no worse for it
            held.relevance[local_id] = max(share, held.relevance.get(local_id, 0.0))
        held.gap = done.gap() if done.votes else base.gap
        held.searched += held.gap.queries if held.gap else ()
        if not held.relevance:
            return with_neighbours(given, base, base.graded[:READ])
        return _verdict(given, base, held, done.stood_in)
    return _verdict(given, base, held, set())


def _vote(
    vote: int,
    fresh: Sequence[int],
    given: Grading,
    prompt: Prompt,
    held: Held,
    done: _Round,
    reader: Reader,
    calls: Calls,
) -> None:
    """One reading of all that is fresh, window by window; the last one says what is missing."""
    order = list(fresh)
    if vote:
        Random(f"{vote} {given.question.text}").shuffle(order)
    grades: dict[int, float] = {}
    gap: Gap | None = None
    windows = 0
    while order and windows < _MOST_WINDOWS:
        windows += 1
        request, shown = _request(
            vote, order, given, prompt, held, grades, reader.names, calls, windows
        )
        here = [i for i in order[:WINDOW] if i not in shown.left_out]
        order = [*shown.left_out, *order[WINDOW:]]
        reply = calls.ask(request)
        if reply is None:
            done.stood_in |= set(here)
            if calls.ended is not None or not grades:  # the next call would hardly go better
                done.stood_in |= set(order)
                break
            continue
        shares = relevances(reply)
        for n, local_id in enumerate(shown.numbers, start=1):
            grades[local_id] = max(shares.get(n, 0.0), grades.get(local_id, 0.0))
        gap = reader.gap(reply, first=given.round == 0)
        order = [i for i in order if i not in grades]  # some were read beside another
    if order and not done.stood_in:
        calls.tell(f"{len(order)} of {len(fresh)} candidates were not read: the window is small")
    if grades:
        done.votes.append(grades)
        done.gaps.append(gap)


def _request(
    vote: int,
    order: Sequence[int],
    given: Grading,
    prompt: Prompt,
    held: Held,
    grades: Mapping[int, float],
    names: Mapping[str, str],
    calls: Calls,
    number: int,
) -> tuple[Request[GradesReply], Shown]:
    """The next window of ``order``, the ``number``-th of this reading."""
    candidates = order[:WINDOW]
    blocks = shared(given.question, given.chat, names)
    blocks["searched"] = "\n".join(f"- {one_line(s, 100)}" for s in held.searched)
    blocks["held"] = _held_lines(given, {**held.relevance, **grades}, set(candidates))
    values = {
        "question": one_line(given.question.text),
        "intent": given.plan.intent,
        "round": f"{given.round + 1}{_Part(number, number + 1).told}",
        "schema": schema_line(GradesReply),
    }
    room = calls.room_for_messages(prompt, values, blocks)
    shown = show(
        given.chat,
        candidates,
        beside(given, candidates),
        room=room,
        shuffled=f"{vote} {given.question.text}" if vote else None,
    )
    # Some of what would follow is read here, beside another; who is told of a last part that never
    # comes would keep back what is missing.
    follow = [i for i in order if i not in shown.numbers]
    values["round"] = f"{given.round + 1}{_Part(number, number + ceil(len(follow) / WINDOW)).told}"
    inside, marker = fenced({**blocks, "messages": shown.text})
    system, user = prompt.filled({**values, **inside, "marker": marker})
    salt = f"vote {vote}" if vote else ""
    return Request(prompt.step, system, user, GradesReply, prompt.digest, salt), shown


def _held_lines(given: Grading, relevance: Mapping[int, float], here: set[int]) -> str:
    """The best messages graded before, for the model to know what is no longer missing.

    Where they are few, others that bear on the question, too: what is told of somebody else is not
    missing either.
    """
    found = {i: share for i, share in relevance.items() if share >= _SOME and i not in here}
    good = sum(share >= _GOOD for share in found.values())
    best = sorted(found, key=lambda i: (-found[i], given.chat.position[i]))
    best = best[: min(max(good, _FEW_HELD), _HELD)]
    best.sort(key=given.chat.position.__getitem__)
    longest = 300 if len(best) <= _FEW_HELD else 120
    lines = [
        f"- {'' if found[i] >= _GOOD else _ONLY}"
        f"{line(given.chat, given.chat.by_id[i], longest=longest)}"
        for i in best
    ]
    more = good - len(best)
    return "\n".join([*lines, *([f"- … and {more} more"] if more > 0 else [])])


def _searches(given: Grading) -> list[str]:
    """What the plan searched with, the question told as it was asked.

    The retriever is given it without names, which reads like a broken sentence. What later rounds
    searched for is remembered with the gap that asked for it.
    """
    return [given.question.text, *(_told(a, given.chat) for a in given.plan.aspects)]


def _told(aspect: Aspect, chat: Chat) -> str:
    """The search with whom and when it was meant for: its words may be those of another."""
    meant = [f"by {', '.join(aspect.people)}"] if aspect.people else []
    for word, moment in (("from", aspect.since), ("before", aspect.until)):
        if moment is not None:
            meant.append(f"{word} {moment.astimezone(chat.zone):%Y-%m-%d}")
    return f"{aspect.text} ({', '.join(meant)})" if meant else aspect.text


def _verdict(given: Grading, base: Verdict, held: Held, stood_in: Collection[int]) -> Verdict:
    """Everything graded, most relevant first, ties by the base and then in message order."""
    made: list[Graded] = []
    for g in base.graded:
        share = held.relevance.get(g.local_id)
        candidate = g.candidate
        if share is not None:
            # What a reading without a model told would outweigh the model's own word, here and below.
            candidate = unmarked(candidate)
            relevance, why = 0.98 * _chance(share) + 0.02 * g.relevance, _in_words(share)
        elif g.local_id in stood_in:
            relevance, why = g.relevance, f"not read by the model; {g.why}"
        else:
            candidate = unmarked(candidate)
            relevance, why = _UNREAD * g.relevance, f"not read by the model; {g.why}"
        told = {"candidate": candidate, "relevance": relevance, "why": why}
        made.append(g.model_copy(update=told))
    known = {g.local_id for g in made}
    scores = {g.local_id: g.candidate.score for g in made}
    read = [g.local_id for g in base.graded if g.local_id in held.relevance]
    anchors = dict.fromkeys([*(g.local_id for g in base.graded[:READ]), *read])
    for local_id, anchor in beside(given, anchors).items():
        if local_id not in known:
            share = held.relevance.get(local_id, 0.0)
            relevance = 0.98 * _chance(share) if share else UNGRADED
            made.append(neighbour(given, local_id, anchor, scores[anchor], relevance))
    made.sort(key=lambda g: (-g.relevance, given.chat.position[g.local_id]))
    good = sum(held.relevance.get(g.local_id, 0.0) >= _GOOD for g in made)
    why = f"the model holds {good} for evidence"
    if held.gap is not None:
        why += f"; missing: {held.gap.missing}"
    return Verdict(graded=tuple(made), gap=held.gap, why=why)


def _chance(share: float) -> float:
    """The probability that a grade means; ``share`` is the part of the best grade, in [0, 1]."""
    at = min(max(share, 0.0), 1.0) * (len(_CHANCE) - 1)
    low = min(int(at), len(_CHANCE) - 2)
    return _CHANCE[low] + (at - low) * (_CHANCE[low + 1] - _CHANCE[low])


def _in_words(share: float) -> str:
    return f"the model gives it {3 * min(share, 1.0):.2g} of 3"
