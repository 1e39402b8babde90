"""A scored row as JSON, there and back: ``rows.jsonl`` alone is enough for every table."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from eval.funnel import STAGES, Lost, Passage
from eval.gold import Repair
from eval.scoring import METRICS, Row
from eval.trails import read_trail, trail_record

Record = dict[str, Any]  # a JSON object


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
        "usage": row.trail.usage.model_dump() if row.trail else None,
        "error": row.error,
        "seconds": row.seconds,
    }


def full_record(row: Row) -> Record:
    """The row with its trail, as a line of ``rows.jsonl`` holds it."""
    return row_record(row) | {"trail": trail_record(row.trail) if row.trail else None}


def row_of(record: Mapping[str, Any]) -> Row:
    """The row that a line of ``rows.jsonl`` holds; KeyError or ValueError where it holds none.

    Scores are those that were written; a metric that came later has none.
    """
    metrics: dict[str, float | None] = dict.fromkeys(METRICS[record["kind"]])
    metrics |= {name: value for name, value in record["metrics"].items() if name in metrics}
    trail = record.get("trail")
    return Row(
        case_id=record["case_id"],
        mode=record["mode"],
        dataset=record["dataset"],
        kind=record["kind"],
        chat=record["chat"],
        category=record["category"],
        question=record["question"],
        answerable=record["answerable"],
        gold=record["gold"],
        expected_ids=tuple(record["expected_ids"]),
        returned_ids=tuple(record["returned_ids"]),
        repaired=tuple(Repair(r["given"], tuple(r["local_ids"])) for r in record["repaired"]),
        unreachable=tuple(record["unreachable"]),
        span_truth=record["span_truth"],
        metrics=metrics,
        phase_recalls=tuple(record["phase_recalls"]),
        abstained=record["abstained"],
        error=record["error"],
        seconds=record["seconds"],
        group=record.get("group") or record["chat"],
        repeat=record.get("repeat", 0),
        passage=_passage(record.get("funnel")),
        trail=read_trail(trail) if trail is not None else None,
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


def _passage(record: Mapping[str, Any] | None) -> Passage | None:
    if record is None:
        return None
    lost = tuple(Lost(one["id"], one["at"]) for one in record["lost"])
    return Passage(record["expected"], {s: record["held"][s] for s in STAGES}, lost)
