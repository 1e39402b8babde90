from datetime import UTC, datetime

import pytest

from sayso.cli.answers import answer_json, answer_lines, exit_code_of, failed_steps, why_lines
from sayso.cli.rendering import Ink
from sayso.core.chat import Chat, Message
from sayso.core.models import (
    Answer,
    Candidate,
    Evidence,
    Graded,
    Phase,
    Plan,
    Question,
    Unsupported,
)
from sayso.core.trail import Round, StepRecord, Trail, Usage

PLAIN = Ink(False)
CHAT = Chat(
    chat_id="trip",
    title="Trip",
    platform="test",
    timezone="Asia/Shanghai",
    messages=(
        Message(local_id=1, sender="Ana", sent_at=datetime(2024, 5, 1, 8, tzinfo=UTC), text="I moved to Lisbon"),
        Message(local_id=2, sender="Bo", sent_at=datetime(2024, 5, 1, 17, tzinfo=UTC), text="[red]\x1b[2Jwow"),
    ),
)  # fmt: skip


def cited(local_id: int, start: int, end: int) -> Evidence:
    message = CHAT.by_id[local_id]
    return Evidence(
        local_id=local_id, sender=message.sender, sent_at=message.sent_at,
        doc_id=f"trip#{local_id}", start=start, end=end, quote=message.text[start:end],
    )  # fmt: skip


def trail(answer: Answer) -> Trail:
    plan = Plan(intent="fact", queries=("moved",), people=("Ana",), since=CHAT.messages[0].sent_at)
    candidate = Candidate(
        chat_id="trip", local_id=1, score=0.5, why={"pair_cosine": 1.25, "by_person": 0.0}
    )
    return Trail(
        question=Question(text="where?", chat_id="trip"),
        mode="agent",
        plan=plan,
        ranking=(candidate,),
        rounds=(Round(plan=plan, candidates=(candidate,)),),
        graded=(Graded(candidate=candidate, relevance=0.875, why="names the place"),),
        answer=answer,
        steps=(StepRecord(name="planner", changed="1 query", milliseconds=2.4, usage=Usage(model_calls=1)),),
        stop_reason="enough evidence",
    )  # fmt: skip


def test_evidence_is_quoted_with_id_sender_local_time_and_the_span_marked() -> None:
    lines = answer_lines(trail(Answer(text="Lisbon.", evidence=(cited(1, 11, 17),))), CHAT, PLAIN)

    assert lines == [
        "Lisbon.",
        "",
        "#1  Ana  Wed 2024-05-01 16:00",
        "  │ I moved to «Lisbon»",
        "",
        "agent · stopped: enough evidence · 1 round",
    ]


def test_phases_show_title_interval_and_their_evidence_once() -> None:
    first, second = cited(1, 0, 17), cited(2, 0, 12)
    phase = Phase(
        title="The [b]move[/b]", start=first.sent_at, end=second.sent_at, summary="It happened.",
        evidence=(first, second),
    )  # fmt: skip

    lines = answer_lines(
        trail(Answer(text="So:", evidence=(first, second), phases=(phase,))), CHAT, PLAIN
    )

    assert lines == [
        "So:",
        "",
        "1. The [b]move[/b]  2024-05-01 to 2024-05-02",
        "   It happened.",
        "   #1  Ana  Wed 2024-05-01 16:00",
        "     │ I moved to Lisbon",
        "   #2  Bo  Thu 2024-05-02 01:00",
        "     │ [red]␛[2Jwow",
        "",
        "agent · stopped: enough evidence · 1 round",
    ]


def test_a_phase_that_the_answer_tells_in_a_line_of_its_own_is_not_told_twice() -> None:
    first = cited(1, 0, 17)
    phase = Phase(
        title="I moved", start=first.sent_at, end=first.sent_at, summary="Ana: “I moved”",
        evidence=(first,),
    )  # fmt: skip
    answer = Answer(
        text="1 stage:\n1. I moved — Ana: “I moved”", evidence=(first,), phases=(phase,)
    )

    assert answer_lines(trail(answer), CHAT, PLAIN)[:5] == [
        "1 stage:",
        "",
        "1. I moved  2024-05-01",
        "   #1  Ana  Wed 2024-05-01 16:00",
        "     │ I moved to Lisbon",
    ]


def thought(name: str, *, note: str = "", calls: int = 0) -> StepRecord:
    """A step that was asked of a model; with a note another had to take it over."""
    return StepRecord(
        name=name, changed="", milliseconds=1.0, usage=Usage(model_calls=calls),
        notes=(note,) if note else (), fell_back=bool(note),
    )  # fmt: skip


FAILED = thought("grader", note="the model failed (refused): no connection")
ENDED = thought("generator", note="the model is not asked: token budget")


@pytest.mark.parametrize(
    ("steps", "failed"),
    [
        ((), ()),
        ((thought("planner", calls=1), thought("generator", calls=1)), ()),
        ((thought("planner", calls=1), FAILED), ("grader",)),
        ((FAILED, FAILED), ("grader",)),
        ((FAILED, thought("generator", calls=1)), ()),
        ((thought("planner", calls=1), ENDED), ()),
        ((FAILED, ENDED), ("grader",)),
    ],
    ids=["none", "model", "grader", "rounds", "model after all", "budget", "both"],
)
def test_an_answer_is_without_the_model_where_the_last_step_that_asked_it_failed(
    steps: tuple[StepRecord, ...], failed: tuple[str, ...]
) -> None:
    told = trail(Answer(text="Lisbon.")).model_copy(update={"steps": steps})

    assert failed_steps(told) == failed
    assert exit_code_of(told) == (3 if failed else 0)
    first = f"The model failed ({', '.join(failed)}); this is without it:" if failed else "Lisbon."
    assert answer_lines(told, CHAT, PLAIN)[0] == first


def test_what_did_not_hold_is_shown_with_its_reason() -> None:
    failed = Unsupported(local_id=9, quote="to\x1bRome", reason="was not retrieved")

    lines = answer_lines(trail(Answer(text="Rome.", unsupported=(failed,))), CHAT, PLAIN)

    assert "unsupported: #9 “to␛Rome”: was not retrieved" in lines


def test_an_answer_that_quotes_control_characters_is_inert() -> None:
    assert answer_lines(trail(Answer(text="a\x1b[2Jb\nc")), CHAT, PLAIN)[:2] == ["a␛[2Jb", "c"]


def test_json_has_the_published_shape() -> None:
    given = answer_json(trail(Answer(text="Lisbon.", evidence=(cited(1, 11, 17),))))

    assert list(given) == [
        "question", "mode", "chatId", "answer", "abstained", "stopReason", "evidence",
        "phases", "unsupported", "trail", "usage",
    ]  # fmt: skip
    assert given["evidence"] == [
        {
            "localId": 1, "sender": "Ana", "sentAt": "2024-05-01T08:00:00Z", "docId": "trip#1",
            "start": 11, "end": 17, "quote": "Lisbon",
        }
    ]  # fmt: skip
    assert given["usage"] == {
        "modelCalls": 1, "cacheHits": 0, "retries": 0, "promptTokens": 0, "cachedTokens": 0,
        "completionTokens": 0, "seconds": 0.0, "cost": None, "savedTokens": 0, "savedCost": None,
    }  # fmt: skip
    assert given["trail"]["stopReason"] == "enough evidence"


def test_why_says_where_nothing_was_found() -> None:
    nothing = trail(Answer(text="Nothing.")).model_copy(update={"ranking": (), "graded": ()})

    lines = why_lines(nothing, CHAT, PLAIN)

    assert lines[lines.index("Candidates") + 1] == "  none"
    assert lines[lines.index("Grades") + 1] == "  none"


def test_why_tells_plan_rounds_candidates_grades_and_steps() -> None:
    assert why_lines(trail(Answer(text="Lisbon.")), CHAT, PLAIN) == [
        "Plan",
        "  intent: fact",
        "  people: Ana",
        "  window: Wed 2024-05-01 16:00 until …",
        "  round 1: found 1 for “moved” (names are looked for apart)",
        "Candidates",
        "  1. #1  Ana  Wed 2024-05-01 16:00  I moved to Lisbon",
        "     score 0.500: pair cosine 1.25",
        "Grades",
        "  #1 0.88: names the place",
        "Steps",
        "  planner 2 ms: 1 query",
        "agent · stopped: enough evidence · 1 round",
    ]
