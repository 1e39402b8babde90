import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from sayso.reasoning.replies import RAW_LIMIT, Said, Unfit, read, without_thinking


class Reply(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answer: str
    cited: list[int] = []
    sure: float | None = None
    limit: int = Field(3, ge=1)


GOOD = '{"answer": "A kayak", "cited": [1]}'
VALUE = Reply(answer="A kayak", cited=[1])


def kind_of(said: Said) -> str:
    with pytest.raises(Unfit) as caught:
        read(said, Reply)
    return caught.value.kind


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"Here it is:\n\n{GOOD}\n\nTell me if you need more.",
        f"<think>Is it {{a kayak}}? Yes.</think>{GOOD}",
        f"<think>\nIt may be {{\"answer\": \"a boat\"}}\n</think>\n\n```json\n{GOOD}\n```",
        f"So it is a kayak.\n</think>\n{GOOD}",
        f'First {{"answer": "a boat"}}, but no: {GOOD}',
        f"[{GOOD}]",
        '{"name": "Reply", "arguments": ' + GOOD + "}",
        '{"name": "Reply", "arguments": ' + json.dumps(GOOD) + "}",
        "<tool_call>\n" + '{"name": "Reply", "parameters": ' + GOOD + "}\n</tool_call>",
        '{"tool_calls": [{"function": {"name": "Reply", "arguments": ' + json.dumps(GOOD) + "}}]}",
        '{"Reply": ' + GOOD + "}",
        '{"answer": "A kayak", "cited": [1], "sure": null, "limit": null}',
    ],
    ids=["bare", "fenced", "fenced without a name", "prose around", "reasoning before",
         "a draft in the reasoning", "reasoning without its beginning", "a draft in the text",
         "in a list", "tool call as text", "tool call with text in it", "tagged tool call",
         "OpenAI's own form as text", "under the schema's name", "nulls for what is left out"],
)  # fmt: skip
def test_a_reply_is_read_whatever_is_around_it(text):
    assert read(Said(text, finish="stop"), Reply) == VALUE


def test_a_tool_call_is_read_before_the_text_beside_it():
    assert read(Said("I call the tool.", called=GOOD), Reply) == VALUE


def test_a_line_break_within_a_string_is_read():
    assert read(Said('{"answer": "one\ntwo"}'), Reply).answer == "one\ntwo"


def test_text_that_looks_like_markup_within_an_answer_stays():
    text = '{"answer": "she wrote <think>no</think> {so}"}'

    assert read(Said(text), Reply).answer == "she wrote <think>no</think> {so}"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (Said("A kayak."), "prose"),
        (Said(""), "empty"),
        (Said("  \n"), "empty"),
        (Said("<think>It is a kayak.</think>"), "empty"),
        (Said("<think>It is {a"), "empty"),
        (Said("{answer: kayak}"), "not json"),
        (Said('{"answer": NaN}'), "not json"),
        (Said('{"answer": "a", "claims": [{"text": "x"}],}'), "not json"),
        (Said('{"answer": "a", claims: [{"text": "x"}]} I hope {that} helps'), "not json"),
        (Said("{" * 5000 + "}" * 5000), "not json"),
        (Said('{"answer": ["a kayak"]}'), "wrong types"),
        (Said('{"answer": null}'), "wrong types"),
        (Said('{"cited": [1]}'), "wrong types"),
        (Said('{"answer": "a", "colour": "red"}'), "wrong types"),
        (Said(GOOD, finish="length"), "truncated"),
        (Said(called=GOOD, finish="max_tokens"), "truncated"),
        (Said(GOOD, finish="MAX_TOKENS"), "truncated"),
        (Said('{"answer": "A kay'), "truncated"),
        (Said('{"answer": "A kayak", "cited": [1'), "truncated"),
        (Said('{"claims": [{"text": "x", "cite": [{"n": 1}]}], "ans'), "truncated"),
        (Said('First {"answer": "a boat"}, but no: {"answer": "A kay'), "truncated"),
        (Said('{"Reply": {"answer": "a boat"}, "better": {"answer"'), "truncated"),
        (Said("", refusal="I cannot."), "refusal"),
        (Said("", finish="content_filter"), "content filter"),
        (Said("", finish="SAFETY"), "content filter"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_failure_has_its_kind(said, kind):
    assert kind_of(said) == kind


def test_wrong_types_are_told_with_place_and_finding():
    with pytest.raises(Unfit) as caught:
        read(Said('{"answer": "a", "cited": ["x"], "limit": 0}'), Reply)

    assert "cited.0: Input should be a valid integer" in str(caught.value)
    assert "(found 'x')" in str(caught.value)
    assert "limit: Input should be greater than or equal to 1" in str(caught.value)


def test_what_keeps_an_object_from_being_read_is_told_and_not_what_its_parts_lack():
    with pytest.raises(Unfit, match=r"cannot be read: .*line 1 column 5[12] "):
        read(Said('Is {so}: {"answer": "a", "claims": [{"text": "x"}],}'), Reply)


def test_no_more_than_five_faults_are_told():
    with pytest.raises(Unfit, match="and 2 more"):
        read(Said(json.dumps({"answer": "a", "cited": ["x"] * 7})), Reply)


def test_the_kept_text_of_a_reply_is_cut():
    assert len(Said("x" * 50_000).raw) == RAW_LIMIT


def test_a_text_of_nothing_but_open_braces_is_read_quickly():
    assert kind_of(Said('{"a":' * 20_000)) in ("not json", "truncated")


@given(st.text(max_size=60))
def test_any_answer_survives_fences_and_prose(answer):
    said = Said(f"Sure:\n```json\n{json.dumps({'answer': answer})}\n```\nDone.")

    assert read(said, Reply).answer == answer


@given(st.text(max_size=200))
def test_any_text_that_holds_no_reply_has_a_kind(text):
    # A text by chance holds no reply, so each has a name; an error of another class would end it.
    assert kind_of(Said(text)) in ("prose", "empty", "not json", "wrong types", "truncated")


def test_only_reasoning_at_the_start_is_left_away():
    assert without_thinking("<think>a</think> b <think>c</think>") == " b <think>c</think>"
