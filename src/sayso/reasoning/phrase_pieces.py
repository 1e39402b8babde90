"""The phrases of a message that could be an answer: runs of content, longer ones, clauses."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sayso.reasoning.phrase_marks import HAN_MEASURES, listed
from sayso.reasoning.phrase_reading import Place, Reading, Sentence
from sayso.reasoning.phrase_words import Word

# Of the marks of a sentence's words.
_QUOTE = re.compile('"')
_NUMBERS = re.compile("N+")
_CONTENT = re.compile("[WN]+")
_CLAUSE = re.compile("[^,C]+")
_VERB = re.compile("[BVHM]")
_MOST_WORDS = 40
_MOST_LINKS = 4
_LINKS = listed("of in at for with to and or but & from on about , 、 的 和 跟 与")
_OF = listed("of 的")
_MEASURES = frozenset(HAN_MEASURES)
_LISTS = listed("and or & , 、 和 跟 与")
_DIMENSIONS = listed("old tall long away high wide deep")
_ABOUT = listed("about around almost nearly over roughly")

Made = Iterator[tuple[int, int, str]]


def pieces(reading: Reading, sentence: Sentence) -> dict[Place, str]:
    """The candidates of a sentence and how each was made; the first maker names it."""
    found: dict[Place, str] = {}
    for make in (_timed, _quoted, _counted, _runs, _clauses):
        for first, last, made in make(reading, sentence):
            if first <= last < first + _MOST_WORDS and last < sentence.end:
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
    found = _QUOTE.finditer(reading.marks, sentence.first, sentence.end)
    for start, end in pairwise(mark.start() for mark in found):
        yield start + 1, end - 1, "quoted"


def _counted(reading: Reading, sentence: Sentence) -> Made:
    """Numbers with what they count."""
    for numbers in _NUMBERS.finditer(reading.marks, sentence.first, sentence.end):
        yield numbers.start(), _unit(reading, sentence, numbers.end()), "unit"


def _unit(reading: Reading, sentence: Sentence, after: int) -> int:
    """The last word of what a number counts that ends before ``after``."""
    ws, marks = reading.words, reading.marks
    counted = not _MEASURES.isdisjoint(ws[after - 1].low)  # 三十八度五 too
    if after >= sentence.end or marks[after] != "W" or counted:
        return after - 1
    if after + 1 < sentence.end and ws[after + 1].low in _DIMENSIONS:
        return after + 1
    last = after
    while last < sentence.end and marks[last] == "W" and not reading.shared[last]:
        last += 1
    # 18 maximum credits, where credits are asked for
    return last if last < sentence.end and reading.shared[last] and last < after + 3 else after


def _runs(reading: Reading, sentence: Sentence) -> Made:
    """Runs of content, alone, with what stands before them, and joined with the next."""
    words, marks = reading.words, reading.marks
    runs = _content(reading, sentence)
    links = [_link(reading, last, first) for (_, last), (first, _) in pairwise(runs)]
    for n, (first, last) in enumerate(runs):
        trimmed, end = _trimmed(reading, first, last)
        yield trimmed, end, "bare"
        if (trimmed, end) != (first, last):
            yield first, last, "bare"
            yield trimmed, last, "bare"
        if first < last and marks[first] == "N" and words[first].han:
            yield first + 1, last, "bare"
        articled = trimmed > sentence.first and marks[trimmed - 1] == "D"
        longest = last
        for longest, made in _joined(reading, runs[n:], links[n : n + _MOST_LINKS]):
            yield trimmed, longest, made
            if articled:
                yield trimmed - 1, longest, made
        yield from _led(reading, sentence, trimmed, last, longest)


def _content(reading: Reading, sentence: Sentence) -> list[Place]:
    words = reading.words
    runs: list[Place] = []
    for run in _CONTENT.finditer(reading.marks, sentence.first, sentence.end):
        first, end = run.span()
        for i in range(first + 1, end):
            if words[i - 1].han != words[i].han:
                runs.append((first, i - 1))
                first = i
        runs.append((first, end - 1))
    return runs


def _trimmed(reading: Reading, first: int, last: int) -> Place:
    """The run without words of the question at its ends; a number keeps what it counts."""
    marks, shared = reading.marks, reading.shared
    if marks[first] != "N":
        while first < last and shared[first]:
            first += 1
    while last > first and shared[last] and marks[last - 1] != "N":
        last -= 1
    return first, last


def _joined(
    reading: Reading, runs: Sequence[Place], links: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """How far the first run reaches when joined with the ones after it, step by step."""
    last = runs[0][1]
    if reading.marks.startswith("TV", last + 1):
        yield last + 2, "joined"  # the ability to teleport
    made = ""
    for n, link in enumerate(links, start=1):
        if not link:
            return
        made = "list" if made == "list" else link
        yield runs[n][1], made


def _link(reading: Reading, last: int, first: int) -> str:
    """What the run up to ``last`` and the one from ``first`` on make together; "" for nothing."""
    between = reading.words[last + 1 : first]
    if not between or not all(w.mark in "DTA," or w.low in _LINKS for w in between):
        return ""
    links = {w.low for w in between if w.mark != "D"}
    if not _LISTS.isdisjoint(links):
        return "list"
    return "joined" if _OF.isdisjoint(links) else "joined of"


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
    for clause in _CLAUSE.finditer(reading.marks, sentence.first, sentence.end):
        first, last = _bare_of(reading, clause.start(), clause.end() - 1)
        yield first, last, "clause"
        for verb in _VERB.finditer(reading.marks, first, last):
            yield *_bare_of(reading, verb.end(), last), "rest"
    yield *_bare_of(reading, sentence.first, sentence.end - 1), "sentence"


def _bare_of(reading: Reading, first: int, last: int) -> Place:
    """Without fillers and particles at either end."""
    words, marks = reading.words, reading.marks
    while first < last and (marks[first] in "A,C" or (marks[first] in "HD" and words[first].han)):
        first += 1
    while last > first and marks[last] in "A,C":
        last -= 1
    return first, last


def _mark(reading: Reading, sentence: Sentence, at: int) -> str:
    return reading.marks[at] if at >= sentence.first else "^"
