import json

import pytest

from eval.cases import QaCase, ReadyCase
from eval.external import read_run
from eval.scoring import score
from sayso.errors import CaseError


@pytest.fixture
def cases(chat):
    return [
        ReadyCase(QaCase(case_id=f"trip#q{n}", chat="trip", question="q?", evidence=ids), chat)
        for n, ids in ((1, [1, 3]), (2, [4]))
    ]


@pytest.fixture
def run_file(tmp_path):
    def written(*lines):
        path = tmp_path / "theirs"
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return path

    return written


def test_ids_of_either_kind_are_scored_as_our_own(cases, run_file):
    path = run_file(
        {"caseId": "trip#q1", "evidence": ["D1:1", 2], "ranking": [3, "D1:1"], "answer": "a train"},
        {"case_id": "trip#q2", "evidence": [{"localId": 4, "start": 3, "end": 11}]},
    )

    first, second = (score(run) for run in read_run(path, cases, name="theirs").runs)

    assert (first.mode, first.returned_ids) == ("theirs", (1, 2))
    assert first.metrics["evidence_recall"] == 0.5
    assert first.metrics["evidence_precision"] == 0.5
    assert first.metrics["recall@5"] == 1.0
    assert second.metrics["span/precision"] == 1.0
    assert second.metrics["span/recall"] == pytest.approx(8 / 17)  # "suitcase" of the message


def test_a_trec_run_is_ranked_by_its_scores_and_cut(cases, run_file):
    path = run_file(
        "trip#q1 Q0 trip#2 1 0.2 x", "trip#q1 Q0 trip#3 2 0.9 x", "trip#q1 Q0 D1:1 3 0.5 x",
        "trip%23q2 Q0 4 1 1.0 x",
    )  # fmt: skip

    first, second = (score(run) for run in read_run(path, cases, name="x", cutoff=2).runs)

    assert first.returned_ids == (1, 3)
    assert [c.local_id for c in first.trail.ranking] == [3, 1, 2]
    assert second.returned_ids == (4,)


def test_a_case_without_a_result_returned_nothing_and_is_told(cases, run_file):
    found = read_run(run_file({"caseId": "trip#q1", "evidence": [1]}), cases, name="x")

    assert score(found.runs[1]).abstained
    assert len(found.notes) == 1
    assert "'trip#q2'" in found.notes[0]


def test_an_id_that_names_no_message_is_an_unsupported_citation(cases, run_file):
    path = run_file(
        {"caseId": "trip#q1", "evidence": [1, "D9:9", {"localId": 2, "start": 0, "end": 999}]}
    )

    row = score(read_run(path, cases, name="x").runs[0])

    assert row.metrics["citation_validity"] == pytest.approx(1 / 3)
    assert row.returned_ids == (1,)


def test_an_id_that_names_no_message_keeps_its_rank(cases, run_file):
    ranking = [10**25, -5, "D9:9", "D9:9", "D8:8", "", 1, 3]
    path = run_file({"caseId": "trip#q1", "ranking": ranking})

    row = score(read_run(path, cases, name="x").runs[0])

    assert [c.local_id for c in row.trail.ranking] == [-1, -2, -3, -4, -5, 1, 3]
    assert (row.metrics["recall@5"], row.metrics["recall@10"]) == (0.0, 1.0)


def test_what_cites_no_message_is_told_once(cases, run_file):
    found = read_run(run_file({"caseId": "trip#q1", "evidence": [1, "D9:9", 99]}), cases, name="x")

    (told,) = [note for note in found.notes if "citation" in note]
    assert "2 citations cannot be read" in told
    assert "'D9:9' names no message" in told


def test_a_message_of_another_chat_is_none_of_this_one(cases, run_file):
    path = run_file("trip#q1 Q0 other#1 1 0.9 x", "trip#q1 Q0 trip#3 2 0.8 x")

    row = score(read_run(path, cases, name="x").runs[0])

    assert row.returned_ids == (3,)
    assert row.metrics["citation_validity"] == 0.5


def test_a_trec_document_that_stands_twice_is_cut_as_one(cases, run_file):
    path = run_file(*(f"trip#q1 Q0 trip#{i} {n} {9 - n} x" for n, i in enumerate((3, 3, 1, 2))))

    row = score(read_run(path, cases, name="x", cutoff=2).runs[0])

    assert row.returned_ids == (1, 3)


def test_of_equal_scores_the_written_rank_decides(cases, run_file):
    path = run_file(*(f"trip#q1 Q0 trip#{i} {n} 0.5 x" for n, i in ((2, 1), (1, 3), (3, 2))))

    row = score(read_run(path, cases, name="x").runs[0])

    assert [c.local_id for c in row.trail.ranking] == [3, 1, 2]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        pytest.param(['{"caseId": '], (":1:", "JSON"), id="half a line"),
        pytest.param(['{"caseId": "trip#q1", "ids": [1]}'], (":1:", "ids", "evidence"), id="unknown key"),
        pytest.param(['{"caseId": "trip#q1"}', '{"caseId": "trip#q1"}'], (":2:", "twice"), id="twice"),
        pytest.param(['{"caseId": "trip#q1", "seconds": NaN}'], (":1:", "seconds"), id="NaN seconds"),
        pytest.param(['{"caseId": "trip#q1", "seconds": -1}'], (":1:", "seconds"), id="seconds below 0"),
        pytest.param(['{"caseId": "trip#q1", "evidence": [' + "9" * 5000 + "]}"], (":1:", "JSON"), id="endless number"),
        pytest.param(['{"caseId": ' + "[" * 200_000], (":1:", "JSON"), id="endless brackets"),
        pytest.param(["trip#q1 Q0 4 1 nan x"], (":1:", "TREC run line"), id="NaN score"),
        pytest.param(["trip#q1 Q0 4 1"], (":1:", "qid Q0 docid rank score tag"), id="four fields"),
        pytest.param(['{"caseId": "other"}'], ("none of its 1 cases", "'other'", "'trip#q1'"), id="other cases"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_run_is_an_error_that_says_where(cases, run_file, lines, words):
    with pytest.raises(CaseError) as raised:
        read_run(run_file(*lines), cases, name="x")

    assert all(word in str(raised.value) for word in words)
