"""A scored row as JSON, there and back: ``rows.jsonl`` alone is enough for every table."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from eval.cases import CaseKind
from eval.funnel import STAGES, Lost, Passage, Stage
from eval.gold import Gold, Repair, SpanTruth
from eval.scoring import METRICS, Row
from eval.trails import read_trail, trail_record
from eval.usage import usage_of
from sayso.core.trail import Usage

Record = dict[str, Any]  # a JSON object

_Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    # Strict, since a file may have been edited: "0.5" is no score, and 1 is no truth value.
    model_config = ConfigDict(strict=True)


class _Repaired(_Part):
    given: str
    local_ids: list[int]


class _Lost(_Part):
    id: int | str
    at: Stage


class _Passed(_Part):
    expected: _Count
    held: dict[Stage, _Count]
    lost: list[_Lost]


class _Line(_Part):
    """What a line holds of a row, its trail aside."""

    case_id: str
    mode: str
    dataset: str
    kind: CaseKind
    chat: str
    category: str | None
    question: str
    answerable: bool
    gold: Gold
    expected_ids: list[int]
    returned_ids: list[int]
    repaired: list[_Repaired]
    unreachable: list[int | str]
    span_truth: SpanTruth | None
    metrics: dict[str, _Score | None]
    phase_recalls: list[_Score | None]
    abstained: bool | None
    error: str | None
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    group: str | None = None
    repeat: _Count = 0
    funnel: _Passed | None = None
    usage: Usage | None = None


def row_record(row: Row) -> Record:
    """The row as JSON holds it, without its trail."""
    answer = row.trail.answer if row.trail else None
    return {
        "case_id": row.case_id,
        "mode": row.mode,
        "repeat": row.repeat,
        "dataset": row.dataset,
        "group": row.group,
        "kind": row.kind,
        "chat": row.chat,
        "category": row.category,
        "question": row.question,
        "answerable": row.answerable,
        "gold": row.gold,
        "expected_ids": list(row.expected_ids),
        "returned_ids": list(row.returned_ids),
        "repaired": [asdict(repair) for repair in row.repaired],
        "unreachable": list(row.unreachable),
        "span_truth": row.span_truth,
        "metrics": dict(row.metrics),
        "phase_recalls": list(row.phase_recalls),
        "funnel": _passage_record(row.passage),
        "answer": answer.text if answer else None,
        "abstained": row.abstained,
        "stop_reason": row.trail.stop_reason if row.trail else None,
        "usage": usage.model_dump() if (usage := usage_of(row)) else None,
        "error": row.error,
        "seconds": row.seconds,
    }


def full_record(row: Row) -> Record:
    """The row with its trail, as a line of ``rows.jsonl`` holds it."""
    return row_record(row) | {"trail": trail_record(row.trail) if row.trail else None}


def row_of(record: Mapping[str, Any]) -> Row:
    """The row that a line of ``rows.jsonl`` holds; TypeError, KeyError or ValueError where it holds none.

    Scores are those that were written, each in [0, 1]; a metric that came later has none.
    """
    line = _Line.model_validate(record)
    metrics: dict[str, float | None] = dict.fromkeys(METRICS[line.kind])
    metrics |= {name: value for name, value in line.metrics.items() if name in metrics}
    trail = record.get("trail")
    return Row(
        case_id=line.case_id,
        mode=line.mode,
        dataset=line.dataset,
        kind=line.kind,
        chat=line.chat,
        category=line.category,
        question=line.question,
        answerable=line.answerable,
        gold=line.gold,
        expected_ids=tuple(line.expected_ids),
        returned_ids=tuple(line.returned_ids),
        repaired=tuple(Repair(r.given, tuple(r.local_ids)) for r in line.repaired),
        unreachable=tuple(line.unreachable),
        span_truth=line.span_truth,
        metrics=metrics,
        phase_recalls=tuple(line.phase_recalls),
        abstained=line.abstained,
        error=line.error,
        seconds=line.seconds,
        group=line.group or line.chat,
        repeat=line.repeat,
        passage=_passage(line.funnel),
        trail=read_trail(trail) if trail is not None else None,
        spent=line.usage if trail is None else None,
    )


def _passage_record(passage: Passage | None) -> Record | None:
    if passage is None:
        return None
    held = {stage: passage.held[stage] for stage in STAGES}
    return {
        "expected": passage.expected,
        "held": held,
        "lost": [asdict(one) for one in passage.lost],
    }


def _passage(passed: _Passed | None) -> Passage | None:
    if passed is None:
        return None
    lost = tuple(Lost(one.id, one.at) for one in passed.lost)
    return Passage(passed.expected, {s: passed.held[s] for s in STAGES}, lost)
