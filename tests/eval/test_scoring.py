from math import log2

import pytest

from eval.cases import ArcCase, QaCase, ReadyCase
from eval.replay import Run, replay, tasks_of
from eval.scoring import METRICS, score


@pytest.fixture
def scored(chat, deps_for, scripted):
    """The row of one case whose question has this script."""

    def row(case, script):
        mode = scripted({case.question: script})
        tasks = tasks_of([ReadyCase(case, chat, "set")], ["agent"])
        (run,) = replay(tasks, {"agent": mode}, deps_for=deps_for)
        return score(run)

    return row


def _qa(**fields) -> QaCase:
    return QaCase(case_id="q", chat="trip", question="Where to, and when?", **fields)


def test_every_metric_of_a_question_is_what_a_hand_would_compute(scored, script):
    row = scored(
        _qa(evidence=("D1:1", "D1:3"), answer="It was Vienna"),
        script(
            cited={1: (13, 24), 5: (0, 9)},  # "night train", "Take mine"
            ranking=(2, 1, 5, 3),
            claims=(("Ana took the train to Vienna.", (1,)), ("She lent 3 suitcases.", (5,))),
            unsupported=1,
        ),
    )

    # Truth: 34 + 10 characters of two whole messages; cited: 11 + 9, of which 11 are true.
    assert row.metrics == pytest.approx(
        {
            "evidence_recall": 1 / 2,
            "fuzzy_recall": 1.0,  # 3 is two away from 5
            "evidence_precision": 1 / 2,
            "evidence_f1": 1 / 2,
            "all_hit": 0.0,
            "timeline_coverage": 1.0,  # both expected messages are of 1 March
            "citation_validity": 2 / 3,
            "groundedness": 1 / 2,  # nobody says 3
            "span/recall": 11 / 44,
            "span/precision": 11 / 20,
            "span/iou": 11 / 53,
            "span/f1": 22 / 64,
            "answer/exact_match": 0.0,
            "answer/f1": 2 * 2 / (3 + 3),  # "So it was." shares "it was"
            "recall@5": 1.0,
            "recall@10": 1.0,
            "recall@20": 1.0,
            "recall@50": 1.0,
            "all_hit@10": 1.0,
            "ndcg@10": (1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3)),  # ranks 2 and 4
        }
    )
    assert row.span_truth == "whole messages"
    assert (row.gold, row.expected_ids, row.returned_ids) == ("full", (1, 3), (1, 5))


def test_every_metric_of_an_arc_is_what_a_hand_would_compute(scored, script):
    phases = [
        {"title": "books", "evidence": ["D1:1"]},
        {"title": "breaks", "evidence": ["D2:1", "D2:2"]},
        {"title": "lost", "evidence": ["D9:9"]},
    ]
    row = scored(
        ArcCase(case_id="a", chat="trip", question="How did the trip go?", phases=phases),
        script(
            cited={1: (0, 34), 4: (0, 17), 7: (0, 6)},
            ranking=(4, 1),
            phases=(("Vienna is booked.", (1,)), ("A suitcase breaks, Anna says.", (4, 7))),
        ),
    )

    assert row.metrics == pytest.approx(
        {
            "global_recall": 2 / 3,
            "phase_coverage": 1.0,
            "phase_recall": 3 / 4,  # (1 + 1/2) ÷ 2; the lost phase does not count
            "evidence_precision": 2 / 3,
            "evidence_f1": 2 / 3,
            "timeline_coverage": 2 / 3,  # 1, 2 and 3 March in Berlin; none cited of the 3rd
            "citation_validity": 1.0,
            "groundedness": 1 / 2,  # there is no Anna
            "recall@5": 2 / 3,
            "recall@10": 2 / 3,
            "recall@20": 2 / 3,
            "recall@50": 2 / 3,
            "all_hit@10": 0.0,
            # ranks 1 and 2 of a best possible three
            "ndcg@10": (1 + 1 / log2(3)) / (1 + 1 / log2(3) + 1 / log2(4)),
        }
    )
    assert row.phase_recalls == (1.0, 0.5, None)
    assert row.gold == "partial"


@pytest.mark.parametrize(
    "case",
    [_qa(evidence=("D1:1",), answerable=False), _qa(evidence=("D9:9",))],
    ids=["unanswerable", "unreachable"],
)
def test_where_nothing_can_be_found_only_the_answer_itself_is_scored(scored, script, case):
    row = scored(
        case,
        script(cited={5: (0, 9)}, ranking=(5,), claims=(("Take mine", (5,)),)),
    )

    assert {name for name, value in row.metrics.items() if value is not None} == {
        "citation_validity",
        "groundedness",
    }


@pytest.mark.parametrize("answer", [None, "", "  "])
def test_a_gold_answer_that_is_blank_is_none(scored, script, answer):
    row = scored(_qa(evidence=("D1:1",), answer=answer), script(cited={1: (0, 9)}))

    assert row.metrics["answer/f1"] is None
    assert row.metrics["answer/exact_match"] is None
    assert row.metrics["evidence_recall"] == 1.0


def test_an_abstention_has_no_groundedness_and_finds_nothing(scored, script):
    row = scored(_qa(evidence=("D1:1",)), script(abstained=True, ranking=(1,)))

    assert row.abstained is True
    assert row.metrics["groundedness"] is None
    assert row.metrics["citation_validity"] is None
    assert row.metrics["evidence_recall"] == 0.0
    assert row.metrics["recall@5"] == 1.0


def test_given_spans_are_scored_exactly(scored, script):
    case = _qa(evidence=("D1:1",), spans=({"localId": 1, "start": 28, "end": 34},))

    row = scored(case, script(cited={1: (13, 34)}))

    assert row.span_truth == "given"
    assert row.metrics["span/recall"] == 1.0
    assert row.metrics["span/precision"] == pytest.approx(6 / 21)


def test_a_photo_without_text_counts_as_evidence_and_not_as_characters(scored, script):
    row = scored(_qa(evidence=("D2:3",)), script(cited={6: (0, 0)}))

    assert row.metrics["evidence_recall"] == 1.0
    assert row.metrics["span/recall"] is None
    assert row.metrics["span/iou"] is None


def test_a_failed_case_has_no_metric_at_all(chat):
    run = Run(ReadyCase(_qa(evidence=("D1:1",)), chat), "agent", None, "TimeoutError: late", 1.0)

    row = score(run)

    assert row.metrics == dict.fromkeys(METRICS["qa"])
    assert row.error == "TimeoutError: late"
    assert row.abstained is None


def test_a_day_that_a_cited_message_speaks_of_bears_out_a_date(scored, script):
    row = scored(
        _qa(evidence=("D1:3",)),
        script(cited={3: (0, 10)}, claims=(("They leave on 9 March 2024.", (3,)),)),
    )

    assert row.metrics["groundedness"] == 1.0
