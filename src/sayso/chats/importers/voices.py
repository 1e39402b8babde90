"""Who speaks in an export, how often, and when first and last: all that naming people needs of it."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from sayso.chats.ids import mended
from sayso.core.chat import Kind


class Place(NamedTuple):
    """Where a record stands in message order: microseconds since 1970, then its number."""

    at: int
    seq: int


@dataclass(slots=True)
class Voice:
    """Messages of one kind under one name, and one id where the platform has ids."""

    number: int
    person: str | None
    sender: str
    kind: Kind
    first: Place
    last: Place
    count: int = 0
    half: bool = False  # whether the name holds half a character

    @property
    def speaks(self) -> bool:
        """Whether a person sent them, and not the system."""
        return self.kind != "system"


class Voices:
    """The voices of an export, by number from 0."""

    def __init__(self) -> None:
        self.all: list[Voice] = []
        self._known: dict[tuple[str | None, str, Kind], Voice] = {}

    def heard(self, person: str | None, sender: str, kind: Kind, at: int, seq: int) -> Voice:
        """The voice, which speaks once more; ``seq`` grows from call to call."""
        voice = self._known.get((person, sender, kind))
        if voice is None:
            place = Place(at, seq)
            voice = Voice(len(self.all), person, sender, kind, place, place)
            voice.half = mended(sender) != sender
            self._known[person, sender, kind] = voice
            self.all.append(voice)
        elif at < voice.first.at:
            voice.first = Place(at, seq)
        elif at >= voice.last.at:
            voice.last = Place(at, seq)
        voice.count += 1
        return voice

    def counted_anew(self, places: Iterable[tuple[int, int]]) -> None:
        """Count again by (microseconds, number of the voice), in file order."""
        for voice in self.all:
            voice.count = 0
        for seq, (at, number) in enumerate(places, 1):
            voice = self.all[number]
            if not voice.count:
                voice.first = voice.last = Place(at, seq)
            elif at < voice.first.at:
                voice.first = Place(at, seq)
            elif at >= voice.last.at:
                voice.last = Place(at, seq)
            voice.count += 1

    def called(self, name: Callable[[Voice], str]) -> None:
        """Give each voice the name that it goes by."""
        for voice in self.all:
            voice.sender = name(voice)

    @property
    def heard_of(self) -> list[Voice]:
        """Those that say anything, by their first message."""
        return sorted((v for v in self.all if v.count), key=lambda v: v.first)

    @property
    def kinds(self) -> Counter[Kind]:
        """How many messages there are of each kind, in order of the first."""
        found: Counter[Kind] = Counter()
        for voice in self.heard_of:
            found[voice.kind] += voice.count
        return found

    def speakers(self, name: Callable[[Voice], str]) -> Counter[str]:
        """How many messages each person sent, in order of their first; the system is no person."""
        found: Counter[str] = Counter()
        for voice in self.heard_of:
            if voice.speaks and (called := name(voice)):
                found[called] += voice.count
        return found
