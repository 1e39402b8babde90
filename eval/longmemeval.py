"""LongMemEval's questions as cases, each of the history that stands beside it in the file.

Evidence is the turns marked ``has_answer``, where a session stands twice those of the first. A
question whose id ends in ``_abs`` has no answer in its history. ``question_date`` is when it is
asked, on the clock of the history.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eval.cases import FiledCase, QaCase
from sayso.chats.importers.longmemeval import is_question, read_time, sessions
from sayso.chats.importers.naming import ids_for

DATASET = "longmemeval"
_ABSTAINS = "_abs"


def is_longmemeval(records: Sequence[Any]) -> bool:
    """Whether every record is a question with its history."""
    return bool(records) and all(map(is_question, records))


def longmemeval_cases(path: Path, records: Sequence[Any]) -> Iterator[FiledCase]:
    """A case for each question, in file order; ``records`` are what :func:`is_longmemeval` holds for.

    Raises ValidationError for a question that is no text.
    """
    ids = ids_for([(str(r["question_id"]), f"{n}") for n, r in enumerate(records)], None)
    for chat, record in zip(ids, records, strict=True):
        answer = record.get("answer")
        case = QaCase(
            case_id=chat,
            chat=chat,
            question=record.get("question"),
            answer=answer if isinstance(answer, str | int | float | bool) else None,
            evidence=tuple(_evidence(record)),
            category=record.get("question_type"),
            answerable=not str(record["question_id"]).endswith(_ABSTAINS),
            asked_at=_asked_at(record.get("question_date")),
        )
        within = None if len(records) == 1 else chat
        yield FiledCase(case, path, DATASET, holds_chat=True, chat_within=within)


def _asked_at(date: Any) -> datetime | None:  # whatever the file holds
    try:
        return read_time(date).replace(tzinfo=UTC)  # which the histories are read in, too
    except ValueError:
        return None


def _evidence(record: dict[str, Any]) -> Iterator[str]:
    for session_id, _, turns in sessions(record):
        for n, turn in enumerate(turns if isinstance(turns, list) else (), 1):
            if isinstance(turn, dict) and turn.get("has_answer") is True and "#" not in session_id:
                yield f"{session_id}:{n}"
