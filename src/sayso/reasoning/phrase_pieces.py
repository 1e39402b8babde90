"""The phrases of a message that could be an answer: runs of content, longer ones, clauses."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sayso.reasoning.phrase_marks import HAN_MEASURES, listed
from sayso.reasoning.phrase_reading import Place, Reading, Sentence
from sayso.reasoning.phrase_words import Word

_MOST_WORDS = 40
_MOST_LINKS = 4
_LINKS = listed("of in at for with to and or but & from on about , 、 的 和 跟 与")
_LISTS = listed("and or & , 、 和 跟 与")
_DIMENSIONS = listed("old tall long away high wide deep")
_ABOUT = listed("about around almost nearly over roughly")

Made = Iterator[tuple[int, int, str]]


def pieces(reading: Reading, sentence: Sentence) -> dict[Place, str]:
    """The candidates of a sentence and how each was made; the first maker names it."""
    found: dict[Place, str] = {}
    for make in (_timed, _quoted, _counted, _runs, _clauses):
        for first, last, made in make(reading, sentence):
            if first <= last < min(first + _MOST_WORDS, sentence.end):
                found.setdefault((first, last), made)
    return found


def _timed(reading: Reading, sentence: Sentence) -> Made:
    """What tells a time, without the preposition before it."""
    for start, last in reading.times:
        if not sentence.first <= start < sentence.end:
            continue
        first = start
        while first < last and _leads_in(reading.words[first]):
            first += 1
        # "7 p.m. tomorrow" has what looks like the end of a sentence in it.
        yield first, min(last, sentence.end - 1), "time"


def _leads_in(word: Word) -> bool:
    return (word.mark == "P" and word.low not in _ABOUT) or word.low == "the"


def _quoted(reading: Reading, sentence: Sentence) -> Made:
    marks = [i for i in range(sentence.first, sentence.end) if reading.words[i].mark == '"']
    for start, end in pairwise(marks):
        yield start + 1, end - 1, "quoted"


def _counted(reading: Reading, sentence: Sentence) -> Made:
    """Numbers with what they count."""
    ws = reading.words
    i = sentence.first
    while i < sentence.end:
        if ws[i].mark != "N":
            i += 1
            continue
        first = i
        while i < sentence.end and ws[i].mark == "N":
            i += 1
        yield first, _unit(reading, sentence, i), "unit"


def _unit(reading: Reading, sentence: Sentence, after: int) -> int:
    """The last word of what a number counts that ends before ``after``."""
    ws = reading.words
    if after >= sentence.end or ws[after].mark != "W" or ws[after - 1].low[-1] in HAN_MEASURES:
        return after - 1
    if after + 1 < sentence.end and ws[after + 1].low in _DIMENSIONS:
        return after + 1
    last = after
    while last < sentence.end and ws[last].mark == "W" and not reading.shared[last]:
        last += 1
    # 18 maximum credits, where credits are asked for
    return last if last < sentence.end and reading.shared[last] and last < after + 3 else after


def _runs(reading: Reading, sentence: Sentence) -> Made:
    """Runs of content, alone, with what stands before them, and joined with the next."""
    runs = _content(reading, sentence)
    for n, (first, last) in enumerate(runs):
        trimmed, end = _trimmed(reading, first, last)
        yield trimmed, end, "bare"
        yield first, last, "bare"
        yield trimmed, last, "bare"
        if reading.words[first].han and reading.words[first].mark == "N" and first < last:
            yield first + 1, last, "bare"
        longest = last
        for longest, made in _joined(reading, runs[n : n + 1 + _MOST_LINKS]):
            yield trimmed, longest, made
            if _mark(reading, sentence, trimmed - 1) == "D":
                yield trimmed - 1, longest, made
        yield from _led(reading, sentence, trimmed, last, longest)


def _content(reading: Reading, sentence: Sentence) -> list[Place]:
    runs: list[Place] = []
    for i in range(sentence.first, sentence.end):
        word = reading.words[i]
        if word.mark not in "WN":
            continue
        if runs and runs[-1][1] == i - 1 and reading.words[i - 1].han == word.han:
            runs[-1] = (runs[-1][0], i)
        else:
            runs.append((i, i))
    return runs


def _trimmed(reading: Reading, first: int, last: int) -> Place:
    """The run without words of the question at its ends; a number keeps what it counts."""
    ws, shared = reading.words, reading.shared
    if ws[first].mark != "N":
        while first < last and shared[first]:
            first += 1
    while last > first and shared[last] and ws[last - 1].mark != "N":
        last -= 1
    return first, last


def _joined(reading: Reading, runs: Sequence[Place]) -> Iterator[tuple[int, str]]:
    """How far the first run reaches when joined with the ones after it, step by step."""
    ws = reading.words
    last = runs[0][1]
    if [w.mark for w in ws[last + 1 : last + 3]] == ["T", "V"]:
        yield last + 2, "joined"  # the ability to teleport
    made = ""
    for (_, last), (first, end) in pairwise(runs):
        between = ws[last + 1 : first]
        links = [w.low for w in between if w.mark != "D"]
        if not between or not all(w.low in _LINKS or w.mark in "DTA," for w in between):
            return
        if made == "list" or not _LISTS.isdisjoint(links):
            made = "list"
        else:
            made = "joined" if {"of", "的"}.isdisjoint(links) else "joined of"
        yield end, made


def _led(reading: Reading, sentence: Sentence, first: int, last: int, longest: int) -> Made:
    """A run with the determiner, preposition or verb before it."""
    before = _mark(reading, sentence, first - 1)
    if before == "D" or (before == "S" and reading.words[first].han):
        first -= 1
        yield first, last, "det"
        before = _mark(reading, sentence, first - 1)
    if before in "PT":
        yield first - 1, last, "prep"
    if before == "V":
        yield first - 1, last, "verb"
        yield first - 1, longest, "verb"


def _clauses(reading: Reading, sentence: Sentence) -> Made:
    """What stands between commas and conjunctions, and the rest of it after a verb."""
    ws = reading.words
    start = sentence.first
    for i in range(sentence.first, sentence.end + 1):
        if i < sentence.end and ws[i].mark not in ",C":
            continue
        first, last = _bare_of(ws, start, i - 1)
        yield first, last, "clause"
        for k in range(first, last):
            if ws[k].mark in "BVHM":
                yield *_bare_of(ws, k + 1, last), "rest"
        start = i + 1
    yield *_bare_of(ws, sentence.first, sentence.end - 1), "sentence"


def _bare_of(ws: Sequence[Word], first: int, last: int) -> Place:
    """Without fillers and particles at either end."""
    while first < last and (ws[first].mark in "A,C" or (ws[first].han and ws[first].mark in "HD")):
        first += 1
    while last > first and ws[last].mark in "A,C":
        last -= 1
    return first, last


def _mark(reading: Reading, sentence: Sentence, at: int) -> str:
    return reading.words[at].mark if at >= sentence.first else "^"
