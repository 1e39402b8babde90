"""Span metrics: how many characters what was retrieved shares with the ground truth.

A character is a code point of one document; spans that overlap count it once, and spans without
length carry none. As in Chroma's chunking evaluation (Smith & Troynikov 2024), on characters.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sayso.core.spans import CharacterSpan, SpanRange

Span: TypeAlias = CharacterSpan | SpanRange
Places: TypeAlias = npt.NDArray[Any]  # int64, or object where int64 is too small

_RENAMED = {
    **dict.fromkeys(("span_recall", "spanRecall"), "recall"),
    **dict.fromkeys(("span_precision", "spanPrecision"), "precision"),
    **dict.fromkeys(("span_iou", "spanIoU"), "iou"),
    "TokenLevelMetric": "Metric",
}
_GONE = {
    **dict.fromkeys(("chunk_recall", "chunkRecall"), "recall"),
    **dict.fromkeys(("chunk_precision", "chunkPrecision"), "precision"),
    **dict.fromkeys(("chunk_f1", "chunkF1"), "f1"),
}


@dataclass(frozen=True)
class Metric:
    """A named measure of retrieved spans against ground-truth spans, in [0, 1].

    ``calculate(retrieved, ground_truth)`` takes any mix of CharacterSpan and SpanRange on either
    side, in any order.
    """

    name: str
    calculate: Callable[[Iterable[Span], Iterable[Span]], float]

    def __call__(self, retrieved: Iterable[Span], ground_truth: Iterable[Span]) -> float:
        """The same as ``calculate``."""
        return self.calculate(retrieved, ground_truth)


def merge_overlapping_spans(spans: Iterable[Span]) -> list[SpanRange]:
    """The same characters as the fewest spans, in order of (doc_id, start).

    Overlapping and adjacent spans of one document become one, spans of two documents never do,
    and spans without length vanish; nothing in, nothing out.
    """
    line = _Line.under(list(spans), by_name=True)
    starts, ends = _join(line.starts, line.ends)
    return [
        SpanRange(line.names[start // line.width], start % line.width, end % line.width)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]


def calculate_overlap(a: Iterable[Span], b: Iterable[Span]) -> int:
    """How many characters the two sides share; each character counts once however often covered."""
    return _count(a, b).shared


def _recall(retrieved: Iterable[Span], ground_truth: Iterable[Span]) -> float:
    """Share of the ground truth's characters that are retrieved; 1.0 when the truth is empty."""
    found = _count(retrieved, ground_truth)
    return found.shared / found.truth if found.truth else 1.0


def _precision(retrieved: Iterable[Span], ground_truth: Iterable[Span]) -> float:
    """Share of the retrieved characters that are ground truth; 0.0 when nothing is retrieved."""
    found = _count(retrieved, ground_truth)
    return found.shared / found.retrieved if found.retrieved else 0.0


def _iou(retrieved: Iterable[Span], ground_truth: Iterable[Span]) -> float:
    """Shared characters ÷ characters on either side; 1.0 when both are empty, 0.0 when one is."""
    found = _count(retrieved, ground_truth)
    union = found.retrieved + found.truth - found.shared
    return found.shared / union if union else 1.0


def _f1(retrieved: Iterable[Span], ground_truth: Iterable[Span]) -> float:
    """Harmonic mean of precision and recall; 0.0 when either side is empty or nothing is shared."""
    found = _count(retrieved, ground_truth)
    # 2·shared ÷ (retrieved + truth) is that mean, and cannot leave [0, 1] by rounding.
    both = found.retrieved + found.truth
    return 2 * found.shared / both if both else 0.0


recall = Metric("recall", _recall)
precision = Metric("precision", _precision)
iou = Metric("iou", _iou)
f1 = Metric("f1", _f1)

_METRICS = {metric.name: metric for metric in (recall, precision, iou, f1)}


def get_metric(name: str) -> Metric:
    """The span metric of that name: recall, precision, iou or f1.

    Raises KeyError for any other; for a name that was in use before, it says what to use now.
    """
    if name in _METRICS:
        return _METRICS[name]
    if name in _RENAMED:
        raise KeyError(f"{name!r} is now called {_RENAMED[name]!r}")
    if name in _GONE:
        raise KeyError(
            f"{name!r}: chunk-level metrics are gone and span metrics replace them; "
            f"use {_GONE[name]!r}"
        )
    raise KeyError(f"no metric {name!r}; known metrics: {', '.join(_METRICS)}")


class _Count(NamedTuple):
    retrieved: int
    truth: int
    shared: int


def _count(retrieved: Iterable[Span], ground_truth: Iterable[Span]) -> _Count:
    a, b = list(retrieved), list(ground_truth)
    line = _Line.under(a + b)
    of_a = _covered(line.starts[: len(a)], line.ends[: len(a)])
    of_b = _covered(line.starts[len(a) :], line.ends[len(a) :])
    of_either = _covered(line.starts, line.ends)
    return _Count(retrieved=of_a, truth=of_b, shared=of_a + of_b - of_either)


def _covered(starts: Places, ends: Places) -> int:
    starts, ends = _join(starts, ends)
    return int((ends - starts).sum())


class _Line(NamedTuple):
    """Spans on one number line: the documents laid end to end, each given the same width.

    The width is one place more than the last end of any document, so that spans of two
    documents never touch. ``names`` are the documents in the order of the line.
    """

    names: list[str]
    width: int
    starts: Places
    ends: Places

    @classmethod
    def under(cls, spans: list[Span], *, by_name: bool = False) -> "_Line":
        # attrgetter, fromiter and a dictionary that numbers what it has not seen keep the loop
        # over a million spans out of Python.
        documents = list(map(attrgetter("doc_id"), spans))
        order = sorted(set(documents)) if by_name else ()
        number = defaultdict[str, int](count(len(order)).__next__, zip(order, count()))
        numbers = np.fromiter(map(number.__getitem__, documents), np.int64, len(spans))
        width = max(map(attrgetter("end"), spans), default=0) + 1
        dtype = np.int64 if len(number) * width < 2**63 else object
        starts = np.fromiter(map(attrgetter("start"), spans), dtype, len(spans))
        ends = np.fromiter(map(attrgetter("end"), spans), dtype, len(spans))
        origin = numbers.astype(dtype) * width
        return cls(list(number), width, origin + starts, origin + ends)


def _join(starts: Places, ends: Places) -> tuple[Places, Places]:
    """The fewest stretches that cover the same places, in order; those without length vanish.

    Starts and ends are sorted apart: there is a gap before the i-th start exactly where i ends
    lie before it, for then every stretch that began earlier is over.
    """
    long = ends > starts
    starts, ends = np.sort(starts[long]), np.sort(ends[long])
    gap = ends[:-1] < starts[1:]
    edge = np.ones(min(len(starts), 1), dtype=bool)
    return starts[np.concatenate([edge, gap])], ends[np.concatenate([gap, edge])]
