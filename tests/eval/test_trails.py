import json

import pytest

from eval.cases import QaCase, ReadyCase
from eval.folder import new_folder
from eval.metrics import recall_at_k
from eval.replay import Run
from eval.scoring import score
from eval.trails import trail_record
from sayso.core.models import Answer, Candidate, Evidence, Graded, Plan, Question
from sayso.core.trail import Round, StepRecord, Trail

PLAN = Plan(intent="fact", queries=("night train",))
FEATURES = {f"feature_{i}": 0.1234 * (i % 3) for i in range(40)}
QUESTION = Question(text="Which train?", chat_id="trip")


@pytest.fixture
def trail(chat) -> Trail:
    """Two rounds of 250 candidates with forty features each; message 3 is cited."""
    found = tuple(
        Candidate(chat_id="trip", local_id=i, score=1 / 7 / i, why=FEATURES) for i in range(1, 251)
    )
    said = chat.by_id[3]
    return Trail(
        question=QUESTION,
        mode="agent",
        plan=PLAN,
        ranking=found[:50],
        rounds=(Round(plan=PLAN, candidates=found), Round(plan=PLAN, candidates=found[::-1])),
        graded=tuple(Graded(candidate=c, relevance=1 / 3, why="means the same") for c in found[:50]),
        answer=Answer(
            text="On the 9th.",
            evidence=(
                Evidence(
                    local_id=3, sender=said.sender, sent_at=said.sent_at, doc_id="trip#3",
                    start=0, end=10, quote="On the 9th",
                ),
            ),
        ),
        steps=(StepRecord(name="agent/planner", changed="fact", milliseconds=1.0, notes=("n",)),),
        stop_reason="enough evidence",
    )  # fmt: skip


def test_rankings_and_rounds_keep_every_id_in_order_with_its_score(trail):
    record = trail_record(trail)

    assert record["ranking"]["localIds"] == list(range(1, 51))
    assert record["ranking"]["scores"][:2] == [0.142857, 0.071429]
    assert record["rounds"][0]["localIds"] == list(range(1, 251))
    assert record["rounds"][1]["localIds"] == list(range(250, 0, -1))
    assert record["rounds"][1]["plan"] == PLAN.model_dump(by_alias=True, mode="json")


def test_every_grade_is_kept_and_the_features_of_what_is_cited(trail):
    graded = trail_record(trail)["graded"]

    assert graded[0] == {"localId": 1, "relevance": 0.333333, "why": "means the same"}
    assert graded[2]["localId"] == 3
    assert graded[2]["features"]["feature_1"] == 0.1234
    assert "feature_0" not in graded[2]["features"]  # a feature that is 0 says nothing
    assert [g["localId"] for g in graded if "features" in g] == [3]


def test_question_answer_and_steps_are_kept_whole(trail):
    record, whole = trail_record(trail), trail.model_dump(by_alias=True, mode="json")

    for kept in ("question", "mode", "plan", "answer", "steps", "stopReason", "model"):
        assert record[kept] == whole[kept]


def test_a_row_takes_at_most_fifteen_thousand_bytes_and_its_metrics_can_be_recomputed(
    trail, chat, tmp_path
):
    case = QaCase(case_id="q", chat="trip", question=QUESTION.text, evidence=(3, 60))
    row = score(Run(ReadyCase(case, chat), "agent", trail, None, 0.1))
    folder = new_folder(tmp_path, "qa", row.trail.answer.evidence[0].sent_at)

    folder.append(row)

    written = (folder.path / "rows.jsonl").read_bytes()
    read = json.loads(written)
    assert len(written) <= 15_000
    ranking = read["trail"]["ranking"]["localIds"]
    for k in (5, 10, 20, 50):
        assert recall_at_k(ranking, read["expected_ids"], k) == read["metrics"][f"recall@{k}"]
