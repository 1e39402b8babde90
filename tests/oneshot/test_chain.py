import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sayso.core.chat import Chat, Message
from sayso.core.metering import Budget
from sayso.core.models import (
    Candidate,
    Citation,
    Draft,
    DraftClaim,
    Gap,
    Graded,
    Plan,
    Question,
    Verdict,
)
from sayso.core.seams import Q1, Q3, Q4, Deps, Reply
from sayso.core.trail import Trail, Usage
from sayso.errors import ReasoningError
from sayso.oneshot.chain import chain, run_oneshot

QUESTION = Question(text="Where is the kayak?", chat_id="c")
PLAN = Plan(intent="fact", queries=("kayak",))
START = datetime(2024, 3, 2, 9, 0, tzinfo=UTC)
CHAT = Chat(
    chat_id="c", title="c", platform="invented", participants=("Ana", "Bo"),
    messages=tuple(
        Message(local_id=i, sender=("Ana", "Bo")[i % 2], text=f"message number {i}",
                sent_at=START + timedelta(hours=i), reply_to=2 if i == 6 else None)
        for i in range(1, 61)
    ),
)  # fmt: skip


class Finds:
    """A retriever that finds the same whatever it is asked."""

    def __init__(self, *ids: int) -> None:
        self.ids = ids

    def search(self, plan: Plan, k: int) -> tuple[Candidate, ...]:
        return tuple(Candidate(chat_id="c", local_id=i, score=-float(i)) for i in self.ids[:k])


class Thinks:
    """A reasoner that finds everything relevant, names a gap, and cites what it was told to."""

    def __init__(self, *cites: Citation, fails_at: str | None = None) -> None:
        self.cites, self.fails_at = cites, fails_at

    def think(self, step: Any, given: Any) -> Reply[Any]:
        if step.name == self.fails_at:
            raise ReasoningError(f"{step.name}: no reply")
        value = {Q1.name: self._plan, Q3.name: self._verdict, Q4.name: self._draft}[step.name](
            given
        )
        return Reply(value, Usage(model_calls=1, prompt_tokens=5), f"digest of {step.name}")

    def _plan(self, given: Any) -> Plan:
        return PLAN

    def _verdict(self, given: Any) -> Verdict:
        graded = tuple(Graded(candidate=c, relevance=0.9) for c in given.pool)
        return Verdict(graded=graded, gap=Gap(missing="more", queries=("paddle",)))

    def _draft(self, given: Any) -> Draft:
        cites = self.cites or tuple(Citation(local_id=g.local_id) for g in given.graded)
        return Draft(answer="so it is", claims=(DraftClaim(text="so", citations=cites),))


def timeless(trail: Trail) -> Trail:
    steps = tuple(s.model_copy(update={"milliseconds": 0.0}) for s in trail.steps)
    return trail.model_copy(update={"steps": steps})


def test_the_five_steps_run_once_each_in_order():
    trail = run_oneshot(QUESTION, Deps(CHAT, Finds(1, 3), Thinks()))

    assert [s.name for s in trail.steps] == [f"oneshot/q{n}" for n in range(1, 6)]
    assert all(s.changed and s.milliseconds >= 0 for s in trail.steps)
    assert [s.prompt_digest for s in trail.steps] == [
        "digest of oneshot/q1", None, "digest of oneshot/q3", "digest of oneshot/q4", None
    ]  # fmt: skip
    assert trail.usage == Usage(model_calls=3, prompt_tokens=15)


def test_a_gap_is_not_searched_for_in_a_single_pass():
    trail = run_oneshot(QUESTION, Deps(CHAT, Finds(1, 3), Thinks()))

    assert trail.stop_reason == "single pass"
    assert len(trail.rounds) == 1
    assert trail.mode == "oneshot"
    assert trail.answer.local_ids == (1, 3)


def test_replies_to_the_anchors_join_the_pool_but_not_the_ranking():
    trail = run_oneshot(QUESTION, Deps(CHAT, Finds(1, 2), Thinks()))

    assert [c.local_id for c in trail.ranking] == [1, 2]
    assert {c.local_id for c in trail.rounds[0].candidates} == {1, 2, 6}
    assert trail.answer.local_ids == (1, 2, 6)


def test_the_pool_is_as_large_as_the_budget_says_and_the_ranking_at_most_fifty():
    everything = Finds(*range(1, 61))

    small = run_oneshot(QUESTION, Deps(CHAT, everything, Thinks(), Budget(pool=4)))
    large = run_oneshot(QUESTION, Deps(CHAT, everything, Thinks(), Budget(pool=60)))

    assert [c.local_id for c in small.ranking] == [1, 2, 3, 4]
    assert len(large.ranking) == 50
    assert len(large.rounds[0].candidates) == 60


def test_citations_of_what_was_not_retrieved_or_not_said_are_unsupported():
    cites = (
        Citation(local_id=1, quote="number 1"),
        Citation(local_id=30),
        Citation(local_id=3, quote="number 1"),
    )

    answer = run_oneshot(QUESTION, Deps(CHAT, Finds(1, 3), Thinks(*cites))).answer

    assert answer.local_ids == (1,)
    assert [(u.local_id, u.reason) for u in answer.unsupported] == [
        (30, "was not retrieved"),
        (3, "the quote is not in that message"),
    ]


def test_finding_nothing_is_an_abstention():
    trail = run_oneshot(QUESTION, Deps(CHAT, Finds(), Thinks()))

    assert trail.stop_reason == "nothing found"
    assert trail.answer.abstained
    assert [s.name for s in trail.steps] == [f"oneshot/q{n}" for n in range(1, 6)]


def test_a_whole_trail_survives_json():
    cites = (Citation(local_id=1, quote="number 1"), Citation(local_id=30))
    trail = run_oneshot(QUESTION, Deps(CHAT, Finds(1, 3), Thinks(*cites)))

    assert Trail.model_validate_json(trail.model_dump_json(by_alias=True)) == trail
    assert Trail.model_validate_json(trail.model_dump_json(by_alias=False)) == trail


def test_one_deps_in_eight_threads_gives_equal_trails():
    deps = Deps(CHAT, Finds(1, 2, 3), Thinks())

    with ThreadPoolExecutor(8) as pool:
        trails = list(pool.map(lambda _: run_oneshot(QUESTION, deps), range(32)))

    assert all(timeless(t) == timeless(trails[0]) for t in trails)


@pytest.mark.parametrize("step", ["oneshot/q1", "oneshot/q3", "oneshot/q4"])
def test_a_step_that_cannot_be_thought_is_an_error_of_ours(step):
    with pytest.raises(ReasoningError, match=step):
        run_oneshot(QUESTION, Deps(CHAT, Finds(1), Thinks(fails_at=step)))


def test_the_chain_is_an_ordinary_sequence_of_five_runnables():
    found = chain()

    assert [s.get_name()[:2] for s in found.steps] == ["Q1", "Q2", "Q3", "Q4", "Q5"]


def test_importing_the_chain_imports_no_langgraph():
    code = "import sys, sayso.oneshot.chain; print('langgraph' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
