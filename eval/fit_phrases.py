"""``python -m eval.fit_phrases CASES…``: refit the weights that choose the words which answer.

Learns from marked spans, from answers that stand word for word in their evidence, from the words
that evidence shares with other answers, and from the invented examples beside this file. Prints the
mean F1 given the right message on groups of chats that the weights were not fitted on, each source
apart, and the in-sample figure: by characters, or by words where only those are known.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from eval.case_files import read_cases
from eval.cases import Case, QaCase, ReadyCase
from eval.chats import with_chats
from eval.fit_data import groups_of
from eval.gold import truth_of
from eval.metrics import CharacterSpan, get_metric
from sayso.reasoning.answer_types import asked
from sayso.reasoning.phrase_marks import listed
from sayso.reasoning.phrase_words import stem
from sayso.reasoning.phrases import GROUP, SORTS, Span, candidates
from sayso.retrieval.analyzer import words
from sayso.weights import SHIPPED

EXAMPLES = Path(__file__).with_name("phrase_examples.txt")
# Marked spans say most; an answer's own words are somebody's summary.
_TRUST = {"spans": 2.0, "examples": 1.5, "verbatim": 1.0, "shared": 0.6}
_RIDGE, _SORT_RIDGE = 1.0, 2.0
_LEAST, _LEAST_OF_SORT = 0.06, 0.12
_SELDOM = 3  # a feature of fewer examples is left out
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


@click.command(help=__doc__)
@click.argument("cases", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--chats", multiple=True, type=click.Path(exists=True, path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Weights file to write the groups to.")
def main(cases: tuple[Path, ...], chats: tuple[Path, ...], out: Path | None) -> None:
    """Parse, fit, print, write."""
    found = [*invented(EXAMPLES.read_text(encoding="utf-8")), *of_cases(cases, chats)]
    for source, n, value in judged(found):
        click.echo(f"{source}: {value:.3f} on {n}, not fitted on")
    weights = fitted(found)
    for source in dict.fromkeys(e.source for e in found):
        own = [e for e in found if e.source == source]
        click.echo(f"{source}: {np.mean([chosen_f1(e, weights) for e in own]):.3f} in sample")
    if out is not None:
        held = json.loads((out if out.exists() else SHIPPED).read_text(encoding="utf-8"))
        held["groups"] |= groups_by_sort(weights)
        out.write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
        click.echo(
            f"written to {out}; what a close reading is worth goes by these: refit it with "
            "python -m eval.fit",
            err=True,
        )


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


def judged(examples: Sequence[Example]) -> Iterator[tuple[str, int, float]]:
    """Mean F1 of each source by weights that saw no chat of its group."""
    usable = [e for e in examples if e.rows]
    held = {
        g: fitted([e for e in usable if e.group != g])
        for g in dict.fromkeys(e.group for e in usable)
    }
    for source in dict.fromkeys(e.source for e in usable):
        scores = [chosen_f1(e, held[e.group]) for e in usable if e.source == source]
        yield source, len(scores), float(np.mean(scores))


def chosen_f1(example: Example, weights: Mapping[str, float]) -> float:
    """The F1 of the candidate with the highest sum, the first of equals."""
    sums = [sum(weights.get(n, 0.0) * v for n, v in row.items()) for row in example.rows]
    return float(example.f1[int(np.argmax(sums))]) if sums else 0.0


def fitted(examples: Sequence[Example]) -> dict[str, float]:
    """The weights that make the expected F1 of a soft choice highest; small ones left out twice."""
    usable = [e for e in examples if e.rows]
    counted: dict[str, int] = {}
    for e in usable:
        for name in {n for row in e.rows for n in row}:
            counted[name] = counted.get(name, 0) + 1
    weights = _fit(usable, sorted(n for n, k in counted.items() if k >= _SELDOM))
    for part in (0.5, 1.0):
        kept = [n for n, w in weights.items() if abs(w) >= part * _least(n)]
        weights = _fit(usable, kept)
    return weights


def groups_by_sort(weights: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The weights as groups of the weights file, to two places."""
    groups: dict[str, dict[str, float]] = {GROUP: {}}
    for name, weight in sorted(weights.items()):
        sort, _, feature = name.rpartition(": ")
        groups.setdefault(f"{GROUP}_{sort}" if sort else GROUP, {})[feature] = round(weight, 2)
    return groups


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


def _least(name: str) -> float:
    return _LEAST_OF_SORT if ": " in name else _LEAST


def _fit(examples: Sequence[Example], names: Sequence[str]) -> dict[str, float]:
    design = _design(examples, names)
    starts = np.cumsum([0, *(len(e.rows) for e in examples)])[:-1]
    of = np.repeat(np.arange(len(examples)), [len(e.rows) for e in examples])
    f1 = np.concatenate([e.f1 for e in examples])
    trust = np.asarray([_TRUST[e.source] for e in examples])
    ridge = np.asarray([_SORT_RIDGE if ": " in n else _RIDGE for n in names])

    def loss(w: Floats) -> tuple[float, Floats]:
        sums = design @ w
        odds = np.exp(sums - np.maximum.reduceat(sums, starts)[of])
        p = odds / np.add.reduceat(odds, starts)[of]
        expected = np.add.reduceat(p * f1, starts)
        pull = trust[of] * p * (f1 - expected[of]) / (expected[of] + 1e-3)
        value = -float(trust @ np.log(expected + 1e-3)) + float((ridge * w) @ w)
        return value, -(design.T @ pull) + 2 * ridge * w

    best = minimize(
        loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 200}
    )
    return dict(zip(names, map(float, best.x), strict=True))


def _design(examples: Iterable[Example], names: Sequence[str]) -> csr_matrix:
    column = {name: i for i, name in enumerate(names)}
    rows, columns, values = [], [], []
    for at, row in enumerate(row for e in examples for row in e.rows):
        for name, value in row.items():
            if name in column and value:
                rows.append(at)
                columns.append(column[name])
                values.append(value)
    shape = (sum(len(e.rows) for e in examples), len(names))
    return csr_matrix((values, (rows, columns)), shape=shape)


if __name__ == "__main__":
    sys.exit(main())
