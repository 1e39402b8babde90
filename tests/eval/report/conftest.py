"""A small run whose chat tries everything that a page could take for markup."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from eval.cases import ArcCase, Case, ExpectedPhase, GivenSpan, QaCase, ReadyCase
from eval.replay import replay, tasks_of
from eval.report.page import Room, report
from eval.results import results_record
from eval.scoring import Row, score
from sayso.core.chat import Chat, Message, Participant
from sayso.core.models import Answer, Candidate, Claim, Evidence, Graded, Phase, Plan
from sayso.core.seams import Deps
from sayso.core.trail import Round, StepRecord, Trail, Usage

EVIL = "</script><script>document.title='owned'</script><img src=http://127.0.0.1:9/x onerror=alert(1)>"
LINES = [
    ("Ana", "I booked the night train to Vienna 🚂"),
    ("Ben", EVIL),
    ("Ana", "\u202eright to left \u2067and isolated"),
    ("דנה", "הרכבת יוצאת ב-9 בערב"),
    ("Ben", "W" * 900),
    ("Ana", "nul \x00 and half a pair \ud83d here"),
    ("Ben", "We meet at the big clock, at nine"),
    ("Ana", "Then the clock it is"),
]
CITED = {
    "oneshot": {"Which train?": {1: (9, 34)}, EVIL: {2: (0, 9)}, "How did it go?": {1: (2, 8)}},
    "agent": {
        "Which train?": {1: (2, 28), 7: (11, 24)},
        EVIL: {2: (0, len(EVIL)), 3: (0, 8), 4: (0, 5), 5: (0, 900), 6: (0, 5)},
        "How did it go?": {1: (2, 8), 8: (5, 14)},
        "What did it cost?": {7: (0, 7)},
    },
}


@dataclass(frozen=True)
class Made:
    """The rows of a run and what its page was made of."""

    results: dict[str, Any]
    rows: tuple[Row, ...]
    chats: dict[str, Chat]
    cases: dict[str, Case]

    def page(self, room: Room | None = None) -> str:
        """The page of the run."""
        return report(self.results, self.rows, chats=self.chats, cases=self.cases, room=room)


@pytest.fixture(scope="session")
def hostile() -> Chat:
    return Chat(
        chat_id="trip",
        title=EVIL,
        platform="invented",
        participants=(Participant(name="Ana"), Participant(name="Ben")),
        messages=tuple(
            Message(
                local_id=n,
                sender=sender,
                sent_at=datetime(2024, 3, n, 9, 30, tzinfo=UTC),
                text=text,
            )
            for n, (sender, text) in enumerate(LINES, 1)
        ),
    )


@pytest.fixture(scope="session")
def run(hostile: Chat) -> Made:
    """Questions: found by both, full of markup, without an answer, failed; category by case."""
    return _made(
        [
            QaCase(
                case_id="train", chat="trip", question="Which train?", answer="the night train",
                evidence=(1, 7), spans=(GivenSpan(local_id=1, start=9, end=34),), category="one",
            ),
            QaCase(case_id="evil", chat="trip", question=EVIL, evidence=(2,), category="<b>two</b>"),
            QaCase(
                case_id="cost", chat="trip", question="What did it cost?", answerable=False,
                category="none",
            ),
            QaCase(case_id="late", chat="trip", question="fails", evidence=(1,), category="one"),
        ],
        hostile,
    )  # fmt: skip


@pytest.fixture(scope="session")
def arcs(hostile: Chat) -> Made:
    phases = (
        ExpectedPhase(title="Books", evidence=(1,)),
        ExpectedPhase(title="Agrees <on> the clock", evidence=(7, 8)),
    )
    return _made(
        [ArcCase(case_id="arc", chat="trip", question="How did it go?", phases=phases)], hostile
    )


@pytest.fixture(scope="session")
def written(run: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(run.page(), encoding="utf-8")
    return path


def _made(cases: list[Any], chat: Chat) -> Made:
    ready = [ReadyCase(case, chat, "set", "trip") for case in cases]
    tasks = tasks_of(ready, ["agent", "oneshot"])
    modes = {name: _mode(name) for name in ("agent", "oneshot")}
    deps: Callable[[Chat], Deps] = lambda chat: Deps(chat=chat, retriever=None, reasoner=None)  # noqa: E731
    rows = tuple(score(run) for run in replay(tasks, modes, deps_for=deps))
    kind = rows[0].kind
    results = results_record(
        rows, kind, modes=["agent", "oneshot"], at=datetime(2024, 5, 6, tzinfo=UTC), config={}
    )
    return Made(results, rows, {"trip": chat}, {case.case_id: case for case in cases})


def _mode(name: str) -> Any:
    def mode(question: Any, deps: Deps) -> Trail:
        if question.text == "fails":
            raise TimeoutError("too <late>")
        return _trail(name, question, deps.chat, CITED[name].get(question.text, {}))

    return mode


def _trail(name: str, question: Any, chat: Chat, cited: dict[int, tuple[int, int]]) -> Trail:
    evidence = tuple(_evidence(chat, i, *span) for i, span in cited.items())
    ranking = tuple(
        Candidate(chat_id="trip", local_id=i, score=1 / n) for n, i in enumerate((1, 2, 7, 3), 1)
    )
    return Trail(
        question=question,
        mode=name,
        plan=Plan(intent="fact", queries=(question.text,)),
        ranking=ranking,
        rounds=(Round(plan=Plan(intent="fact", queries=("x",)), candidates=ranking),),
        graded=tuple(Graded(candidate=c, relevance=0.5) for c in ranking),
        answer=Answer(
            text=f"{EVIL} says {name}" if cited else "",
            evidence=evidence,
            claims=(Claim(text=EVIL, evidence=evidence),) if cited else (),
            phases=_phases(evidence) if question.text.startswith("How") else (),
            abstained=not cited,
        ),
        steps=(
            StepRecord(
                name="say", changed=EVIL, milliseconds=2.0, raw=(EVIL,),
                usage=Usage(model_calls=2, prompt_tokens=30, completion_tokens=4, cost=0.5),
            ),
        ),
        stop_reason="single pass",
    )  # fmt: skip


def _phases(evidence: tuple[Evidence, ...]) -> tuple[Phase, ...]:
    first, last = evidence[0].sent_at, evidence[-1].sent_at
    return (Phase(title=EVIL, start=first, end=last, summary="went", evidence=evidence),)


def _evidence(chat: Chat, local_id: int, start: int, end: int) -> Evidence:
    message = chat.by_id[local_id]
    return Evidence(
        local_id=local_id,
        sender=message.sender,
        sent_at=message.sent_at,
        doc_id=f"trip#{local_id}",
        start=start,
        end=end,
        quote=message.text[start:end],
    )
