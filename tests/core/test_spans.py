from dataclasses import FrozenInstanceError

import pytest

from sayso.core.spans import CharacterSpan, SpanRange, document_id

BOTH = pytest.mark.parametrize("kind", [CharacterSpan, SpanRange], ids=lambda k: k.__name__)


@BOTH
def test_a_span_that_starts_before_the_text_is_refused(kind):
    with pytest.raises(ValueError, match="not at -1"):
        kind("d", -1, 4)


@BOTH
def test_a_span_that_ends_before_it_starts_is_refused(kind):
    with pytest.raises(ValueError, match="start 5, end 4"):
        kind("d", 5, 4)


@BOTH
def test_a_span_may_be_without_length(kind):
    assert kind("d", 5, 5).end == 5


@BOTH
def test_spans_are_frozen_and_equal_by_place(kind):
    span = kind("d", 1, 2)

    assert span == kind("d", 1, 2)
    assert len({span, kind("d", 1, 2), kind("e", 1, 2)}) == 2
    with pytest.raises(FrozenInstanceError):
        span.start = 0


@pytest.mark.parametrize("text", ["", "ab", "abcd"], ids=["none", "short", "long"])
def test_a_text_of_another_length_is_refused(text):
    with pytest.raises(ValueError, match=f"holds 3 characters, but its text has {len(text)}"):
        CharacterSpan("d", 0, 3, text)


def test_lengths_are_code_points_not_bytes_nor_utf_16_units():
    assert CharacterSpan("d", 1, 2, "😀").text == "😀"
    assert CharacterSpan("d", 0, 2, "小明").end == 2


def test_spans_sort_by_document_and_place_whether_or_not_the_text_is_known():
    spans = [
        CharacterSpan("b", 0, 1),
        CharacterSpan("a", 2, 3, "x"),
        CharacterSpan("a", 2, 3),
        CharacterSpan("a", 0, 9),
    ]

    assert [(s.doc_id, s.start) for s in sorted(spans)] == [("a", 0), ("a", 2), ("a", 2), ("b", 0)]


def test_a_message_as_a_document_is_named_by_chat_and_local_id():
    assert document_id("Chat_1_Emi_Elise", 14) == "Chat_1_Emi_Elise#14"
