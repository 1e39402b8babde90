from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import (
    CharacterSpan,
    Metric,
    SpanRange,
    calculate_overlap,
    f1,
    get_metric,
    iou,
    merge_overlapping_spans,
    precision,
    recall,
)


def spans(*places: tuple[int, int], doc: str = "d") -> list[SpanRange]:
    return [SpanRange(doc, start, end) for start, end in places]


# The brute force: a span is the set of its characters.

HUGE = 2**70
SPANS = st.lists(
    st.builds(
        lambda kind, doc, start, length: kind(doc, start, start + length),
        st.sampled_from([CharacterSpan, SpanRange]),
        st.sampled_from(["a", "b", "a#1"]),
        st.integers(0, 30),
        st.integers(0, 12),
    ),
    max_size=12,
)


def characters(side) -> set[tuple[str, int]]:
    return {(span.doc_id, at) for span in side for at in range(span.start, span.end)}


@given(SPANS, SPANS)
def test_the_metrics_are_those_of_sets_of_characters(a, b):
    x, y = characters(a), characters(b)

    assert calculate_overlap(a, b) == len(x & y)
    assert recall(a, b) == (len(x & y) / len(y) if y else 1.0)
    assert precision(a, b) == (len(x & y) / len(x) if x else 0.0)
    assert iou(a, b) == (len(x & y) / len(x | y) if x | y else 1.0)
    p, r = precision(a, b), recall(a, b)
    assert f1(a, b) == pytest.approx(2 * p * r / (p + r) if p + r else 0.0)


@given(SPANS)
def test_merging_keeps_the_characters_and_leaves_gaps_between_spans_in_order(a):
    merged = merge_overlapping_spans(a)

    assert characters(merged) == characters(a)
    assert merged == sorted(merged)
    assert all(span.start < span.end for span in merged)
    assert all(
        left.doc_id != right.doc_id or left.end < right.start for left, right in pairwise(merged)
    )


@given(SPANS)
def test_merging_twice_changes_nothing(a):
    once = merge_overlapping_spans(a)

    assert merge_overlapping_spans(once) == once


@given(SPANS, SPANS, st.randoms())
def test_the_order_of_spans_and_duplicates_are_irrelevant(a, b, random):
    shuffled = [*a, *a]
    random.shuffle(shuffled)

    assert merge_overlapping_spans(shuffled) == merge_overlapping_spans(a)
    for metric in (recall, precision, iou, f1):
        assert metric(shuffled, b) == metric(a, b)


@given(SPANS, SPANS)
def test_every_metric_is_between_0_and_1_and_f1_and_iou_are_symmetric(a, b):
    for metric in (recall, precision, iou, f1):
        assert 0.0 <= metric(a, b) <= 1.0
    assert f1(a, b) == f1(b, a)
    assert iou(a, b) == iou(b, a)


@given(SPANS, SPANS)
def test_places_beyond_64_bits_measure_like_any_others(a, b):
    far = [[SpanRange(s.doc_id, s.start + HUGE, s.end + HUGE) for s in side] for side in (a, b)]

    assert calculate_overlap(*far) == calculate_overlap(a, b)
    assert merge_overlapping_spans(far[0]) == [
        SpanRange(s.doc_id, s.start + HUGE, s.end + HUGE) for s in merge_overlapping_spans(a)
    ]


# Values by hand: (retrieved, truth) -> value.


@pytest.mark.parametrize(
    ("metric", "retrieved", "truth", "value"),
    [
        pytest.param(recall, [(0, 100)], [(0, 100)], 1.0, id="perfect recall"),
        pytest.param(precision, [(0, 100)], [(0, 100)], 1.0, id="perfect precision"),
        pytest.param(iou, [(0, 100)], [(0, 100)], 1.0, id="perfect iou"),
        pytest.param(f1, [(0, 100)], [(0, 100)], 1.0, id="perfect f1"),
        pytest.param(recall, [(0, 50)], [(0, 100)], 0.5, id="half recalled"),
        pytest.param(precision, [(0, 100)], [(0, 50)], 0.5, id="half precise"),
        pytest.param(iou, [(0, 100)], [(50, 150)], 1 / 3, id="iou of a third"),
        pytest.param(f1, [(0, 100)], [(50, 150)], 0.5, id="balanced f1"),
        pytest.param(recall, [(0, 5)], [], 1.0, id="recall of an empty truth"),
        pytest.param(recall, [], [], 1.0, id="recall of nothing by nothing"),
        pytest.param(recall, [], [(3, 3)], 1.0, id="recall of a truth without characters"),
        pytest.param(recall, [], [(0, 5)], 0.0, id="nothing recalled"),
        pytest.param(precision, [], [(0, 5)], 0.0, id="precision of nothing"),
        pytest.param(precision, [], [], 0.0, id="precision of nothing for nothing"),
        pytest.param(precision, [(3, 3)], [(0, 5)], 0.0, id="precision without characters"),
        pytest.param(precision, [(0, 5)], [], 0.0, id="precision for an empty truth"),
        pytest.param(iou, [], [], 1.0, id="iou of two empties"),
        pytest.param(iou, [(4, 4)], [], 1.0, id="iou of two without characters"),
        pytest.param(iou, [], [(0, 5)], 0.0, id="iou, nothing retrieved"),
        pytest.param(iou, [(0, 5)], [], 0.0, id="iou, nothing true"),
        pytest.param(f1, [(0, 5)], [(5, 9)], 0.0, id="f1 of 0 and 0"),
        pytest.param(f1, [], [], 0.0, id="f1 of nothing"),
        pytest.param(f1, [(0, 5)], [], 0.0, id="f1 for an empty truth"),
        pytest.param(iou, [(0, 10)], [(10, 20)], 0.0, id="touching spans share nothing"),
        pytest.param(precision, [(0, 60), (40, 100)], [(0, 50)], 0.5, id="overlap counts once"),
        pytest.param(recall, [(0, 10), (5, 25)], [(0, 100)], 0.25, id="overlapping retrieved"),
    ],
)
def test_value_by_hand(metric, retrieved, truth, value):
    assert metric.calculate(spans(*retrieved), spans(*truth)) == value


@pytest.mark.parametrize(
    ("given", "merged"),
    [
        pytest.param([(0, 50), (30, 80)], [(0, 80)], id="overlapping"),
        pytest.param([(0, 50), (50, 100)], [(0, 100)], id="adjacent"),
        pytest.param([(0, 50), (51, 100)], [(0, 50), (51, 100)], id="one character apart"),
        pytest.param([(0, 100), (20, 30), (99, 101)], [(0, 101)], id="nested"),
        pytest.param([(60, 70), (0, 9)], [(0, 9), (60, 70)], id="out of order"),
        pytest.param([(5, 5), (7, 9), (9, 9)], [(7, 9)], id="without length"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_merged_by_hand(given, merged):
    assert merge_overlapping_spans(spans(*given)) == spans(*merged)


def test_the_same_span_in_two_documents_stays_two():
    both = spans((0, 9), doc="b") + spans((0, 9), doc="a")

    assert merge_overlapping_spans(both) == spans((0, 9), doc="a") + spans((0, 9), doc="b")


def test_documents_share_no_characters():
    a, b = spans((0, 100), doc="a"), spans((0, 100), doc="b")

    assert calculate_overlap(a, b) == 0
    assert recall(a, b) == precision(a, b) == iou(a, b) == f1(a, b) == 0.0


def test_overlap_counts_each_shared_character_once():
    assert calculate_overlap(spans((0, 10), (5, 15)), spans((8, 20), (9, 12))) == 7
    assert calculate_overlap([], spans((0, 5))) == 0


def test_both_kinds_of_span_mix_and_iterators_do():
    retrieved = iter([CharacterSpan("d", 0, 2, "A😀"), SpanRange("d", 2, 3)])

    assert recall(retrieved, (CharacterSpan("d", 0, 4),)) == 0.75


# get_metric


@pytest.mark.parametrize("metric", [recall, precision, iou, f1], ids=lambda m: m.name)
def test_a_metric_is_served_by_its_name(metric):
    assert get_metric(metric.name) is metric
    assert isinstance(metric, Metric)


@pytest.mark.parametrize(
    ("former", "now"),
    [
        ("span_recall", "recall"),
        ("spanRecall", "recall"),
        ("span_precision", "precision"),
        ("spanPrecision", "precision"),
        ("span_iou", "iou"),
        ("spanIoU", "iou"),
        ("TokenLevelMetric", "Metric"),
    ],
)
def test_a_former_name_is_refused_with_the_new_one(former, now):
    with pytest.raises(KeyError, match=f"'{former}' is now called '{now}'"):
        get_metric(former)


@pytest.mark.parametrize(
    "former",
    ["chunk_recall", "chunk_precision", "chunk_f1", "chunkRecall", "chunkPrecision", "chunkF1"],
)
def test_a_chunk_level_name_is_refused_with_what_replaces_it(former):
    with pytest.raises(
        KeyError, match="chunk-level metrics are gone and span metrics replace them"
    ):
        get_metric(former)


@pytest.mark.parametrize("name", ["", "Recall", "bleu"])
def test_an_unknown_name_is_refused_with_the_known_ones(name):
    with pytest.raises(KeyError, match="recall, precision, iou, f1"):
        get_metric(name)
