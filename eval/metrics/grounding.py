"""Grounding: do the citations hold, and do the cited messages say what the answer says?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from eval.metrics.facts import Clock, Day, Name, Reading, mentions, names_it, numerals, words


@dataclass(frozen=True)
class Source:
    """A cited message.

    ``sent_at`` is in the chat's timezone: its date and time are those that people saw.
    ``dates`` are the days that expressions in it come to ("yesterday", "last week": all seven).
    ``aliases`` are other names of the sender.
    """

    text: str
    sent_at: datetime
    sender: str
    caption: str | None = None
    dates: frozenset[date] = frozenset()
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroundedClaim:
    """A statement of an answer and the messages of its verified citations (none: uncited)."""

    text: str
    sources: tuple[Source, ...] = ()


def citation_validity(verified: int, cited: int) -> float | None:
    """Share of an answer's citations that hold, in [0, 1]; None when it cites nothing.

    Raises ValueError unless 0 ≤ verified ≤ cited.
    """
    if not 0 <= verified <= cited:
        raise ValueError(f"{verified} of {cited} citations cannot be verified")
    return verified / cited if cited else None


def groundedness(
    claims: Sequence[GroundedClaim], abstained: bool, *, participants: Iterable[str] = ()
) -> float | None:
    """Share of an answer's claims that their cited messages bear out, in [0, 1].

    A claim counts when it has a verified citation and each of its names, numbers and dates
    (:mod:`eval.metrics.facts`) occurs in the messages it cites, taken together: in their text
    or caption, in the sender's name, or as the date and time of sending or a resolved date.
    ``participants`` are the names, aliases too, that are names wherever they stand. An answer
    without claims scores 0.0; None only on abstention.
    """
    if abstained:
        return None
    names = tuple(dict.fromkeys(participants))
    return sum(bears_out(claim, names) for claim in claims) / len(claims) if claims else 0.0


def bears_out(claim: GroundedClaim, participants: Sequence[str] = ()) -> bool:
    """Whether the claim is cited and all its names, numbers and dates are in what it cites."""
    if not claim.sources:
        return False
    stock = _Stock.of(claim.sources)
    return all(
        any(stock.holds(reading) for reading in mention)
        for mention in mentions(claim.text, participants)
    )


@dataclass(frozen=True)
class _Stock:
    """What the cited messages hold, taken together."""

    text: str
    words: frozenset[str]
    numbers: frozenset[Decimal]
    clocks: frozenset[Clock]
    days: frozenset[Day]

    @classmethod
    def of(cls, sources: Iterable[Source]) -> "_Stock":
        texts, clocks, days = [], set[Clock](), set[Day]()
        for source in sources:
            body = f"{source.text}\n{source.caption or ''}"
            texts.append("\n".join([body, source.sender, *source.aliases]))
            read = [reading for mention in mentions(body) for reading in mention]
            clocks.update(r for r in read if isinstance(r, Clock))
            clocks.add(Clock(source.sent_at.hour % 12, source.sent_at.minute))
            days.update(d for r in read if isinstance(r, Day) for d in _days(r, source.sent_at))
            days.update(map(Day.of, source.dates | {source.sent_at.date()}))
        text = "\n".join(texts)
        return cls(
            text, frozenset(words(text)), frozenset(numerals(text)), frozenset(clocks),
            frozenset(days),
        )  # fmt: skip

    def holds(self, reading: Reading) -> bool:
        match reading:
            case Name(text):
                return text in self.words or names_it(text, self.text)
            case Clock():
                return reading in self.clocks
            case Day():
                return any(reading.fits(day) for day in self.days)
            case number:
                return number in self.numbers


def _days(said: Day, sent_at: datetime) -> set[Day]:
    """The day as it was said, and in full where only the year was left to the reader."""
    year = sent_at.year if said.year is None else said.year
    if said.month is None or said.day is None:
        return {said}
    try:
        return {said, Day.of(date(year, said.month, said.day))}
    except ValueError:  # 29 February, sent in a year that has none
        return {said}
