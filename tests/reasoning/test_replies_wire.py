import json

import pytest
from pydantic import ValidationError

from sayso.reasoning.replies_wire import AnswerReply, GradesReply, PlanReply, schema_line


@pytest.mark.parametrize("n", [12, "12", "[12]", "#12", 12.0, [12]])
def test_a_number_is_read_however_it_is_written(n):
    reply = AnswerReply.model_validate({"answer": "so", "claims": [{"text": "so", "cite": [n]}]})

    assert reply.cites[0].n == 12


@pytest.mark.parametrize(
    ("cite", "read"),
    [
        ([{"n": 1, "quote": "yes"}], [(1, "yes")]),
        ({"n": 1, "quote": ""}, [(1, None)]),
        ([{"n": "2", "quote": "null"}], [(2, None)]),
        ("[3]", [(3, None)]),
        (4, [(4, None)]),
        ([5, {"n": 6}], [(5, None), (6, None)]),
        ("12, 13", [(12, None), (13, None)]),
        (["[7] and [8]", 9], [(7, None), (8, None), (9, None)]),
        ("#14", [(14, None)]),
    ],
)
def test_citations_are_read_however_they_are_written(cite, read):
    reply = AnswerReply.model_validate({"answer": "so", "claims": [{"text": "so", "cite": cite}]})

    assert [(c.n, c.quote) for c in reply.cites] == read


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"answer": "so"}, "no message is cited"),
        ({"answer": "so", "claims": ["so"]}, "no message is cited"),
        ({"answer": " ", "claims": [{"text": "so", "cite": [1]}]}, "answer is empty"),
        ({"claims": [{"text": "so", "cite": [1]}]}, "answer"),
        ({"answer": "so", "claims": [{"text": "so", "cite": [{"n": "none"}]}]}, "cite"),
    ],
)
def test_an_answer_without_citations_or_words_is_refused_with_what_to_do(reply, said):
    with pytest.raises(ValidationError, match=said):
        AnswerReply.model_validate(reply)


def test_nothing_found_needs_no_citation():
    reply = AnswerReply.model_validate({"answer": "No message says.", "nothing_found": "true"})

    assert reply.nothing_found


def test_grades_are_read_as_a_list_or_by_number():
    listed = GradesReply.model_validate(
        {"grades": [{"n": "[1]", "relevance": "3"}], "missing": "none"}
    )
    keyed = GradesReply.model_validate({"grades": {"1": 3}, "queries": None})

    assert [(g.n, g.relevance) for g in listed.grades] == [(1, 3.0)]
    assert keyed.grades == listed.grades
    assert (listed.missing, keyed.queries) == (None, [])


@pytest.mark.parametrize("reply", [{}, {"missing": None}, {"grades": [{"n": 1, "relevance": -1}]}])
def test_grades_that_are_not_there_are_refused(reply):
    with pytest.raises(ValidationError):
        GradesReply.model_validate(reply)


def test_a_search_may_be_a_bare_string_and_its_kind_unknown():
    reply = PlanReply.model_validate(
        {"intent": "when", "queries": ["knee", {"kind": "vibe", "text": 7, "people": "Ana"}]}
    )

    assert [(q.kind, q.text, q.people) for q in reply.queries] == [
        ("aspect", "knee", []), ("vibe", "7", ["Ana"]),
    ]  # fmt: skip


@pytest.mark.parametrize("queries", [[], None, [{"kind": "aspect"}]])
def test_a_plan_without_a_search_is_refused(queries):
    with pytest.raises(ValidationError):
        PlanReply.model_validate({"intent": "fact", "queries": queries})


@pytest.mark.parametrize("schema", [PlanReply, GradesReply, AnswerReply])
def test_the_shown_schema_is_one_short_line_of_json_without_references(schema):
    line = schema_line(schema)

    assert set(json.loads(line)["properties"]) == set(schema.model_fields)
    assert "$" not in line
    assert "\n" not in line
    assert len(line) < 1200


@pytest.mark.parametrize("schema", [PlanReply, GradesReply, AnswerReply])
def test_what_is_written_for_readers_of_the_code_is_not_in_the_schema(schema):
    described = json.dumps(schema.model_json_schema()).split('"description": ')[1:]

    assert all(part.startswith('"YYYY-MM-DD"') for part in described)


def test_the_schema_asks_for_the_evidence_before_the_answer():
    assert list(json.loads(schema_line(AnswerReply))["properties"]) == [
        "claims", "phases", "nothing_found", "answer",
    ]  # fmt: skip
