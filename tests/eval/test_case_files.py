import json
from pathlib import Path

import pytest

from eval.case_files import read_cases
from eval.cases import ArcCase, QaCase
from sayso.errors import CaseError

DATA = Path(__file__).parents[3] / "shared/data"
QA = {"caseId": "q1", "chat": "trip", "question": "Which day?", "evidence": [3]}
ARC = {
    "caseId": "a1",
    "chat": "trip",
    "question": "How?",
    "phases": [{"title": "t", "evidence": [3]}],
}


def test_cases_are_read_from_lines_and_from_a_list_in_both_spellings(write, tmp_path):
    lines = write("a.jsonl", [QA, {"case_id": "q2", "chat": "trip", "question": "Who?"}])
    listed = tmp_path / "b.json"
    listed.write_text(json.dumps([{**QA, "caseId": "q3"}]), encoding="utf-8-sig")

    found = read_cases([lines, listed], "qa").cases

    assert [filed.case.case_id for filed in found] == ["q1", "q2", "q3"]


def test_a_missing_case_id_is_the_chat_and_the_place_in_the_file(write):
    cases = write("a.jsonl", [QA, {"chat": "trip", "question": "Who?"}])

    assert read_cases([cases], "qa").cases[1].case.case_id == "trip#q2"


def test_the_reference_arc_form_is_an_arc_case(write):
    cases = write(
        "a.jsonl",
        [
            {
                "case_id": "a",
                "chat": "trip",
                "question": "How?",
                "query_type": "arc_narrative",
                "expected_phases": [
                    {
                        "title": "t",
                        "time_range": "2024-03-01/2024-03-02",
                        "evidence_dia_ids": ["D1:4"],
                    }
                ],
            }
        ],
    )

    (filed,) = read_cases([cases], "arc").cases

    assert isinstance(filed.case, ArcCase)
    assert filed.case.phases[0].evidence == ("D1:4",)
    assert filed.case.phases[0].time_range == "2024-03-01/2024-03-02"
    assert filed.case.answerable


def test_an_arc_case_without_phases_has_nothing_to_find(write):
    cases = write("a.jsonl", [{**ARC, "phases": []}])

    assert not read_cases([cases], "arc").cases[0].case.answerable


def test_a_realtalk_file_gives_named_categories_and_its_stem_as_chat(tmp_path):
    file = tmp_path / "Chat_9.json"
    qa = [
        {"question": "Who?", "answer": "A", "evidence": ["D1:1"], "category": 1},
        {"question": "When?", "answer": "B", "evidence": "D1:1", "category": 2},
        {"question": "Why?", "answer": "C", "evidence": [], "category": 3},
    ]
    file.write_text(json.dumps({"name": {}, "session_1": [], "qa": qa}))

    found = read_cases([file], "qa").cases

    assert [filed.case.category for filed in found] == ["multi-hop", "temporal", "commonsense"]
    assert [filed.case.case_id for filed in found] == ["Chat_9#q1", "Chat_9#q2", "Chat_9#q3"]
    assert all(f.case.chat == "Chat_9" and f.dataset == "realtalk" and f.holds_chat for f in found)


def test_a_locomo_file_has_integer_answers_and_unanswerable_cases(tmp_path):
    file = tmp_path / "Chat_8.json"
    qa = [
        {"question": "When?", "answer": 2022, "evidence": ["D1:1"], "category": 2},
        {"question": "Who?", "adversarial_answer": "A", "evidence": ["D1:1"], "category": 5},
    ]
    file.write_text(json.dumps({"conversation": {"session_1": []}, "qa": qa}))

    first, second = (filed.case for filed in read_cases([file], "qa").cases)

    assert isinstance(first, QaCase)
    assert (first.answer, first.category, first.answerable) == (2022, "temporal", True)
    assert (second.category, second.answerable) == ("unanswerable", False)


def test_a_file_of_several_conversations_names_each_by_its_sample_id(tmp_path):
    file = tmp_path / "all.json"
    qa = [{"question": "When?", "answer": "A", "evidence": ["D1:1"], "category": 2}]
    file.write_text(
        json.dumps([{"sample_id": name, "conversation": {}, "qa": qa} for name in ("c-1", "c-2")])
    )

    found = read_cases([file], "qa").cases

    assert [(f.case.case_id, f.case.chat, f.holds_chat) for f in found] == [
        ("c-1#q1", "c-1", True),
        ("c-2#q1", "c-2", True),
    ]
    assert [f.chat_within for f in found] == ["c-1", "c-2"]


def test_from_a_folder_come_the_cases_asked_for_and_the_rest_is_counted(write, tmp_path):
    write("set/qa/b.jsonl", [QA])
    write("set/qa/a.jsonl", [{**QA, "caseId": "q0"}])
    write("set/arc/a.jsonl", [ARC, {**ARC, "caseId": "a2"}])
    write("set/chats/trip.jsonl", [{"sayso": "chat", "version": 1, "chatId": "trip"}])

    found = read_cases([tmp_path / "set"], "qa")

    assert [filed.case.case_id for filed in found.cases] == ["q0", "q1"]
    assert {filed.dataset for filed in found.cases} == {"set"}
    assert found.left_out == (
        f"{tmp_path / 'set'}: left out 2 ARC cases",
        f"{tmp_path / 'set'}: left out 1 files without cases",
    )


def test_a_file_named_twice_is_read_once(write, tmp_path):
    cases = write("a.jsonl", [QA])

    assert len(read_cases([cases, tmp_path], "qa").cases) == 1


@pytest.mark.parametrize(
    ("records", "kind", "said"),
    [
        ([ARC], "qa", "holds ARC cases only; add --arc-cases"),
        ([QA], "arc", "holds QA cases only; leave out --arc-cases"),
        ([{"localId": 1, "text": "hi"}], "qa", "holds no case"),
        (
            [{**QA, "evidense": [1]}],
            "qa",
            "line 1: unknown key 'evidense'; known keys: caseId, chat,",
        ),
        ([QA, {"caseId": "q2", "question": "Who?"}], "qa", "line 2: missing key 'chat'"),
        ([QA, QA], "qa", "caseId 'q1' stands twice"),
        ([{**QA, "evidence": [1.5]}], "qa", "line 1: evidence.0"),
        ([{**QA, "split": "dev"}], "qa", "line 1: split = 'dev'"),
        ([{**QA, "spans": [{"start": 0, "end": 1}]}], "qa", "by localId or by sourceId"),
        ([{**QA, "question": " "}], "qa", "is blank"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_named_file_that_does_not_fit_is_an_error_that_says_why(write, records, kind, said):
    cases = write("a.jsonl", records)

    with pytest.raises(CaseError) as error:
        read_cases([cases], kind)

    assert str(cases) in str(error.value)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\x89PNG\xff\xfe", "is not UTF-8"),
        (b'[{"question": "Wh', "line 1: not valid JSON"),
        (b'{"chat": "c", "question": "Who?"}\n{"chat": ', "line 2: not valid JSON"),
        (b'{"chat": "c", "question": "Who?"\n', "line 1: not valid JSON"),
        (b"# Cases", "expected a JSON list of cases, or a case a line"),
        (b"5", "holds no case"),
    ],
    ids=["empty", "binary", "truncated list", "truncated line", "one line", "a text", "a number"],
)
def test_a_broken_file_is_an_error_that_names_the_place(tmp_path, content, said):
    file = tmp_path / "a.jsonl"
    file.write_bytes(content)

    with pytest.raises(CaseError, match=said):
        read_cases([file], "qa")


def test_an_unknown_category_number_is_an_error(tmp_path):
    file = tmp_path / "Chat_9.json"
    qa = [{"question": "Who?", "answer": "A", "evidence": [], "category": 7}]
    file.write_text(json.dumps({"session_1": [], "qa": qa}))

    with pytest.raises(CaseError, match="qa 1: category 7; expected one of: 1 multi-hop"):
        read_cases([file], "qa")


@pytest.mark.skipif(not DATA.is_dir(), reason="the research sets are not there")
def test_the_research_sets_are_read_as_they_come():
    qa = read_cases([DATA / "realtalk", DATA / "locomo"], "qa").cases
    arcs = read_cases([DATA / "realtalk_arcs"], "arc")

    assert len([f for f in qa if f.dataset == "realtalk"]) == 502
    assert len([f for f in qa if f.dataset == "locomo"]) == 999
    assert sum(not f.case.answerable for f in qa) == 237
    assert len(arcs.cases) == 56
    assert arcs.left_out == (f"{DATA / 'realtalk_arcs'}: left out 42 QA cases",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        (f"{json.dumps(QA)}\n{'[' * 100_000}", "line 2: .*nested too deeply"),
        ('[{"a": ' + "9" * 5000 + "}]", "a number is too long"),
        (f'{json.dumps(QA)}\n{{"a": {"9" * 5000}}}', "line 2: .*a number is too long"),
    ],
    ids=["deep", "deep line", "long number", "long number in a line"],
)
def test_json_that_python_cannot_hold_is_an_error_that_names_the_place(tmp_path, content, said):
    (tmp_path / "a.json").write_text(content, encoding="utf-8")

    with pytest.raises(CaseError, match=said):
        read_cases([tmp_path / "a.json"], "qa")


def test_the_same_thing_under_both_its_names_is_an_error(write):
    cases = write("a.jsonl", [{**ARC, "expected_phases": []}])

    with pytest.raises(CaseError, match=r"line 1: 'phases' is given twice, also as 'expected_ph"):
        read_cases([cases], "arc")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"evidence": None}, "evidence = None: expected a list"),
        ({"evidence": [1.5]}, r"evidence\.0 = 1\.5: expected a number or a text"),
        ({"spans": [[0, 1]]}, r"spans\.0 = \[0, 1\]: expected an object"),
        ({"answerable": "yes"}, "answerable = 'yes': expected true or false"),
        ({"question": " "}, "question = ' ': is blank"),
        ({"spans": [{"localId": 1, "start": -1, "end": 2}]}, r"0 <= start < end, not \[-1, 2\)"),
        ({"category": ["x" * 9999]}, r"category = \['x{58}: expected a text$"),
    ],
    ids=["null", "fraction", "list", "word", "blank", "negative", "long"],
)
def test_a_value_of_the_wrong_kind_is_named_with_what_was_expected(write, fields, said):
    with pytest.raises(CaseError, match=f"line 1: .*{said}"):
        read_cases([write("a.jsonl", [QA | fields])], "qa")


def test_a_fault_in_json_lines_is_told_with_its_line_whatever_is_left_blank(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(QA) + "\n\n\n" + json.dumps({**QA, "evidense": [1]}) + "\n")

    with pytest.raises(CaseError, match=r"a\.jsonl: line 4: unknown key 'evidense'"):
        read_cases([file], "qa")


@pytest.mark.parametrize(("indent", "line"), [(None, 1), (2, 10)])
def test_a_fault_in_a_json_list_is_told_with_its_position_and_line(tmp_path, indent, line):
    # With an indent a record of ours takes eight lines, and the list begins on the first.
    file = tmp_path / "a.json"
    file.write_text(json.dumps([QA, {**QA, "evidense": [1]}], indent=indent), encoding="utf-8-sig")

    with pytest.raises(CaseError, match=rf"a\.json: case 2 \(line {line}\): unknown key"):
        read_cases([file], "qa")


def test_a_fault_among_several_conversations_names_the_conversation(tmp_path):
    file = tmp_path / "all.json"
    qa = [{"question": "When?", "evidence": ["D1:1"], "category": 7}]
    file.write_text(
        json.dumps([{"sample_id": name, "conversation": {}, "qa": qa} for name in ("c-1", "c-2")])
    )

    with pytest.raises(CaseError, match=r"all\.json: c-1, qa 1: category 7"):
        read_cases([file], "qa")


def test_conversations_without_an_id_of_their_own_go_by_the_file_and_their_number(tmp_path):
    file = tmp_path / "all.json"
    qa = [{"question": "When?", "answer": "A", "evidence": ["D1:1"], "category": 2}]
    names = ({"sample_id": "c-1"}, {}, {"sample_id": "c-1"}, {"sample_id": 4})
    file.write_text(json.dumps([{**name, "conversation": {}, "qa": qa} for name in names]))

    found = read_cases([file], "qa").cases

    assert [f.chat_within for f in found] == ["c-1", "all_2", "all_3", "4"]
