"""The phrase of a message that answers a question, chosen without a model.

Every run of content, its longer forms and every clause are candidates; a weighted sum of what
speaks for each decides. What sort of answer the question asks for adds to the weights.
"""

import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from sayso.errors import ConfigurationError
from sayso.reasoning.answer_types import AnswerType, Asked, asked
from sayso.reasoning.phrase_features import Features, Measures, Worth, fitting, of_sentences
from sayso.reasoning.phrase_pieces import pieces
from sayso.reasoning.phrase_reading import Place, Reading, read
from sayso.weights import Weights, shipped_weights

GROUP = "phrases"
# Types that ask for the same sort of words add the same to the weights.
SORTS: dict[AnswerType, str] = {
    "when": "time", "clock": "time", "duration": "time", "number": "number",
    "who": "name", "where": "name", "name": "name",
    "thing": "thing", "choice": "claim", "manner": "claim", "claim": "claim",
}  # fmt: skip
_CLAIMS = frozenset({"clause", "sentence"})
_READ = 20_000  # characters of a message; what stands behind is found only as part of the whole
_MOST_SENTENCES = 4
_JOINER = "\u200d"
_SKIN_TONES = frozenset(map(chr, range(0x1F3FB, 0x1F400)))

Span = tuple[int, int]


class Found(NamedTuple):
    """What the best phrase of a message is worth.

    ``second`` is what the next best is worth, its own worth where there is no other; ``choices``
    counts the phrases it was chosen among.
    """

    worth: float
    second: float
    choices: int


class Candidate(NamedTuple):
    """A phrase ``[start, end)``, or None for the whole message, and what speaks for it."""

    span: Span | None
    features: Mapping[str, float]


def answer_span(
    question: str,
    message_text: str,
    *,
    people: Sequence[str] = (),
    weights: Weights | None = None,
) -> Span | None:
    """Where the message answers the question, as ``[start, end)`` in code points; None = all of it.

    ``people`` are the participants' names, which a question says where a message says "I".
    Never empty, never within a character that several code points make up; None for a message
    without words. Raises ConfigurationError for weights that know nothing of phrases.
    """
    who = asked(question, tuple(people))
    laid = _laid(message_text, who)
    worth = _weighing(weights or shipped_weights(), SORTS[who.kind])
    # Of several sentences one answers better than all; of one, the whole is a candidate.
    best, best_value = None, worth["whole"] if laid.is_one else -math.inf
    for place, value in _measured(laid, who, worth):
        if value > best_value:
            best, best_value = place, value
    if best is None:
        return None
    start, end = _span(laid.reading, best)
    return _whole_characters(message_text, start, end)


def best_phrase(
    question: str, message_text: str, *, people: Sequence[str] = (), weights: Weights
) -> Found | None:
    """What the message's best phrase is worth as an answer, as :func:`answer_span` chooses it.

    None for a message without words, or without a phrase of the type.
    """
    who = asked(question, tuple(people))
    laid = _laid(message_text, who)
    worth = _weighing(weights, SORTS[who.kind])
    whole = laid.is_one and laid.reading.sentences
    found = [worth["whole"]] if whole else []
    found += [value for _, value in _measured(laid, who, worth)]
    if not found:
        return None
    found.sort(reverse=True)
    return Found(found[0], found[min(1, len(found) - 1)], len(found))


def candidates(question: str, message_text: str, people: Sequence[str] = ()) -> list[Candidate]:
    """What :func:`answer_span` chooses among; for fitting its weights."""
    who = asked(question, tuple(people))
    laid = _laid(message_text, who)
    found = [Candidate(None, _NAMED["whole"])] if laid.is_one else []
    found += [Candidate(_span(laid.reading, at), f) for at, f in _measured(laid, who, _NAMED)]
    return found


class _Named(dict[str, Features]):
    """Every feature, worth itself."""

    def __missing__(self, name: str) -> Features:
        return Features({name: 1.0})


_NAMED = _Named()


class _Laid(NamedTuple):
    """A message laid out in phrases: those of each likely sentence, and whether one is of the type."""

    reading: Reading
    of_each: list[dict[str, float]]
    phrases: dict[int, dict[Place, str]]
    fits: frozenset[str]
    any_fits: bool

    @property
    def is_one(self) -> bool:
        """Whether it is a sentence, or nothing."""
        return len(self.reading.sentences) <= 1


@lru_cache(maxsize=64)  # what the grader reads the generator quotes
def _laid(message_text: str, who: Asked) -> _Laid:
    reading = read(message_text[:_READ], who)
    of_each = of_sentences(reading, who)
    phrases = {n: pieces(reading, reading.sentences[n]) for n in _likely(reading, of_each)}
    fits = fitting(who)
    any_fits = not all(fits.isdisjoint(found.values()) for found in phrases.values())
    return _Laid(reading, of_each, phrases, fits, any_fits)


def _measured(laid: _Laid, who: Asked, worth: Mapping[str, Worth]) -> Iterator[tuple[Place, Worth]]:
    """Each phrase with what its sentence, its start, its end and its words are worth together."""
    claims = who.kind == "claim"
    fits, misfits = worth["fits"], worth["misfits"] * laid.any_fits
    for n, found in laid.phrases.items():
        measures = Measures(laid.reading, laid.reading.sentences[n], who, worth)
        of_sentence = _sum([worth[name] * value for name, value in laid.of_each[n].items()])
        opening: dict[int, Worth] = {}
        closing: dict[int, Worth] = {}
        for place, made in found.items():
            if claims and made not in _CLAIMS:
                continue
            first, last = place
            if first not in opening:
                opening[first] = of_sentence + measures.opening(first)
            if last not in closing:
                closing[last] = measures.closing(last)
            value = opening[first] + closing[last] + measures.within(first, last, made)
            yield place, value + (fits if made in laid.fits else misfits)


def _likely(reading: Reading, of_each: Sequence[Mapping[str, float]]) -> list[int]:
    """The sentences worth reading closely, in order: in a long message, not all are."""
    if len(of_each) <= _MOST_SENTENCES:
        return list(range(len(of_each)))

    def promise(n: int) -> tuple[float, int]:
        sentence, f = reading.sentences[n], of_each[n]
        related = any(reading.related[sentence.first : sentence.end])
        timed = any(sentence.first <= first < sentence.end for first, _ in reading.times)
        beside = f["after the best"] + timed - f["asks"]
        return f["overlap"] + 0.3 * beside + 0.2 * related, -n

    return sorted(sorted(range(len(of_each)), key=promise, reverse=True)[:_MOST_SENTENCES])


def _weighing(weights: Weights, sort: str) -> Mapping[str, float]:
    """The weight of each feature for a sort of question."""
    groups = weights.groups
    if GROUP not in groups:
        raise ConfigurationError(
            f"the weights (version {weights.version}) have no group {GROUP!r}, which choosing the "
            "words that answer needs; take the shipped file and refit from that"
        )
    weighing = defaultdict(float, groups[GROUP])
    for name, added in groups.get(f"{GROUP}_{sort}", {}).items():
        weighing[name] += added
    return weighing


def _sum(parts: Sequence[Worth]) -> Worth:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _span(reading: Reading, place: Place) -> Span:
    return reading.words[place[0]].start, reading.words[place[1]].end


def _whole_characters(text: str, start: int, end: int) -> Span:
    """The span widened to the marks, joiners and skin tones that belong to its characters."""
    while start > 0 and _clings(text, start):
        start -= 1
    while end < len(text) and _clings(text, end):
        end += 1
    return start, end


def _clings(text: str, at: int) -> bool:
    """Whether the code point there belongs to the character before it."""
    char = text[at]
    return (
        unicodedata.category(char).startswith("M")
        or char == _JOINER
        or char in _SKIN_TONES
        or text[at - 1] == _JOINER
    )
