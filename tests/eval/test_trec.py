from dataclasses import replace

import pytest

from eval.cases import QaCase, ReadyCase
from eval.external import read_run
from eval.replay import Run
from eval.scoring import score
from eval.trec import write_trec
from sayso.core.models import Question


@pytest.fixture
def rows(chat, deps_for, scripted, script):
    asked = {
        "one?": script(cited={1: (0, 1)}, ranking=(1, 5, 3, 2)),
        "two?": script(cited={4: (0, 1)}, ranking=(7, 6, 4)),
        "none?": script(abstained=True),
    }
    mode = scripted(asked)
    cases = [
        QaCase(case_id="a trip#q1", chat="trip", question="one?", evidence=[1, 2, 3]),
        QaCase(case_id="q 2", chat="trip", question="two?", evidence=[4]),
        QaCase(case_id="q3", chat="trip", question="none?", answerable=False),
    ]
    made = []
    for case in cases:
        trail = mode(Question(text=case.question, chat_id="trip"), deps_for(chat))
        made.append(score(Run(ReadyCase(case, chat), "agent", trail, None, 0.1)))
    return made


def test_other_tools_come_to_our_own_numbers(rows, tmp_path):
    ir_measures = pytest.importorskip("ir_measures")
    write_trec(tmp_path, rows)

    measures = {
        "recall@5": "R@5", "recall@10": "R@10", "recall@20": "R@20", "recall@50": "R@50",
        "ndcg@10": "nDCG@10",
    }  # fmt: skip
    theirs = ir_measures.iter_calc(
        [ir_measures.parse_measure(name) for name in measures.values()],
        list(ir_measures.read_trec_qrels(str(tmp_path / "qrels.txt"))),
        list(ir_measures.read_trec_run(str(tmp_path / "run-agent.txt"))),
    )

    found = {(m.query_id, str(m.measure)): m.value for m in theirs}
    ours = {
        (row.case_id.replace(" ", "%20"), measure): row.metrics[name]
        for row in rows[:2]
        for name, measure in measures.items()
    }
    assert found == pytest.approx(ours)


def test_cases_without_evidence_are_in_neither_file(rows, tmp_path):
    texts = [path.read_text(encoding="ascii") for path in write_trec(tmp_path, rows)]

    assert all("q3" not in text for text in texts)
    assert texts[0].splitlines()[0] == "a%20trip#q1 0 trip#1 1"
    assert texts[1].splitlines()[0] == "a%20trip#q1 Q0 trip#1 1 4 sayso-agent"


def test_our_own_run_file_reads_back_to_the_same_ranking(rows, chat, tmp_path):
    write_trec(tmp_path, rows)
    cases = [
        ReadyCase(QaCase(case_id=row.case_id, chat="trip", question="?", evidence=[1]), chat)
        for row in rows[:2]
    ]

    found = read_run(tmp_path / "run-agent.txt", cases, name="again").runs

    assert [[c.local_id for c in run.trail.ranking] for run in found] == [[1, 5, 3, 2], [7, 6, 4]]


def test_each_repeat_is_a_run_of_its_own(rows, tmp_path):
    again = [replace(row, repeat=1) for row in rows]

    written = write_trec(tmp_path, [*rows, *again])

    assert [path.name for path in written] == [
        "qrels.txt",
        "run-agent.txt",
        "run-agent-repeat-1.txt",
    ]
    first, second = (path.read_text("ascii").splitlines() for path in written[1:])
    assert first == second
    assert len(first) == 7  # four and three ranks
