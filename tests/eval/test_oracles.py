import pytest

from eval.cases import QaCase, ReadyCase
from eval.oracles import gold_of, with_oracle
from sayso.core.models import Candidate, Draft, Graded, Plan, Question, Verdict
from sayso.core.seams import GRADER, PLANNER, Deps, Grading, Planning, Reply


class Two:
    """Finds messages 1 and 2; a wide search also finds 3, with its marks."""

    def search(self, plan, k):
        found = [
            Candidate(chat_id="trip", local_id=i, score=-float(i), why={"own": 0.1 * i})
            for i in (1, 2, 3)
        ]
        return tuple(found[: 2 if k < 7 else 3])


class Planless:
    def think(self, step, given):
        if step.name == PLANNER.name:
            return Reply(Plan(intent="fact", queries=("q",)))
        graded = tuple(Graded(candidate=c, relevance=0.5) for c in getattr(given, "pool", ()))
        return Reply(Verdict(graded=graded) if step.name == GRADER.name else Draft(answer=""))


@pytest.fixture
def seen(chat):
    """What a mode with this oracle finds and keeps for a case that expects 2, 3 and 7."""

    def told(oracle):
        case = QaCase(case_id="q", chat="trip", question="q?", evidence=(2, 3, 7))
        out = {}

        def mode(question, deps):
            plan = deps.reasoner.think(PLANNER, Planning(question, deps.chat)).value
            pool = deps.retriever.search(plan, 5)
            verdict = deps.reasoner.think(GRADER, Grading(question, deps.chat, plan, pool, 0)).value
            out.update(pool=pool, kept=[g.local_id for g in verdict.graded])

        knowing = with_oracle(mode, oracle, gold_of([ReadyCase(case, chat)]))
        knowing(Question(text="q?", chat_id="trip"), Deps(chat, Two(), Planless()))
        return out

    return told


def test_retrieval_that_never_misses_keeps_the_finds_and_adds_the_gold(seen):
    found = seen("retrieval")

    assert [c.local_id for c in found["pool"]] == [1, 2, 3, 7]
    assert found["pool"][2].why == {"own": pytest.approx(0.3)}
    assert found["kept"] == [1, 2, 3, 7]


def test_evidence_from_the_gold_keeps_nothing_else(seen):
    assert seen("evidence")["kept"] == [2, 3, 7]


def test_another_question_has_no_gold(chat):
    gold = gold_of([])
    deps = Deps(chat, Two(), Planless())
    pools = []

    def mode(question, deps):
        pools.append(deps.retriever.search(Plan(intent="fact", queries=("q",)), 5))

    with_oracle(mode, "retrieval", gold)(Question(text="other?", chat_id="trip"), deps)

    assert [c.local_id for c in pools[0]] == [1, 2]
