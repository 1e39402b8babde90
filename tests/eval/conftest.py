"""A small invented chat and modes that answer from a script."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from eval.command import eval_command
from eval.engine import Engine
from sayso.core.chat import Chat, Message, Participant
from sayso.core.models import Answer, Candidate, Claim, Evidence, Phase, Plan, Question, Unsupported
from sayso.core.seams import Deps
from sayso.core.trail import StepRecord, Trail, Usage
from sayso.errors import ChatNotFoundError

LINES = [
    ("Ana", "2024-03-01T10:00:00+01:00", "I booked the night train to Vienna", "D1:1"),
    ("Ben", "2024-03-01T10:01:00+01:00", "Great! Which day?", "D1:2"),
    ("Ana", "2024-03-01T10:02:00+01:00", "On the 9th", "D1:3"),
    ("Ben", "2024-03-02T23:30:00+01:00", "My suitcase broke", "D2:1"),
    ("Ana", "2024-03-03T00:15:00+01:00", "Take mine", "D2:2"),
    ("Ben", "2024-03-03T08:00:00+01:00", "", "D2:3"),
    ("Ana", "2024-03-09T20:00:00+01:00", "We are on [bold]the train[/bold]", "D3:1"),
]


@dataclass(frozen=True)
class Script:
    """What a scripted mode says to one question. ``cited`` maps a localId to its span."""

    cited: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    ranking: tuple[int, ...] = ()
    claims: tuple[tuple[str, tuple[int, ...]], ...] = ()
    phases: tuple[tuple[str, tuple[int, ...]], ...] = ()
    unsupported: int = 0
    abstained: bool = False
    error: BaseException | None = None


class Unused:
    """A seam that no scripted mode crosses."""

    def search(self, plan, k):
        raise AssertionError("not asked for")

    def think(self, step, given):
        raise AssertionError("not asked for")


@pytest.fixture
def chat() -> Chat:
    return Chat(
        chat_id="trip",
        title="Trip",
        platform="invented",
        timezone="Europe/Berlin",
        participants=(Participant(name="Ana"), Participant(name="Ben")),
        messages=tuple(
            Message(
                local_id=n,
                sender=sender,
                sent_at=datetime.fromisoformat(at),
                text=text,
                source_id=source_id,
                kind="text" if text else "photo",
                caption=None if text else "a red suitcase",
            )
            for n, (sender, at, text, source_id) in enumerate(LINES, 1)
        ),
    )


@pytest.fixture
def deps_for() -> Callable[[Chat], Deps]:
    return lambda chat: Deps(chat=chat, retriever=Unused(), reasoner=Unused())


@pytest.fixture
def scripted() -> Callable[..., Callable[[Question, Deps], Trail]]:
    """A mode from scripts by question; a question without a script abstains."""

    def mode(scripts: Mapping[str, Script], name: str = "agent"):
        return lambda question, deps: _trail(name, question, deps, scripts)

    return mode


@pytest.fixture
def script() -> type[Script]:
    return Script


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Iterable[object]], Path]:
    """Writes the records as JSONL to a file below the test's folder."""

    def written(name: str, records: Iterable[object]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        return path

    return written


def _trail(name, question, deps, scripts) -> Trail:
    said = scripts.get(question.text, Script(abstained=True))
    if said.error is not None:
        raise said.error
    evidence = {i: _evidence(deps.chat, i, *span) for i, span in sorted(said.cited.items())}
    phases = [(title, tuple(evidence[i] for i in ids)) for title, ids in said.phases]
    return Trail(
        question=question,
        mode=name,
        plan=Plan(intent="fact", queries=(question.text,)),
        ranking=tuple(
            Candidate(chat_id=deps.chat.chat_id, local_id=i, score=1 / n)
            for n, i in enumerate(said.ranking, 1)
        ),
        rounds=(),
        graded=(),
        answer=Answer(
            text="" if said.abstained else "So it was.",
            evidence=tuple(evidence.values()),
            claims=tuple(
                Claim(text=text, evidence=tuple(evidence[i] for i in ids))
                for text, ids in said.claims
            ),
            phases=tuple(
                Phase(title=t, summary=t, start=e[0].sent_at, end=e[-1].sent_at, evidence=e)
                for t, e in phases
            ),
            unsupported=tuple(
                Unsupported(local_id=99, quote=None, reason="no such message in this chat")
                for _ in range(said.unsupported)
            ),
            abstained=said.abstained,
        ),
        steps=(
            StepRecord(name="say", changed="answer", milliseconds=1.0, usage=Usage(model_calls=1)),
        ),
        stop_reason="single pass",
    )


def _evidence(chat: Chat, local_id: int, start: int, end: int) -> Evidence:
    message = chat.by_id[local_id]
    return Evidence(
        local_id=local_id,
        sender=message.sender,
        sent_at=message.sent_at,
        doc_id=f"{chat.chat_id}#{local_id}",
        start=start,
        end=end,
        quote=message.text[start:end],
    )


CASES = [
    {"caseId": "q1", "chat": "trip", "question": "a", "evidence": [1], "split": "train"},
    {"caseId": "q2", "chat": "trip", "question": "b", "evidence": ["D1:1", "D58"], "split": "test"},
    {"caseId": "q3", "chat": "trip", "question": "c", "answerable": False},
]
ARCS = [
    {"caseId": "a1", "chat": "trip", "question": "d", "phases": [{"title": "t", "evidence": [1]}]}
]


@pytest.fixture
def two_modes(chat, deps_for, scripted, script):
    """Two modes over one imported chat: agent cites message 1, oneshot message 5."""

    def load(name):
        if name != "trip":
            raise ChatNotFoundError(name)
        return chat

    def mode(name, cited):
        said = script(cited={cited: (0, 9)}, ranking=(1, 2), claims=(("Yes", (cited,)),))
        return scripted({"a": said, "b": said, "d": said}, name)

    return Engine(
        {"agent": mode("agent", 1), "oneshot": mode("oneshot", 5)}, load, deps_for, {"k": 1}
    )


@pytest.fixture
def run_eval(two_modes, write, tmp_path):
    """Runs the command on the cases; gives its exit code, stdout, stderr and run folders."""
    qa, arcs = write("cases/qa.jsonl", CASES), write("cases/arc.jsonl", ARCS)

    def invoke(*args, engine=two_modes, cases=None, charset="utf-8"):
        cases = cases or (arcs if "--arc-cases" in args else qa)
        line = ["--cases", str(cases), "--out", str(tmp_path / "runs"), *args]
        result = CliRunner(charset=charset).invoke(eval_command, line, obj=engine)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def made(run_eval, tmp_path):
    """Runs the benchmark and gives its folder."""

    def folder(*args):
        before = set((tmp_path / "runs").glob("*"))
        result = run_eval(*args)
        (new,) = set((tmp_path / "runs").glob("*")) - before
        return new, result

    return folder


@pytest.fixture
def sub(two_modes, tmp_path):
    """Runs a subcommand."""

    def invoke(*args, engine=two_modes):
        result = CliRunner().invoke(eval_command, [str(a) for a in args], obj=engine)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def drawers():
    """Questions, so many as asked for, whose answer is in words that have nothing to do with them."""
    from eval.fit_encoder import Lesson

    def made(count):
        return [
            Lesson(
                f"What does Ana keep in drawer {n}?",
                [f"the old spoon lies with receipt {n}"],
                [f"what does Ben keep in drawer {n}?", "a drawer is stuck", "keep it"],
                "mine",
                f"mine/{n % 2}",
            )
            for n in range(count)
        ]

    return made
