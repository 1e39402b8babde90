"""Cases whose message was edited since their spans were marked."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from eval.cases import GivenSpan, QaCase, ReadyCase
from eval.edited import edit_notes
from eval.gold import truth_of
from sayso.core.chat import Chat, Message, Revision


def ready(text: str, *spans: GivenSpan, before: str = "see you at six") -> ReadyCase:
    message = Message(
        local_id=5,
        sender="Ana",
        sent_at=datetime(2024, 1, 1, tzinfo=UTC),
        text=text,
        revisions=(Revision(text=before),),
    )
    chat = Chat(chat_id="c", title="c", platform="p", messages=(message,))
    return ReadyCase(QaCase(case_id="q1", chat="c", question="When?", spans=spans), chat)


def span(quote: str | None) -> GivenSpan:
    return GivenSpan(local_id=5, start=8, end=14, quote=quote)


def test_words_that_an_edit_moved_are_found_again_and_that_is_told() -> None:
    case = ready("so: see you at six", span("at six"))

    (found,) = truth_of(case.case, case.chat).spans
    assert (found.start, found.end, found.text) == (12, 18, "at six")
    assert edit_notes([case]) == (
        "1 span stands elsewhere in its message now and is taken from there: q1 (#5)",
    )


def test_words_that_an_edit_took_away_are_no_truth_and_that_is_told() -> None:
    case = ready("see you at ten", span("at six"))
    truth = truth_of(case.case, case.chat)

    assert truth.span_truth == "whole messages"
    assert truth.expected.unreachable == ("span 5 [8, 14), whose words are gone",)
    assert edit_notes([case]) == (
        "1 span quotes words that its message no longer has, and is left out: q1 (#5)",
    )


def test_a_span_without_a_quote_in_an_edited_text_is_told_of() -> None:
    cases = [ready("see you at ten", span(None))] * 4

    assert edit_notes(cases) == (
        "4 spans, each of which marks a text that was edited since, without a quote to tell by: "
        "q1 (#5), q1 (#5), q1 (#5) and 1 more",
    )


def test_what_still_stands_there_is_not_told_of() -> None:
    assert edit_notes([ready("see you at six!", span("at six"))]) == ()


def test_a_quote_of_another_length_is_a_fault_of_the_case() -> None:
    with pytest.raises(ValidationError, match="the quote of a span has its length, 6, not 3"):
        span("six")
