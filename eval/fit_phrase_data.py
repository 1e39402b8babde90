"""What teaches to choose a phrase: messages whose phrases are rated by what is known of the answer."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.case_files import read_cases
from eval.cases import Case, QaCase, ReadyCase
from eval.chats import with_chats
from eval.fit_data import groups_of
from eval.gold import truth_of
from eval.metrics import CharacterSpan, get_metric
from sayso.reasoning.answer_types import asked
from sayso.reasoning.phrase_marks import listed
from sayso.reasoning.phrase_words import stem
from sayso.reasoning.phrases import SORTS, Span, candidates
from sayso.retrieval.analyzer import words

EXAMPLES = Path(__file__).with_name("phrase_examples.txt")
_BARE = re.compile(r"^(?:the|a|an|in|at|on|to|for|about|by|from)\s+", re.IGNORECASE)
# An answer that lists several things is in each message one of them.
_PARTS = re.compile(r"[;；、，\n]|,(?!\s*\d)|(?<!\d)/|/(?!\d)|\b(?:and|or)\b", re.IGNORECASE)
_MOST_PARTS = 12
_ENOUGH_SHARED = 0.6
_FILLING = listed(
    "a an the in at on to for about by from of and or is are was were his her their its it he she they i my"
)
# Says nothing of how far a phrase reaches.
_UNTOLD = re.compile(
    r"[\d$]+|one|two|three|four|five|six|seven|eight|nine|ten|yes|no|once|twice", re.I
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """One question and message: each candidate's features and its F1 against the truth."""

    source: str
    group: str
    rows: list[dict[str, float]]
    f1: Floats


def invented(text: str) -> Iterator[Example]:
    """The examples of lines ``question | message with [[the answer]]``; five groups a script."""
    for n, line in enumerate(text.splitlines()):
        question, told = line.split(" | ")
        before, answer, after = re.split(r"\[\[|\]\]", told)
        span = (len(before), len(before) + len(answer))
        script = "latin" if question.isascii() else "other"
        message = before + answer + after
        yield example("examples", f"{script}{n % 5}", question, message, [span], ())


def of_cases(paths: Sequence[Path], chats: Sequence[Path]) -> Iterator[Example]:
    """What the cases teach, from the best that each has: its spans, its answer where that stands in
    the evidence, or the words that the two share.
    """
    from sayso.assembly import load_chat
    from sayso.paths import home

    read = read_cases(paths, "qa").cases if paths else ()
    placed = with_chats(read, folders=chats, load=lambda name: load_chat(name, home=home()))
    # A set's spans and its plain questions may lie in two folders: groups go by the chats alone.
    group = groups_of([ReadyCase(r.case, r.chat, _family(r)) for r in placed.cases])
    for ready in placed.cases:
        key = group[f"{_family(ready)}/{ready.chat.chat_id}"]
        people = tuple(ready.chat.names)
        question, told = ready.case.question, list(_told(ready))
        for source, text, spans in told:
            yield example(source, key, question, text, spans, people)
        parts = () if told else _parts(ready.case)
        for text in _evidence(ready) if parts else ():
            made = _rated("shared", key, question, text, people, _shared_with(text, parts))
            if made.f1.max(initial=0.0) >= _ENOUGH_SHARED:
                yield made


def example(
    source: str,
    group: str,
    question: str,
    text: str,
    spans: Sequence[tuple[int, int]],
    people: tuple[str, ...],
) -> Example:
    """The candidates of a message by the characters that each has in common with the spans."""
    truth = [CharacterSpan("m", *span) for span in spans]

    def f1(span: Span) -> float:
        return get_metric("f1").calculate([CharacterSpan("m", *span)], truth)

    return _rated(source, group, question, text, people, f1)


def _rated(
    source: str,
    group: str,
    question: str,
    text: str,
    people: tuple[str, ...],
    rate: Callable[[Span], float],
) -> Example:
    """The candidates of a message, each feature plain and once more for the question's sort."""
    sort = SORTS[asked(question, people).kind]
    rows, scores = [], []
    for candidate in candidates(question, text, people):
        f = candidate.features
        rows.append({**f, **{f"{sort}: {name}": value for name, value in f.items()}})
        scores.append(rate(candidate.span or (0, len(text))))
    return Example(source, group, rows, np.asarray(scores))


def _family(ready: ReadyCase) -> str:
    return ready.dataset.split("_")[0]


def _told(ready: ReadyCase) -> Iterator[tuple[str, str, list[tuple[int, int]]]]:
    """The source, the message and its spans: as marked, else the answer where it stands."""
    case, chat = ready.case, ready.chat
    if not isinstance(case, QaCase) or not case.answerable:
        return
    if case.spans:
        by_doc: dict[str, list[tuple[int, int]]] = {}
        for span in truth_of(case, chat).spans:
            by_doc.setdefault(span.doc_id, []).append((span.start, span.end))
        for doc, spans in by_doc.items():
            yield "spans", chat.by_id[int(doc.rpartition("#")[2])].text, spans
        return
    answer = _BARE.sub("", str(case.answer or "").strip().strip(".").strip())
    if not 2 <= len(answer) <= 60 or _UNTOLD.fullmatch(answer):
        return
    stands = re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)", re.IGNORECASE)
    for i in truth_of(case, chat).expected.local_ids:
        text = chat.by_id[i].text
        match = stands.search(text)
        if match and len(text) > len(answer) + 3:
            yield "verbatim", text, [match.span()]


def _evidence(ready: ReadyCase) -> Iterator[str]:
    for i in truth_of(ready.case, ready.chat).expected.local_ids:
        yield ready.chat.by_id[i].text


def _parts(case: Case) -> tuple[list[str], ...]:
    """The words of each thing that the answer lists, and of all of it.

    Empty where it says nothing that the question does not, or nothing of how far a phrase reaches.
    """
    if not isinstance(case, QaCase) or not case.answerable or not isinstance(case.answer, str):
        return ()
    parts = [part for part in _PARTS.split(case.answer) if not _UNTOLD.fullmatch(part.strip(" ."))]
    found = [held for part in parts if (held := _stems(part))]
    every = [word for part in found for word in part]
    if not found or len(found) > _MOST_PARTS or set(every) <= set(_stems(case.question)):
        return ()
    return (*found, every)


def _shared_with(text: str, parts: Sequence[list[str]]) -> Callable[[Span], float]:
    """The F1 of a span's words against those of the part of the answer that is most like it."""

    def f1(span: Span) -> float:
        own = _stems(text[slice(*span)])
        shared = ((Counter(own) & Counter(part)).total() for part in parts)
        pairs = zip(shared, parts, strict=True)
        return max(2 * n / (len(own) + len(part)) for n, part in pairs)

    return f1


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text) if word not in _FILLING]
