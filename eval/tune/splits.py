"""Train proposes, valid chooses, test is scored once: cases parted so that no person is in two.

Conversations that share people are one group (``eval.groups``). A case's own ``split`` counts;
groups without one are dealt out, half of the cases to train and a quarter to each of the others.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eval.cases import ReadyCase, Split
from eval.gold import truth_of
from sayso.errors import CaseError

SPLITS: tuple[Split, ...] = ("train", "valid", "test")
_SHARES: Mapping[Split, float] = {"train": 0.5, "valid": 0.25, "test": 0.25}


@dataclass(frozen=True)
class Splits:
    """The cases of each part, in file order; ``notes`` are for the person, in words."""

    train: tuple[ReadyCase, ...]
    valid: tuple[ReadyCase, ...]
    test: tuple[ReadyCase, ...]
    notes: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[ReadyCase, ...]:
        """Every case of every part."""
        return (*self.train, *self.valid, *self.test)


def split(cases: Sequence[ReadyCase], *, seed: int = 0) -> Splits:
    """The parts. One group is all train; two have no test.

    Cases whose evidence cannot be found are left out. Raises CaseError where the files put cases of
    people who know each other's chats into different parts.
    """
    usable = [r for r in cases if truth_of(r.case, r.chat).gold != "unreachable"]
    if not usable:
        raise CaseError("no case whose evidence can be found: there is nothing to tune on")
    of_group = _as_labelled(usable)
    dealt = _dealt({r.group for r in usable} - set(of_group), usable, of_group, seed)
    part = {**of_group, **dealt}
    parts = {s: tuple(r for r in usable if part[r.group] == s) for s in SPLITS}
    return Splits(**parts, notes=tuple(_notes(len(cases) - len(usable), parts, dealt)))


def _as_labelled(cases: Sequence[ReadyCase]) -> dict[str, Split]:
    """The part of each group whose cases name one; CaseError where they name two."""
    first: dict[str, ReadyCase] = {}
    found: dict[str, Split] = {}
    for ready in cases:
        named = ready.case.split
        if named is None:
            continue
        known = found.setdefault(ready.group, named)
        one = first.setdefault(ready.group, ready)
        if known != named:
            raise CaseError(
                f"{one.case.case_id} is in split {known!r} and {ready.case.case_id} in {named!r}, "
                f"but their chats share people ({_shared(one, ready)}): what is learned in one is "
                "known in the other; give all cases of these people one split"
            )
    return found


def _shared(one: ReadyCase, other: ReadyCase) -> str:
    theirs = {name.casefold() for name in other.chat.names}
    names = [name for name in one.chat.names if name.casefold() in theirs]
    return ", ".join(names[:3]) or f"through other chats of group {one.group!r}"


def _dealt(
    groups: set[str], cases: Sequence[ReadyCase], labelled: Mapping[str, Split], seed: int
) -> dict[str, Split]:
    """The largest groups first, each to the part that is furthest from its share."""
    sizes = {g: sum(r.group == g for r in cases) for g in sorted(groups)}
    order = sorted(sizes)
    random.Random(seed).shuffle(order)
    order.sort(key=lambda group: -sizes[group])
    held = {s: sum(labelled.get(r.group) == s for r in cases) for s in SPLITS}
    dealt: dict[str, Split] = {}
    for group in order:
        empty = [s for s in SPLITS if not held[s]]
        # No part stays empty while groups are left to fill it.
        left = len(order) - len(dealt)
        choice = empty if len(empty) >= left else SPLITS
        part = max(choice, key=lambda s: _SHARES[s] * len(cases) - held[s])
        dealt[group] = part if len(empty) < left or part in empty else empty[0]
        held[dealt[group]] += sizes[group]
    return dealt


def _notes(
    left_out: int, parts: Mapping[Split, Sequence[ReadyCase]], dealt: Mapping[str, Split]
) -> list[str]:
    notes = []
    if left_out:
        notes.append(f"{left_out} cases whose evidence cannot be found are left out")
    told = ", ".join(f"{s} {len(parts[s])}" for s in SPLITS)
    groups = {s: len({r.group for r in parts[s]}) for s in SPLITS}
    notes.append(
        f"cases: {told} (groups of people: {', '.join(f'{s} {groups[s]}' for s in SPLITS)}"
        f"{'; dealt out by sayso' if dealt else ''})"
    )
    empty = [s for s in SPLITS if not parts[s]]
    if empty:
        notes.append(
            f"no cases in {' and '.join(empty)}: people who know each other are never parted, and "
            "there are too few groups of them"
        )
    return notes
